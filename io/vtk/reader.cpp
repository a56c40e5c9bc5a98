// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/cell_groups.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/vtk/detail/cells.hpp>
#include <tessera/io/vtk/detail/child.hpp>
#include <tessera/io/vtk/detail/complaints.hpp>
#include <tessera/io/vtk/detail/grid_fields.hpp>
#include <tessera/io/vtk/detail/grid_reader.hpp>
#include <tessera/io/vtk/detail/legacy_end.hpp>
#include <tessera/io/vtk/reader.hpp>

#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkGenericCell.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkVariant.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tessera::io {

namespace {

constexpr vtkIdType most_items = std::numeric_limits<Ordinal>::max();

void pass_on(const Progress& progress, vtkAlgorithm* reader) {
  if (!progress) return;
  vtkNew<vtkCallbackCommand> command;
  command->SetClientData(const_cast<Progress*>(&progress));
  command->SetCallback([](vtkObject* caller, unsigned long, void* to, void*) {
    (*static_cast<const Progress*>(to))(vtkAlgorithm::SafeDownCast(caller)->GetProgress());
  });
  reader->AddObserver(vtkCommand::ProgressEvent, command);
}

/// The types of a grid's cells; VTK 9.6 has a new name for them.
template <class Grid>
auto* types_of(Grid* grid) {
  if constexpr (requires { grid->GetCellTypes(); })
    return grid->GetCellTypes();
  else
    return grid->GetCellTypesArray();
}

/// The cells of a grid by type, with a check of every index.
class GridReader {
public:
  GridReader(const std::string& path, vtkUnstructuredGrid* grid, const ReadOptions& options)
      : path_(path), grid_(grid), options_(options) {
    data_.source = path;
  }

  MeshData read() {
    if (grid_->GetNumberOfPoints() > most_items || grid_->GetNumberOfCells() > most_items)
      fail("has more nodes or cells than the " + std::to_string(most_items) +
           " that 32-bit numbers can count");
    vtkCellArray* cells = grid_->GetCells();
    const auto* types = types_of(grid_);
    if (cells == nullptr || !cells->IsValid() || types == nullptr ||
        types->GetNumberOfTuples() != cells->GetNumberOfCells())
      fail("its lists of cells do not fit each other");
    require_supported();
    read_points();
    read_cells();
    read_grid_sets(grid_, data_, left_out_);
    left_out_.tell(path_, options_.left_out);
    collapse_cells(data_, options_);
    turn_cells(data_, options_);
    read_materials();
    read_grid_fields(grid_, material_array(), data_);
    return std::move(data_);
  }

private:
  [[noreturn]] void fail(const std::string& what) const { throw FileError(path_, 0, what); }

  std::optional<VtkCell> cell(vtkIdType index) const {
    return vtk_cell(grid_->GetCellType(index), grid_->GetCells()->GetCellSize(index));
  }

  static std::string name_of(int vtk_type, vtkIdType nodes) {
    vtkNew<vtkGenericCell> cell;
    cell->SetCellType(vtk_type);
    return std::string(cell->GetRepresentativeCell()->GetClassName()) + " of " + std::to_string(nodes) +
           " nodes (not supported)";
  }

  /// Lists what is inside if any of it is not supported and may not be left out, or if all of it is not.
  void require_supported() {
    std::map<std::pair<int, vtkIdType>, vtkIdType> kinds; // type and nodes, cells
    for (vtkIdType i = 0; i < grid_->GetNumberOfCells(); ++i)
      ++kinds[{grid_->GetCellType(i), grid_->GetCells()->GetCellSize(i)}];
    std::map<std::string, vtkIdType> inside;
    bool supported = true, any = false;
    for (const auto& [kind, count] : kinds) {
      const auto known = vtk_cell(kind.first, kind.second);
      supported = supported && known.has_value();
      any = any || known.has_value();
      if (!known) left_out_.add(name_of(kind.first, kind.second), count);
      inside[known ? known->type.name() : name_of(kind.first, kind.second)] += count;
    }
    std::string list;
    for (const auto& [name, count] : inside)
      list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    if (!supported && !(any && options_.allow_partial)) fail("holds " + list);
  }

  void read_points() {
    const auto nodes = static_cast<std::size_t>(grid_->GetNumberOfPoints());
    data_.points.resize(3 * nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      double* point = data_.points.data() + 3 * node;
      grid_->GetPoint(static_cast<vtkIdType>(node), point);
      for (int d = 0; d < 3; ++d)
        if (!std::isfinite(point[d]))
          fail("node " + std::to_string(node) + " has a coordinate that is not finite");
    }
    data_.node_ids.append_range(0, data_.nodes());
    data_.node_ids.build_index();
  }

