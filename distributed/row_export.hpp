// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly in which each element is computed on one rank: what it gives to other ranks' rows is sent to
/// them.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/system/graph_for.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/row_lists.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// Values of the matrix, and behind them those of the right-hand side.
template <class ExecutionSpace>
struct SystemValues {
  Kokkos::View<double*, ExecutionSpace> matrix, rhs;
  KOKKOS_FUNCTION double& operator()(std::int64_t place) const {
    const auto entries = static_cast<std::int64_t>(matrix.extent(0));
    return place < entries ? matrix(place) : rhs(place - entries);
  }
};

template <class ExecutionSpace>
struct PackRows {
  SystemValues<ExecutionSpace> values;
  Kokkos::View<const std::int64_t*, ExecutionSpace> places;
  Kokkos::View<double*, ExecutionSpace> packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { packed(i) = values(places(i)); }
};

template <class ExecutionSpace>
struct AddRows {
  SystemValues<ExecutionSpace> values;
  Kokkos::View<const std::int64_t*, ExecutionSpace> places;
  Kokkos::View<const double*, ExecutionSpace> packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values(places(i)) += packed(i); }
};

} // namespace detail

using tessera::graph_for;

/// Sends what the elements that a rank owns (`own_elements`) give to rows of other ranks' nodes. Elements on
/// the border first, then `begin`, the interior onto the system meanwhile, then `end`: owned rows are whole.
/// Each element is computed once, and each assembly sends a message to each rank of a higher number that
/// shares elements. Sums are added in the order of the ranks. Nothing is allocated after it was made.
///
/// `begin` and `end` alternate on every rank. An object that ends between the two waits for its messages.
template <class ExecutionSpace>
class RowExport {
public:
  using System = LinearSystem<double, ExecutionSpace>;

  /// Collective: the owners look for the entries that they will get. Messages of set-up: the global numbers
  /// of each entry.
  /// \param graph of the space on `mesh.local()`, all of whose elements it knows
  /// \param numbers of that space's equations
  /// \throws on every rank ArgumentError for a graph of another mesh and numbers of other equations;
  /// OutOfMemoryError
  template <class Cells>
  RowExport(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
            const SparsityGraph<ExecutionSpace>& graph, const GlobalEquations& numbers)
      : ranks_(mesh.ranks()), tag_(mesh.ranks().next_tag()), graph_(graph) {
    const auto rows = agree(mesh.ranks(), [&] {
      check_equations(mesh.local().id(), numbers);
      return detail::host_rows(exec, graph, numbers);
    });
    const auto lists = detail::row_lists(mesh.ranks(), rows, mesh.import().lists(), mesh.owned_nodes());
    agree(mesh.ranks(), [&] {
      sent_ = Messages(exec, lists.sent);
      received_ = Messages(exec, lists.received);
      requests_.resize(sent_.ranks.size() + received_.ranks.size(), MPI_REQUEST_NULL);
    });
  }

  RowExport(RowExport&&) noexcept = default;
  RowExport& operator=(RowExport&&) = delete;
  ~RowExport() { wait(); }

  /// Sends what the system holds in rows of other ranks' nodes; returns when it has been packed.
  /// \throws ArgumentError for a system of another graph, and after another `begin`; nothing is sent then
  void begin(const ExecutionSpace& exec, const System& system) {
    check_system(system);
    if (under_way_) throw ArgumentError("RowExport: begin follows another begin; end the first one");
    under_way_ = true;
    Kokkos::parallel_for(
        "Tessera::RowExport::pack", Range(exec, 0, sent_.size()),
        detail::PackRows<ExecutionSpace>{{system.values(), system.rhs()}, sent_.places, sent_.packed});
    Kokkos::deep_copy(exec, sent_.host, sent_.packed);
    exec.fence("Tessera::RowExport::begin");
    for (std::size_t i = 0; i < received_.ranks.size(); ++i)
      MPI_Irecv(received_.begin(i), received_.count(i), MPI_DOUBLE, received_.ranks[i], tag_, ranks_.own(),
                &requests_[i]);
    for (std::size_t i = 0; i < sent_.ranks.size(); ++i)
      MPI_Isend(sent_.begin(i), sent_.count(i), MPI_DOUBLE, sent_.ranks[i], tag_, ranks_.own(),
                &requests_[received_.ranks.size() + i]);
  }

  /// Waits for the messages, and adds them to owned rows.
  /// \throws ArgumentError for a system of another graph, and without a `begin`; nothing is added then
  void end(const ExecutionSpace& exec, const System& system) {
    check_system(system);
    if (!under_way_) throw ArgumentError("RowExport: end without a begin before it");
    wait();
    under_way_ = false;
    Kokkos::deep_copy(exec, received_.packed, received_.host);
    for (std::size_t i = 0; i < received_.ranks.size(); ++i) // an entry stands once in a message
      Kokkos::parallel_for("Tessera::RowExport::add",
                           Range(exec, static_cast<std::int64_t>(received_.offsets[i]),
                                 static_cast<std::int64_t>(received_.offsets[i + 1])),
                           detail::AddRows<ExecutionSpace>{
                               {system.values(), system.rhs()}, received_.places, received_.packed});
  }

  /// Messages that this rank sends at each assembly, and numbers in them.
  std::size_t messages_sent() const { return sent_.ranks.size(); }
  std::size_t values_sent() const { return sent_.packed.extent(0); }

private:
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  using Values = Kokkos::View<double*, ExecutionSpace>;

  /// With each of some ranks a range of values.
  struct Messages {
    std::vector<int> ranks;
    std::vector<std::size_t> offsets;
    Kokkos::View<std::int64_t*, ExecutionSpace> places;
    Values packed;
    typename Values::host_mirror_type host;

    Messages() = default;
    Messages(const ExecutionSpace& exec, const detail::RowLists::Side& side)
        : ranks(side.ranks), offsets(side.offsets),
          places(allocate<decltype(places)>(exec, "Tessera::RowExport::places", side.places.size())),
          packed(allocate<Values>(exec, "Tessera::RowExport::packed", side.places.size())),
          host(Kokkos::create_mirror_view(packed)) {
      Kokkos::deep_copy(exec, places,
                        Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            side.places.data(), side.places.size()));
      exec.fence("Tessera::RowExport::Messages");
    }

    std::int64_t size() const { return static_cast<std::int64_t>(packed.extent(0)); }
    double* begin(std::size_t i) const { return host.data() + offsets[i]; }
    int count(std::size_t i) const { return static_cast<int>(offsets[i + 1] - offsets[i]); }
  };

  void check_equations(std::size_t mesh_id, const GlobalEquations& numbers) const {
    if (graph_.mesh_id != mesh_id) throw ArgumentError("RowExport: the graph is not of the mesh's local one");
    if (numbers.numbers.extent(0) != to_size(graph_.equations.count))
      throw ArgumentError("RowExport: the graph has " + std::to_string(graph_.equations.count) +
                          " equations, and there are numbers of " +
                          std::to_string(numbers.numbers.extent(0)));
  }

  /// Copies of a graph share their arrays.
  void check_system(const System& system) const {
    if (system.graph().columns.data() != graph_.columns.data() ||
        system.values().extent(0) != graph_.columns.extent(0))
      throw ArgumentError("RowExport: the system has another graph than the one it was made for");
  }

  void wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

  Communicator ranks_;
  int tag_;
  SparsityGraph<ExecutionSpace> graph_;
  bool under_way_ = false;
  Messages sent_, received_;
  std::vector<MPI_Request> requests_; ///< null but between `begin` and `end`
};

} // namespace tessera::distributed
