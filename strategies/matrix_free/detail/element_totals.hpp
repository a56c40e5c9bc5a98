// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sums over elements that operators without an assembled matrix need: the right-hand side and the diagonal
/// blocks of the nodes. Also the check that every element can be integrated.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace TESSERA_KERNELS::matrix_free::detail {

/// What `ElementTotals` computes.
enum class Total { nothing, load, blocks };

/// Integrates each element and adds its load (prescribed values moved to it) or the diagonal blocks of its
/// nodes. Elements of one launch share no node.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ElementTotals {
  static constexpr int components = Kernel::components;
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Equations<ExecutionSpace> equations;
  Status<ExecutionSpace> status;
  Total total;
  Kokkos::View<Scalar*, ExecutionSpace> load;
  Kokkos::View<Scalar* [components][components], ExecutionSpace> blocks; ///< node
  Ordinal begin, end;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = begin + chunk * lanes_v<Real>;
    const Cell<Element, Real> cell = mesh.template cell<Real>(first);
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    if (total == Total::nothing) return;
    for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane)
      for (int i = 0; i < Element::nodes; ++i) {
        const Ordinal node = mesh.connectivity(first + lane, i);
        if (total == Total::load)
          add_load(local, lane, first + lane, i, node);
        else
          for (int a = 0; a < components; ++a)
            for (int b = 0; b < components; ++b) blocks(node, a, b) += lane_of(local(i, a, i, b), lane);
      }
  }

  void run(const ExecutionSpace& exec, const ElementOrder<Element, ExecutionSpace>& order,
           const char* label) {
    mesh = order.mesh;
    for (int r = 0; r < order.ranges(); ++r) {
      begin = order.offsets[r];
      end = order.offsets[r + 1];
      const Ordinal chunks = (end - begin + lanes_v<Real> - 1) / lanes_v<Real>;
      Kokkos::parallel_for(
          label, by_value<ElementTotals>(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks)), *this);
    }
  }

private:
  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void add_load(const Local& local, int lane, Ordinal element, int i,
                                            Ordinal node) const {
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node, a)) continue;
      Scalar f = lane_of(local.load[i](a), lane);
      if (equations.constrained)
        for (int j = 0; j < Element::nodes; ++j) {
          const Ordinal other = mesh.connectivity(element, j);
          for (int b = 0; b < components; ++b)
            if (equations.is_constrained(other, b))
              f -= lane_of(local(i, a, j, b), lane) * Scalar(equations.prescribed(other * components + b));
        }
      load(equations.equation(node, a)) += f;
    }
  }
};

/// Blocks of constrained components become the identity.
template <class Blocks, class ExecutionSpace>
struct FinishBlocks {
  Blocks blocks;
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int a = 0; a < equations.components; ++a)
      for (int b = 0; b < equations.components; ++b)
        if (equations.is_constrained(node, a) || equations.is_constrained(node, b))
          blocks(node, a, b) = a == b;
  }
};

template <class Blocks, class ExecutionSpace, class Scalar>
struct DiagonalOfBlocks {
  Blocks blocks;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Scalar*, ExecutionSpace> diagonal;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int a = 0; a < equations.components; ++a)
      if (!equations.removed || !equations.is_constrained(node, a))
        diagonal(equations.equation(node, a)) = blocks(node, a, a);
  }
};

/// The diagonal of the blocks, an entry per equation; waits for `exec`.
template <class ExecutionSpace, class Blocks, class Scalar>
void set_diagonal(const ExecutionSpace& exec, const Blocks& blocks,
                  const Equations<ExecutionSpace>& equations,
                  const Kokkos::View<Scalar*, ExecutionSpace>& diagonal) {
  Kokkos::parallel_for("Tessera::MatrixFreeOperator::diagonal",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(blocks.extent(0))),
                       DiagonalOfBlocks<Blocks, ExecutionSpace, Scalar>{blocks, equations, diagonal});
  exec.fence("Tessera::MatrixFreeOperator::diagonal");
}

} // namespace TESSERA_KERNELS::matrix_free::detail
