#pragma once

/// \file
/// Quadrature on element sides, for natural boundary conditions.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

/// The quadrature points of the sides of a set, exact for the product of two basis functions on a plane side
/// with parallel edges. `Table::value(q, a)` is the basis function of node a at point q.
template <class Element, class ExecutionSpace>
struct SidePoints {
  static constexpr int nodes = Element::Side::nodes;
  static constexpr int dimension = Element::dimension;
  using Table = Tabulation<typename Element::Side, 2 * Element::order>;
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
    int entry[Element::sides][Element::Side::nodes];
  };
  static constexpr Table table() {
    Table nodes{};
    const auto all = Element::side_nodes();
    for (int s = 0; s < Element::sides; ++s)
      for (int n = 0; n < Element::Side::nodes; ++n) nodes.entry[s][n] = all[s][n];
    return nodes;
  }
  KOKKOS_FUNCTION static int local_node(int side, int a) {
    static constexpr Table nodes = table();
    return nodes.entry[side][a];
  }
};

template <class Element, class ExecutionSpace>
struct SidePointsFunctor {
  using Side = typename Element::Side;
  using Points = SidePoints<Element, ExecutionSpace>;
  using Table = typename Points::Table;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  Points result;

  /// Normal times area element: the tangent turned by -90 degrees, or the cross product of the tangents.
  KOKKOS_FUNCTION static void normal_of(const double (&tangent)[Element::dimension - 1][Element::dimension],
                                        double (&normal)[Element::dimension]) {
    if constexpr (Element::dimension == 2) {
      normal[0] = tangent[0][1];
      normal[1] = -tangent[0][0];
    } else {
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        normal[d] = tangent[0][e] * tangent[1][f] - tangent[0][f] * tangent[1][e];
      }
    }
  }

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    constexpr int dimension = Element::dimension;
    double x[Side::nodes][dimension];
    for (int a = 0; a < Side::nodes; ++a) {
      const Ordinal node = mesh.connectivity(sides(s, 0), SideNodes<Element>::local_node(sides(s, 1), a));
      result.node(s, a) = node;
      for (int d = 0; d < dimension; ++d) x[a][d] = mesh.coordinates(node, d);
    }
    for (int q = 0; q < Table::points; ++q) {
      double tangent[dimension - 1][dimension] = {}, position[dimension] = {}, normal[dimension];
      for (int a = 0; a < Side::nodes; ++a)
        for (int d = 0; d < dimension; ++d) {
          position[d] += x[a][d] * Table::value(q, a);
          for (int e = 0; e < dimension - 1; ++e) tangent[e][d] += x[a][d] * Table::gradient(q, a, e);
        }
      normal_of(tangent, normal);
      for (int d = 0; d < dimension; ++d) {
        result.position(s, q, d) = position[d];
        result.normal(s, q, d) = Table::weight(q) * normal[d];
      }
    }
  }
};

} // namespace detail

/// Computes positions and normals for all sides of a set, which need not have been added to the mesh.
/// \throws ArgumentError naming the first side that the mesh does not have; OutOfMemoryError
template <class Element, class ExecutionSpace>
SidePoints<Element, ExecutionSpace>
side_points(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
            const typename Mesh<Element, ExecutionSpace>::SideSet& sides) {
  if (const auto wrong = detail::first_wrong_side(exec, mesh, sides); !wrong.empty())
    throw ArgumentError("side set: " + wrong);
  const auto count = static_cast<Ordinal>(sides.extent(0));
  SidePoints<Element, ExecutionSpace> result;
  result.node = allocate<decltype(result.node)>(exec, "Tessera::SidePoints::node", count);
  result.position = allocate<decltype(result.position)>(exec, "Tessera::SidePoints::position", count);
  result.normal = allocate<decltype(result.normal)>(exec, "Tessera::SidePoints::normal", count);
  Kokkos::parallel_for("Tessera::SidePoints::compute", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
                       detail::SidePointsFunctor<Element, ExecutionSpace>{mesh.kernel(), sides, result});
  exec.fence("Tessera::SidePoints::compute");
  return result;
}

} // namespace tessera
