// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Pictures of meshes, solutions, colorings and partitions as PNG files, rendered without a display. Needs a
/// library built with VTK.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/io/detail/mesh_arrays.hpp>
#include <tessera/io/field.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Red, green and blue, 0 to 1.
using Color = std::array<double, 3>;

/// Color of category `i` (a set, a part, a color of a coloring). Neighbors in number are far apart in hue.
Color category_color(std::size_t i);

/// How a picture looks.
struct PictureOptions {
  int width = 1200;    ///< pixels, at least 320
  int height = 800;    ///< pixels, at least 240
  std::string title{}; ///< the line above; may be empty
  bool back = false;   ///< shows solids from the back and the left, not from the front and the right
  bool cut = false;    ///< leaves out the cells of a solid whose centre has a y below the middle
  std::map<Ordinal, std::string> names{}; ///< stand for their numbers beside the picture of draw_numbers
};

/// A set of nodes (cells of the vertex type), or of sides, to be drawn over a mesh. Sets of one name, of
/// sides of several types, are drawn as one.
struct DrawnSet {
  std::string name;
  CellType type;
  std::vector<Ordinal> connectivity; ///< cell x type.nodes(), nodes of the mesh
};

/// Draws a mesh with its sets, each in a color of its own beside its name. Where sets overlap the later one
/// is seen. The cells' edges are drawn where they are far enough apart to be told from each other.
///
/// Solids are seen from the front, the right and above, as the axes in the corner show; plane meshes along z.
/// All pictures hide what lies inside a solid, unless it is cut. VTK draws in a child process (see
/// draw_in_child), for it crashes where memory does not suffice. \throws ArgumentError if the arrays' sizes
/// do not fit, a node is out of range or the picture is too small \throws UnsupportedError if VTK can open no
/// off-screen window on this machine, or crashes \throws OutOfMemoryError \throws FileError if the file
/// cannot be written; then nothing is left behind, and what was there stays
void draw_mesh(const std::string& path, const MeshArrays& mesh, const std::vector<DrawnSet>& sets,
               const PictureOptions& options = {});

/// Draws a field on the nodes in colors with their scale. A field with as many components as the mesh has
/// dimensions is taken for displacements: the mesh is drawn deformed, so much enlarged (or reduced) that the
/// largest displacement is about a tenth of the mesh's diagonal, and colored by their length; the picture
/// says by how much.
///
/// \param unit of the field, for the scale; may be empty
/// \throws as draw_mesh, and ArgumentError unless the field is finite with 1 or `dimension` components on the
/// nodes
void draw_solution(const std::string& path, const MeshArrays& mesh, const Field& field,
                   const std::string& unit, const PictureOptions& options = {});

/// Draws cells in the colors of their numbers: materials, a coloring, a partition.
///
/// \param what the numbers are, in the plural, e.g. "materials"
/// \param numbers one per cell, >= 0
/// \throws as draw_mesh, and ArgumentError for a negative number or a wrong count
void draw_numbers(const std::string& path, const MeshArrays& mesh, const std::string& what,
                  std::span<const Ordinal> numbers, const PictureOptions& options = {});

/// \name The same of blocks over the coordinates of the first, at least one; numbers are those of the cells
/// of each after those of the one before.
///@{
void draw_mesh(const std::string& path, std::span<const MeshArrays> blocks, const std::vector<DrawnSet>& sets,
               const PictureOptions& options = {});
void draw_solution(const std::string& path, std::span<const MeshArrays> blocks, const Field& field,
                   const std::string& unit, const PictureOptions& options = {});
void draw_numbers(const std::string& path, std::span<const MeshArrays> blocks, const std::string& what,
                  std::span<const Ordinal> numbers, const PictureOptions& options = {});
///@}

