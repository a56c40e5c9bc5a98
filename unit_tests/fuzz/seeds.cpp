// SPDX-License-Identifier: BSD-3-Clause
// fuzz_seeds FOLDER: writes the files that the tests damage into FOLDER/<format>, for fuzz_<format> to start
// from.

#include <tessera/core/elements/elements.hpp>
#include <tessera/io/generate/box.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>
#ifdef TESSERA_HAVE_VTK
#include <support/vtk_samples.hpp>
#endif

namespace {

using namespace tessera;

/// The next file of a format.
std::string next(const std::filesystem::path& folder, const std::string& format) {
  static int number = 0;
  std::filesystem::create_directories(folder / format);
  return (folder / format / ("seed" + std::to_string(++number))).string();
}

void write_texts(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& format, const std::string& content) {
    std::ofstream(next(folder, format), std::ios::binary) << content;
  };
  write("abaqus", test::abaqus_sample);
  write("abaqus", test::abaqus_parts_sample);
  write("abaqus", test::abaqus_generated_sample);
  write("ucd", test::ucd_sample);
  write("tetgen", test::tetgen_nodes + '\0' + test::tetgen_tetrahedra + '\0' + test::tetgen_faces);
  write("calculix", test::calculix_dat);
  write("calculix", test::calculix_frd);
  for (const auto& [options, content] : test::gmsh_samples(test::TemporaryFolder())) write("gmsh", content);
}

#ifdef TESSERA_HAVE_VTK
template <class Element>
void write_grids(const std::filesystem::path& folder) {
  const test::TemporaryFolder work;
  const auto reader = test::vtk_grid_of(work, io::box_mesh<Element>({{2, 1, 1}, {1.0, 1.0, 1.0}}));
  for (const bool binary : {false, true})
    test::write_legacy(next(folder, "legacy"), reader->GetOutput(), binary);
  for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended})
    test::write_xml(next(folder, "xml"), reader->GetOutput(), mode);
  test::write_exodus(next(folder, "exodus"), reader->GetOutput());
}
#endif

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  write_texts(argv[1]);
#ifdef TESSERA_HAVE_VTK
  write_grids<Tet<2>>(argv[1]);
  write_grids<Hex<1>>(argv[1]);
#endif
}
