// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/vtk/detail/child.hpp>
#include <tessera/io/vtk/detail/grid.hpp>
#include <tessera/io/vtk/detail/scene.hpp>
#include <tessera/io/vtk/picture.hpp>

#include <vtkCellData.h>
#include <vtkColorTransferFunction.h>
#include <vtkDoubleArray.h>
#include <vtkLookupTable.h>
#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkTypeInt32Array.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

namespace {

constexpr Color body_color{0.82, 0.84, 0.86};

/// The numbers of the cells that stay where those in front of the middle are taken away.
class Cut {
public:
  Cut(const MeshArrays& mesh, const PictureOptions& options)
      : mesh_(mesh), cuts_(options.cut && mesh.type.dimension() == 3), middle_(0) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t node = 0; cuts_ && node < mesh.nodes(); ++node) {
      low = std::min(low, mesh.coordinates[3 * node + 1]);
      high = std::max(high, mesh.coordinates[3 * node + 1]);
    }
    middle_ = 0.5 * (low + high);
  }

  /// Whether a cell stays, given by its nodes, which are in range.
  bool keeps(std::span<const Ordinal> nodes) const {
    if (!cuts_) return true;
    double sum = 0;
    for (const Ordinal node : nodes) sum += mesh_.coordinates[3 * static_cast<std::size_t>(node) + 1];
    return sum >= middle_ * static_cast<double>(nodes.size());
  }

private:
  const MeshArrays& mesh_;
  bool cuts_;
  double middle_;
};

/// What is drawn of a mesh: some of its cells, its nodes perhaps displaced.
struct Body {
  std::vector<double> coordinates;
  std::vector<std::vector<Ordinal>> connectivities; ///< of each block
  std::vector<Ordinal> numbers;                     ///< of those cells, over all blocks
  std::vector<MeshArrays> blocks;

  Body(const char* function, std::span<const MeshArrays> whole, const PictureOptions& options)
      : connectivities(whole.size()), blocks(whole.begin(), whole.end()) {
    to_vtk_grid(whole, function); // checks it
    const Cut cut(whole.front(), options);
    Ordinal number = 0;
    for (std::size_t b = 0; b < whole.size(); ++b) {
      const auto nodes = static_cast<std::size_t>(whole[b].type.nodes());
      for (std::size_t cell = 0; cell < whole[b].cells(); ++cell, ++number) {
        const auto of_cell = whole[b].connectivity.subspan(cell * nodes, nodes);
        if (!cut.keeps(of_cell)) continue;
        connectivities[b].insert(connectivities[b].end(), of_cell.begin(), of_cell.end());
        numbers.push_back(number);
      }
      blocks[b].connectivity = connectivities[b];
      blocks[b].materials = {};
    }
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void displace(const std::vector<double>& displacement, double factor) {
    const auto& before = blocks.front().coordinates;
    coordinates.assign(before.begin(), before.end());
    for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i] += factor * displacement[i];
    for (MeshArrays& block : blocks) block.coordinates = coordinates;
  }
};

/// Matplotlib's viridis, which is as dark as the values are small, in print and for the color-blind too.
vtkNew<vtkColorTransferFunction> value_colors(double low, double high) {
  constexpr Color viridis[] = {{0.267, 0.005, 0.329}, {0.283, 0.141, 0.458}, {0.254, 0.265, 0.530},
                               {0.207, 0.372, 0.553}, {0.164, 0.471, 0.558}, {0.128, 0.567, 0.551},
                               {0.135, 0.659, 0.518}, {0.267, 0.749, 0.441}, {0.478, 0.821, 0.318},
                               {0.741, 0.873, 0.150}, {0.993, 0.906, 0.144}};
  if (!(high > low)) { // a field that is the same everywhere
    const double margin = low == 0 ? 1 : 1e-3 * std::abs(low);
    low -= margin;
    high += margin;
  }
  vtkNew<vtkColorTransferFunction> colors;
  for (std::size_t i = 0; i < std::size(viridis); ++i)
    colors->AddRGBPoint(low + (high - low) * static_cast<double>(i) / (std::size(viridis) - 1), viridis[i][0],
                        viridis[i][1], viridis[i][2]);
  return colors;
}

