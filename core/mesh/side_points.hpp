// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Quadrature on element sides, for natural boundary conditions.

#include <tessera/core/allocate.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// The quadrature points of the sides of a set, exact for the product of two basis functions on a plane side
/// with parallel edges. `Table::value(q, a)` is the basis function of node a at point q.
/// \tparam Kind of the sides, of elements that have several
template <class Element, class ExecutionSpace, int Kind = 0>
struct SidePoints {
  using Side = typename detail::SidesOf<Element>::template Side<Kind>;
  static constexpr int nodes = Side::nodes;
  static constexpr int dimension = Element::dimension;
  using Table = Tabulation<Side, 2 * Element::order>;
  static constexpr int points = Table::points;

  Kokkos::View<Ordinal* [nodes], ExecutionSpace> node;                ///< side x node a: its number
  Kokkos::View<double* [points][dimension], ExecutionSpace> position; ///< side x point x axis
  /// Side x point x axis: the outward normal, as long as weight times area element.
  Kokkos::View<double* [points][dimension], ExecutionSpace> normal;
};

namespace detail {

/// Local number of node a of a side, for kernels.
template <class Element>
struct SideNodes {
  struct Table {
    int entry[Element::sides][SidesOf<Element>::most_nodes];
    int count[Element::sides];
  };
  static constexpr Table table() {
    Table nodes{};
    const auto all = Element::side_nodes();
    for (int s = 0; s < Element::sides; ++s) {
      nodes.count[s] = side_nodes_of<Element>(s);
      for (int n = 0; n < nodes.count[s]; ++n) nodes.entry[s][n] = all[s][n];
    }
    return nodes;
  }
  KOKKOS_FUNCTION static int count(int side) {
    static constexpr Table nodes = table();
    return nodes.count[side];
  }
  KOKKOS_FUNCTION static int local_node(int side, int a) {
    static constexpr Table nodes = table();
    return nodes.entry[side][a];
  }
};

/// The places in a set of the sides of one kind.
template <class Element, int Kind, class Sides>
std::vector<std::size_t> places_of_kind(const Sides& sides) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
  std::vector<std::size_t> places;
  for (std::size_t s = 0; s < host.extent(0); ++s)
    if (SidesOf<Element>::kind(host(s, 1)) == Kind) places.push_back(s);
  return places;
}

/// The sides of one kind, in their order.
template <class Element, int Kind, class ExecutionSpace, class Sides>
Sides sides_of_kind(const ExecutionSpace& exec, const Sides& sides) {
  if constexpr (SidesOf<Element>::count == 1) return sides;
  const auto all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
  const auto places = places_of_kind<Element, Kind>(all);
  const auto some = allocate<typename Mesh<Element, ExecutionSpace>::SideSet>(
      exec, "Tessera::SidePoints::sides", places.size());
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), some);
  for (std::size_t s = 0; s < places.size(); ++s)
    for (int i = 0; i < 2; ++i) host(s, i) = all(places[s], i);
  Kokkos::deep_copy(exec, some, host);
  exec.fence("Tessera::SidePoints::sides");
  return some;
}

/// The outward normal at point q of a side, as long as weight times area element: the tangent turned by
/// -90 degrees, or the cross product of the tangents.
/// \tparam Table the side's, at the points of a rule
/// \param x node of the side x axis
template <class Table, int nodes, int dimension>
KOKKOS_FUNCTION Vector<double, dimension> weighted_normal(const double (&x)[nodes][dimension], int q) {
  double tangent[dimension - 1][dimension] = {};
  for (int a = 0; a < nodes; ++a)
    for (int d = 0; d < dimension; ++d)
      for (int e = 0; e < dimension - 1; ++e) tangent[e][d] += x[a][d] * Table::gradient(q, a, e);
  Vector<double, dimension> normal;
  if constexpr (dimension == 2) {
    normal(0) = tangent[0][1];
    normal(1) = -tangent[0][0];
  } else {
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      normal(d) = tangent[0][e] * tangent[1][f] - tangent[0][f] * tangent[1][e];
    }
  }
  for (int d = 0; d < dimension; ++d) normal(d) *= Table::weight(q);
  return normal;
}

/// Length of a vector, whose squares may leave the range of double precision.
template <int dimension>
KOKKOS_FUNCTION double norm_2(const Vector<double, dimension>& vector) {
  double sum = 0;
  for (int d = 0; d < dimension; ++d) sum = Kokkos::hypot(sum, vector(d));
  return sum;
}

template <class Element, class ExecutionSpace, int Kind>
struct SidePointsFunctor {
  using Points = SidePoints<Element, ExecutionSpace, Kind>;
  using Side = typename Points::Side;
  using Table = typename Points::Table;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  Points result;

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    constexpr int dimension = Element::dimension;
    double x[Side::nodes][dimension];
    for (int a = 0; a < Side::nodes; ++a) {
      const Ordinal node = mesh.connectivity(sides(s, 0), SideNodes<Element>::local_node(sides(s, 1), a));
      result.node(s, a) = node;
      for (int d = 0; d < dimension; ++d) x[a][d] = mesh.coordinates(node, d);
    }
    for (int q = 0; q < Table::points; ++q) {
      double position[dimension] = {};
      for (int a = 0; a < Side::nodes; ++a)
        for (int d = 0; d < dimension; ++d) position[d] += x[a][d] * Table::value(q, a);
      const auto normal = weighted_normal<Table>(x, q);
      for (int d = 0; d < dimension; ++d) {
        result.position(s, q, d) = position[d];
        result.normal(s, q, d) = normal(d);
      }
    }
  }
};

} // namespace detail

/// Computes positions and normals for all sides of a set, which need not have been added to the mesh; of
/// elements with several kinds of sides for those of one.
/// \throws ArgumentError naming the first side that the mesh does not have; OutOfMemoryError
template <int Kind = 0, class Element, class ExecutionSpace>
SidePoints<Element, ExecutionSpace, Kind>
side_points(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
            const typename Mesh<Element, ExecutionSpace>::SideSet& all_sides) {
  if (const auto wrong = detail::first_wrong_side(exec, mesh, all_sides); !wrong.empty())
    throw ArgumentError("side set: " + wrong);
  const auto sides = detail::sides_of_kind<Element, Kind>(exec, all_sides);
  const auto count = static_cast<Ordinal>(sides.extent(0));
  SidePoints<Element, ExecutionSpace, Kind> result;
  result.node = allocate<decltype(result.node)>(exec, "Tessera::SidePoints::node", count);
  result.position = allocate<decltype(result.position)>(exec, "Tessera::SidePoints::position", count);
  result.normal = allocate<decltype(result.normal)>(exec, "Tessera::SidePoints::normal", count);
  Kokkos::parallel_for(
      "Tessera::SidePoints::compute", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
      detail::SidePointsFunctor<Element, ExecutionSpace, Kind>{mesh.kernel(), sides, result});
  exec.fence("Tessera::SidePoints::compute");
  return result;
}

} // namespace tessera
