// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The test case of paper 1, section 6.1: the heat equation on triangles, u = 200 on one side, u = 10 on the
/// opposite one, f = 0.1, no flux elsewhere.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::tools {

/// Turns a box of the unit square into equilateral triangles, moves each node at random, and rounds.
template <class ExecutionSpace>
struct Distort {
  Kokkos::View<const double* [2], Kokkos::LayoutRight, ExecutionSpace> coordinates;
  Kokkos::View<double* [2], Kokkos::LayoutRight, ExecutionSpace> distorted;
  double amplitude; ///< largest move along an axis
  bool rounded;     ///< to single precision

  /// In (-1, 1), the same in every run.
  KOKKOS_FUNCTION static double random(std::uint64_t key) {
    key += 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    key ^= key >> 31;
    return static_cast<double>(key >> 11) / 4503599627370496.0 - 1.0;
  }

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    const double x = coordinates(node, 0), y = coordinates(node, 1);
    const double moved[2] = {x - 0.5 * y + amplitude * random(2 * std::uint64_t(node)),
                             0.8660254037844386 * y + amplitude * random(2 * std::uint64_t(node) + 1)};
    for (int d = 0; d < 2; ++d)
      distorted(node, d) = rounded ? static_cast<double>(static_cast<float>(moved[d])) : moved[d];
  }
};

/// Mesh, space and graph of the test case; the domain is a rhombus, for that of Figure 11 is not published.
template <int Order>
struct HeatProblem {
  using Element = Tri<Order>;
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;

  Mesh<Element, ExecutionSpace> mesh;
  FunctionSpace<Element, ExecutionSpace> space;
  SparsityGraph<ExecutionSpace> graph;
  Helmholtz<> form;

  /// \param cells along both axes; each gives two triangles
  /// \param jitter largest move of a node in units of a cell; for order 1
  /// \param rounded whether coordinates are rounded to single precision first, as in the paper
  HeatProblem(Ordinal cells_x, Ordinal cells_y, double jitter = 0, bool rounded = false)
      : mesh(distorted(cells_x, cells_y, jitter, rounded)), space(constrained(mesh)),
        graph(sparsity_graph(ExecutionSpace(), space)), form{.sigma = 1.0, .lambda = 0.0, .source = 0.1} {}

private:
  static Mesh<Element, ExecutionSpace> distorted(Ordinal cells_x, Ordinal cells_y, double jitter,
                                                 bool rounded) {
    auto mesh = io::box_mesh<Element, ExecutionSpace>({{cells_x, cells_y}, {1.0, 1.0}});
    const typename Mesh<Element, ExecutionSpace>::Coordinates distorted("Tessera::Paper1::coordinates",
                                                                        mesh.num_nodes());
    Kokkos::parallel_for("Tessera::Paper1::distort", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
                         Distort<ExecutionSpace>{mesh.coordinates(), distorted, jitter / cells_x, rounded});
    mesh.move(distorted);
    return mesh;
  }

  static FunctionSpace<Element, ExecutionSpace> constrained(const Mesh<Element, ExecutionSpace>& mesh) {
    FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
    space.constrain(mesh.node_set("xmin"), 0, 200.0);
    space.constrain(mesh.node_set("xmax"), 0, 10.0);
    return space;
  }
};

} // namespace tessera::tools
