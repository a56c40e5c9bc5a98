// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mesh as several VTU files, and the PVTU file that names them. Needs a library built with VTK.

#include <tessera/io/detail/mesh_arrays.hpp>
#include <tessera/io/field.hpp>
#include <tessera/io/output_file.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// Some cells of a mesh, with their nodes alone.
class MeshPiece {
public:
  /// \param cells of the mesh, ascending
  MeshPiece(const MeshArrays& mesh, std::span<const Ordinal> cells);
  /// The same of blocks over the coordinates of the first, at least one. \param cells numbered over all
  /// blocks
  MeshPiece(std::span<const MeshArrays> blocks, std::span<const Ordinal> cells);

  /// Of the first block. Valid as long as this object and the labels of the mesh.
  MeshArrays arrays() const { return blocks().front(); }
  /// Of each block, empty ones too; valid as `arrays`.
  std::vector<MeshArrays> blocks() const;
  /// Those values of a field on the nodes of the mesh that the piece has.
  Field on_nodes(const Field& field) const;

private:
  struct Block {
    MeshArrays mesh; ///< type, dimension and labels
    std::vector<Ordinal> connectivity, materials;
  };
  void add(const MeshArrays& mesh, Ordinal cell, std::vector<Ordinal>& number, Block& block);

  std::size_t all_nodes_;
  std::vector<Ordinal> nodes_;
  std::vector<Block> blocks_;
  std::vector<double> coordinates_;
};

/// The file of a piece beside a PVTU file: `folder/name_3.vtu` for `folder/name.pvtu`.
/// \throws ArgumentError unless the path ends in .pvtu
std::string piece_path(const std::string& path, int piece);

/// Writes the PVTU file of pieces that `write_vtu` has written or will write.
/// \param pieces their numbers
/// \param sample a mesh and its fields, as one of the pieces has them: names and components count
/// \throws as `piece_path`; FileError
void write_pvtu(const std::string& path, std::span<const int> pieces, const MeshArrays& sample,
                const std::vector<Field>& node_fields, const std::vector<Field>& cell_fields = {});

/// The same of blocks, into a file that is complete then, and that the caller lets appear. \throws as above
void write_pvtu(OutputFile& file, const std::string& path, std::span<const int> pieces,
                std::span<const MeshArrays> sample, const std::vector<Field>& node_fields,
                const std::vector<Field>& cell_fields = {});

} // namespace tessera::io
