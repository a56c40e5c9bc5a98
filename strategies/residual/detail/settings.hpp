#pragma once

/// \file
/// Where the kernels of paper 3 have their data from and leave it: the paper's arrays by element, or the mesh
/// and nodal vectors.

#include <tessera/core/reciprocal.hpp>
#include <tessera/core/weak_form.hpp>
#include <tessera/strategies/matrix_free/common/result_sink.hpp>
#include <tessera/strategies/residual/detail/element_arrays.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::residual::detail {

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

/// A quadrature point of a setting's cell, as weak forms ask for it.
template <class Setting, int Degree>
struct SettingPoint {
  using element_type = typename Setting::Element;
  using real_type = typename Setting::Scalar;
  using table = Tabulation<element_type, Degree>;
  static constexpr int dimension = element_type::dimension;

  const Setting& setting;
  const Matrix<real_type, dimension>& inverse;
  CellNumbers numbers;
  Ordinal index; ///< of the cell in the setting's order
  int q;

  KOKKOS_FORCEINLINE_FUNCTION real_type value(int n) const { return table::template value<real_type>(q, n); }
  KOKKOS_FORCEINLINE_FUNCTION real_type gradient(int n, int d) const {
    real_type sum = inverse(0, d) * table::template gradient<real_type>(q, n, 0);
    for (int e = 1; e < dimension; ++e) sum += inverse(e, d) * table::template gradient<real_type>(q, n, e);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION real_type position(int d) const {
    return setting.template position<Degree>(index, q, d);
  }
  KOKKOS_FORCEINLINE_FUNCTION const CellNumbers& cell() const { return numbers; }
};

/// The paper's setting.
/// \tparam Straight the arrays hold geometry of one point
template <class ElementType, class ExecutionSpace, class ScalarType, int Components, bool Straight>
struct GivenElements {
  using Element = ElementType;
  using Execution = ExecutionSpace;
  using Scalar = ScalarType;
  static constexpr int components = Components, d = Element::dimension;

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

  /// What a thread of a team reads of some cells before it hands over the first of it, so that all of it is
  /// under way together: consecutive entries to consecutive threads. A team of cells * components threads
  /// needs one round.
  struct Ahead {
    static constexpr int entries = Element::nodes * Components, squares = Straight ? d * d : 0;
    static constexpr int of_u = Element::nodes, of_g = (squares + Components - 1) / Components;
    Scalar u[of_u], g[of_g + 1];
  };
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void read(const Member& team, Ordinal first, int cells, int round,
                                        Ahead& ahead) const {
    const int size = team.team_size(), rank = team.team_rank(), cell = round * size + rank;
    const int at_u = round * size * Ahead::of_u + rank, at_g = round * size * Ahead::of_g + rank;
    const Scalar* const from_u = &arrays.coefficients(first, 0);
    const Scalar* const from_g = &arrays.inverse_jacobians(first, 0);
    TESSERA_UNROLL(Ahead::of_u)
    for (int i = 0; i < Ahead::of_u; ++i)
      ahead.u[i] = at_u + i * size < cells * Ahead::entries ? from_u[at_u + i * size] : Scalar(0);
    TESSERA_UNROLL(Ahead::of_g + 1)
    for (int i = 0; i < Ahead::of_g; ++i)
      ahead.g[i] = at_g + i * size < cells * Ahead::squares ? from_g[at_g + i * size] : Scalar(0);
    if (Straight && cell < cells) ahead.g[Ahead::of_g] = arrays.determinants(first + cell, 0);
  }
  /// Hands it to `set_coefficient(k, value)`, `set_inverse(k, value)` and `set_determinant(k, value)`, k the
  /// number's place in the arrays, counted from the first cell's.
  template <class Member, class SetCoefficient, class SetInverse, class SetDeterminant>
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(const Member& team, int cells, int round, const Ahead& ahead,
                                             const SetCoefficient& set_coefficient,
                                             const SetInverse& set_inverse,
                                             const SetDeterminant& set_determinant) const {
    const int size = team.team_size(), rank = team.team_rank(), cell = round * size + rank;
    const int at_u = round * size * Ahead::of_u + rank, at_g = round * size * Ahead::of_g + rank;
    TESSERA_UNROLL(Ahead::of_u)
    for (int i = 0; i < Ahead::of_u; ++i)
      if (const int k = at_u + i * size; k < cells * Ahead::entries) set_coefficient(k, ahead.u[i]);
    if constexpr (Straight) {
      TESSERA_UNROLL(Ahead::of_g)
      for (int i = 0; i < Ahead::of_g; ++i)
        if (const int k = at_g + i * size; k < cells * Ahead::squares) set_inverse(k, ahead.g[i]);
      if (cell < cells) set_determinant(cell, ahead.g[Ahead::of_g]);
    }
  }
  /// Both, round by round.
  template <int Degree, class Member, class SetCoefficient, class SetInverse, class SetDeterminant>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Member& team, Ordinal first, int cells,
                                        const SetCoefficient& set_coefficient, const SetInverse& set_inverse,
                                        const SetDeterminant& set_determinant) const {
    for (int round = 0; round * team.team_size() < cells * Components; ++round) {
      Ahead ahead;
      read(team, first, cells, round, ahead);
      hand_over(team, cells, round, ahead, set_coefficient, set_inverse, set_determinant);
    }
  }
};

