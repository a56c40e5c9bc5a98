// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Writer of VTU files: VTK's XML unstructured grids, which ParaView and VisIt open. Needs a library built
/// with VTK.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/io/detail/mesh_arrays.hpp>
#include <tessera/io/field.hpp>
#include <tessera/io/output_file.hpp>

#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// Writes a mesh with fields on its nodes and cells. Cells of order 1 and 2 become VTK's linear and (bi-,
/// tri-) quadratic cells, others its Lagrange cells. Plane coordinates and fields of two components get a
/// third, zero, so that viewers take them for vectors. Materials become the cell field `material`, by the
/// numbers of their labels; a label's name is that of an array of the file with its number and the cells'
/// dimension. Sets become arrays of the file, `node_set:<name>` of nodes and `side_set:<name>` of cells and
/// sides. `read_vtu` gives all of it back.
///
/// The file appears under its name when it is complete, and replaces what was there; until then it bears a
/// name that ends in `.part` in the same folder. \throws ArgumentError if a field's size is not a multiple of
/// the number of nodes or cells, two fields of a kind
///         share a name, or a node index is out of range
/// \throws FileError if the file cannot be written; then nothing is left behind, and what was there stays
void write_vtu(const std::string& path, const MeshArrays& mesh, const std::vector<Field>& node_fields = {},
               const std::vector<Field>& cell_fields = {});

/// The same for blocks over the coordinates of the first, whose node sets are those of all: the cells of each
/// after those of the one before, with their values. At least one.
void write_vtu(const std::string& path, std::span<const MeshArrays> blocks,
               const std::vector<Field>& node_fields = {}, const std::vector<Field>& cell_fields = {});

/// The same into a file that is complete then, and that the caller lets appear. \throws as above
void write_vtu(OutputFile& file, const MeshArrays& mesh, const std::vector<Field>& node_fields = {},
               const std::vector<Field>& cell_fields = {});
/// The same for blocks.
void write_vtu(OutputFile& file, std::span<const MeshArrays> blocks,
               const std::vector<Field>& node_fields = {}, const std::vector<Field>& cell_fields = {});

/// The same for a mesh on any device.
template <class Element, class ExecutionSpace>
void write_vtu(const std::string& path, const Mesh<Element, ExecutionSpace>& mesh,
               const std::vector<Field>& node_fields = {}, const std::vector<Field>& cell_fields = {}) {
  write_vtu(path, HostArrays(mesh).arrays(), node_fields, cell_fields);
}

/// The same for a mixed mesh, block after block.
template <class List, class ExecutionSpace>
void write_vtu(const std::string& path, const MixedMesh<List, ExecutionSpace>& mesh,
               const std::vector<Field>& node_fields = {}, const std::vector<Field>& cell_fields = {}) {
  write_vtu(path, MixedHostArrays<List, ExecutionSpace>(mesh).blocks(), node_fields, cell_fields);
}

} // namespace tessera::io
