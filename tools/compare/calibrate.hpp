// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times of strategies on many problems as a table for `Best`.

#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/best/mesh_features.hpp>

#include "by_quadrature.hpp"
#include "compare.hpp"
#include <optional>
#include <string>
#include <vector>

namespace tessera::tools {

/// Whether times on devices can be measured: forms by quadrature take a long source for each element.
#ifdef TESSERA_CALIBRATE
inline constexpr bool calibrates_devices = true;
#else
inline constexpr bool calibrates_devices = false;
#endif

/// A mesh of a calibration, and the name of its rows.
struct CalibrationMesh {
  std::string name;
  Problem problem;
};

/// A file with a mesh of linear elements to check predictions, and if its name is `uneven` one that they rest
/// on, along the Hilbert curve.
struct CalibrationFile {
  std::string name, path;
  std::string element; ///< that the file holds
};

/// The files of a list of NAME=FILE. Reads each once, for its element.
/// \throws ArgumentError for an entry without =; what reading throws
std::vector<CalibrationFile> calibration_files(const std::vector<std::string>& list);

/// The meshes that predictions for an element rest on, boxes larger than the caches and a third of them, and
/// more to check them: those of the files as they are, along the Hilbert curve and shuffled. Meshes of a file
/// follow each other.
std::vector<CalibrationMesh> calibration_meshes(const std::string& element, bool on_host,
                                                const std::vector<CalibrationFile>& files);

/// The strategies of a family that `Best` may take on hosts or devices; none where it rests on other
/// elements' times.
std::vector<std::string> calibrated_strategies(const std::string& family, const std::string& element,
                                               bool on_host);

/// Those of assemblies that devices may take for forms by quadrature.
std::vector<std::string> calibrated_by_quadrature(const std::string& element);

/// Appends the rows of one mesh, form and scalar.
inline void append_rows(Calibration& calibration, const std::string& family, const std::string& mesh,
                        const MeshFeatures& features, const std::vector<Result>& results) {
  for (const Result& r : results)
    if (r.unsupported.empty())
      calibration.rows.push_back({.family = family,
                                  .strategy = r.strategy,
                                  .element = r.element,
                                  .form = r.form,
                                  .scalar = r.scalar,
                                  .mesh = mesh,
                                  .elements = static_cast<double>(r.elements),
                                  .spread = features.spread,
                                  .bent = features.bent,
                                  .crowding = features.crowding,
                                  .bytes = r.cost.bytes,
                                  .flops = r.cost.flops,
                                  .seconds = r.seconds_median,
                                  .plan_seconds = r.plan_seconds,
                                  .plan_bytes = static_cast<double>(r.plan_bytes)});
}

/// Makes meshes one after the other; one of the same file as the last is not read again.
template <class Element, class ExecutionSpace>
class MeshesOfFiles {
public:
  Mesh<Element, ExecutionSpace> make(const ExecutionSpace& exec, const Problem& problem) {
    if (problem.mesh_file.empty()) return make_mesh<Element, ExecutionSpace>(exec, problem);
    if (!mesh_ || problem.mesh_file != file_) {
      Problem given = problem;
      given.order = "given";
      mesh_ = make_mesh<Element, ExecutionSpace>(exec, given);
      file_ = problem.mesh_file;
    }
    return in_order(exec, *mesh_, problem.order);
  }

private:
  std::string file_;
  std::optional<Mesh<Element, ExecutionSpace>> mesh_;
};

/// Measures all forms, scalars and families of one element. Calls `keep()` after each mesh.
template <class Element, class ExecutionSpace, class Keep>
void calibrate_element(Calibration& calibration, const Comparison& options, const Machine& machine,
                       const std::vector<std::string>& families, const std::vector<CalibrationFile>& files,
                       const Keep& keep) {
  const ExecutionSpace exec;
  MeshesOfFiles<Element, ExecutionSpace> meshes;
  for (const CalibrationMesh& chosen :
       calibration_meshes(Element::name, runs_on_host<ExecutionSpace>, files)) {
    const auto mesh = meshes.make(exec, chosen.problem);
    const MeshFeatures features = mesh_features(exec, mesh);
    for (const char* const form : {"helmholtz", "elasticity"}) {
      Comparison comparison = options;
      comparison.problem = chosen.problem;
      comparison.problem.form = form;
      comparison.problem.source = 1;
      comparison.check = false;
      comparison.predictions = nullptr;
      const auto measure = [&]<class Scalar>(Scalar, const std::string& family, const char* scalar) {
        comparison.family = family;
        comparison.scalar = scalar;
        comparison.strategies = calibrated_strategies(family, Element::name, runs_on_host<ExecutionSpace>);
        options.progress(std::string(Element::name) + ' ' + form + ' ' + scalar + ' ' + family + ", " +
                         chosen.name);
        append_rows(calibration, family, chosen.name, features,
                    with_form<Element, ExecutionSpace>(
                        comparison.problem, mesh.num_elements(), [&](const auto& physics, const auto&) {
                          return compare_form<Scalar>(comparison, machine, physics, mesh);
                        }));
      };
      for (const std::string& family : families) {
        if (calibrated_strategies(family, Element::name, runs_on_host<ExecutionSpace>).empty()) continue;
        measure(double(), family, "double");
        if (family == "assembly") measure(float(), family, "float");
      }
      if constexpr (calibrates_devices && !runs_on_host<ExecutionSpace>) {
        if (chosen.name == calibration_mesh::bent) continue; // as the ordered box
        comparison.scalar = "double";
        comparison.strategies = calibrated_by_quadrature(Element::name);
        options.progress(std::string(Element::name) + ' ' + form + calibration_form::by_quadrature + ", " +
                         chosen.name);
        append_rows(calibration, "assembly", chosen.name, features,
                    with_form<Element, ExecutionSpace>(
                        comparison.problem, mesh.num_elements(), [&](const auto& physics, const auto&) {
                          return compare_by_quadrature(comparison, ByQuadrature{physics}, mesh);
                        }));
      }
    }
    keep();
  }
}

} // namespace tessera::tools
