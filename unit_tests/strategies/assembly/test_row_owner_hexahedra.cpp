// SPDX-License-Identifier: BSD-3-Clause
// RowOwner on trilinear hexahedra: its lists hold every slot of every neighbour once, the moments of a corner
// are those of the quadrature, and nodes with many hexahedra or none are right.

#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace strategies_assembly_row_owner_hexahedra {

using namespace tessera;
using test::on_host;

template <class ExecutionSpace>
class RowOwnerOfHexahedra : public ::testing::Test {};
TYPED_TEST_SUITE(RowOwnerOfHexahedra, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// Hexahedra around an axis in two layers: the node in its middle has twice as many as a layer. Needs three.
template <class ExecutionSpace>
Mesh<Hex<1>, ExecutionSpace> ring(int per_layer) {
  test::HostMesh<Hex<1>, ExecutionSpace> host(io::box_mesh<Hex<1>, ExecutionSpace>({{1, 1, 1}}));
  const int nodes = 2 * per_layer + 1;
  Kokkos::resize(host.coordinates, 3 * nodes);
  Kokkos::resize(host.connectivity, 2 * per_layer);
  for (int k = 0; k < 3 * nodes; ++k) {
    const int place = k % nodes; // 0: on the axis; odd: within the circle; even: on it
    const double angle = 3.141592653589793 * place / per_layer, radius = place == 0 ? 0 : place % 2 ? 1 : 1.4;
    host.coordinates(k, 0) = radius * std::cos(angle);
    host.coordinates(k, 1) = radius * std::sin(angle);
    host.coordinates(k, 2) = k / nodes + 0.1 * std::cos(angle);
  }
  for (int e = 0; e < 2 * per_layer; ++e) {
    const int i = e % per_layer, below = e / per_layer * nodes;
    const int around[4] = {0, 2 * i + 1, 2 * i + 2, 2 * ((i + 1) % per_layer) + 1};
    for (int c = 0; c < 8; ++c) host.connectivity(e, c) = below + c / 4 * nodes + around[c % 4];
    host.materials.push_back(i % 2);
  }
  return host.mesh();
}

template <class ExecutionSpace>
void check_cells(const Mesh<Hex<1>, ExecutionSpace>& mesh, int passes) {
  using Cells = tessera::assembly::detail::NodeCells<ExecutionSpace>;
  const Cells cells = tessera::assembly::detail::node_cells(ExecutionSpace(), mesh);
  EXPECT_EQ(cells.max_passes, passes);
  const auto begin = on_host(cells.neighbor_begin);
  const auto neighbors = on_host(cells.neighbors);
  const auto elements = on_host(cells.elements);
  const auto positions = on_host(cells.positions);
  const auto slots = on_host(cells.slots);
  const auto further = on_host(cells.further_begin);
  const auto connectivity = on_host(mesh.connectivity());
  const Ordinal nodes = mesh.num_nodes();
  const Offset further_passes = passes == 1 ? 0 : further(nodes);
  EXPECT_EQ(elements.extent(0), static_cast<std::size_t>(nodes + further_passes + (passes > 1)));
  for (int lane = 0; passes > 1 && lane < Cells::lanes; ++lane)
    EXPECT_EQ(elements(nodes + further_passes, lane), -1);

  Ordinal pairs = 0;
  for (Ordinal node = 0; node < nodes; ++node) {
    const int degree = static_cast<int>(begin(node + 1) - begin(node));
    for (int k = 1; k < degree; ++k) EXPECT_LT(neighbors(node, k - 1), neighbors(node, k));
    for (std::size_t k = degree; k < neighbors.extent(1); ++k) EXPECT_EQ(neighbors(node, k), node);
    const int passes_of_node = passes == 1 ? 1 : 1 + static_cast<int>(further(node + 1) - further(node));
    EXPECT_LE(passes_of_node, passes);
    for (int pass = 0; pass < passes_of_node; ++pass) {
      const Offset row = pass == 0 ? node : nodes + further(node) + pass - 1;
      EXPECT_TRUE(pass == 0 || elements(row, 0) >= 0) << "node " << node << ", pass " << pass;
      std::set<std::pair<int, int>> expected_slots, found; // position, slot
      for (int lane = 0; lane < Cells::lanes; ++lane) {
        if (elements(row, lane) < 0) continue;
        ++pairs;
        std::set<Ordinal> found_nodes, expected;
        for (int c = 0; c < 8; ++c) {
          const int position = static_cast<int>(positions(row, lane) >> (8 * c)) & 255;
          const Ordinal neighbor = neighbors(node, position);
          EXPECT_LT(position, degree);
          EXPECT_TRUE(c > 0 || neighbor == node);
          expected_slots.insert({position, c == 0 ? Cells::own_slot : Cells::slot(c, lane)});
          found_nodes.insert(neighbor);
          expected.insert(connectivity(elements(row, lane), c));
        }
        EXPECT_EQ(found_nodes, expected);
      }
      for (std::size_t k = 0; k < slots.extent(1); ++k)
        for (std::uint64_t list = slots(row, k); list != 0; list >>= 8)
          EXPECT_TRUE(found.insert({static_cast<int>(k), static_cast<int>(list & 255)}).second);
      EXPECT_EQ(found, expected_slots) << "node " << node << ", pass " << pass;
    }
  }
  EXPECT_EQ(pairs, mesh.num_elements() * 8);
}

TYPED_TEST(RowOwnerOfHexahedra, ListsHoldEverySlotOfEveryNeighbourOnce) {
  check_cells(test::distorted_box<Hex<1>, TypeParam>({{5, 4, 3}}), 1);
  check_cells(ring<TypeParam>(7), 2);
}

template <class Scalar, class ExecutionSpace>
void check_hexahedra(const FunctionSpace<Hex<1>, ExecutionSpace>& space) {
  const LinearElasticity<3> form{.young = CellField::per_material<ExecutionSpace>({1.0, 20.0}),
                                 .poisson = CellField::per_material<ExecutionSpace>({0.3, 0.2}),
                                 .body_force = {1, 2, 3}};
  const LinearSystem<Scalar, ExecutionSpace> system(space);
  Kokkos::deep_copy(system.values(), Scalar(17)); // what stands there before must not matter
  Kokkos::deep_copy(system.rhs(), Scalar(-3));
  assembly::RowOwner{}.plan(space, system.graph()).assemble(form, system);
  const SystemError error = system_error<Scalar>(system, reference_assembly(form, space, system.graph()));
  EXPECT_LE(error.matrix, 100 * std::numeric_limits<Scalar>::epsilon());
  EXPECT_LE(error.rhs, 100 * std::numeric_limits<Scalar>::epsilon());
}

TYPED_TEST(RowOwnerOfHexahedra, AgreesWhereANodeHasManyHexahedraOrNone) {
  for (const int per_layer : {3, 7, 20}) {
    const auto mesh = ring<TypeParam>(per_layer); // the last one: 123 neighbours, five passes
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      SCOPED_TRACE(per_layer);
      FunctionSpace<Hex<1>, TypeParam> space(mesh, 3, treatment);
      check_hexahedra<double>(space);
      check_hexahedra<float>(space);
      for (Ordinal node = 1; node < mesh.num_nodes(); node += 5) space.constrain(node, node % 3, 0.1 * node);
      check_hexahedra<double>(space);
    }
  }
  test::HostMesh<Hex<1>, TypeParam> host(ring<TypeParam>(3));
  const auto loose = static_cast<Ordinal>(host.coordinates.extent(0));
  Kokkos::resize(host.coordinates, loose + 2);
  check_hexahedra<double>(FunctionSpace<Hex<1>, TypeParam>(host.mesh(), 3));
}

