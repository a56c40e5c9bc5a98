#include "report.hpp"

#include "support/records.hpp"
#include <algorithm>
#include <functional>
#include <sstream>

namespace tessera::tools {

namespace {

const Fields<OperatorResult>& fields() {
  using R = OperatorResult;
  static const Fields<R> all{
      {"problem", true, [](const R& r) { return r.problem; }},
      {"element", true, [](const R& r) { return r.element; }},
      {"form", true, [](const R& r) { return r.form; }},
      {"strategy", true, [](const R& r) { return r.strategy; }},
      {"elements", false, [](const R& r) { return std::to_string(r.elements); }},
      {"equations", false, [](const R& r) { return std::to_string(r.equations); }},
      {"prepare_seconds", false, [](const R& r) { return number(r.prepare_seconds); }},
      {"seconds_median", false, [](const R& r) { return number(r.seconds_median); }},
      {"seconds_min", false, [](const R& r) { return number(r.seconds_min); }},
      {"ns_per_element", false, [](const R& r) { return number(r.ns_per_element); }},
      {"gdof_per_s", false, [](const R& r) { return number(r.gdof_per_s); }},
      {"operator_bytes", false, [](const R& r) { return std::to_string(r.bytes); }},
      {"allocated_bytes", false, [](const R& r) { return std::to_string(r.allocated); }},
      {"mesh_bytes", false, [](const R& r) { return std::to_string(r.mesh_bytes); }},
      {"model_bytes", false, [](const R& r) { return number(r.model_bytes); }},
      {"model_flops", false, [](const R& r) { return number(r.model_flops); }},
      {"error", false, [](const R& r) { return number(r.error); }},
      {"agrees", false, [](const R& r) { return std::string(r.agrees ? "true" : "false"); }},
      {"cg_iterations", false, [](const R& r) { return std::to_string(r.cg_iterations); }},
      {"cg_seconds", false, [](const R& r) { return number(r.cg_seconds); }},
      {"cg_converged", false, [](const R& r) { return std::string(r.cg_converged ? "true" : "false"); }}};
  return all;
}

/// Heading of a column. The name of a problem does not tell a plate from a file from the square one, nor
/// hexahedra from tetrahedra in the same box.
std::string heading(const OperatorResult& r) {
  return r.problem + ": " + std::to_string(r.elements) + " " + r.element + ", " + r.form;
}

} // namespace

std::string operators_json(const Machine& machine, const std::vector<OperatorResult>& results) {
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), results);
}

std::string operators_markdown(const Machine&, const std::vector<OperatorResult>& results) {
  std::vector<std::string> problems, strategies;
  const auto note = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const OperatorResult& r : results) {
    note(problems, heading(r));
    note(strategies, r.strategy);
  }
  const auto find = [&](const std::string& strategy, const std::string& problem) -> const OperatorResult* {
    for (const OperatorResult& r : results)
      if (r.strategy == strategy && heading(r) == problem) return &r;
    return nullptr;
  };
  std::ostringstream out;
  const auto table = [&](const std::string& title, int digits,
                         const std::function<double(const OperatorResult&)>& value) {
    out << "## " << title << "\n\n| operator |";
    for (const auto& p : problems) out << " " << p << " |";
    out << "\n| --- |";
    for (std::size_t p = 0; p < problems.size(); ++p) out << " ---: |";
    out << "\n" << std::fixed;
    out.precision(digits);
    for (const auto& s : strategies) {
      out << "| " << s << " |";
      for (const auto& p : problems) {
        const OperatorResult* r = find(s, p);
        if (r && std::isfinite(value(*r)))
          out << " " << value(*r) << " |";
        else
          out << " |";
      }
      out << "\n";
    }
    out << "\n";
  };
  table("Figure 9: time of one product, milliseconds", 4,
        [](const auto& r) { return r.seconds_median * 1e3; });
  table("Nanoseconds per element", 4, [](const auto& r) { return r.ns_per_element; });
  table("Figure 10: speedup of SymmetricElementByElement over the others", 2, [&](const auto& r) {
    const OperatorResult* symmetric = find("SymmetricElementByElement", heading(r));
    return symmetric ? r.seconds_median / symmetric->seconds_median : NAN;
  });
  table("Figure 11: device memory of operator and mesh, megabytes", 1,
        [](const auto& r) { return (r.bytes + r.mesh_bytes) * 1e-6; });
  table("Figure 11, checked: what the allocator gave an operator over what it says it holds", 4,
        [](const auto& r) { return r.allocated > 0 ? static_cast<double>(r.allocated) / r.bytes : NAN; });
  table("Figure 12: GFLOP/s", 0, [](const auto& r) { return r.gflop_per_s; });
  table("Figure 13: GB/s by the cost model", 0, [](const auto& r) { return r.gb_per_s; });
  if (std::none_of(results.begin(), results.end(), [](const auto& r) { return r.cg_iterations > 0; }))
    return out.str();
  table("Conjugate gradients with Jacobi: iterations", 0,
        [](const auto& r) { return r.cg_iterations > 0 ? r.cg_iterations : NAN; });
  table("Conjugate gradients with Jacobi: milliseconds an iteration", 4,
        [](const auto& r) { return r.cg_iterations > 0 ? r.cg_seconds / r.cg_iterations * 1e3 : NAN; });
  return out.str();
}

} // namespace tessera::tools
