// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/element.hpp>

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <vtkBiQuadraticQuad.h>
#include <vtkBiQuadraticQuadraticWedge.h>
#include <vtkHexahedron.h>
#include <vtkIdList.h>
#include <vtkLagrangeCurve.h>
#include <vtkLagrangeHexahedron.h>
#include <vtkLagrangeQuadrilateral.h>
#include <vtkLagrangeTetra.h>
#include <vtkLagrangeTriangle.h>
#include <vtkLagrangeWedge.h>
#include <vtkLine.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPyramid.h>
#include <vtkQuad.h>
#include <vtkQuadraticEdge.h>
#include <vtkQuadraticHexahedron.h>
#include <vtkQuadraticPyramid.h>
#include <vtkQuadraticQuad.h>
#include <vtkQuadraticTetra.h>
#include <vtkQuadraticTriangle.h>
#include <vtkQuadraticWedge.h>
#include <vtkTetra.h>
#include <vtkTriQuadraticHexahedron.h>
#include <vtkTriangle.h>

#include <algorithm>
#include <vector>

namespace io_vtk_numbering {

using namespace tessera;

/// VTK's parametric coordinates are in [0,1] for all shapes.
template <class E>
double to_parametric(double xi, int d) {
  return is_interval(E::shape, d) ? (xi + 1) / 2 : xi;
}

template <class Cell>
void set_order(Cell* cell, int nodes) {
  cell->GetPointIds()->SetNumberOfIds(nodes);
  cell->GetPoints()->SetNumberOfPoints(nodes);
  if constexpr (requires { cell->SetUniformOrderFromNumPoints(nodes); })
    cell->SetUniformOrderFromNumPoints(nodes);
  cell->Initialize();
}

template <class E, class Cell>
void expect_same_node_coordinates(Cell* cell) {
  ASSERT_EQ(cell->GetNumberOfPoints(), E::nodes) << E::name;
  const double* parametric = cell->GetParametricCoords();
  ASSERT_NE(parametric, nullptr);
  const auto coordinates = E::node_coordinates();
  for (int i = 0; i < E::nodes; ++i)
    for (int d = 0; d < 3; ++d)
      EXPECT_NEAR(d < E::dimension ? to_parametric<E>(coordinates[i][d], d) : 0, parametric[3 * i + d], 1e-15)
          << E::name << " node " << i << " direction " << d;
}

template <class E, class Cell>
void expect_same_basis(Cell* cell) {
  const typename E::Point xi = [] {
    typename E::Point point{};
    for (int d = 0; d < E::dimension; ++d) point[d] = 0.11 + 0.13 * d;
    return point;
  }();
  double parametric[3] = {0, 0, 0};
  for (int d = 0; d < E::dimension; ++d) parametric[d] = to_parametric<E>(xi[d], d);
  std::vector<double> values(E::nodes);
  cell->InterpolateFunctions(parametric, values.data());
  const auto expected_values = E::values(xi);
  for (int i = 0; i < E::nodes; ++i)
    EXPECT_NEAR(values[i], expected_values[i], 1e-13) << E::name << " node " << i;
}

template <class E>
struct LagrangeCell;
template <int P>
struct LagrangeCell<Line<P>> {
  using type = vtkLagrangeCurve;
};
template <int P>
struct LagrangeCell<Tri<P>> {
  using type = vtkLagrangeTriangle;
};
template <int P>
struct LagrangeCell<Quad<P>> {
  using type = vtkLagrangeQuadrilateral;
};
template <int P>
struct LagrangeCell<Tet<P>> {
  using type = vtkLagrangeTetra;
};
template <int P>
struct LagrangeCell<Hex<P>> {
  using type = vtkLagrangeHexahedron;
};
template <int P>
struct LagrangeCell<Wedge<P>> {
  using type = vtkLagrangeWedge;
};

template <class E>
class VtkNumbering : public testing::Test {};

using AllElements = testing::Types<Line<1>, Line<2>, Line<3>, Line<4>, Line<5>, Tri<1>, Tri<2>, Tri<3>,
                                   Tri<4>, Tri<5>, Quad<1>, Quad<2>, Quad<3>, Quad<4>, Quad<5>, Tet<1>,
                                   Tet<2>, Tet<3>, Hex<1>, Hex<2>, Hex<3>, Wedge<1>, Wedge<2>>;
TYPED_TEST_SUITE(VtkNumbering, AllElements);

TYPED_TEST(VtkNumbering, IsThatOfTheLagrangeCell) {
  using E = TypeParam;
  vtkNew<typename LagrangeCell<E>::type> cell;
  set_order(cell.Get(), E::nodes);
  expect_same_node_coordinates<E>(cell.Get());
  expect_same_basis<E>(cell.Get());
}

template <class E, class Cell>
void expect_fixed_cell() {
  vtkNew<Cell> cell;
  expect_same_node_coordinates<E>(cell.Get());
  expect_same_basis<E>(cell.Get());
}

TEST(VtkCells, IsThatOfTheLinearAndQuadraticCells) {
  expect_fixed_cell<Tri<1>, vtkTriangle>();
  expect_fixed_cell<Tri<2>, vtkQuadraticTriangle>();
  expect_fixed_cell<Quad<1>, vtkQuad>();
  expect_fixed_cell<Quad<2>, vtkBiQuadraticQuad>();
  expect_fixed_cell<Tet<1>, vtkTetra>();
  expect_fixed_cell<Tet<2>, vtkQuadraticTetra>();
  expect_fixed_cell<Hex<1>, vtkHexahedron>();
  expect_fixed_cell<Hex<2>, vtkTriQuadraticHexahedron>();
  expect_fixed_cell<Quad8, vtkQuadraticQuad>();
  expect_fixed_cell<Hex20, vtkQuadraticHexahedron>();
  expect_fixed_cell<Wedge<2>, vtkBiQuadraticQuadraticWedge>();
  expect_fixed_cell<Wedge15, vtkQuadraticWedge>();
}

// VTK's pyramid of second order has another reference domain.
TEST(VtkCells, MiddlesOfAPyramidsEdgesAreThere) {
  const auto x = Pyramid13::node_coordinates();
  for (int edge = 0; edge < 8; ++edge) {
    const vtkIdType* const nodes = vtkQuadraticPyramid::GetEdgeArray(edge);
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_EQ(x[nodes[2]][d], (x[nodes[0]][d] + x[nodes[1]][d]) / 2) << "edge " << edge;
  }
}

TEST(VtkCells, SidesAreTheFacesOfTheCells) {
  for (int s = 0; s < Tet<1>::sides; ++s)
    for (int v = 0; v < 3; ++v)
      EXPECT_EQ(Tet<1>::side_nodes()[s][v], vtkTetra::GetFaceArray(s)[v]) << "face " << s;
  for (int s = 0; s < Hex<1>::sides; ++s)
    for (int v = 0; v < 4; ++v)
      EXPECT_EQ(Hex<1>::side_nodes()[s][v], vtkHexahedron::GetFaceArray(s)[v]) << "face " << s;
  for (int s = 0; s < Pyramid<1>::sides; ++s)
    for (int v = 0; v < (s == 0 ? 4 : 3); ++v)
      EXPECT_EQ(Pyramid<1>::side_nodes()[s][v], vtkPyramid::GetFaceArray(s)[v]) << "face " << s;
  for (int s = 0; s < Pyramid13::sides; ++s)
    for (int n = 0; n < (s == 0 ? 8 : 6); ++n)
      EXPECT_EQ(Pyramid13::side_nodes()[s][n], vtkQuadraticPyramid::GetFaceArray(s)[n]) << "face " << s;
  for (int s = 0; s < Wedge15::sides; ++s)
    for (int n = 0; n < (s < 2 ? 6 : 8); ++n) {
      const auto side = Wedge15::side_nodes()[s];
      const vtkIdType* const face = vtkQuadraticWedge::GetFaceArray(s);
      EXPECT_NE(std::find(side.begin(), side.end(), face[n]), side.end()) << "face " << s << ", node " << n;
    }
}

} // namespace io_vtk_numbering

#else

TEST(VtkCells, IsThatOfTheLagrangeCell) {
  GTEST_SKIP() << "built without VTK: there is nothing to compare with";
}

#endif