TYPED_TEST(RowOwnerOfHexahedra, TakesTwistedHexahedraAndNamesThoseWithoutACentre) {
  const auto twisted = [](double cosine, double sine) { // of the angle by which the upper side is turned
    test::HostMesh<Hex<1>, TypeParam> host(io::box_mesh<Hex<1>, TypeParam>({{1, 1, 1}}));
    for (int node = 4; node < 8; ++node) {
      const double x = host.coordinates(node, 0) - 0.5, y = host.coordinates(node, 1) - 0.5;
      host.coordinates(node, 0) = 0.5 + cosine * x - sine * y;
      host.coordinates(node, 1) = 0.5 + sine * x + cosine * y;
    }
    host.materials.push_back(0);
    return FunctionSpace<Hex<1>, TypeParam>(host.mesh(), 3);
  };
  check_hexahedra<double>(twisted(-0.5, std::sqrt(0.75)));
  const auto space = twisted(-1, 0); // the Jacobian is zero there, though not at the Gauss points
  const LinearSystem<double, TypeParam> system(space);
  test::expect_throw_with<FormError>(
      [&] { assembly::RowOwner{}.plan(space, system.graph()).assemble(LinearElasticity<3>{}, system); },
      "element 0 has a Jacobian that is not positive");
}

TEST(CornerMoments, AreThoseOfTheQuadrature) {
  using Point = QuadraturePoint<Hex<1>, 2, double>;
  const auto reference = Hex<1>::node_coordinates();
  Cell<Hex<1>, double> cell{};
  for (int n = 0; n < 8; ++n)
    for (int d = 0; d < 3; ++d)
      cell.coordinates[n][d] =
          0.7 * reference[n][d] + 0.2 * reference[n][(d + 1) % 3] + 0.1 * std::sin(3 * n + 2 * d);
  const tessera::assembly::detail::HexahedronShape<double> shape(cell.coordinates);
  const tessera::assembly::detail::CornerMoments<double> moments(
      [&]() -> const tessera::assembly::detail::HexahedronShape<double>& { return shape; });
  double entry[9][8];
  for (int ab = 0; ab < 9; ++ab) moments.corners(ab, entry[ab]);
  double basis_integral = 0;
  for (int q = 0; q < Point::table::points; ++q)
    basis_integral += Point(cell, q).weight() * Point(cell, q).value(0);
  EXPECT_NEAR(moments.basis_integral(), basis_integral, 1e-14);
  EXPECT_GT(moments.smallest_determinant(), 0);
  for (int j = 0; j < 8; ++j)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        double expected = 0;
        for (int q = 0; q < Point::table::points; ++q) {
          const Point point(cell, q);
          expected += point.weight() * point.gradient(0, a) * point.gradient(j, b);
        }
        EXPECT_NEAR(entry[3 * a + b][j], expected, 1e-14) << "corner " << j << ", " << a << b;
      }
}

TYPED_TEST(RowOwnerOfHexahedra, TurnedCornersKeepTheOrientation) {
  const auto reference = Hex<1>::node_coordinates();
  for (int own = 0; own < 8; ++own) {
    Matrix<double, 3> edges;
    const int along[3] = {1, 3, 4};
    for (int e = 0; e < 3; ++e)
      for (int d = 0; d < 3; ++d)
        edges(d, e) = reference[tessera::assembly::detail::turned_corner(own, along[e])][d] -
                      reference[tessera::assembly::detail::turned_corner(own, 0)][d];
    EXPECT_EQ(tessera::assembly::detail::turned_corner(own, 0), own);
    EXPECT_DOUBLE_EQ(determinant(edges), 8.0) << "corner " << own;
  }
}

} // namespace strategies_assembly_row_owner_hexahedra