/// 1, 2 or 5 times a power of ten, at most `value`.
double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
}

double diagonal(const MeshArrays& mesh) {
  double sum = 0;
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t d = 0; d < dimension; ++d) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = d; i < mesh.coordinates.size(); i += dimension) {
      low = std::min(low, mesh.coordinates[i]);
      high = std::max(high, mesh.coordinates[i]);
    }
    if (high > low) sum += (high - low) * (high - low);
  }
  return std::sqrt(sum);
}

std::size_t cells(std::span<const MeshArrays> blocks) {
  std::size_t count = 0;
  for (const MeshArrays& block : blocks) count += block.cells();
  return count;
}

std::string counts(std::span<const MeshArrays> blocks) {
  std::string list;
  for (const MeshArrays& block : blocks)
    if (block.cells() > 0 || blocks.size() == 1)
      list += (list.empty() ? "" : ", ") + std::to_string(block.cells()) + ' ' + block.type.name();
  return list + " cells, " + std::to_string(blocks.front().nodes()) + " nodes";
}

} // namespace

Color category_color(std::size_t i) {
  // The golden section spreads hues evenly whatever their number; brightness changes with a period of three.
  const double hsv[3] = {std::fmod(0.58 + 0.618034 * static_cast<double>(i), 1.0), i % 2 == 0 ? 0.65 : 0.8,
                         i % 3 == 0   ? 0.85
                         : i % 3 == 1 ? 0.95
                                      : 0.65};
  Color color;
  vtkMath::HSVToRGB(hsv, color.data());
  return color;
}

void draw_mesh(const std::string& path, std::span<const MeshArrays> blocks, const std::vector<DrawnSet>& sets,
               const PictureOptions& options) {
  const MeshArrays& mesh = blocks.front();
  constexpr const char* function = "draw_mesh";
  write_file(
      path, draw_in_child(function, [&] {
        Scene scene(function, options, mesh.type.dimension());
        const Body body(function, blocks, options);
        const auto grid = to_vtk_grid(body.blocks, function);
        scene.add(grid, body_color);
        const Cut cut(mesh, options);
        std::vector<std::vector<Ordinal>> connectivities(sets.size()); // grids borrow them
        std::map<std::string, Color> colors;
        for (std::size_t i = 0; i < sets.size(); ++i) {
          const MeshArrays whole{sets[i].type, mesh.dimension, mesh.coordinates, sets[i].connectivity, {}};
          to_vtk_grid(whole, function); // checks it
          const auto nodes = static_cast<std::size_t>(sets[i].type.nodes());
          std::vector<Ordinal>& kept = connectivities[i];
          for (std::size_t cell = 0; cell < whole.cells(); ++cell) {
            const auto of_cell = whole.connectivity.subspan(cell * nodes, nodes);
            if (cut.keeps(of_cell)) kept.insert(kept.end(), of_cell.begin(), of_cell.end());
          }
          const auto set = to_vtk_grid({whole.type, whole.dimension, whole.coordinates, kept, {}}, function);
          const auto [known, is_new] = colors.try_emplace(sets[i].name, category_color(colors.size()));
          scene.add(set, known->second);
          if (is_new) scene.add_name(sets[i].name, known->second);
        }
        scene.add_edges(grid);
        scene.add_note(counts(blocks));
        return scene.png();
      }));
}

