#pragma once

/// \file
/// Integrals of basis functions over element sides, for natural boundary conditions.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// For each side of a set and each node a of the side: the node's number, the integral of its basis function
/// and the integral of basis function times outward unit normal.
template <class Element, class ExecutionSpace>
struct SideIntegrals {
  static constexpr int nodes = Element::Side::nodes;
  Kokkos::View<Ordinal* [nodes], ExecutionSpace> node;
  Kokkos::View<double* [nodes], ExecutionSpace> area;
  Kokkos::View<double* [nodes][Element::dimension], ExecutionSpace> normal;
};

namespace detail {

template <class Element, class ExecutionSpace>
struct SideIntegralsFunctor {
  using Side = typename Element::Side;
  using Table = Tabulation<Side, 2 * Element::order>;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  SideIntegrals<Element, ExecutionSpace> integrals;

  struct SideNodes {
    int entry[Element::sides][Side::nodes];
  };
  static constexpr SideNodes side_nodes() {
    SideNodes nodes{};
    const auto all = Element::side_nodes();
    for (int s = 0; s < Element::sides; ++s)
      for (int n = 0; n < Side::nodes; ++n) nodes.entry[s][n] = all[s][n];
    return nodes;
  }

  /// Local number of node a of a side.
  KOKKOS_FUNCTION static int local_node(int side, int a) {
    static constexpr SideNodes table = side_nodes();
    return table.entry[side][a];
  }

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
      const Ordinal node = mesh.connectivity(sides(s, 0), local_node(sides(s, 1), a));
      integrals.node(s, a) = node;
      integrals.area(s, a) = 0;
      for (int d = 0; d < dimension; ++d) {
        x[a][d] = mesh.coordinates(node, d);
        integrals.normal(s, a, d) = 0;
      }
    }
    for (int q = 0; q < Table::points; ++q) {
      double tangent[dimension - 1][dimension] = {}, normal[dimension], square = 0;
      for (int a = 0; a < Side::nodes; ++a)
        for (int e = 0; e < dimension - 1; ++e)
          for (int d = 0; d < dimension; ++d) tangent[e][d] += x[a][d] * Table::gradient(q, a, e);
      normal_of(tangent, normal);
      for (int d = 0; d < dimension; ++d) square += normal[d] * normal[d];
      const double area = Kokkos::sqrt(square);
      for (int a = 0; a < Side::nodes; ++a) {
        const double weighted = Table::weight(q) * Table::value(q, a);
        integrals.area(s, a) += weighted * area;
        for (int d = 0; d < dimension; ++d) integrals.normal(s, a, d) += weighted * normal[d];
      }
    }
  }
};

} // namespace detail

/// Computes the integrals for all sides of a set.
template <class Element, class ExecutionSpace>
SideIntegrals<Element, ExecutionSpace>
side_integrals(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
               const typename Mesh<Element, ExecutionSpace>::SideSet& sides) {
  const Ordinal count = static_cast<Ordinal>(sides.extent(0));
  SideIntegrals<Element, ExecutionSpace> integrals;
  integrals.node = allocate<decltype(integrals.node)>(exec, "Tessera::SideIntegrals::node", count);
  integrals.area = allocate<decltype(integrals.area)>(exec, "Tessera::SideIntegrals::area", count);
  integrals.normal = allocate<decltype(integrals.normal)>(exec, "Tessera::SideIntegrals::normal", count);
  Kokkos::parallel_for(
      "Tessera::SideIntegrals::integrate", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
      detail::SideIntegralsFunctor<Element, ExecutionSpace>{mesh.kernel(), sides, integrals});
  exec.fence("Tessera::SideIntegrals::integrate");
  return integrals;
}

} // namespace tessera
