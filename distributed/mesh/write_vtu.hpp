// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Results over all ranks as files: one of each rank and one that names them. Programs link Tessera::io too,
/// built with VTK.

#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/vtk/pieces.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// Collective: the ranks that have elements of their own.
inline std::vector<int> ranks_with_elements(const Communicator& ranks, Ordinal own) {
  const int any = own > 0 ? 1 : 0;
  std::vector<int> all(static_cast<std::size_t>(ranks.size())), with;
  MPI_Allgather(&any, 1, MPI_INT, all.data(), 1, MPI_INT, ranks.own());
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (all[static_cast<std::size_t>(rank)] != 0) with.push_back(rank);
  return with;
}

} // namespace detail

/// Collective: each rank writes its own elements with their nodes as `io::write_vtu` does, to
/// `io::piece_path(path, rank)`, and the lowest rank that has some the PVTU file that ParaView opens. The
/// cell field `rank` says who owns an element.
///
/// All files are written beside those that they replace. When all are complete, an old PVTU file goes, the
/// ranks' files get their names, and the new PVTU file comes last: whenever a process is killed, no PVTU file
/// names files of two calls.
/// \param node_fields on all local nodes, ghosts too (`expand`); the same names on all ranks
/// \throws on every rank what `io::write_vtu` and `io::write_pvtu` throw on one; where a file cannot be
///   written, all files are as they were
template <class Cells, class ExecutionSpace>
void write_vtu(const std::string& path, const Mesh<Cells, ExecutionSpace>& mesh,
               const std::vector<io::Field>& node_fields = {}) {
  const int rank = mesh.ranks().rank();
  const auto pieces = detail::ranks_with_elements(mesh.ranks(), mesh.owned_elements());
  const auto arrays = io::host_blocks(mesh.local());
  const auto owners = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.element_owners());
  std::vector<Ordinal> own;
  for (Ordinal e = 0; e < static_cast<Ordinal>(mesh.local().num_elements()); ++e)
    if (owners(e) == rank) own.push_back(e);
  const io::MeshPiece piece(arrays.blocks(), own);
  const std::vector<io::Field> cell_fields{{"rank", std::vector<double>(own.size(), rank)}};
  std::vector<io::Field> fields;
  const bool first = !pieces.empty() && pieces.front() == rank;
  std::optional<io::OutputFile> part, summary;
  agree(mesh.ranks(), [&] {
    const std::string file = io::piece_path(path, rank);
    for (const io::Field& field : node_fields) fields.push_back(piece.on_nodes(field));
    if (!own.empty()) io::write_vtu(part.emplace(file), piece.blocks(), fields, cell_fields);
    if (first) io::write_pvtu(summary.emplace(path), path, pieces, piece.blocks(), fields, cell_fields);
  });
  agree(mesh.ranks(), [&] {
    if (first) summary->remove_old();
  });
  agree(mesh.ranks(), [&] {
    if (part) part->appear();
  });
  agree(mesh.ranks(), [&] {
    if (first) summary->appear();
  });
}

} // namespace tessera::distributed