namespace detail {

/// Appends the side sets of a mesh.
template <class Element, class ExecutionSpace>
void draw_side_sets(std::vector<DrawnSet>& drawn_sets, const Mesh<Element, ExecutionSpace>& mesh) {
  constexpr auto side_nodes = Element::side_nodes();
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  for (const auto& [name, set] : mesh.side_sets()) {
    const auto sides = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    tessera::detail::for_each_side_kind<Element>([&](auto kind) {
      constexpr int Kind = decltype(kind)::value;
      using Kinds = tessera::detail::SidesOf<Element>;
      using Side = typename Kinds::template Side<Kind>;
      DrawnSet drawn{name, cell_type_of<Side>(), {}};
      for (std::size_t i = 0; i < sides.extent(0); ++i)
        for (int n = 0; Kinds::kind(sides(i, 1)) == Kind && n < Side::nodes; ++n)
          drawn.connectivity.push_back(nodes(sides(i, 0), side_nodes[to_size(sides(i, 1))][to_size(n)]));
      if (Kinds::count == 1 || !drawn.connectivity.empty()) drawn_sets.push_back(std::move(drawn));
    });
  }
}

/// Appends the node sets of a mesh that are not `without`.
template <class MeshType, class Names>
void draw_node_sets(std::vector<DrawnSet>& drawn_sets, const MeshType& mesh, const Names& without) {
  for (const auto& [name, set] : mesh.node_sets()) {
    if (without.contains(name)) continue;
    const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    drawn_sets.push_back({name, vertex_type, {copy.data(), copy.data() + copy.size()}});
  }
}

} // namespace detail

/// All sets of a mesh; node sets that bear the name of a side set are left out.
template <class Element, class ExecutionSpace>
std::vector<DrawnSet> drawn_sets(const Mesh<Element, ExecutionSpace>& mesh) {
  std::vector<DrawnSet> result;
  detail::draw_side_sets(result, mesh);
  detail::draw_node_sets(result, mesh, mesh.side_sets());
  return result;
}

/// The same for a mesh on any device, with all its sets.
template <class Element, class ExecutionSpace>
void draw_mesh(const std::string& path, const Mesh<Element, ExecutionSpace>& mesh,
               const PictureOptions& options = {}) {
  draw_mesh(path, HostArrays(mesh).arrays(), drawn_sets(mesh), options);
}

/// The same for a mesh on any device.
template <class Element, class ExecutionSpace>
void draw_solution(const std::string& path, const Mesh<Element, ExecutionSpace>& mesh, const Field& field,
                   const std::string& unit, const PictureOptions& options = {}) {
  draw_solution(path, HostArrays(mesh).arrays(), field, unit, options);
}

/// The same for a mesh on any device.
template <class Element, class ExecutionSpace>
void draw_numbers(const std::string& path, const Mesh<Element, ExecutionSpace>& mesh, const std::string& what,
                  std::span<const Ordinal> numbers, const PictureOptions& options = {}) {
  draw_numbers(path, HostArrays(mesh).arrays(), what, numbers, options);
}

/// All sets of a mixed mesh.
template <class List, class ExecutionSpace>
std::vector<DrawnSet> drawn_sets(const MixedMesh<List, ExecutionSpace>& mesh) {
  std::vector<DrawnSet> result;
  std::set<std::string> names;
  mesh.for_each_block([&](const auto& block) {
    detail::draw_side_sets(result, block);
    for (const auto& [name, set] : block.side_sets()) names.insert(name);
  });
  detail::draw_node_sets(result, mesh, names);
  return result;
}

/// \name The same for a mixed mesh.
///@{
template <class List, class ExecutionSpace>
void draw_mesh(const std::string& path, const MixedMesh<List, ExecutionSpace>& mesh,
               const PictureOptions& options = {}) {
  draw_mesh(path, MixedHostArrays<List, ExecutionSpace>(mesh).blocks(), drawn_sets(mesh), options);
}
template <class List, class ExecutionSpace>
void draw_solution(const std::string& path, const MixedMesh<List, ExecutionSpace>& mesh, const Field& field,
                   const std::string& unit, const PictureOptions& options = {}) {
  draw_solution(path, MixedHostArrays<List, ExecutionSpace>(mesh).blocks(), field, unit, options);
}
template <class List, class ExecutionSpace>
void draw_numbers(const std::string& path, const MixedMesh<List, ExecutionSpace>& mesh,
                  const std::string& what, std::span<const Ordinal> numbers,
                  const PictureOptions& options = {}) {
  draw_numbers(path, MixedHostArrays<List, ExecutionSpace>(mesh).blocks(), what, numbers, options);
}
///@}

} // namespace tessera::io
