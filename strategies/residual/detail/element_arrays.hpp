// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Paper 3's setting: every element's geometry and coefficients in arrays of their own, element vectors out.

#include <tessera/core/allocate.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/tabulation.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace TESSERA_KERNELS::residual {

/// The arrays of paper 3's Appendix A, cell by cell. Geometry is that of one point for straight-sided
/// simplices, else of every quadrature point: inverse Jacobians (point, reference axis, axis), their
/// determinants, and for forms that look at the position where the point lies (one point: the first corner).
template <class Element, class ExecutionSpace, class Scalar>
struct ElementArrays {
  using Array = Kokkos::View<Scalar**, Kokkos::LayoutRight, ExecutionSpace>;
  int points = 1;
  Array inverse_jacobians;                                ///< cell × (points * d * d)
  Array determinants;                                     ///< cell × points
  Array positions;                                        ///< cell × (points * d)
  Array coefficients;                                     ///< cell × (node * components + component)
  Array vectors;                                          ///< the same; written
  Kokkos::View<const Ordinal*, ExecutionSpace> materials; ///< empty: all 0

  /// \throws ArgumentError naming the array: other extents, or rows apart
  void check(const std::string& who, Ordinal cells, int components, int quadrature_points) const {
    constexpr int d = Element::dimension;
    if (points != 1 && (points != quadrature_points || Element::affine_simplex))
      throw ArgumentError(who + ": ElementArrays hold geometry of " + std::to_string(points) +
                          " points; the form has " + std::to_string(quadrature_points) +
                          ", linear simplices need 1");
    const auto require = [&](const char* what, const Array& array, int entries) {
      if (array.extent(0) != static_cast<std::size_t>(cells) ||
          array.extent(1) != static_cast<std::size_t>(entries))
        throw ArgumentError(who + ": ElementArrays::" + what + " are " + std::to_string(array.extent(0)) +
                            " x " + std::to_string(array.extent(1)) + ", this mesh and form need " +
                            std::to_string(cells) + " x " + std::to_string(entries));
      if (!array.span_is_contiguous())
        throw ArgumentError(who + ": ElementArrays::" + what + " must lie in one piece");
    };
    require("inverse_jacobians", inverse_jacobians, points * d * d);
    require("determinants", determinants, points);
    require("positions", positions, points * d);
    require("coefficients", coefficients, Element::nodes * components);
    require("vectors", vectors, Element::nodes * components);
  }
};

namespace detail {

template <class Element, class ExecutionSpace, class Scalar, int Degree>
struct FillElementArrays {
  ElementArrays<Element, ExecutionSpace, Scalar> arrays;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  int components;

  KOKKOS_FUNCTION void operator()(Ordinal cell) const {
    constexpr int d = Element::dimension;
    using Table = Tabulation<Element, Degree>;
    for (int q = 0; q < arrays.points; ++q) {
      Matrix<double, d> jacobian;
      Vector<double, d> position;
      for (int n = 0; n < Element::nodes; ++n) {
        const Ordinal node = mesh.connectivity(cell, n);
        for (int a = 0; a < d; ++a) {
          const double x = mesh.coordinates(node, a);
          for (int e = 0; e < d; ++e) jacobian(a, e) += x * Table::gradient(q, n, e);
          position(a) += x * Table::value(q, n);
        }
      }
      const double det = determinant(jacobian);
      const Matrix<double, d> adj = adjugate(jacobian);
      arrays.determinants(cell, q) = Scalar(det);
      for (int k = 0; k < d * d; ++k)
        arrays.inverse_jacobians(cell, q * d * d + k) = Scalar(adj.entry[k] / det);
      for (int a = 0; a < d; ++a)
        arrays.positions(cell, q * d + a) =
            Scalar(arrays.points == 1 ? mesh.coordinates(mesh.connectivity(cell, 0), a) : position(a));
    }
    for (int n = 0; n < Element::nodes; ++n)
      for (int c = 0; c < components; ++c) {
        const Ordinal dof = mesh.connectivity(cell, n) * components + c;
        arrays.coefficients(cell, n * components + c) = u(dof);
        arrays.vectors(cell, n * components + c) = Scalar(0);
      }
  }
};

} // namespace detail

/// The arrays of a mesh and nodal values u, made on the device; vectors are zero.
///
/// \tparam Degree of the quadrature, the form kernel's `degree<Element>`
/// \param straight all simplices have straight sides: geometry of one point
/// \throws ArgumentError if others than simplices are to be straight; OutOfMemoryError
template <int Degree, class Element, class ExecutionSpace, class Scalar>
ElementArrays<Element, ExecutionSpace, Scalar>
element_arrays(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
               const Kokkos::View<const Scalar*, ExecutionSpace>& u, int components, bool straight) {
  using Arrays = ElementArrays<Element, ExecutionSpace, Scalar>;
  using Array = typename Arrays::Array;
  constexpr int d = Element::dimension;
  constexpr bool simplex = Element::shape == Shape::triangle || Element::shape == Shape::tetrahedron;
  if (straight && !simplex)
    throw ArgumentError(std::string("ElementArrays: only simplices have geometry of one point, not ") +
                        Element::name);
  const Ordinal cells = mesh.num_elements();
  Arrays arrays;
  arrays.points = straight ? 1 : Tabulation<Element, Degree>::points;
  const auto array = [&](const char* label, int entries) {
    return allocate<Array>(exec, std::string("Tessera::ElementArrays::") + label, cells, entries);
  };
  arrays.inverse_jacobians = array("inverse_jacobians", arrays.points * d * d);
  arrays.determinants = array("determinants", arrays.points);
  arrays.positions = array("positions", arrays.points * d);
  arrays.coefficients = array("coefficients", Element::nodes * components);
  arrays.vectors = array("vectors", Element::nodes * components);
  arrays.materials = mesh.materials();
  Kokkos::parallel_for("Tessera::ElementArrays::fill", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, cells),
                       detail::FillElementArrays<Element, ExecutionSpace, Scalar, Degree>{
                           arrays, mesh.kernel(), u, components});
  exec.fence("Tessera::ElementArrays::fill");
  return arrays;
}

} // namespace TESSERA_KERNELS::residual
