// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Robin sides in kernels: what flows through a side depends on the unknown there
/// (`FunctionSpace::add_robin`).

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

/// The sums over Robin sides, n . sigma grad u = h (g - u): for each node on them and each component the
/// integrals of h u v with the nodes that share a side with it, and of h g v.
template <class ExecutionSpace>
struct RobinSides {
  Kokkos::View<Ordinal*, ExecutionSpace> nodes;     ///< on the sides, ascending
  Kokkos::View<Ordinal*, ExecutionSpace> offsets;   ///< of each (+1), into neighbors and products
  Kokkos::View<Ordinal*, ExecutionSpace> neighbors; ///< nodes that share a side with it, and itself
  /// neighbor x component: integral of h times both basis functions
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> products;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> loads; ///< place in `nodes` x component

  /// Sum of a component's products with that of a vector, `value(node)`.
  template <class Value>
  KOKKOS_FUNCTION double product(Ordinal place, int component, const Value& value) const {
    double sum = 0;
    for (Ordinal k = offsets(place); k < offsets(place + 1); ++k)
      sum += products(k, component) * value(neighbors(k));
    return sum;
  }
};

namespace detail {

/// Launches a kernel with a thread per node on Robin sides, where there are any.
template <class ExecutionSpace, class Kernel>
void for_each_robin_node(const ExecutionSpace& exec, const std::string& label,
                         const RobinSides<ExecutionSpace>& sides, const Kernel& kernel) {
  if (sides.nodes.extent(0) > 0)
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(sides.nodes.extent(0))),
        kernel);
}

/// Adds to the matrix.
template <class ExecutionSpace, class Scalar>
struct AddRobinMatrix {
  RobinSides<ExecutionSpace> sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Scalar*, ExecutionSpace> values;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int c = 0; c < equations.components; ++c) {
      if (equations.is_constrained(sides.nodes(i), c)) continue;
      const Ordinal row = equations.equation(sides.nodes(i), c);
      const Offset begin = row_map(row);
      const auto length = static_cast<Ordinal>(row_map(row + 1) - begin);
      for (Ordinal k = sides.offsets(i); k < sides.offsets(i + 1); ++k) {
        const Ordinal node = sides.neighbors(k);
        if (!equations.is_constrained(node, c))
          values(begin + place_in(columns.data() + begin, length, equations.equation(node, c))) +=
              Scalar(sides.products(k, c));
      }
    }
  }
};

/// Adds to the right-hand side: loads, less constrained columns times prescribed values.
template <class ExecutionSpace, class Scalar>
struct AddRobinLoads {
  RobinSides<ExecutionSpace> sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const int components = equations.components;
    for (int c = 0; c < components; ++c) {
      if (equations.is_constrained(sides.nodes(i), c)) continue;
      const double prescribed = sides.product(i, c, [&](Ordinal node) {
        return equations.is_constrained(node, c) ? equations.prescribed(node * components + c) : 0.0;
      });
      rhs(equations.equation(sides.nodes(i), c)) += Scalar(sides.loads(i, c) - prescribed);
    }
  }
};

/// y += R x over the equations.
template <class ExecutionSpace, class Scalar>
struct AddRobinProduct {
  RobinSides<ExecutionSpace> sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int c = 0; c < equations.components; ++c)
      if (!equations.is_constrained(sides.nodes(i), c))
        y(equations.equation(sides.nodes(i), c)) += Scalar(sides.product(i, c, [&](Ordinal node) {
          return equations.is_constrained(node, c) ? 0.0 : double(x(equations.equation(node, c)));
        }));
  }
};

/// Adds to the diagonal blocks of nodes.
template <class ExecutionSpace, class Blocks>
struct AddRobinBlocks {
  RobinSides<ExecutionSpace> sides;
  Blocks blocks; ///< node x row x column

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    using Scalar = typename Blocks::non_const_value_type;
    const Ordinal node = sides.nodes(i);
    for (int c = 0; c < static_cast<int>(blocks.extent(1)); ++c)
      blocks(node, c, c) +=
          Scalar(sides.product(i, c, [&](Ordinal other) { return other == node ? 1.0 : 0.0; }));
  }
};

/// r += R u - loads over all degrees of freedom, or over those that are constrained.
template <class ExecutionSpace, class Scalar>
struct AddRobinResidual {
  RobinSides<ExecutionSpace> sides;
  Equations<ExecutionSpace> equations;
  bool constrained_alone;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<Scalar*, ExecutionSpace> r;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const int components = equations.components;
    for (int c = 0; c < components; ++c)
      if (!constrained_alone || equations.is_constrained(sides.nodes(i), c))
        r(sides.nodes(i) * components + c) += Scalar(sides.product(i, c, [&](Ordinal node) {
          return double(u(node * components + c));
        }) - sides.loads(i, c));
  }
};

} // namespace detail
} // namespace tessera
