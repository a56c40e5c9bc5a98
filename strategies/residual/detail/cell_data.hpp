// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where the kernels of paper 3 read their data and write their results: the paper's arrays by element, or
/// the mesh and nodal vectors.

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/cuda/copy_to_scratch.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>
#include <tessera/strategies/residual/detail/element_arrays.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::residual::detail {

/// Inverse Jacobian and determinant at a point.
template <class Real, int Dimension>
struct Geometry {
  Matrix<Real, Dimension> inverse;
  Real determinant;
};

/// A cell's numbers, as coefficients ask for them.
struct CellNumbers {
  Ordinal element[1], material[1];
  static constexpr const Ordinal* nodes = nullptr; // in the mesh's order

  template <class Connectivity>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(const Connectivity& connectivity, int, int n) const {
    return connectivity(element[0], n);
  }
};

/// A quadrature point of a cell, as weak forms ask for it.
template <class CellData, int Degree>
struct CellDataPoint {
  using element_type = typename CellData::Element;
  using real_type = typename CellData::Scalar;
  using table = Tabulation<element_type, Degree>;
  static constexpr int dimension = element_type::dimension;

  const CellData& cell_data;
  const Matrix<real_type, dimension>& inverse;
  CellNumbers numbers;
  Ordinal index; ///< of the cell in the order of `CellData`
  int q;

  KOKKOS_FORCEINLINE_FUNCTION real_type value(int n) const { return table::template value<real_type>(q, n); }
  KOKKOS_FORCEINLINE_FUNCTION real_type gradient(int n, int d) const {
    real_type sum = inverse(0, d) * table::template gradient<real_type>(q, n, 0);
    for (int e = 1; e < dimension; ++e) sum += inverse(e, d) * table::template gradient<real_type>(q, n, e);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION real_type position(int d) const {
    return cell_data.template position<Degree>(index, q, d);
  }
  KOKKOS_FORCEINLINE_FUNCTION const CellNumbers& cell() const { return numbers; }
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q; }
};

/// The paper's input: arrays by element.
/// \tparam Straight the arrays hold geometry of one point
template <class ElementType, class ExecutionSpace, class ScalarType, int Components, bool Straight>
struct GivenElements {
  using Element = ElementType;
  using Execution = ExecutionSpace;
  using Scalar = ScalarType;
  static constexpr int components = Components, d = Element::dimension;
  static constexpr bool copies = true; ///< `load` returns before the numbers have arrived

  ElementArrays<Element, ExecutionSpace, Scalar> arrays;
  Ordinal begin, end;

  /// Whether a team may keep geometry of one point for a cell. Simplices with several are taken for curved.
  template <int Degree>
  static constexpr bool one_geometry = Straight;

