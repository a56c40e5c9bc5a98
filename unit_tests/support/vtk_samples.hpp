// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// VTK's own writers, in every encoding. Only for tests named test_vtk_*, which see VTK.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <vtkExodusIIWriter.h>
#include <vtkNew.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <stdexcept>
#include <string>
#include <support/files.hpp>

namespace tessera::test {

/// The grid that VTK reads from what write_vtu writes.
template <class Element>
vtkNew<vtkXMLUnstructuredGridReader> vtk_grid_of(const TemporaryFolder& folder, const Mesh<Element>& mesh) {
  io::write_vtu(folder / "grid.vtu", mesh);
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder / "grid.vtu").c_str());
  reader->Update();
  return reader;
}

/// Writes a grid with a writer of VTK.
template <class Writer>
void write_with(Writer* writer, const std::string& path, vtkUnstructuredGrid* grid) {
  writer->SetFileName(path.c_str());
  writer->SetInputData(grid);
  if (writer->Write() != 1) throw std::runtime_error("VTK cannot write " + path);
}

/// Writes VTK's legacy format.
inline void write_legacy(const std::string& path, vtkUnstructuredGrid* grid, bool binary) {
  vtkNew<vtkUnstructuredGridWriter> writer;
  binary ? writer->SetFileTypeToBinary() : writer->SetFileTypeToASCII();
  write_with(writer.Get(), path, grid);
}

/// Writes VTK's XML format: vtkXMLWriter::Ascii, Binary (compressed) or Appended (not compressed).
inline void write_xml(const std::string& path, vtkUnstructuredGrid* grid, int mode) {
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetDataMode(mode);
  mode == vtkXMLWriter::Binary ? writer->SetCompressorTypeToZLib() : writer->SetCompressorTypeToNone();
  write_with(writer.Get(), path, grid);
}

/// Writes Exodus II.
inline void write_exodus(const std::string& path, vtkUnstructuredGrid* grid) {
  vtkNew<vtkExodusIIWriter> writer;
  write_with(writer.Get(), path, grid);
}

} // namespace tessera::test
