// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate.hpp"

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera::tools {

namespace {

/// Cells along an axis of a device's boxes: some 100 MB of matrix for a scalar form, beyond every cache.
constexpr int device_cells(std::string_view element) {
  constexpr std::pair<std::string_view, int> cells[] = {
      {"tri1", 1100},   {"tri2", 550},  {"tri3", 320},   {"tri4", 205},    {"tri5", 147},
      {"quad1", 1100},  {"quad2", 480}, {"tet1", 80},    {"tet2", 40},     {"tet3", 23},
      {"hex1", 80},     {"hex2", 32},   {"quad8", 480},  {"hex20", 32},    {"wedge1", 84},
      {"pyramid1", 90}, {"wedge2", 34}, {"wedge15", 40}, {"pyramid13", 37}};
  for (const auto& [name, count] : cells)
    if (name == element) return count;
  return 0;
}
static_assert(std::apply([](auto... element) { return ((device_cells(decltype(element)::name) > 0) && ...); },
                         Elements()),
              "device_cells names every element");

std::string box(int cells) { return "box:" + std::to_string(cells); }

} // namespace

std::vector<CalibrationFile> calibration_files(const std::vector<std::string>& list) {
  std::vector<CalibrationFile> files;
  for (const std::string& entry : list) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos)
      throw ArgumentError("--calibrate-meshes: '" + entry + "' is not NAME=FILE");
    Problem problem;
    problem.mesh_file = entry.substr(equals + 1);
    files.push_back({entry.substr(0, equals), problem.mesh_file, default_element(problem)});
  }
  return files;
}

std::vector<CalibrationMesh> calibration_meshes(const std::string& element, bool on_host,
                                                const std::vector<CalibrationFile>& files) {
  const bool plane = element.starts_with("tri") || element.starts_with("quad");
  const bool linear_simplex = element == "tri1" || element == "tet1";
  // A host's caches are an eighth of that.
  const int cells =
      on_host ? static_cast<int>(device_cells(element) / (plane ? 2.83 : 2.0)) : device_cells(element);
  Problem ordered;
  ordered.element = element;
  ordered.generate = box(cells);
  Problem ordered_third = ordered, small = ordered, bent = ordered;
  ordered_third.generate = box(static_cast<int>(cells / (plane ? std::sqrt(3.0) : std::cbrt(3.0))));
  small.generate = box(plane ? 12 : 4);
  bent.bend = 0.03;
  Problem shuffled = ordered, shuffled_third = ordered_third;
  shuffled.order = shuffled_third.order = "shuffled";
  std::vector<CalibrationMesh> meshes{{calibration_mesh::small, small},
                                      {calibration_mesh::ordered, ordered},
                                      {calibration_mesh::shuffled, shuffled},
                                      {calibration_mesh::ordered_third, ordered_third},
                                      {calibration_mesh::shuffled_third, shuffled_third}};
  if (!linear_simplex) meshes.push_back({calibration_mesh::bent, bent});
  for (const CalibrationFile& file : files) {
    if (file.element.substr(0, file.element.size() - 1) != element.substr(0, element.size() - 1)) continue;
    Problem problem;
    problem.element = element;
    problem.mesh_file = file.path;
    for (const std::string order : {"given", "hilbert", "shuffled"}) {
      problem.order = order;
      const bool rests = file.name == calibration_mesh::uneven && order == "hilbert";
      meshes.push_back({rests ? file.name : file.name + ' ' + order, problem});
    }
  }
  return meshes;
}

std::vector<std::string> calibrated_strategies(const std::string& family, const std::string& element,
                                               bool on_host) {
  const bool linear_simplex = element == "tri1" || element == "tet1";
  if (family == "apply" && !linear_simplex && element != "quad1" && element != "hex1") return {};
  if (family == "residual" && !linear_simplex) return {};
  if (family == "apply")
    return {"RecomputingElementByElement", "RecomputingElementByElement/colors",
            "RecomputingElementByElement/gather", "RecomputingElementByElement/patches"};
  if (family == "residual")
    return {"RecomputingResidual", "RecomputingResidual/colors", "RecomputingResidual/gather",
            "RecomputingResidual/patches"};
  if (on_host) return {"ElementAtomic", "RowOwner"};
  std::vector<std::string> strategies{"RowOwner", "StoredElements", "ElementAtomic",
                                      "NzGlobal", "WarpPerElement", "WarpPerElement/atomics"};
  if (linear_simplex) strategies.emplace_back("Patch/pairs"); // slow on all others
  return strategies;
}

std::vector<std::string> calibrated_by_quadrature(const std::string& element) {
  std::vector<std::string> strategies{"StoredElements", "ElementAtomic", "NzGlobal", "WarpPerElement",
                                      "WarpPerElement/atomics"};
  if (element.ends_with('1')) strategies.emplace_back("Patch/pairs"); // slow on all others
  return strategies;
}

} // namespace tessera::tools
