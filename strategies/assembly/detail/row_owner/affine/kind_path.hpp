// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner's way for affine elements on devices: `KindRows` of one kind of node after the other.

#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_lists.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_rows.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace TESSERA_KERNELS::assembly::detail {

/// Counts nodes that are of different kinds in the elements around them, as a corner of one at the midpoint
/// of another's edge: their rows are no kind's.
template <class Element, class ExecutionSpace>
struct MixedNodes {
  NodeToElement<ExecutionSpace> incidence;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& count) const {
    static constexpr auto kinds = node_kinds<Element>;
    const Offset begin = incidence.offsets(node), end = incidence.offsets(node + 1);
    bool mixed = false;
    for (Offset k = begin; k < end; ++k)
      mixed = mixed || kinds.kind[incidence.local_nodes(k)] != kinds.kind[incidence.local_nodes(begin)];
    count += mixed ? 1 : 0;
  }
};

/// `KindRows` of all nodes.
template <class Element, class ExecutionSpace>
class KindPath {
  static constexpr int kinds = node_kinds<Element>.count;

public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  using BentNodes = Kokkos::View<const std::uint8_t*, ExecutionSpace>;

  /// \throws OutOfMemoryError
  KindPath(const ExecutionSpace& exec, const Space& space, const Graph& graph,
           const NodeToElement<ExecutionSpace>& incidence) {
    for (int kind = 0; kind < kinds; ++kind)
      lists_[kind] = make_kind_lists(exec, space.mesh().kernel(), graph, incidence, kind);
    Kokkos::parallel_reduce("Tessera::RowOwner::count_mixed_nodes",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.mesh().num_nodes()),
                            MixedNodes<Element, ExecutionSpace>{incidence}, mixed_nodes_);
  }

  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const auto& lists : lists_) bytes += lists.bytes();
    return bytes;
  }

  /// Whether every node is of one kind, the scratch of a team holds the rows of its nodes, and 16 bits the
  /// place of a value.
  template <class Scalar, class Kernel>
  bool fits() const {
    using Rows = KindRows<Element, ExecutionSpace, Scalar, Kernel, 0>;
    if (mixed_nodes_ > 0) return false;
    for (const auto& lists : lists_)
      if (lists.longest > std::numeric_limits<std::uint16_t>::max() ||
          Rows::choose_threads(lists.longest) == 0)
        return false;
    return true;
  }

  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
           const SystemKernel<ExecutionSpace, Scalar>& system, const Status<ExecutionSpace>& status,
           const BentNodes& bent) const {
    const auto mesh = space.mesh().kernel();
    [&]<int... kind>(std::integer_sequence<int, kind...>) {
      (KindRows<Element, ExecutionSpace, Scalar, Kernel, kind>{kernel, mesh, lists_[kind], bent, system,
                                                               status}
           .run(exec),
       ...);
    }(std::make_integer_sequence<int, kinds>());
  }

private:
  KindLists<Element, ExecutionSpace> lists_[kinds];
  Ordinal mixed_nodes_ = 0;
};

} // namespace TESSERA_KERNELS::assembly::detail
