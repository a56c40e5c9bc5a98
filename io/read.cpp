// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/gmsh/reader.hpp>
#include <tessera/io/read.hpp>
#include <tessera/io/tetgen/reader.hpp>
#include <tessera/io/ucd/reader.hpp>
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/exodus_reader.hpp>
#include <tessera/io/vtk/reader.hpp>
#endif

#include <algorithm>
#include <filesystem>
#include <string>

namespace tessera::io {

namespace {

using Reader = MeshData (*)(const std::string&, const ReadOptions&);

#ifndef TESSERA_HAVE_VTK
/// Stands where VTK's formats would be read.
MeshData without_vtk(const std::string& path, const ReadOptions&) {
  throw FileError(path, 0, "cannot be read by a library that was built without VTK");
}
constexpr Reader read_vtk = without_vtk, read_vtu = without_vtk, read_exodus = without_vtk;
#endif

/// The reader that an extension asks for, or nullptr.
Reader by_extension(const std::string& path) {
  const std::string extension = capitals(std::filesystem::path(path).extension().string());
  if (extension == ".MSH") return read_gmsh;
  if (extension == ".INP") return read_abaqus;
  if (extension == ".NODE" || extension == ".ELE") return read_tetgen;
  if (extension == ".VTK") return read_vtk;
  if (extension == ".VTU") return read_vtu;
  for (const char* name : {".E", ".EXO", ".EXO2", ".EX2", ".EXII", ".G", ".GEN"})
    if (extension == name) return read_exodus;
  return nullptr;
}

/// What a file begins with, behind white space.
std::string beginning_of(const std::string& path) {
  constexpr std::size_t enough = 256;
  InputFile file(path);
  std::string text;
  while (text.size() < enough && file.remaining() > 0) text += file.raw<char>("a byte");
  return text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

/// The reader that a file's beginning asks for, whatever it is called, or nullptr.
Reader by_content(const std::string& path) {
  const std::string text = beginning_of(path);
  if (text.starts_with('$')) return read_gmsh;
  if (text.starts_with('*')) return read_abaqus;
  if (text.starts_with("# vtk")) return read_vtk;
  if (text.starts_with('#') || (!text.empty() && text.front() >= '0' && text.front() <= '9'))
    return begins_as_ucd(path) ? read_ucd : nullptr;
  if (text.starts_with("<?xml") || text.starts_with("<VTKFile")) return read_vtu;
  return nullptr;
}

/// The reader of a file, or nullptr.
Reader reader_of(const std::string& path) {
  const Reader reader = by_content(path);
  return reader == nullptr ? by_extension(path) : reader;
}

} // namespace

MeshData read_mesh_data(const std::string& path, const ReadOptions& options) {
  const Reader reader = reader_of(path);
  if (reader == nullptr)
    throw FileError(
        path, 0,
        "is of no known format; read are Gmsh (.msh), Abaqus and CalculiX decks (.inp), AVS UCD "
        "(.inp), TetGen and Triangle (.node and .ele), VTK (.vtk, .vtu) and Exodus II (.e, .exo)");
  return reader(path, options);
}

std::vector<std::string> files_of_mesh(const std::string& path) {
  try {
    const Reader reader = reader_of(path);
    if (reader == read_tetgen) return files_of_tetgen(path);
    if (reader != read_abaqus) return {path};
    AbaqusLexer lexer(path, {});
    for (AbaqusKeyword keyword; lexer.next_keyword(keyword);) {
    }
    return lexer.files();
  } catch (const FileError&) {
    return {path}; // whoever reads it says what is wrong
  }
}

} // namespace tessera::io
