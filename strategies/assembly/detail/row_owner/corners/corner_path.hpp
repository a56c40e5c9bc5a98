// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner's way for trilinear hexahedra with three components: lists and launch.

#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/corner_rows.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/node_cells.hpp>
#include <tessera/strategies/common/status.hpp>

#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Elements and forms whose rows `CornerRows` can compute.
template <class Element, class Kernel, class Scalar>
concept HasCornerRows = std::is_same_v<Element, Hex<1>> && Kernel::components == 3 &&
                        tessera::detail::HasMoments<Element, Kernel, Scalar>;

/// The cells around each node.
template <class ExecutionSpace>
class CornerPath {
public:
  using Space = FunctionSpace<Hex<1>, ExecutionSpace>;

  /// \throws OutOfMemoryError
  CornerPath(const ExecutionSpace& exec, const Space& space) : cells_(node_cells(exec, space.mesh())) {}

  std::size_t bytes() const { return cells_.bytes(); }

  /// Whether the scratch of a team holds the rows of a node.
  template <class Scalar, class Kernel>
  bool fits(const Space& space, const Kernel& kernel, const Equations<ExecutionSpace>& equations,
            const Status<ExecutionSpace>& status) const {
    return rows<Scalar>(space, kernel, {equations, {}, {}, {}}, status).choose_team();
  }

  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
           const SystemKernel<ExecutionSpace, Scalar>& system, const Status<ExecutionSpace>& status) const {
    auto rows = this->rows<Scalar>(space, kernel, system, status);
    rows.choose_team();
    rows.run(exec);
  }

private:
  template <class Scalar, class Kernel>
  CornerRows<ExecutionSpace, Scalar, Kernel> rows(const Space& space, const Kernel& kernel,
                                                  const SystemKernel<ExecutionSpace, Scalar>& system,
                                                  const Status<ExecutionSpace>& status) const {
    return {kernel, space.mesh().kernel(), cells_, system, status, space.mesh().num_nodes()};
  }

  NodeCells<ExecutionSpace> cells_;
};

} // namespace TESSERA_KERNELS::assembly::detail
