// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/vtk/detail/cells.hpp>
#include <tessera/io/vtk/detail/grid.hpp>

#include <vtkCellArray.h>
#include <vtkPoints.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>

#include <string>
#include <vector>

namespace tessera::io {

namespace {

void set_cells(vtkUnstructuredGrid* grid, const MeshArrays& mesh) {
  const std::size_t cells = mesh.cells();
  const auto nodes = static_cast<std::size_t>(mesh.type.nodes());
  vtkNew<vtkTypeInt32Array> connectivity;
  if (const NodeOrder order = vtk_order(mesh.type); order.empty()) {
    connectivity->SetArray(const_cast<Ordinal*>(mesh.connectivity.data()),
                           static_cast<vtkIdType>(mesh.connectivity.size()), 1);
  } else {
    connectivity->SetNumberOfValues(static_cast<vtkIdType>(mesh.connectivity.size()));
    for (std::size_t i = 0; i < mesh.connectivity.size(); ++i) {
      const auto first = static_cast<vtkIdType>(i - i % nodes);
      connectivity->SetValue(first + int{order[i % nodes]}, mesh.connectivity[i]);
    }
  }
  vtkNew<vtkCellArray> array;
  if (mesh.connectivity.size() <= 0x7fffffff) {
    vtkNew<vtkTypeInt32Array> offsets;
    offsets->SetNumberOfValues(static_cast<vtkIdType>(cells) + 1);
    for (std::size_t cell = 0; cell <= cells; ++cell)
      offsets->SetValue(static_cast<vtkIdType>(cell), static_cast<std::int32_t>(cell * nodes));
    array->SetData(offsets, connectivity);
  } else {
    // Offsets beyond 32 bits need 64-bit indices beside them.
    vtkNew<vtkTypeInt64Array> wide;
    wide->DeepCopy(connectivity);
    vtkNew<vtkTypeInt64Array> offsets;
    offsets->SetNumberOfValues(static_cast<vtkIdType>(cells) + 1);
    for (std::size_t cell = 0; cell <= cells; ++cell)
      offsets->SetValue(static_cast<vtkIdType>(cell), static_cast<std::int64_t>(cell * nodes));
    array->SetData(offsets, wide);
  }
  grid->SetCells(vtk_type(mesh.type), array);
}

void append_cells(vtkUnstructuredGrid* grid, std::span<const MeshArrays> blocks) {
  for (const MeshArrays& block : blocks) {
    const auto nodes = static_cast<std::size_t>(block.type.nodes());
    const NodeOrder order = vtk_order(block.type);
    std::vector<vtkIdType> cell(nodes);
    for (std::size_t first = 0; first < block.connectivity.size(); first += nodes) {
      for (std::size_t n = 0; n < nodes; ++n)
        cell[order.empty() ? n : static_cast<std::size_t>(order[n])] = block.connectivity[first + n];
      grid->InsertNextCell(vtk_type(block.type), static_cast<vtkIdType>(nodes), cell.data());
    }
  }
}

void check(const MeshArrays& mesh, const std::string& function) {
  const std::size_t nodes = mesh.nodes(), cells = mesh.cells();
  if (mesh.coordinates.size() != nodes * static_cast<std::size_t>(mesh.dimension))
    throw ArgumentError(function + ": " + std::to_string(mesh.coordinates.size()) +
                        " coordinates are not a multiple of " + std::to_string(mesh.dimension));
  if (mesh.connectivity.size() != cells * static_cast<std::size_t>(mesh.type.nodes()))
    throw ArgumentError(function + ": a connectivity of " + std::to_string(mesh.connectivity.size()) +
                        " entries is not a multiple of the " + std::to_string(mesh.type.nodes()) +
                        " nodes of " + mesh.type.name());
  if (!mesh.materials.empty() && mesh.materials.size() != cells)
    throw ArgumentError(function + ": " + std::to_string(mesh.materials.size()) + " materials for " +
                        std::to_string(cells) + " cells");
  for (std::size_t i = 0; i < mesh.connectivity.size(); ++i)
    if (mesh.connectivity[i] < 0 || static_cast<std::size_t>(mesh.connectivity[i]) >= nodes)
      throw ArgumentError(function + ": cell " +
                          std::to_string(i / static_cast<std::size_t>(mesh.type.nodes())) + " has node " +
                          std::to_string(mesh.connectivity[i]) + ", but there are " + std::to_string(nodes) +
                          " nodes");
}

} // namespace

vtkNew<vtkDoubleArray> to_vtk_array(std::span<const double> values, std::size_t items,
                                    std::size_t components) {
  vtkNew<vtkDoubleArray> array;
  if (components != 2) {
    array->SetNumberOfComponents(static_cast<int>(components));
    // Borrowed: VTK takes no pointer to const, and does not write through it or free it.
    array->SetArray(const_cast<double*>(values.data()), static_cast<vtkIdType>(values.size()), 1);
    return array;
  }
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(items));
  for (std::size_t item = 0; item < items; ++item)
    array->SetTuple3(static_cast<vtkIdType>(item), values[2 * item], values[2 * item + 1], 0.0);
  return array;
}

vtkNew<vtkUnstructuredGrid> to_vtk_grid(const MeshArrays& mesh, const char* function) {
  return to_vtk_grid(std::span(&mesh, 1), function);
}

vtkNew<vtkUnstructuredGrid> to_vtk_grid(std::span<const MeshArrays> blocks, const char* function) {
  for (const MeshArrays& block : blocks) check(block, function);
  const MeshArrays& mesh = blocks.front();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetData(to_vtk_array(mesh.coordinates, mesh.nodes(), static_cast<std::size_t>(mesh.dimension)));
  vtkNew<vtkUnstructuredGrid> grid;
  grid->SetPoints(points);
  if (blocks.size() == 1)
    set_cells(grid, mesh);
  else
    append_cells(grid, blocks);
  return grid;
}

} // namespace tessera::io
