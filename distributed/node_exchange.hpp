// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The exchange of nodes' values between owners and ghosts, as often as they change.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/mpi_type.hpp>
#include <tessera/distributed/node_import.hpp>
#include <tessera/distributed/peers/detail/peer_exchange.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// The i-th of the values that are sent, among those of all nodes.
template <class ExecutionSpace>
struct SentValues {
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes;
  int components;
  KOKKOS_FUNCTION std::int64_t place(std::int64_t i) const {
    return static_cast<std::int64_t>(nodes(i / components)) * components + i % components;
  }
};

/// The i-th of them.
template <class Values>
struct SentValue {
  SentValues<typename Values::execution_space> sent;
  Values values;
  KOKKOS_FUNCTION typename Values::value_type operator()(std::int64_t i) const {
    return values(sent.place(i));
  }
};

template <class Values>
struct PackValues {
  SentValue<Values> value;
  Values packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { packed(i) = value(i); }
};

template <class Values>
struct GhostValue {
  Values ghosts;
  KOKKOS_FUNCTION typename Values::value_type operator()(std::int64_t i) const { return ghosts(i); }
};

template <class Values>
struct AddValues {
  SentValues<typename Values::execution_space> sent;
  Values values, packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values(sent.place(i)) += packed(i); }
};

} // namespace detail

/// How messages reach MPI.
enum class Transfer {
  host,   ///< by pinned memory of the host: any MPI can read it
  device, ///< MPI reads and writes the device's memory itself ("CUDA-aware")
  /// Not by MPI: kernels write to the memory of the other ranks and wait for what these write; the host does
  /// not wait. For ranks of one host, each with a CUDA device of its own if it computes on one. All calls of
  /// an exchange are made on one instance, and it goes on all ranks together.
  peer
};

/// What this MPI says of itself at run time: `device` if it reads the memory of CUDA's devices, else `host`.
Transfer usable_transfer();

/// Exchanges of `components` values for each node, numbered node * components + component, by the lists of a
/// `NodeImport`. Buffers and requests are allocated when it is made, none later; each `begin...` is followed
/// by its `end...` before the next, and the kernels between them must not touch the ghosts' values.
///
/// All ranks make the same calls in the same order; only the constructor waits for all of them, the others
/// for neighbors. Messages of an import: one to each rank that has ghosts of this one's nodes, of as many
/// values.
///
/// \tparam Scalar double, float or a signed integer of 32 or 64 bits
template <class Scalar, class ExecutionSpace>
class NodeExchange {
public:
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Collective. \throws on every rank ArgumentError for less than one component, or a message of more than
  ///   2^31 - 1 values; UnsupportedError where `Transfer::peer` does not serve the ranks; OutOfMemoryError
  NodeExchange(const ExecutionSpace& exec, const NodeImport<ExecutionSpace>& plan, int components,
               Transfer transfer = Transfer::host)
      : plan_(plan), components_(components), staged_(transfer == Transfer::host && !on_host),
        tag_(plan.ranks().next_tag()) {
    agree(plan.ranks(), [&] { check_counts(); });
    if (transfer == Transfer::peer)
      peers_.emplace(exec, plan.ranks(), plan.lists(), components);
    else
      agree(plan.ranks(), [&] { allocate_buffers(exec); });
  }

  int components() const { return components_; }

  /// Sends the values of owned nodes to their ghosts. Returns when they have been packed; `values` has one
  /// number for each component of each node, ghosts included.
  void begin(const ExecutionSpace& exec, const Values& values) {
    check(values);
    const detail::SentValue<Values> value{{plan_.sent(), components_}, values};
    if (peers_) return peers_->import(exec, value);
    Kokkos::parallel_for("Tessera::NodeExchange::pack",
                         Range(exec, 0, static_cast<std::int64_t>(packed_.extent(0))),
                         detail::PackValues<Values>{value, packed_});
    if (staged_) Kokkos::deep_copy(exec, host_packed_, packed_);
    // Kernels before this may read the ghosts' values still.
    exec.fence("Tessera::NodeExchange::begin");
    const auto ghosts = ghost_values(values);
    receive(plan_.lists().owners, plan_.lists().ghost_offsets, staged_ ? host_ghosts_.data() : ghosts.data());
    send(plan_.lists().readers, plan_.lists().sent_offsets, staged_ ? host_packed_.data() : packed_.data());
  }

  /// Waits for the messages, and writes the values of ghosts: what `exec` runs next sees them.
  void end(const ExecutionSpace& exec, const Values& values) {
    if (peers_) return peers_->take_imported(exec, ghost_values(values));
    wait();
    if (staged_) Kokkos::deep_copy(exec, ghost_values(values), host_ghosts_);
  }