/// Mesh and vectors over all degrees of freedom.
template <class ElementType, class ExecutionSpace, class ScalarType, int Components>
struct MeshElements {
  using Element = ElementType;
  using Execution = ExecutionSpace;
  using Scalar = ScalarType;
  static constexpr int components = Components, d = Element::dimension;

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
  template <int Degree, class Member, class SetCoefficient, class SetInverse, class SetDeterminant>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Member& team, Ordinal first, int cells,
                                        const SetCoefficient& set_coefficient, const SetInverse& set_inverse,
                                        const SetDeterminant& set_determinant) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cells * Element::nodes), [&](int k) {
      const int cell = k % cells, n = k / cells;
      const Ordinal node = mesh.connectivity(first + cell, n);
      for (int a = 0; a < Components; ++a)
        set_coefficient((cell * Element::nodes + n) * Components + a, u(node * Components + a));
    });
    if constexpr (one_geometry<Degree>)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cells), [&](int cell) {
        const Geometry<Scalar, d> g = geometry<Degree>(first + cell, 0);
        for (int k = 0; k < d * d; ++k) set_inverse(cell * d * d + k, g.inverse.entry[k]);
        set_determinant(cell, g.determinant);
      });
  }
};

/// f0 and f1 at a point, times weight and determinant, f1 turned to the reference element: what the test
/// functions' tables multiply. Entries: f0 by components if the form has it, then f1 (component, reference
/// axis).
template <class Setting, class Kernel>
struct PointValues {
  using Element = typename Setting::Element;
  using Scalar = typename Setting::Scalar;
  static constexpr int degree = Kernel::template degree<Element>;
  using Table = Tabulation<Element, degree>;
  static constexpr int c = Kernel::components, d = Element::dimension;
  static constexpr bool with_f0 = Kernel::template tests_value<Element>,
                        with_f1 = Kernel::template tests_gradient<Element>;
  static constexpr int first_f1 = with_f0 ? c : 0, count = first_f1 + (with_f1 ? c * d : 0);

  Scalar entry[count];

  /// \param coefficient `coefficient(n, a)` of the cell's node n, component a
  /// \return whether all entries are finite
  template <class Coefficient>
  KOKKOS_FORCEINLINE_FUNCTION bool evaluate(const Setting& setting, const Kernel& kernel, Ordinal cell, int q,
                                            const Geometry<Scalar, d>& geometry,
                                            const Coefficient& coefficient) {
    Vector<Scalar, c> value;
    Matrix<Scalar, c, d> reference, gradient;
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        const Scalar u = coefficient(n, a);
        if constexpr (Kernel::uses_value) value(a) += u * Table::template value<Scalar>(q, n);
        for (int e = 0; e < d; ++e) reference(a, e) += u * Table::template gradient<Scalar>(q, n, e);
      }
    gradient = reference * geometry.inverse;
    const SettingPoint<Setting, degree> point{setting, geometry.inverse, setting.numbers(cell), cell, q};
    const auto f = kernel(value, gradient, point);
    const Scalar scale = Table::template weight<Scalar>(q) * geometry.determinant;
    Scalar sum = Scalar(0);
    if constexpr (with_f0)
      for (int a = 0; a < c; ++a) sum += entry[a] = f.f0(a) * scale;
    if constexpr (with_f1)
      for (int a = 0; a < c; ++a)
        for (int e = 0; e < d; ++e) {
          Scalar turned = f.f1(a, 0) * geometry.inverse(e, 0);
          for (int b = 1; b < d; ++b) turned += f.f1(a, b) * geometry.inverse(e, b);
          sum += entry[first_f1 + a * d + e] = turned * scale;
        }
    return Kokkos::isfinite(sum);
  }
};

/// What component a of a point's values gives for test function n.
/// \param entry `entry(k)`: `PointValues::entry`
template <class Values, class Entry, class TableValue, class TableGradient>
KOKKOS_FORCEINLINE_FUNCTION auto test(int a, const Entry& entry, const TableValue& value,
                                      const TableGradient& gradient) {
  typename Values::Scalar sum = 0;
  if constexpr (Values::with_f0) sum += entry(a) * value();
  if constexpr (Values::with_f1)
    for (int e = 0; e < Values::d; ++e) sum += entry(Values::first_f1 + a * Values::d + e) * gradient(e);
  return sum;
}

} // namespace tessera::residual::detail
