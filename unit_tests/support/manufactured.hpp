// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Solutions known in closed form: meshes with smoothly curved sides, boundary values, errors and orders.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <string>
#include <vector>

namespace tessera::test {

/// The unit square or cube of n cells a side under a smooth map, with the box's node sets. All nodes follow
/// the map, those on edges and faces too, so that elements of higher order have curved sides.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> curved_box(Ordinal n) {
  const auto box = io::box_mesh<Element, ExecutionSpace>({{n, n, n}, {1, 1, 1}});
  HostMesh<Element, ExecutionSpace> host(box);
  for (std::size_t node = 0; node < host.coordinates.extent(0); ++node) {
    const double x = host.coordinates(node, 0), y = host.coordinates(node, 1);
    const double z = Element::dimension == 3 ? host.coordinates(node, Element::dimension - 1) : 0.0;
    const double moved[3] = {x + 0.2 * y + 0.06 * std::sin(3 * y + z), y + 0.05 * std::cos(3 * x),
                             z + 0.1 * x + 0.05 * std::sin(x + 2 * y)};
    for (int d = 0; d < Element::dimension; ++d) host.coordinates(node, d) = moved[d];
  }
  auto mesh = host.mesh();
  for (const auto& [name, nodes] : box.node_sets()) mesh.add_node_set(name, nodes);
  return mesh;
}

/// Prescribes the values of `exact(x, component)` on all sides of a box.
template <class Space, class Exact>
void prescribe_boundary(Space& space, const Exact& exact) {
  constexpr int dimension = Space::Element::dimension;
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates());
  for (const auto& [name, nodes] : space.mesh().node_sets()) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), nodes);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      Vector<double, dimension> at;
      for (int d = 0; d < dimension; ++d) at(d) = x(host(i), d);
      for (int c = 0; c < space.components(); ++c) space.constrain(host(i), c, exact(at, c));
    }
  }
}

/// Norm of u - u_h in L2, of the components [first, last), integrated to degree 2 P + 2.
/// \param u every degree of freedom
template <class Space, class Values, class Exact>
double l2_error(const Space& space, const Values& u, const Exact& exact, int first, int last) {
  using Element = typename Space::Element;
  constexpr int dimension = Element::dimension;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  const HostMesh<Element, typename Space::execution_space> mesh(space.mesh());
  double square = 0;
  std::vector<double> x(Element::nodes * dimension);
  for (std::size_t e = 0; e < mesh.connectivity.extent(0); ++e) {
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) x[n * dimension + d] = mesh.coordinates(mesh.connectivity(e, n), d);
    for (const auto& point : tessera::detail::reference_points<Element, 2 * Element::order + 2>(x)) {
      Vector<double, dimension> at;
      for (int n = 0; n < Element::nodes; ++n)
        for (int d = 0; d < dimension; ++d) at(d) += point.value[n] * x[n * dimension + d];
      for (int c = first; c < last; ++c) {
        double difference = -exact(at, c);
        for (int n = 0; n < Element::nodes; ++n)
          difference += point.value[n] * host(mesh.connectivity(e, n) * space.components() + c);
        square += point.weight * difference * difference;
      }
    }
  }
  return std::sqrt(square);
}
/// Of all components.
template <class Space, class Values, class Exact>
double l2_error(const Space& space, const Values& u, const Exact& exact) {
  return l2_error(space, u, exact, 0, space.components());
}

/// Assembles by ElementAtomic and solves to rounding; the values of every degree of freedom.
template <class Form, class Space>
auto solve_to_rounding(const Form& form, const Space& space) {
  using ExecutionSpace = typename Space::execution_space;
  const LinearSystem<double, ExecutionSpace> system(space);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
  const Kokkos::View<double*, ExecutionSpace> x("Tessera::Test::x", system.num_rows());
  EXPECT_NE(solvers::cg(system, x, {.relative_tolerance = 1e-12}).reason,
            solvers::StopReason::max_iterations);
  return space.expand(x);
}

/// Solves on curved boxes of n and 2 n cells a side and expects that the L2 error falls as h^(P+1): an
/// observed order of at least P + 0.8, since the coarse mesh is not yet in the asymptotic range.
template <class Element, class ExecutionSpace, class Form, class Exact>
void expect_optimal_order(const Form& form, const Exact& exact, Ordinal n) {
  double error[2];
  for (int level = 0; level < 2; ++level) {
    FunctionSpace<Element, ExecutionSpace> space(curved_box<Element, ExecutionSpace>(n << level),
                                                 Form::components);
    prescribe_boundary(space, exact);
    error[level] = l2_error(space, solve_to_rounding(form, space), exact);
  }
  const double order = std::log2(error[0] / error[1]);
  EXPECT_GE(order, Element::order + 0.8) << Element::name << ": errors " << error[0] << ", " << error[1];
  ::testing::Test::RecordProperty(std::string("order_") + Element::name, std::to_string(order));
}

} // namespace tessera::test