void draw_solution(const std::string& path, std::span<const MeshArrays> blocks, const Field& field,
                   const std::string& unit, const PictureOptions& options) {
  const MeshArrays& mesh = blocks.front();
  constexpr const char* function = "draw_solution";
  write_file(path, draw_in_child(function, [&] {
               Scene scene(function, options, mesh.type.dimension());
               Body body(function, blocks, options);
               const std::size_t nodes = mesh.nodes(),
                                 components = nodes == 0 ? 0 : field.values.size() / nodes;
               if (components * nodes != field.values.size() ||
                   (components != 1 && components != static_cast<std::size_t>(mesh.dimension)))
                 throw ArgumentError("draw_solution: field '" + field.name + "' has " +
                                     std::to_string(field.values.size()) + " values, neither 1 nor " +
                                     std::to_string(mesh.dimension) + " for each of the " +
                                     std::to_string(nodes) + " nodes");
               std::vector<double> shown(nodes);
               for (std::size_t node = 0; node < nodes; ++node) {
                 double square = 0;
                 for (std::size_t c = 0; c < components; ++c)
                   square += std::pow(field.values[node * components + c], 2);
                 shown[node] = components == 1 ? field.values[node] : std::sqrt(square);
                 if (!std::isfinite(shown[node]))
                   throw ArgumentError("draw_solution: field '" + field.name + "' is not finite at node " +
                                       std::to_string(node));
               }
               const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
               std::string note = counts(blocks);
               if (components > 1 && *high > 0) {
                 const double factor = round_down(0.1 * diagonal(mesh) / *high);
                 char text[64];
                 std::snprintf(text, sizeof text, "; displacements drawn %g times as large", factor);
                 note += text;
                 body.displace(field.values, factor);
               }
               const auto grid = to_vtk_grid(body.blocks, function);
               const auto values = to_vtk_array(shown, nodes, 1);
               values->SetName(field.name.c_str());
               grid->GetPointData()->SetScalars(values);
               const auto colors = value_colors(*low, *high);
               scene.add(grid, colors);
               scene.add_edges(grid);
               scene.add_scale(colors, unit.empty() ? field.name : field.name + "\n[" + unit + ']');
               scene.add_note(note);
               return scene.png();
             }));
}

void draw_numbers(const std::string& path, std::span<const MeshArrays> blocks, const std::string& what,
                  std::span<const Ordinal> numbers, const PictureOptions& options) {
  const MeshArrays& mesh = blocks.front();
  constexpr const char* function = "draw_numbers";
  write_file(
      path, draw_in_child(function, [&] {
        Scene scene(function, options, mesh.type.dimension());
        const Body body(function, blocks, options);
        if (numbers.size() != cells(blocks))
          throw ArgumentError("draw_numbers: " + std::to_string(numbers.size()) + " numbers for " +
                              std::to_string(cells(blocks)) + " cells");
        std::vector<Ordinal> distinct(numbers.begin(), numbers.end());
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        if (!distinct.empty() && distinct.front() < 0)
          throw ArgumentError("draw_numbers: number " + std::to_string(distinct.front()) + " is negative");
        vtkNew<vtkLookupTable> colors;
        colors->SetNumberOfTableValues(static_cast<vtkIdType>(std::max<std::size_t>(distinct.size(), 1)));
        colors->SetTableRange(-0.5, static_cast<double>(distinct.size()) - 0.5);
        for (std::size_t i = 0; i < distinct.size(); ++i) {
          const Color color = category_color(i);
          colors->SetTableValue(static_cast<vtkIdType>(i), color[0], color[1], color[2]);
          const auto name = options.names.find(distinct[i]);
          scene.add_name(name == options.names.end() ? std::to_string(distinct[i]) : name->second, color);
        }
        const auto grid = to_vtk_grid(body.blocks, function);
        vtkNew<vtkTypeInt32Array> categories;
        categories->SetName("category");
        for (const Ordinal cell : body.numbers)
          categories->InsertNextValue(static_cast<std::int32_t>(
              std::lower_bound(distinct.begin(), distinct.end(), numbers[static_cast<std::size_t>(cell)]) -
              distinct.begin()));
        grid->GetCellData()->SetScalars(categories);
        scene.add(grid, colors);
        scene.add_edges(grid);
        scene.add_note(counts(blocks) + "; " + std::to_string(distinct.size()) + ' ' + what);
        return scene.png();
      }));
}

void draw_mesh(const std::string& path, const MeshArrays& mesh, const std::vector<DrawnSet>& sets,
               const PictureOptions& options) {
  draw_mesh(path, std::span(&mesh, 1), sets, options);
}

void draw_solution(const std::string& path, const MeshArrays& mesh, const Field& field,
                   const std::string& unit, const PictureOptions& options) {
  draw_solution(path, std::span(&mesh, 1), field, unit, options);
}

void draw_numbers(const std::string& path, const MeshArrays& mesh, const std::string& what,
                  std::span<const Ordinal> numbers, const PictureOptions& options) {
  draw_numbers(path, std::span(&mesh, 1), what, numbers, options);
}

} // namespace tessera::io
