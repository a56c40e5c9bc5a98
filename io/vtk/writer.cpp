// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/vtk/detail/grid.hpp>
#include <tessera/io/vtk/detail/xml_text.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <vtkCallbackCommand.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

namespace {

void add_fields(vtkDataSetAttributes* attributes, const std::vector<Field>& fields, std::size_t items,
                const char* kind) {
  std::set<std::string> names;
  for (const Field& field : fields) {
    if (!names.insert(field.name).second)
      throw ArgumentError(std::string("write_vtu: two ") + kind + " fields are called '" + field.name + "'");
    const std::size_t components = items == 0 ? 1 : field.values.size() / items;
    if (components * items != field.values.size() || components == 0)
      throw ArgumentError(std::string("write_vtu: ") + kind + " field '" + field.name + "' has " +
                          std::to_string(field.values.size()) + " values, not a multiple of the " +
                          std::to_string(items) + " " + kind + "s");
    vtkNew<vtkDoubleArray> array = to_vtk_array(field.values, items, components);
    array->SetName(xml_text(field.name).c_str());
    attributes->AddArray(array);
  }
}

/// The cell field `material`, and of each material with a name an array of the file called so, with its
/// number and its cells' dimension, as meshio keeps the names of Gmsh.
void add_materials(vtkUnstructuredGrid* grid, std::span<const MeshArrays> blocks) {
  if (std::all_of(blocks.begin(), blocks.end(),
                  [](const MeshArrays& mesh) { return mesh.materials.empty() && mesh.labels.empty(); }))
    return;
  vtkNew<vtkTypeInt32Array> materials;
  materials->SetName("material");
  std::span<const MaterialLabel> all; // those of a block are the first of all
  for (const MeshArrays& mesh : blocks) {
    for (std::size_t cell = 0; cell < mesh.cells(); ++cell) {
      const Ordinal material = mesh.materials.empty() ? 0 : mesh.materials[cell];
      const bool labelled = material >= 0 && static_cast<std::size_t>(material) < mesh.labels.size();
      materials->InsertNextValue(labelled ? mesh.labels[static_cast<std::size_t>(material)].number
                                          : material);
    }
    if (mesh.labels.size() > all.size()) all = mesh.labels;
  }
  grid->GetCellData()->AddArray(materials);
  for (const MaterialLabel& label : all) {
    if (label.name.empty()) continue;
    vtkNew<vtkTypeInt32Array> entry;
    entry->SetName(xml_text(label.name).c_str());
    entry->InsertNextValue(label.number);
    entry->InsertNextValue(blocks.front().type.dimension());
    grid->GetFieldData()->AddArray(entry);
  }
}

/// The sets of all blocks: nodes of the first, which are those of all, and sides by their cells' numbers in
/// the file.
SetArrays sets_of(std::span<const MeshArrays> blocks) {
  SetArrays sets;
  if (blocks.front().sets != nullptr) sets.nodes = blocks.front().sets->nodes;
  Ordinal before = 0; // cells of the blocks before
  for (const MeshArrays& block : blocks) {
    if (block.sets != nullptr)
      for (const auto& [name, entries] : block.sets->sides) {
        std::vector<Ordinal>& all = sets.sides[name];
        all.insert(all.end(), entries.begin(), entries.end());
        for (std::size_t i = all.size() - entries.size(); i < all.size(); i += 2) all[i] += before;
      }
    before += static_cast<Ordinal>(block.cells());
  }
  return sets;
}

void add_sets(vtkUnstructuredGrid* grid, const std::map<std::string, std::vector<Ordinal>>& sets,
              std::string_view prefix, int components) {
  for (const auto& [name, entries] : sets) {
    vtkNew<vtkTypeInt32Array> array;
    array->SetName(xml_text(std::string(prefix) + name).c_str());
    array->SetNumberOfComponents(components);
    for (const Ordinal entry : entries) array->InsertNextValue(entry);
    grid->GetFieldData()->AddArray(array);
  }
}

} // namespace

void write_vtu(OutputFile& file, std::span<const MeshArrays> blocks, const std::vector<Field>& node_fields,
               const std::vector<Field>& cell_fields) {
  const vtkNew<vtkUnstructuredGrid> grid = to_vtk_grid(blocks, "write_vtu");
  add_fields(grid->GetPointData(), node_fields, blocks.front().nodes(), "node");
  add_fields(grid->GetCellData(), cell_fields, static_cast<std::size_t>(grid->GetNumberOfCells()), "cell");
  add_materials(grid, blocks);
  const SetArrays sets = sets_of(blocks);
  add_sets(grid, sets.nodes, node_set_prefix, 1);
  add_sets(grid, sets.sides, side_set_prefix, 2);

  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  // VTK prints its errors unless somebody listens.
  vtkNew<vtkCallbackCommand> listener;
  listener->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer->AddObserver(vtkCommand::ErrorEvent, listener);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, listener);
  writer->SetFileName(file.name().c_str());
  writer->SetInputData(grid);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  // Which Python's meshio reads too, unlike LZ4.
  writer->SetCompressorTypeToZLib();
  writer->SetCompressionLevel(1);
  writer->SetHeaderTypeToUInt64();
  if (writer->Write() == 0 || writer->GetErrorCode() != vtkErrorCode::NoError)
    file.fail(writer->GetErrorCode() == vtkErrorCode::OutOfDiskSpaceError
                  ? std::string("the disk is full")
                  : "VTK's error " + std::to_string(writer->GetErrorCode()));
  file.complete("</VTKFile>\n");
}

void write_vtu(OutputFile& file, const MeshArrays& mesh, const std::vector<Field>& node_fields,
               const std::vector<Field>& cell_fields) {
  write_vtu(file, std::span(&mesh, 1), node_fields, cell_fields);
}

void write_vtu(const std::string& path, std::span<const MeshArrays> blocks,
               const std::vector<Field>& node_fields, const std::vector<Field>& cell_fields) {
  OutputFile file(path);
  write_vtu(file, blocks, node_fields, cell_fields);
  file.appear();
}

void write_vtu(const std::string& path, const MeshArrays& mesh, const std::vector<Field>& node_fields,
               const std::vector<Field>& cell_fields) {
  write_vtu(path, std::span(&mesh, 1), node_fields, cell_fields);
}

} // namespace tessera::io