  /// Sends the values of ghosts to their owners.
  void begin_sum(const ExecutionSpace& exec, const Values& values) {
    check(values);
    const auto ghosts = ghost_values(values);
    if (peers_) return peers_->sum(exec, detail::GhostValue<Values>{ghosts});
    if (staged_) Kokkos::deep_copy(exec, host_ghosts_, ghosts);
    exec.fence("Tessera::NodeExchange::begin_sum");
    receive(plan_.lists().readers, plan_.lists().sent_offsets,
            staged_ ? host_packed_.data() : packed_.data());
    send(plan_.lists().owners, plan_.lists().ghost_offsets, staged_ ? host_ghosts_.data() : ghosts.data());
  }

  /// Waits for the messages, and adds the values of ghosts to their owners': in the order of the ranks, so
  /// that sums are the same bits whenever messages arrive. Ghosts keep their values.
  void end_sum(const ExecutionSpace& exec, const Values& values) {
    if (!peers_) wait();
    if (staged_) Kokkos::deep_copy(exec, packed_, host_packed_);
    const Values packed = peers_ ? peers_->summed(exec) : packed_;
    const auto& offsets = plan_.lists().sent_offsets;
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r) // a node stands once in a reader's list
      Kokkos::parallel_for("Tessera::NodeExchange::add",
                           Range(exec, static_cast<std::int64_t>(offsets[r]) * components_,
                                 static_cast<std::int64_t>(offsets[r + 1]) * components_),
                           detail::AddValues<Values>{{plan_.sent(), components_}, values, packed});
  }

private:
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  using StagingSpace = std::conditional_t<on_host, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
  using Staging = Kokkos::View<Scalar*, StagingSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

  void allocate_buffers(const ExecutionSpace& exec) {
    const std::size_t sent = plan_.nodes_sent() * to_size(components_);
    packed_ = allocate<Values>(exec, "Tessera::NodeExchange::packed", sent);
    if (staged_) {
      const std::size_t ghosts = to_size(plan_.ghost_nodes()) * to_size(components_);
      host_packed_ = Staging("Tessera::NodeExchange::host_packed", sent);
      host_ghosts_ = Staging("Tessera::NodeExchange::host_ghosts", ghosts);
    }
    requests_.resize(plan_.messages_sent() + plan_.messages_received(), MPI_REQUEST_NULL);
    exec.fence("Tessera::NodeExchange::NodeExchange");
  }

  void check_counts() const {
    if (components_ < 1)
      throw ArgumentError("NodeExchange: " + std::to_string(components_) + " components, at least one");
    const auto check = [&](const std::vector<std::size_t>& offsets) {
      for (std::size_t i = 1; i < offsets.size(); ++i)
        if ((offsets[i] - offsets[i - 1]) * to_size(components_) >
            static_cast<std::size_t>(std::numeric_limits<int>::max()))
          throw ArgumentError("NodeExchange: " + std::to_string(offsets[i] - offsets[i - 1]) + " nodes of " +
                              std::to_string(components_) + " components are more than a message can hold");
    };
    check(plan_.lists().sent_offsets);
    check(plan_.lists().ghost_offsets);
  }

  void check(const Values& values) const {
    const auto expected =
        (to_size(plan_.owned_nodes()) + to_size(plan_.ghost_nodes())) * to_size(components_);
    if (values.extent(0) != expected)
      throw ArgumentError("NodeExchange: " + std::to_string(values.extent(0)) + " values for " +
                          std::to_string(plan_.owned_nodes()) + " owned nodes and " +
                          std::to_string(plan_.ghost_nodes()) + " ghosts of " + std::to_string(components_) +
                          " components");
  }

  Values ghost_values(const Values& values) const {
    return Kokkos::subview(
        values, std::make_pair(to_size(plan_.owned_nodes()) * to_size(components_), values.extent(0)));
  }

  void receive(const std::vector<int>& from, const std::vector<std::size_t>& offsets, Scalar* to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      MPI_Irecv(to + offsets[i] * to_size(components_), count(offsets, i), detail::mpi_type<Scalar>(),
                from[i], tag_, plan_.ranks().own(), &requests_[i]);
    received_ = from.size();
  }

  void send(const std::vector<int>& to, const std::vector<std::size_t>& offsets, const Scalar* from) {
    for (std::size_t i = 0; i < to.size(); ++i)
      MPI_Isend(from + offsets[i] * to_size(components_), count(offsets, i), detail::mpi_type<Scalar>(),
                to[i], tag_, plan_.ranks().own(), &requests_[received_ + i]);
  }

  int count(const std::vector<std::size_t>& offsets, std::size_t i) const {
    return static_cast<int>((offsets[i + 1] - offsets[i]) * to_size(components_));
  }

  void wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

  NodeImport<ExecutionSpace> plan_;
  int components_;
  bool staged_;
  int tag_; ///< two exchanges may be under way at once
  std::size_t received_ = 0;
  Values packed_;
  Staging host_packed_, host_ghosts_; ///< empty unless messages are staged
  std::vector<MPI_Request> requests_;
  std::optional<detail::PeerExchange<Scalar, ExecutionSpace>> peers_; ///< instead of all buffers
};

} // namespace tessera::distributed
