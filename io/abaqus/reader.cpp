// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/turned_cells.hpp>

namespace tessera::io {

MeshData read_abaqus(const std::string& path, const ReadOptions& options) {
  AbaqusLexer lexer(path, options.progress);
  AbaqusMesh mesh(path, options.allow_partial         ? AbaqusLeavesOut::unknown
                        : options.leaves_out_others() ? AbaqusLeavesOut::others
                                                      : AbaqusLeavesOut::nothing);
  AbaqusKeyword keyword;
  while (lexer.next_keyword(keyword)) mesh.read(keyword, lexer);
  mesh.finish();
  mesh.left_out().tell(path, options.left_out);
  collapse_cells(mesh.data(), options);
  turn_cells(mesh.data(), options);
  mesh.add_groups_of_sides(options);
  return std::move(mesh.data());
}

} // namespace tessera::io
