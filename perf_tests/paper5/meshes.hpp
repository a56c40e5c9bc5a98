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

/// Paper 5, Table 2: squares along the L's side and along its gap, from elements and nodes of the table
/// (elements = side^2 - gap^2, nodes - elements - 1 = 2 side).
inline std::pair<Ordinal, Ordinal> l_shape_size(const std::string& name) {
  constexpr std::pair<Ordinal, Ordinal> sizes[] = {
      {2000, 1500}, {2667, 2000}, {3200, 2400}, {3636, 2727}, {4000, 3000}};
  if (name.size() != 2 || name[0] != 'L' || name[1] < '1' || name[1] > '5')
    throw ArgumentError("paper 5's L-shaped beams are L1 to L5, got '" + name + "'");
  return sizes[name[1] - '1'];
}

/// Name of the box for a problem: C1 to C5, or a box of `generate`.
inline std::string box_name(const std::string& problem) {
  return problem.size() == 2 && problem[0] == 'C' ? "cantilever5:" + problem : problem;
}

/// Squares along a side of the square plate with as many elements as paper 5's plate with holes (Table 3), to
/// half a row; the plate itself is read from a file.
inline Ordinal plate_side(const std::string& name) {
  constexpr double elements[] = {984681, 1938537, 3048540, 4215044, 6240237};
  if (name.size() != 2 || name[0] != 'H' || name[1] < '1' || name[1] > '5')
    throw ArgumentError("paper 5's plates are H1 to H5, got '" + name + "'");
  return static_cast<Ordinal>(std::lround(std::sqrt(elements[name[1] - '1'])));
}

} // namespace tessera::tools
