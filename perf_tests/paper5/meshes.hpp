// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The meshes of paper 5 and of the problems in space that stand beside them.

#include <tessera/core/error.hpp>
#include <tessera/io/generate/generate.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::tools {

/// An L of `side` x `side` squares without the upper right `gap` x `gap`; 1 x 1 metre. Node sets `foot` (the
/// lower edge) and `tip` (the right end of the upper leg's edge). Rows of squares from the bottom, as a mesh
/// generator without a reordering would number them.
template <class ExecutionSpace>
Mesh<Quad<1>, ExecutionSpace> l_shape(Ordinal side, Ordinal gap) {
  using MeshType = Mesh<Quad<1>, ExecutionSpace>;
  const Ordinal leg = side - gap;
  const Ordinal elements = side * side - gap * gap, nodes = (side + 1) * (side + 1) - gap * gap;
  typename MeshType::Coordinates coordinates("Tessera::tools::l_shape::coordinates", nodes);
  typename MeshType::Connectivity connectivity("Tessera::tools::l_shape::connectivity", elements);
  const auto x = Kokkos::create_mirror_view(coordinates);
  const auto e = Kokkos::create_mirror_view(connectivity);
  // Rows of nodes: full width up to the leg's height, then the leg's width.
  const auto node = [&](Ordinal i, Ordinal j) {
    return j <= leg ? j * (side + 1) + i : (leg + 1) * (side + 1) + (j - leg - 1) * (leg + 1) + i;
  };
  Ordinal k = 0;
  for (Ordinal j = 0; j <= side; ++j)
    for (Ordinal i = 0; i <= (j <= leg ? side : leg); ++i) {
      x(node(i, j), 0) = static_cast<double>(i) / side;
      x(node(i, j), 1) = static_cast<double>(j) / side;
    }
  for (Ordinal j = 0; j < side; ++j)
    for (Ordinal i = 0; i < (j < leg ? side : leg); ++i, ++k) {
      e(k, 0) = node(i, j);
      e(k, 1) = node(i + 1, j);
      e(k, 2) = node(i + 1, j + 1);
      e(k, 3) = node(i, j + 1);
    }
  Kokkos::deep_copy(coordinates, x);
  Kokkos::deep_copy(connectivity, e);
  MeshType mesh(coordinates, connectivity);
  typename MeshType::NodeSet top("Tessera::tools::l_shape::top", leg + 1),
      tip("Tessera::tools::l_shape::tip", 1);
  const auto top_host = Kokkos::create_mirror_view(top);
  for (Ordinal i = 0; i <= leg; ++i) top_host(i) = node(i, side);
  Kokkos::deep_copy(top, top_host);
  Kokkos::deep_copy(tip, node(side, leg));
  mesh.add_node_set("clamped", top);
  mesh.add_node_set("loaded", tip);
  return mesh;
}

/// One of the paper's meshes, or one with `1 / divisor` of its squares along each edge.
struct PaperMesh {
  char family; ///< C, L or H
  int number;  ///< 1 to 5
  int divisor = 1;
};

/// \throws ArgumentError unless the name is such as C1, L5 or H3/4
inline PaperMesh paper_mesh(const std::string& name) {
  const auto digit = [&](std::size_t at) { return at < name.size() && name[at] >= '1' && name[at] <= '9'; };
  const bool divided = name.size() > 3 && name[2] == '/' && digit(3) && name.size() <= 5 &&
                       std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (name.size() < 2 || !digit(1) || name[1] > '5' || !(name.size() == 2 || divided))
    throw ArgumentError("paper 5's meshes are C1 to C5, L1 to L5 and H1 to H5, or such as C1/4, got '" +
                        name + "'");
  return {name[0], name[1] - '0', divided ? std::stoi(name.substr(3)) : 1};
}

/// Paper 5, Table 2: squares along the L's side and along its gap, from elements and nodes of the table
/// (elements = side^2 - gap^2, nodes - elements - 1 = 2 side).
inline std::pair<Ordinal, Ordinal> l_shape_size(const PaperMesh& mesh) {
  constexpr std::pair<Ordinal, Ordinal> sizes[] = {
      {2000, 1500}, {2667, 2000}, {3200, 2400}, {3636, 2727}, {4000, 3000}};
  const auto [side, gap] = sizes[mesh.number - 1];
  return {side / mesh.divisor, gap / mesh.divisor};
}

/// Name of the box for a problem: C1 to C5 (paper 5, Table 1), or a box of `generate`.
inline std::string box_name(const std::string& problem) {
  if (problem.size() < 2 || problem[0] != 'C') return problem;
  const PaperMesh mesh = paper_mesh(problem);
  if (mesh.divisor == 1) return "cantilever5:" + problem;
  const int squares = 100 * mesh.number / mesh.divisor;
  return "box:" + std::to_string(10 * squares) + "x" + std::to_string(squares) + "@10x1";
}

/// Squares along a side of the square plate with as many elements as paper 5's plate with holes (Table 3), to
/// half a row; the plate itself is read from a file.
inline Ordinal plate_side(const PaperMesh& mesh) {
  constexpr double elements[] = {984681, 1938537, 3048540, 4215044, 6240237};
  return static_cast<Ordinal>(std::lround(std::sqrt(elements[mesh.number - 1]) / mesh.divisor));
}

} // namespace tessera::tools
