// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which ranks exchange the values of which nodes: made once for a mesh.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/import_lists.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <span>
#include <utility>

namespace tessera::distributed {

/// The plan by which ghosts get the values of their owners, and owners the sums of their ghosts'. It holds
/// lists alone; a `NodeExchange` has buffers and sends. Copies share the lists.
template <class ExecutionSpace>
class NodeImport {
public:
  /// Collective.
  /// \param nodes        global numbers of the rank's nodes, the owned ones first
  /// \param ghost_owners ranks that own the others, ascending
  /// \throws MeshError on every rank for a ghost that its owner does not own or owners that do not ascend
  NodeImport(const ExecutionSpace& exec, const Communicator& ranks, std::span<const GlobalOrdinal> nodes,
             std::span<const int> ghost_owners)
      : NodeImport(exec, ranks, static_cast<Ordinal>(nodes.size() - ghost_owners.size()),
                   static_cast<Ordinal>(ghost_owners.size()),
                   detail::import_lists(ranks, nodes, ghost_owners)) {}

  /// Of lists that are known. \throws OutOfMemoryError on the rank
  NodeImport(const ExecutionSpace& exec, const Communicator& ranks, Ordinal owned, Ordinal ghosts,
             detail::ImportLists lists)
      : ranks_(ranks), owned_(owned), ghosts_(ghosts),
        lists_(std::make_shared<const detail::ImportLists>(std::move(lists))) {
    sent_ = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::NodeImport::sent",
                                                             lists_->sent.size());
    Kokkos::deep_copy(exec, sent_,
                      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          lists_->sent.data(), lists_->sent.size()));
    exec.fence("Tessera::NodeImport::NodeImport");
  }

  const Communicator& ranks() const { return ranks_; }
  Ordinal owned_nodes() const { return owned_; }
  Ordinal ghost_nodes() const { return ghosts_; }
  /// Messages that this rank sends for an import, and receives for sums.
  std::size_t messages_sent() const { return lists_->readers.size(); }
  /// Messages that this rank receives for an import, and sends for sums.
  std::size_t messages_received() const { return lists_->owners.size(); }
  /// Nodes whose values this rank sends for an import, one for each reader.
  std::size_t nodes_sent() const { return lists_->sent.size(); }

  /// \name For NodeExchange
  ///@{
  const detail::ImportLists& lists() const { return *lists_; }
  /// The list `sent` on the device.
  Kokkos::View<const Ordinal*, ExecutionSpace> sent() const { return sent_; }
  ///@}

private:
  Communicator ranks_;
  Ordinal owned_, ghosts_;
  std::shared_ptr<const detail::ImportLists> lists_;
  Kokkos::View<Ordinal*, ExecutionSpace> sent_;
};

} // namespace tessera::distributed
