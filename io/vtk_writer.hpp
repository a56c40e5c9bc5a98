#pragma once

/// \file
/// Writer of VTU files: VTK's XML unstructured grids, which ParaView and VisIt open. Needs a library built
/// with VTK.

#include <tessera/core/mesh.hpp>
#include <tessera/io/cell_type.hpp>
#include <tessera/io/field.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// A mesh of one cell type as plain arrays on the host. Not owned.
struct MeshArrays {
  CellType type;
  int dimension = 3;
  std::span<const double> coordinates;   ///< node x dimension
  std::span<const Ordinal> connectivity; ///< cell x type.nodes(), VTK's numbering
  std::span<const Ordinal> materials;    ///< one number per cell; may be empty
};

/// Writes a mesh with fields on its nodes and cells. Cells of order 1 and 2 become VTK's linear and (bi-,
/// tri-) quadratic cells, others its Lagrange cells. Plane coordinates and fields of two components get a
/// third, zero, so that viewers take them for vectors. Materials become the cell field `material`.
///
/// The file appears under its name when it is complete, and replaces what was there; until then it bears a
/// name that ends in `.part` in the same folder. \throws ArgumentError if a field's size is not a multiple of
/// the number of nodes or cells, two fields of a kind
///         share a name, or a node index is out of range
/// \throws FileError if the file cannot be written; then nothing is left behind, and what was there stays
void write_vtu(const std::string& path, const MeshArrays& mesh, const std::vector<Field>& node_fields = {},
               const std::vector<Field>& cell_fields = {});

/// The same for a mesh on any device.
template <class Element, class ExecutionSpace>
void write_vtu(const std::string& path, const Mesh<Element, ExecutionSpace>& mesh,
               const std::vector<Field>& node_fields = {}, const std::vector<Field>& cell_fields = {}) {
  const Kokkos::HostSpace host;
  const auto coordinates = Kokkos::create_mirror_view_and_copy(host, mesh.coordinates());
  const auto connectivity = Kokkos::create_mirror_view_and_copy(host, mesh.connectivity());
  const auto materials = Kokkos::create_mirror_view_and_copy(host, mesh.materials());
  // A device may keep an element's nodes apart from each other.
  std::vector<Ordinal> rows;
  rows.reserve(connectivity.size());
  for (std::size_t element = 0; element < connectivity.extent(0); ++element)
    for (std::size_t node = 0; node < connectivity.extent(1); ++node)
      rows.push_back(connectivity(element, node));
  write_vtu(path,
            {cell_type_of<Element>(),
             Element::dimension,
             {coordinates.data(), coordinates.size()},
             rows,
             {materials.data(), materials.size()}},
            node_fields, cell_fields);
}

} // namespace tessera::io
