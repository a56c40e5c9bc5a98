// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/detail/turned_cells.hpp>

namespace tessera::io {

MeshData read_abaqus(const std::string& path, const ReadOptions& options) {
  AbaqusLexer lexer(path, options.progress);
  AbaqusMesh mesh(path);
  AbaqusKeyword keyword;
  while (lexer.next_keyword(keyword)) mesh.read(keyword, lexer);
  mesh.finish();
  turn_cells(mesh.data(), options);
  mesh.add_groups_of_sides(options.allow_partial);
  return std::move(mesh.data());
}

} // namespace tessera::io