  void read_cells() {
    vtkNew<vtkIdList> nodes;
    for (vtkIdType i = 0; i < grid_->GetNumberOfCells(); ++i) {
      const std::optional<VtkCell> known = cell(i);
      if (!known) continue;
      const VtkCell kind = *known;
      grid_->GetCells()->GetCellAtId(i, nodes);
      for (vtkIdType n = 0; n < nodes->GetNumberOfIds(); ++n)
        if (nodes->GetId(n) < 0 || nodes->GetId(n) >= grid_->GetNumberOfPoints())
          fail("cell " + std::to_string(i) + " has node " + std::to_string(nodes->GetId(n)) +
               ", but there are " + std::to_string(grid_->GetNumberOfPoints()) + " nodes");
      CellBlock& block = data_.block(kind.type);
      for (vtkIdType n = 0; n < nodes->GetNumberOfIds(); ++n) {
        const vtkIdType place = kind.order.empty() ? n : kind.order[static_cast<std::size_t>(n)];
        block.nodes.push_back(static_cast<Ordinal>(nodes->GetId(place)));
      }
      block.material.push_back(0);
      block.ids.append(i);
    }
  }

  vtkDataArray* material_array() const {
    vtkDataArray* field = nullptr;
    for (const char* name : {"material", "CellEntityIds", "MaterialIds"})
      if (field == nullptr) field = grid_->GetCellData()->GetArray(name);
    return field;
  }

  void read_materials() {
    vtkDataArray* const field = material_array();
    if (field == nullptr) return;
    if (field->GetNumberOfTuples() != grid_->GetNumberOfCells() || field->GetNumberOfComponents() != 1)
      fail("cell field '" + std::string(field->GetName()) + "' has not one number for each cell");
    std::map<Key, CellGroup> groups;
    for (CellBlock& block : data_.blocks)
      for (Ordinal c = 0; c < block.cells(); ++c) {
        const double value = field->GetComponent(block.ids.id(c), 0);
        if (!(std::abs(value) <= most_items) || value != std::trunc(value))
          fail("cell " + std::to_string(block.ids.id(c)) + " has material number " + std::to_string(value) +
               ", which is no 32-bit integer");
        const auto number = static_cast<std::int32_t>(value);
        block.material[static_cast<std::size_t>(c)] = number;
        if (number == 0) continue;
        CellGroup& group = groups[{block.type.dimension(), number}];
        append(group.cells[block.type], {c, 1});
      }
    std::vector<CellGroup> list;
    list.reserve(groups.size());
    const auto names = read_names();
    for (auto& [key, group] : groups) {
      const auto name = names.find(key);
      list.push_back({key.first, key.second,
                      name == names.end() ? group_name(key.first, key.second) : name->second,
                      std::move(group.cells)});
    }
    add_groups(data_, list, options_);
  }

  using Key = std::pair<int, std::int32_t>; ///< dimension, number

  /// Names of materials as write_vtu and meshio keep them: arrays of number and dimension.
  std::map<Key, std::string> read_names() const {
    std::map<Key, std::string> names;
    vtkFieldData* const fields = grid_->GetFieldData();
    for (int i = 0; i < fields->GetNumberOfArrays(); ++i) {
      vtkDataArray* const field = fields->GetArray(i);
      if (field == nullptr || field->GetName() == nullptr || field->GetNumberOfValues() != 2) continue;
      if (is_grid_set(field->GetName())) continue;
      const double number = field->GetVariantValue(0).ToDouble(),
                   dimension = field->GetVariantValue(1).ToDouble();
      if (std::abs(number) <= most_items && number == std::trunc(number) && dimension >= 0 &&
          dimension <= 3 && dimension == std::trunc(dimension))
        names[{static_cast<int>(dimension), static_cast<std::int32_t>(number)}] = field->GetName();
    }
    return names;
  }

  const std::string& path_;
  vtkUnstructuredGrid* grid_;
  const ReadOptions& options_;
  LeftOut left_out_; ///< where the options allow it
  MeshData data_;
};

/// Runs a reader of VTK on a file and takes the grid out.
template <class Reader>
MeshData read_grid(const std::string& path, Reader* reader, const Complaints& complaints,
                   const ReadOptions& options) {
  pass_on(options.progress, reader);
  reader->Update();
  complaints.check(path);
  return GridReader(path, reader->GetOutput(), options).read();
}

MeshData read_legacy(const std::string& path, const ReadOptions& options) {
  const vtkNew<Complaints> complaints = hear_complaints();
  vtkNew<vtkUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  const bool is_grid = reader->IsFileUnstructuredGrid() != 0;
  complaints->check(path);
  if (!is_grid) throw FileError(path, 0, "is no legacy VTK file of an unstructured grid");
  require_legacy_end(path);
  return read_grid(path, reader.Get(), *complaints, options);
}

MeshData read_xml(const std::string& path, const ReadOptions& options) {
  const vtkNew<Complaints> complaints = hear_complaints();
  vtkNew<WholeGridReader> reader;
  reader->SetFileName(path.c_str());
  return read_grid(path, reader.Get(), *complaints, options);
}

} // namespace

MeshData read_vtk(const std::string& path, const ReadOptions& options) {
  return read_in_child(path, options, read_legacy);
}

MeshData read_vtu(const std::string& path, const ReadOptions& options) {
  return read_in_child(path, options, read_xml);
}

} // namespace tessera::io
