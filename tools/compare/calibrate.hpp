#pragma once

/// \file
/// Times of strategies on many problems as a table for `Best`.

#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/best/mesh_features.hpp>

#include "compare.hpp"

namespace tessera::tools {

/// A mesh of a calibration, and the name of its rows.
struct CalibrationMesh {
  std::string name;
  Problem problem;
};

/// The meshes that predictions for an element rest on, larger than the caches, and more to check them.
/// \param files meshes of linear elements as NAME=FILE: `uneven`, on which predictions rest too, and others
/// to
///   check them, each as it is, along the Hilbert curve and shuffled
std::vector<CalibrationMesh> calibration_meshes(const std::string& element, bool on_host,
                                                const std::vector<std::string>& files);

/// The strategies of a family that `Best` may take on hosts or devices.
std::vector<std::string> calibrated_strategies(const std::string& family, const std::string& element,
                                               bool on_host);

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

/// Measures all forms, scalars and families of one element.
template <class Element, class ExecutionSpace>
void calibrate_element(Calibration& calibration, const Comparison& options, const Machine& machine,
                       const std::vector<std::string>& families, const std::vector<std::string>& files) {
  const ExecutionSpace exec;
  for (const CalibrationMesh& chosen :
       calibration_meshes(Element::name, runs_on_host<ExecutionSpace>, files)) {
    const auto mesh = make_mesh<Element, ExecutionSpace>(exec, chosen.problem);
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
        if (family == "assembly") {
          measure(double(), family, "double");
          measure(float(), family, "float");
        } else if ((family == "apply" && has_family<OperatorElements, Element, double>) ||
                   (family == "residual" && has_family<ResidualElements, Element, double>)) {
          measure(double(), family, "double");
        }
      }
    }
  }
}

} // namespace tessera::tools
