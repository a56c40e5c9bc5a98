// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/vtk/detail/grid.hpp>
#include <tessera/io/vtk/detail/grid_fields.hpp>

#include <vtkCellData.h>
#include <vtkFieldData.h>
#include <vtkPointData.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

/// Calls `take` for each array of numbers with a name.
template <class Take>
void for_each_array(vtkFieldData* arrays, const Take& take) {
  for (int i = 0; i < arrays->GetNumberOfArrays(); ++i)
    if (vtkDataArray* const array = arrays->GetArray(i); array != nullptr && array->GetName() != nullptr)
      take(array);
}

/// Components of an array, without a third one that is zero all over a grid of plane cells.
int components_of(vtkDataArray* array, int dimension) {
  const int components = array->GetNumberOfComponents();
  if (components != 3 || dimension != 2) return components;
  for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i)
    if (array->GetComponent(i, 2) != 0.0) return components;
  return 2;
}

/// The values of an array at some of its items.
Field values_at(vtkDataArray* array, int components, const Numbering& items) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(items.size()) * static_cast<std::size_t>(components));
  for (Ordinal i = 0; i < items.size(); ++i)
    for (int c = 0; c < components; ++c) values.push_back(array->GetComponent(items.id(i), c));
  return {array->GetName(), std::move(values)};
}

/// Reads the sets of one grid.
class SetReader {
public:
  SetReader(vtkUnstructuredGrid* grid, MeshData& data, LeftOut& left_out)
      : grid_(grid), data_(data), left_out_(left_out), partial_(left_out.total() > 0) {
    for (CellBlock& block : data_.blocks) block.ids.build_index();
  }

  void read_node_set(vtkDataArray* array, const std::string& name) {
    std::vector<Ordinal>& nodes = data_.node_sets[name];
    for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i) {
      nodes.push_back(entry(array, i, 0, grid_->GetNumberOfPoints()));
      if (nodes.back() < 0) fail(array, i);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }

  void read_side_set(vtkDataArray* array, const std::string& name) {
    if (array->GetNumberOfComponents() != 2) fail(array, 0);
    // Of a grid of one type the set is there although it has no sides.
    if (data_.blocks.size() == 1) data_.blocks.front().side_sets[name];
    for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i) {
      const Ordinal number = entry(array, i, 0, grid_->GetNumberOfCells());
      CellBlock* const block = block_of(number);
      if (block == nullptr && number >= 0 && partial_) {
        left_out_.add("sides of side set " + in_quotes(name));
        continue;
      }
      const Ordinal side = block == nullptr ? -1 : entry(array, i, 1, block->type.sides());
      if (side < 0) fail(array, i);
      const auto cell = static_cast<std::int64_t>(array->GetComponent(i, 0));
      block->side_sets[name].push_back({block->ids.find(cell), side});
    }
    for (CellBlock& block : data_.blocks)
      if (const auto set = block.side_sets.find(name); set != block.side_sets.end()) {
        std::sort(set->second.begin(), set->second.end());
        set->second.erase(std::unique(set->second.begin(), set->second.end()), set->second.end());
      }
  }

private:
  [[noreturn]] void fail(vtkDataArray* array, vtkIdType i) const {
    throw FileError(data_.source, 0,
                    "array " + in_quotes(array->GetName()) +
                        " does not name nodes or sides of cells in entry " + std::to_string(i));
  }

  /// An entry of a set, -1 if it is none of `count` items.
  static Ordinal entry(vtkDataArray* array, vtkIdType i, int component, vtkIdType count) {
    const double value = array->GetComponent(i, component);
    const bool possible = value >= 0 && value < static_cast<double>(count) && value == std::trunc(value);
    return possible ? static_cast<Ordinal>(value) : Ordinal{-1};
  }

  CellBlock* block_of(Ordinal cell) {
    const auto found = std::find_if(data_.blocks.begin(), data_.blocks.end(), [&](const CellBlock& block) {
      return cell >= 0 && block.ids.find(cell) >= 0;
    });
    return found == data_.blocks.end() ? nullptr : &*found;
  }

  vtkUnstructuredGrid* grid_;
  MeshData& data_;
  LeftOut& left_out_;
  bool partial_; ///< whether cells are left out
};

} // namespace

void read_grid_fields(vtkUnstructuredGrid* grid, vtkDataArray* materials, MeshData& data) {
  const int dimension = data.dimension();
  for_each_array(grid->GetPointData(), [&](vtkDataArray* array) {
    if (array->GetNumberOfTuples() == grid->GetNumberOfPoints())
      data.node_fields.push_back(values_at(array, components_of(array, dimension), data.node_ids));
  });
  for_each_array(grid->GetCellData(), [&](vtkDataArray* array) {
    if (array == materials || array->GetNumberOfTuples() != grid->GetNumberOfCells()) return;
    const int components = components_of(array, dimension);
    for (CellBlock& block : data.blocks) block.fields.push_back(values_at(array, components, block.ids));
  });
}

void read_grid_sets(vtkUnstructuredGrid* grid, MeshData& data, LeftOut& left_out) {
  SetReader sets(grid, data, left_out);
  for_each_array(grid->GetFieldData(), [&](vtkDataArray* array) {
    const std::string_view name(array->GetName());
    if (name.starts_with(node_set_prefix))
      sets.read_node_set(array, std::string(name.substr(node_set_prefix.size())));
    else if (name.starts_with(side_set_prefix))
      sets.read_side_set(array, std::string(name.substr(side_set_prefix.size())));
  });
}

bool is_grid_set(std::string_view array) noexcept {
  return array.starts_with(node_set_prefix) || array.starts_with(side_set_prefix);
}

} // namespace tessera::io
