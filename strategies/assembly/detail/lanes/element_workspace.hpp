// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One element in team scratch: what lanes that share it read and write.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_input.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Scratch of one element (of as many as `Real` has lanes).
///
/// \tparam Kernel the form's pointwise part
/// \tparam Points quadrature points whose geometry is kept at a time
/// \tparam Rows node rows of the matrix that are kept at a time
/// \tparam Overlay whether the matrix takes the place of the geometry, which is then read no more
template <class ElementType, class Kernel, int Points, int Rows, class Real, bool Overlay>
struct ElementWorkspace {
  using Element = ElementType;
  using real_type = Real;
  static constexpr int nodes = Element::nodes;
  static constexpr int dimension = Element::dimension;
  static constexpr int components = Kernel::components;
  static constexpr int columns = nodes * components;
  using Basis = ComponentBasis<Kernel, Element>;

  struct Geometry {
    Real inverse[Points][dimension][dimension]; ///< of the Jacobian; the Jacobian itself before
    Real gradient[Points][nodes][dimension];
  };
  struct Both {
    Geometry geometry;
    Real matrix[Rows * components][columns];
  };
  union Either {
    Geometry geometry;
    Real matrix[Rows * components][columns];
  };

  Real coordinates[nodes][dimension]; ///< relative to the first node
  Real origin[dimension];
  Real weight[Points];
  Real load[columns];
  std::conditional_t<Overlay, Either, Both> of;
  Offset row_begin[lanes_v<Real>][nodes];   ///< first value of the node's first row
  Ordinal row_length[lanes_v<Real>][nodes]; ///< values in each of the node's rows
  Ordinal node[lanes_v<Real>][nodes];
  int constrained[lanes_v<Real>][nodes]; ///< see `ComponentBasis::is_constrained`

  /// Whether the element in lane `p` has a constrained node.
  KOKKOS_FORCEINLINE_FUNCTION bool any_constrained(int p) const {
    bool any = false;
    for (int n = 0; n < nodes; ++n) any = any || constrained[p][n];
    return any;
  }
};

/// What a form may ask for at a quadrature point whose gradients lie in scratch.
template <class Workspace, int Degree>
class LanePoint {
public:
  using real_type = typename Workspace::real_type;
  using element_type = typename Workspace::Element;
  using table = Tabulation<element_type, Degree>;
  static constexpr int dimension = element_type::dimension;

  /// Point q of the rule, kept in place `slot` of the workspace.
  KOKKOS_FORCEINLINE_FUNCTION LanePoint(const Workspace& work, const Cell<element_type, real_type>& cell,
                                        int q, int slot)
      : work_(work), cell_(cell), q_(q), slot_(slot) {}

  /// Makes this the point q, kept in place `slot`; integrands refer to the point and follow.
  KOKKOS_FORCEINLINE_FUNCTION void move_to(int q, int slot) {
    q_ = q;
    slot_ = slot;
  }
  /// Quadrature weight times the Jacobian's determinant.
  KOKKOS_FORCEINLINE_FUNCTION const real_type& weight() const { return work_.weight[slot_]; }
  /// Basis function of node n.
  KOKKOS_FORCEINLINE_FUNCTION value_type_t<real_type> value(int n) const {
    return table::template value<value_type_t<real_type>>(q_, n);
  }
  /// Derivative of node n's basis function along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION const real_type& gradient(int n, int d) const {
    return work_.of.geometry.gradient[slot_][n][d];
  }
  /// Physical coordinate d of the point.
  KOKKOS_FORCEINLINE_FUNCTION real_type position(int d) const {
    real_type x = work_.origin[d];
    for (int n = 0; n < element_type::nodes; ++n) x += work_.coordinates[n][d] * value(n);
    return x;
  }
  /// The element that the point lies in.
  KOKKOS_FORCEINLINE_FUNCTION const Cell<element_type, real_type>& cell() const { return cell_; }
  /// Number of the point in the rule.
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q_; }

private:
  const Workspace& work_;
  const Cell<element_type, real_type>& cell_;
  int q_, slot_;
};

/// Calls `f(integrand, point)` for the `count` kept points from q0 on. Where all coefficients are constant in
/// the element they are evaluated once: lanes that have little to do per point would spend most of their time
/// on them (two divisions for Lame's constants).
template <int Degree, class Workspace, class Kernel, class AnyCell, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_kept_point(const Workspace& work, const Kernel& kernel,
                                                     const AnyCell& cell, int q0, int count, const F& f) {
  LanePoint<Workspace, Degree> point(work, cell, q0, 0);
  if constexpr (requires { requires Kernel::cell_constant; }) {
    const auto integrand = kernel.at(point);
    TESSERA_UNROLL_ON_GPUS(2)
    for (int slot = 0; slot < count; ++slot) {
      point.move_to(q0 + slot, slot);
      f(integrand, point);
    }
  } else {
    for (int slot = 0; slot < count; ++slot) {
      point.move_to(q0 + slot, slot);
      f(kernel.at(point), point);
    }
  }
}

/// Reads an element's coordinates, nodes and row starts into scratch; elements `first` ... in the plan's
/// order, the last one repeated where they end within a pack.
template <class Lanes, class Workspace, class Input, class System>
KOKKOS_FORCEINLINE_FUNCTION void read_element(const Lanes& lanes, Workspace& work, const Input& input,
                                              const System& system, Ordinal first, Ordinal end) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  constexpr int d = Workspace::dimension, n = Workspace::nodes;
  const auto element = [=](int p) { return first + p < end ? first + p : end - 1; };
  lanes.for_each(n * d, [&](int k) {
    // Subtracted in double before they are rounded: see Cell.
    work.coordinates[k / d][k % d] = from_lanes<Real>(
        [&](int p) { return input.coordinates(element(p), k) - input.coordinates(element(p), k % d); });
    if (k < d)
      work.origin[k] = from_lanes<Real>([&](int p) { return Value(input.coordinates(element(p), k)); });
    if (k >= n) return;
    for (int p = 0; p < lanes_v<Real>; ++p) {
      const auto& equations = system.equations;
      const Ordinal node = input.nodes(element(p), k), row = equations.first_equation(node);
      const bool has_rows = equations.equations_of(node) > 0;
      const Offset begin = has_rows ? system.row_map(row) : 0;
      work.node[p][k] = node;
      work.row_begin[p][k] = begin;
      work.row_length[p][k] = has_rows ? static_cast<Ordinal>(system.row_map(row + 1) - begin) : 0;
      work.constrained[p][k] = Workspace::Basis::is_constrained(equations, node, k);
    }
  });
}

/// The cell of the workspace's element, for coefficients.
template <class Workspace, class Input>
KOKKOS_FORCEINLINE_FUNCTION auto cell_of(const Workspace& work, const Input& input, Ordinal first,
                                         Ordinal end) {
  using Real = typename Workspace::real_type;
  Cell<typename Workspace::Element, Real> cell;
  for (int p = 0; p < lanes_v<Real>; ++p) {
    cell.element[p] = input.numbers(first + p < end ? first + p : end - 1);
    cell.material[p] = input.material(cell.element[p]);
  }
  for (int d = 0; d < Workspace::dimension; ++d) {
    cell.origin[d] = work.origin[d];
    for (int n = 0; n < Workspace::nodes; ++n) cell.coordinates[n][d] = work.coordinates[n][d];
  }
  return cell;
}

} // namespace TESSERA_KERNELS::assembly::detail
