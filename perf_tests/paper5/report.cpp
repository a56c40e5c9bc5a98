// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "support/report/records.hpp"

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
      {"nodes", false, [](const R& r) { return std::to_string(r.nodes); }},
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
      {"cg_iterations", false, [](const R& r) { return std::to_string(r.plain_cg.iterations); }},
      {"cg_seconds", false, [](const R& r) { return number(r.plain_cg.seconds); }},
      {"cg_converged", false,
       [](const R& r) { return std::string(r.plain_cg.converged ? "true" : "false"); }},
      {"jacobi_cg_iterations", false, [](const R& r) { return std::to_string(r.jacobi_cg.iterations); }},
      {"jacobi_cg_seconds", false, [](const R& r) { return number(r.jacobi_cg.seconds); }},
      {"jacobi_cg_converged", false,
       [](const R& r) { return std::string(r.jacobi_cg.converged ? "true" : "false"); }}};
  return all;
}

} // namespace

std::string operators_json(const Machine& machine, const std::vector<OperatorResult>& results) {
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), results);
}

} // namespace tessera::tools
