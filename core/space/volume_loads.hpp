// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loads integrated over elements: body forces, and the stresses of strains that are not the displacement's,
/// as thermal ones.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera {

/// The integrand force . v + stress : grad v of a load at a point, for a test function v with a component per
/// dimension.
template <int Dimension>
struct VolumeLoad {
  Vector<double, Dimension> force;
  Matrix<double, Dimension> stress; ///< (component, axis)
};

/// Adds a load that is integrated over all elements of a space with a component per dimension: what the
/// stiffness of a solid holds in balance beside its other loads. A temperature's load is the stress C : alpha
/// dT that would suppress the expansion, with the other sign than that stress has in the solid.
///
/// On the host, element after element; kept as loads on the nodes, like natural ones.
/// \tparam Degree to which the quadrature is exact
/// \param load called with the element's number and a `QuadraturePoint<Element, Degree, double>`, whose
///   `value(n)` interpolates what the nodes have; returns `VolumeLoad<dimension>`
/// \throws ArgumentError for a space of another number of components, and for a load that is not finite
template <int Degree, class Element, class ExecutionSpace, class Load>
void add_volume_load(FunctionSpace<Element, ExecutionSpace>& space, const Load& load) {
  constexpr int dimension = Element::dimension;
  if (space.components() != dimension)
    throw ArgumentError("add_volume_load: the space has " + std::to_string(space.components()) +
                        " components, not one for each of " + std::to_string(dimension) + " dimensions");
  const auto& mesh = space.mesh();
  const auto coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<double> loads(static_cast<std::size_t>(space.num_dofs()), 0.0);
  for (Ordinal e = 0; e < static_cast<Ordinal>(connectivity.extent(0)); ++e) {
    Cell<Element, double> cell{};
    cell.element[0] = e;
    for (int d = 0; d < dimension; ++d) cell.origin[d] = coordinates(connectivity(e, 0), d);
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d)
        cell.coordinates[n][d] = coordinates(connectivity(e, n), d) - cell.origin[d];
    for (int q = 0; q < Tabulation<Element, Degree>::points; ++q) {
      const QuadraturePoint<Element, Degree, double> point(cell, q);
      const VolumeLoad<dimension> at_point = load(e, point);
      for (int n = 0; n < Element::nodes; ++n)
        for (int c = 0; c < dimension; ++c) {
          double integrand = at_point.force(c) * point.value(n);
          for (int d = 0; d < dimension; ++d) integrand += at_point.stress(c, d) * point.gradient(n, d);
          loads[static_cast<std::size_t>(connectivity(e, n)) * dimension + static_cast<std::size_t>(c)] +=
              integrand * point.weight();
        }
    }
  }
  for (const double value : loads)
    if (!std::isfinite(value)) throw ArgumentError("add_volume_load: the load is not finite");
  for (Ordinal dof = 0; dof < space.num_dofs(); ++dof)
    if (const double value = loads[static_cast<std::size_t>(dof)]; value != 0.0)
      space.add_point_load(dof / dimension, dof % dimension, value);
}

} // namespace tessera
