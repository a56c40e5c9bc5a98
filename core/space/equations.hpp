// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From node and component to the equation (row) of the linear system.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// What becomes of the rows and columns of constrained degrees of freedom (paper 1, section 3.3). Both keep
/// symmetry, and both move the prescribed values to the right-hand side during the assembly.
enum class ConstraintTreatment {
  removed, ///< no equation: the system holds the free degrees of freedom only (paper 1's third treatment)
  zeroed,  ///< row and column zero, diagonal one, right-hand side the prescribed value (paper 2, section 5.1)
};

/// Device-side numbering of equations. Without constraints equation = node * components + component.
template <class ExecutionSpace>
struct Equations {
  int components = 1;
  bool constrained = false; ///< whether any degree of freedom is constrained
  bool removed = false;     ///< constrained, and constrained degrees of freedom have no equation
  Ordinal count = 0;        ///< number of equations
  /// Node: bit c set if component c is constrained, or follows from the corners of its element.
  Kokkos::View<const std::uint8_t*, ExecutionSpace> mask;
  Kokkos::View<const std::uint8_t*, ExecutionSpace> following; ///< node: those that follow; empty without any
  Kokkos::View<const double*, ExecutionSpace> prescribed;      ///< node * components + component
  Kokkos::View<const Ordinal*, ExecutionSpace> first; ///< node (+1): its first equation, if `removed`

  KOKKOS_FORCEINLINE_FUNCTION bool is_constrained(Ordinal node, int c) const {
    return constrained && ((mask(node) >> c) & 1);
  }
  /// Whether component c of a node is a linear one that follows from the corners: constrained, to no value.
  KOKKOS_FORCEINLINE_FUNCTION bool follows(Ordinal node, int c) const {
    return following.extent(0) != 0 && ((following(node) >> c) & 1);
  }
  /// First equation of a node that has at least one, else the first of the next that has.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_equation(Ordinal node) const {
    return removed ? first(node) : node * components;
  }
  /// Number of equations of a node.
  KOKKOS_FORCEINLINE_FUNCTION int equations_of(Ordinal node) const {
    return removed ? first(node + 1) - first(node) : components;
  }
  /// Position of component c among the equations of its node; meaningful if it has an equation.
  KOKKOS_FORCEINLINE_FUNCTION int rank(Ordinal node, int c) const {
    return removed ? c - Kokkos::popcount(static_cast<unsigned>(mask(node)) & ((1u << c) - 1u)) : c;
  }
  /// Equation of a degree of freedom that has one.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal equation(Ordinal node, int c) const {
    return first_equation(node) + rank(node, c);
  }
};

namespace detail {

/// Entries of a vector over all degrees of freedom become zero where these are constrained.
template <class ExecutionSpace, class Scalar>
struct ClearConstrained {
  Kokkos::View<Scalar*, ExecutionSpace> r;
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    if (equations.mask(node) == 0) return;
    for (int c = 0; c < equations.components; ++c)
      if (equations.is_constrained(node, c)) r(node * equations.components + c) = Scalar(0);
  }
};
template <class ExecutionSpace, class Scalar>
void clear_constrained(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations, Ordinal nodes,
                       const Kokkos::View<Scalar*, ExecutionSpace>& r) {
  if (equations.constrained)
    Kokkos::parallel_for("Tessera::Equations::clear_constrained",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
                         ClearConstrained<ExecutionSpace, Scalar>{r, equations});
}

} // namespace detail

} // namespace tessera
