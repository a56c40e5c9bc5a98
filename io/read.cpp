#include <tessera/io/abaqus_lexer.hpp>
#include <tessera/io/abaqus_reader.hpp>
#include <tessera/io/gmsh_reader.hpp>
#include <tessera/io/read.hpp>
#include <tessera/io/tetgen_reader.hpp>

#include <filesystem>

namespace tessera::io {

namespace {

using Reader = MeshData (*)(const std::string&, const ReadOptions&);

/// The reader that an extension asks for, or nullptr.
Reader by_extension(const std::string& path) {
  const std::string extension = capitals(std::filesystem::path(path).extension().string());
  if (extension == ".MSH") return read_gmsh;
  if (extension == ".INP") return read_abaqus;
  if (extension == ".NODE" || extension == ".ELE") return read_tetgen;
  return nullptr;
}

/// The reader that the first line asks for, or nullptr.
Reader by_content(const std::string& path) {
  InputFile file(path);
  const std::string_view word = file.word();
  if (word == "$MeshFormat") return read_gmsh;
  return word.starts_with("*") ? read_abaqus : nullptr;
}

} // namespace

MeshData read_mesh_data(const std::string& path, const ReadOptions& options) {
  Reader reader = by_extension(path);
  if (reader == nullptr) reader = by_content(path);
  if (reader == nullptr)
    throw FileError(path, 0,
                    "is of no known format; read are Gmsh (.msh), Abaqus and CalculiX decks (.inp), and "
                    "TetGen (.node and .ele)");
  return reader(path, options);
}

} // namespace tessera::io