  KOKKOS_FORCEINLINE_FUNCTION CellNumbers numbers(Ordinal cell) const {
    return {{cell}, {arrays.materials.extent(0) == 0 ? 0 : arrays.materials(cell)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar coefficient(Ordinal cell, int n, int c) const {
    return arrays.coefficients(cell, n * Components + c);
  }
  template <int Degree>
  KOKKOS_FORCEINLINE_FUNCTION Geometry<Scalar, d> geometry(Ordinal cell, int q) const {
    Geometry<Scalar, d> g;
    const int p = Straight ? 0 : q;
    for (int k = 0; k < d * d; ++k) g.inverse.entry[k] = arrays.inverse_jacobians(cell, p * d * d + k);
    g.determinant = arrays.determinants(cell, p);
    return g;
  }
  template <int Degree>
  KOKKOS_FORCEINLINE_FUNCTION Scalar position(Ordinal cell, int q, int a) const {
    if constexpr (!Straight) return arrays.positions(cell, q * d + a);
    const Matrix<Scalar, d> inverse = geometry<Degree>(cell, 0).inverse;
    const Matrix<Scalar, d> jacobian = adjugate(inverse); // times det(inverse)
    Scalar along = Scalar(0);
    for (int e = 0; e < d; ++e)
      along += jacobian(a, e) * Tabulation<Element, Degree>::template coordinate<Scalar>(q, e);
    return arrays.positions(cell, a) + along * arrays.determinants(cell, 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal cell, int n, int c, Scalar value) const {
    arrays.vectors(cell, n * Components + c) = value;
  }

  /// Begins to copy coefficients and, where it is of one point, geometry of some cells to scratch memory, as
  /// they lie in the arrays; see `copy_to_scratch`. A team of devices has `Components` threads for every
  /// `Together` cells.
  template <int Degree, int Together>
  KOKKOS_FORCEINLINE_FUNCTION void load(int rank, int size, Ordinal first, int cells, Scalar* u,
                                        Scalar* inverse, Scalar* determinant) const {
    constexpr int entries = Element::nodes * Components;
    copy<entries, Together>(rank, size, u, arrays.coefficients, first, cells);
    if constexpr (Straight) {
      copy<d * d, Together>(rank, size, inverse, arrays.inverse_jacobians, first, cells);
      copy<1, Together>(rank, size, determinant, arrays.determinants, first, cells);
    }
  }
  /// The same as `add(first + cell, n, c, value)`, from addresses that a team has in common.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal first, int cell, int n, int c, Scalar value) const {
    rows<Element::nodes * Components>(arrays.vectors, first)[(cell * Element::nodes + n) * Components + c] =
        value;
  }

private:
  /// An array from a cell on. Rows of `Entries` numbers lie one after the other.
  template <int Entries, class Array>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar* rows(const Array& array, Ordinal first) {
    return array.data() + static_cast<Offset>(first) * Entries;
  }
  template <int Entries, int Together, class Array>
  KOKKOS_FORCEINLINE_FUNCTION static void copy(int rank, int size, Scalar* to, const Array& array,
                                               Ordinal first, int cells) {
    constexpr int of_threads = 16 * Components; // bytes that the threads of `Together` cells copy at once
    constexpr int rounds = (Together * Entries * int(sizeof(Scalar)) + of_threads - 1) / of_threads;
    copy_to_scratch<rounds>(rank, size, to, rows<Entries>(array, first), cells * Entries);
  }
};

/// Mesh and vectors over all degrees of freedom.
template <class ElementType, class ExecutionSpace, class ScalarType, int Components>
struct MeshElements {
  using Element = ElementType;
  using Execution = ExecutionSpace;
  using Scalar = ScalarType;
  static constexpr int components = Components, d = Element::dimension;
  static constexpr bool copies = false;

  MeshKernel<Element, ExecutionSpace> mesh; ///< in the strategy's order
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> u;
  ResultSink<Element, Components, ExecutionSpace, Scalar> sink;
  Ordinal begin, end;

  template <int Degree>
  static constexpr bool one_geometry = Element::affine_simplex;

  KOKKOS_FORCEINLINE_FUNCTION CellNumbers numbers(Ordinal cell) const {
    return {{mesh.number(cell)}, {mesh.material(cell)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar coefficient(Ordinal cell, int n, int c) const {
    return u(mesh.connectivity(cell, n) * Components + c);
  }
  /// From coordinates relative to the first node, subtracted in double.
  template <int Degree>
  KOKKOS_FORCEINLINE_FUNCTION Geometry<Scalar, d> geometry(Ordinal cell, int q) const {
    Matrix<Scalar, d> jacobian;
    double origin[d];
    const Ordinal first = mesh.connectivity(cell, 0);
    for (int a = 0; a < d; ++a) origin[a] = mesh.coordinates(first, a);
    for (int n = 1; n < Element::nodes; ++n) {
      const Ordinal node = mesh.connectivity(cell, n);
      for (int a = 0; a < d; ++a) {
        const auto x = Scalar(mesh.coordinates(node, a) - origin[a]);
        if constexpr (Element::affine_simplex)
          jacobian(a, n - 1) = x;
        else
          for (int e = 0; e < d; ++e)
            jacobian(a, e) += x * Tabulation<Element, Degree>::template gradient<Scalar>(q, n, e);
      }
    }
    Geometry<Scalar, d> g;
    g.determinant = tessera::determinant(jacobian);
    const Scalar scale = reciprocal(g.determinant);
    const Matrix<Scalar, d> adj = adjugate(jacobian);
    for (int k = 0; k < d * d; ++k) g.inverse.entry[k] = adj.entry[k] * scale;
    return g;
  }
  template <int Degree>
  KOKKOS_FORCEINLINE_FUNCTION Scalar position(Ordinal cell, int q, int a) const {
    double x = 0;
    for (int n = 0; n < Element::nodes; ++n)
      x += mesh.coordinates(mesh.connectivity(cell, n), a) * Tabulation<Element, Degree>::value(q, n);
    return Scalar(x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal cell, int n, int c, Scalar value) const {
    sink.add(cell, n, mesh.connectivity(cell, n), c, value);
  }

  /// As `GivenElements::load`, by nodes; geometry is computed.
  template <int Degree, int Together>
  KOKKOS_FORCEINLINE_FUNCTION void load(int rank, int size, Ordinal first, int cells, Scalar* to_u,
                                        Scalar* inverse, Scalar* to_determinant) const {
    for (int k = rank; k < cells * Element::nodes; k += size) {
      const int cell = k % cells, n = k / cells;
      const Ordinal node = mesh.connectivity(first + cell, n);
      for (int a = 0; a < Components; ++a)
        to_u[(cell * Element::nodes + n) * Components + a] = u(node * Components + a);
    }
    if constexpr (one_geometry<Degree>)
      for (int cell = rank; cell < cells; cell += size) {
        const Geometry<Scalar, d> g = geometry<Degree>(first + cell, 0);
        for (int k = 0; k < d * d; ++k) inverse[cell * d * d + k] = g.inverse.entry[k];
        to_determinant[cell] = g.determinant;
      }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal first, int cell, int n, int c, Scalar value) const {
    add(first + cell, n, c, value);
  }
};

/// f0 and f1 at a point, times weight and determinant, f1 turned to the reference element: what the test
/// functions' tables multiply. Entries by components: f1 by reference axes and f0, what of them the form has.
template <class CellData, class Kernel>
struct PointValues {
  using Element = typename CellData::Element;
  using Scalar = typename CellData::Scalar;
  static constexpr int degree = Kernel::template degree<Element>;
  using Table = Tabulation<Element, degree>;
  static constexpr int c = Kernel::components, d = Element::dimension;
  static constexpr bool with_f0 = Kernel::template tests_value<Element>,
                        with_f1 = Kernel::template tests_gradient<Element>;
  static constexpr int f1_entries = with_f1 ? d : 0, of_component = f1_entries + (with_f0 ? 1 : 0),
                       count = c * of_component;

  Scalar entry[count];

  /// \param coefficient `coefficient(n, a)` of the cell's node n, component a
  /// \return whether all entries are finite
  template <class Coefficient>
  KOKKOS_FORCEINLINE_FUNCTION bool evaluate(const CellData& cell_data, const Kernel& kernel, Ordinal cell,
                                            int q, const Geometry<Scalar, d>& geometry,
                                            const Coefficient& coefficient) {
    Vector<Scalar, c> value;
    Matrix<Scalar, c, d> reference, gradient;
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        const Scalar u = coefficient(n, a);
        if constexpr (Kernel::uses_value) value(a) += u * Table::template value<Scalar>(q, n);
        if constexpr (!Element::affine_simplex)
          for (int e = 0; e < d; ++e) reference(a, e) += u * Table::template gradient<Scalar>(q, n, e);
      }
    if constexpr (Element::affine_simplex)
      for (int a = 0; a < c; ++a)
        for (int e = 0; e < d; ++e) reference(a, e) = coefficient(e + 1, a) - coefficient(0, a);
    gradient = reference * geometry.inverse;
    const CellDataPoint<CellData, degree> point{cell_data, geometry.inverse, cell_data.numbers(cell), cell,
                                                q};
    const auto f = kernel(value, gradient, point);
    const Scalar scale = Table::template weight<Scalar>(q) * geometry.determinant;
    Scalar sum = Scalar(0);
    if constexpr (with_f0)
      for (int a = 0; a < c; ++a) sum += entry[a * of_component + f1_entries] = f.f0(a) * scale;
    if constexpr (with_f1)
      for (int a = 0; a < c; ++a)
        for (int e = 0; e < d; ++e) {
          Scalar turned = f.f1(a, 0) * geometry.inverse(e, 0);
          for (int b = 1; b < d; ++b) turned += f.f1(a, b) * geometry.inverse(e, b);
          sum += entry[a * of_component + e] = turned * scale;
        }
    return Kokkos::isfinite(sum);
  }
};

/// What a component of a point's values gives for a test function.
/// \param entry `entry(k)`: the component's `PointValues::entry`
template <class Values, class Entry, class TableValue, class TableGradient>
KOKKOS_FORCEINLINE_FUNCTION auto test(const Entry& entry, const TableValue& value,
                                      const TableGradient& gradient) {
  typename Values::Scalar sum = 0;
  if constexpr (Values::with_f0) sum += entry(Values::f1_entries) * value();
  if constexpr (Values::with_f1)
    for (int e = 0; e < Values::d; ++e) sum += entry(e) * gradient(e);
  return sum;
}

} // namespace TESSERA_KERNELS::residual::detail
