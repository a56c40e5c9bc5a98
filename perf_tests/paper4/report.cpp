// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "support/report/records.hpp"
#include <algorithm>
#include <cstdio>

namespace tessera::tools {

namespace {

/// A solver on a mesh.
struct Record {
  const char* part; ///< "table", "series" (Figure 6), "inner" (Figure 7)
  const MeshResult* mesh;
  SolverResult solver;
};

std::string json_list(const std::vector<bool>& values) {
  std::string text;
  for (const bool value : values) text += std::string(text.empty() ? "" : ", ") + (value ? "true" : "false");
  return "[" + text + "]";
}

const Fields<Record>& fields() {
  using R = Record;
  static const Fields<R> all{
      {"part", true, [](const R& r) { return std::string(r.part); }},
      {"mesh", true, [](const R& r) { return r.mesh->mesh; }},
      {"sigma", false, [](const R& r) { return number(r.mesh->sigma); }},
      {"nodes", false, [](const R& r) { return std::to_string(r.mesh->nodes); }},
      {"elements", false, [](const R& r) { return std::to_string(r.mesh->elements); }},
      {"entries", false, [](const R& r) { return std::to_string(r.mesh->entries); }},
      {"least_valence", false, [](const R& r) { return std::to_string(r.mesh->least_valence); }},
      {"largest_valence", false, [](const R& r) { return std::to_string(r.mesh->largest_valence); }},
      {"patch_seconds", false, [](const R& r) { return number(r.mesh->patch_seconds); }},
      {"pairs_seconds", false, [](const R& r) { return number(r.mesh->pairs_seconds); }},
      {"renumbered_seconds", false, [](const R& r) { return number(r.mesh->renumbered_seconds); }},
      {"upper_half_seconds", false, [](const R& r) { return number(r.mesh->upper_half_seconds); }},
      {"full_rows_seconds", false, [](const R& r) { return number(r.mesh->full_rows_seconds); }},
      {"atomic_seconds", false, [](const R& r) { return number(r.mesh->atomic_seconds); }},
      {"serial_seconds", false, [](const R& r) { return number(r.mesh->serial_seconds); }},
      {"patch_quadrature_seconds", false,
       [](const R& r) { return number(r.mesh->patch_quadrature_seconds); }},
      {"serial_quadrature_seconds", false,
       [](const R& r) { return number(r.mesh->serial_quadrature_seconds); }},
      {"shared_patch", false, [](const R& r) { return std::to_string(r.mesh->shared_patch); }},
      {"partition_seconds", false, [](const R& r) { return number(r.mesh->partition_seconds); }},
      {"shared_assembly_seconds", false, [](const R& r) { return number(r.mesh->shared_assembly_seconds); }},
      {"shared_set_up_seconds", false, [](const R& r) { return number(r.mesh->shared_set_up_seconds); }},
      {"shared_lightest", false, [](const R& r) { return std::to_string(r.mesh->shared_lightest); }},
      {"shared_total_seconds", false, [](const R& r) { return number(r.mesh->shared_total_seconds); }},
      {"own_total_seconds", false, [](const R& r) { return number(r.mesh->own_total_seconds); }},
      {"solver", true, [](const R& r) { return r.solver.solver; }},
      {"inner", false, [](const R& r) { return std::to_string(r.solver.inner); }},
      {"set_up_seconds", false, [](const R& r) { return number(r.solver.set_up_seconds); }},
      {"solve_seconds", false, [](const R& r) { return number(r.solver.solve_seconds); }},
      {"iterations", false, [](const R& r) { return std::to_string(r.solver.iterations); }},
      {"converged", false, [](const R& r) { return std::string(r.solver.converged ? "true" : "false"); }},
      {"true_residual", false, [](const R& r) { return number(r.solver.true_residual); }},
      {"bytes", false, [](const R& r) { return std::to_string(r.solver.bytes); }},
      {"blocks_in_scratch", false, [](const R& r) { return json_list(r.solver.blocks_in_scratch); }}};
  return all;
}

} // namespace

std::string meshes_json(const Machine& machine, const std::vector<MeshResult>& results,
                        const std::vector<MeshResult>& series) {
  std::vector<Record> records;
  for (const MeshResult& mesh : results) {
    for (const SolverResult& solver : mesh.solvers) records.push_back({"table", &mesh, solver});
    for (std::size_t k = 0; k < mesh.inner_iterations.size(); ++k)
      records.push_back({"inner",
                         &mesh,
                         {.solver = "patches",
                          .inner = static_cast<int>(k) + 1,
                          .iterations = mesh.inner_iterations[k],
                          .converged = true}});
  }
  for (const MeshResult& mesh : series)
    for (const SolverResult& solver : mesh.solvers) records.push_back({"series", &mesh, solver});
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), records);
}

void print(const MeshResult& mesh) {
  std::printf("%s, sigma %g: %lld nodes, %lld elements\n", mesh.mesh.c_str(), mesh.sigma,
              static_cast<long long>(mesh.nodes), static_cast<long long>(mesh.elements));
  if (mesh.shared_patch > 0)
    std::printf(
        "  one partition, patches of %d to %d nodes: %.2f ms; with the plan and the set-up %.2f ms, one each "
        "%.2f ms\n",
        mesh.shared_lightest, mesh.shared_patch, 1e3 * mesh.partition_seconds,
        1e3 * mesh.shared_total_seconds, 1e3 * mesh.own_total_seconds);
  for (const SolverResult& s : mesh.solvers) {
    std::printf("  %-22s set-up %9.2f ms, solution %9.2f ms, %5d iterations%s", s.solver.c_str(),
                1e3 * s.set_up_seconds, 1e3 * s.solve_seconds, s.iterations,
                s.converged ? "" : " (not converged)");
    if (!s.blocks_in_scratch.empty())
      std::printf(", blocks in scratch on %d of %d levels",
                  static_cast<int>(std::ranges::count(s.blocks_in_scratch, true)),
                  static_cast<int>(s.blocks_in_scratch.size()));
    std::printf("\n");
  }
  std::fflush(stdout);
}

} // namespace tessera::tools
