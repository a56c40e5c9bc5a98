#include "report.hpp"

#include "support/records.hpp"
#include <functional>
#include <map>
#include <sstream>

namespace tessera::tools {

namespace {

/// What the paper's tables say of a mesh: a GTX 580 (times in seconds).
struct Published {
  std::int64_t nodes, elements;
  int least_valence, largest_valence;
  double assembly;
  double set_up, cusp_set_up;
  double solve, cusp_solve, cusp_cg_solve;
  int iterations, cusp_iterations, cg_iterations;
};

const Published* published(const std::string& mesh) {
  static const std::map<std::string, Published> all{
      {"Regular", {274625, 1572864, 3, 18, 0.0298, 0.519, 0.420, 0.139, 0.175, 0.680, 19, 36, 329}},
      {"Irregular", {197561, 1122304, 3, 25, 0.0229, 0.385, 0.292, 0.167, 0.216, 2.43, 31, 56, 1639}},
      {"Heart", {437355, 2306717, 5, 36, 0.0465, 0.813, 0.604, 0.218, 0.631, 4.64, 20, 46, 1148}},
      {"Brain", {322497, 1805242, 6, 34, 0.0355, 0.591, 0.451, 0.165, 0.432, 8.15, 19, 45, 1838}},
      {"Blobs", {277657, 1650105, 5, 46, 0.0319, 0.569, 0.431, 0.172, 0.409, 3.34, 23, 50, 1048}}};
  const auto found = all.find(mesh);
  return found == all.end() ? nullptr : &found->second;
}

/// Table 4: patchPCGAMG, CUSP-PCGAMG, Hypre-PCGAMG and CG by σ of the blobs.
const std::map<int, std::vector<int>> published_jumps{
    {1, {23, 50, 28, 1048}}, {10, {31, 60, 30, 2419}}, {100, {60, 122, 40, 7071}}};

struct Record {
  const MeshResult* mesh;
  const SolverResult* solver;
};

const Fields<Record>& fields() {
  using R = Record;
  static const Fields<R> all{
      {"mesh", true, [](const R& r) { return r.mesh->mesh; }},
      {"sigma", false, [](const R& r) { return number(r.mesh->sigma); }},
      {"nodes", false, [](const R& r) { return std::to_string(r.mesh->nodes); }},
      {"elements", false, [](const R& r) { return std::to_string(r.mesh->elements); }},
      {"entries", false, [](const R& r) { return std::to_string(r.mesh->entries); }},
      {"patch_seconds", false, [](const R& r) { return number(r.mesh->patch_seconds); }},
      {"pairs_seconds", false, [](const R& r) { return number(r.mesh->pairs_seconds); }},
      {"reused_seconds", false, [](const R& r) { return number(r.mesh->reused_seconds); }},
      {"atomic_seconds", false, [](const R& r) { return number(r.mesh->atomic_seconds); }},
      {"serial_seconds", false, [](const R& r) { return number(r.mesh->serial_seconds); }},
      {"solver", true, [](const R& r) { return r.solver->solver; }},
      {"set_up_seconds", false, [](const R& r) { return number(r.solver->set_up_seconds); }},
      {"solve_seconds", false, [](const R& r) { return number(r.solver->solve_seconds); }},
      {"iterations", false, [](const R& r) { return std::to_string(r.solver->iterations); }},
      {"converged", false, [](const R& r) { return std::string(r.solver->converged ? "true" : "false"); }},
      {"true_residual", false, [](const R& r) { return number(r.solver->true_residual); }},
      {"bytes", false, [](const R& r) { return std::to_string(r.solver->bytes); }}};
  return all;
}

std::string name_of(const MeshResult& r) {
  return r.sigma == 1 ? r.mesh : r.mesh + " (1, " + format("%g", r.sigma) + ")";
}

const SolverResult* find(const MeshResult& result, const std::string& solver) {
  for (const SolverResult& s : result.solvers)
    if (s.solver == solver) return &s;
  return nullptr;
}

/// A cell for a solver, empty where it was not run.
std::string cell(const MeshResult& result, const std::string& solver,
                 const std::function<std::string(const SolverResult&)>& text) {
  const SolverResult* s = find(result, solver);
  return s ? text(*s) : "";
}

std::string milliseconds(double seconds) { return format("%.3g", 1e3 * seconds); }

/// A table with a line for each mesh.
void table(std::ostream& out, const std::string& title, const std::vector<std::string>& columns,
           const std::vector<MeshResult>& results,
           const std::function<std::vector<std::string>(const MeshResult&, const Published*)>& line) {
  out << "## " << title << "\n\n| mesh |";
  for (const auto& column : columns) out << " " << column << " |";
  out << "\n| --- |";
  for (std::size_t k = 0; k < columns.size(); ++k) out << " ---: |";
  for (const MeshResult& result : results) {
    out << "\n| " << name_of(result) << " |";
    for (const auto& text : line(result, published(result.mesh))) out << " " << text << " |";
  }
  out << "\n\n";
}

std::string with_published(const std::string& ours, const Published* paper, const std::string& theirs) {
  return paper ? ours + " (" + theirs + ")" : ours;
}

void solver_tables(std::ostream& out, const std::vector<MeshResult>& homogeneous) {
  const std::vector<std::string> names{
      "patches", "patches, double", "patches, CSR blocks", "patches, ELL blocks", "Jacobi", "CG"};
  const auto lines = [&](const std::function<std::string(const SolverResult&)>& text) {
    return [&names, text](const MeshResult& r, const Published*) {
      std::vector<std::string> cells;
      for (const auto& name : names) cells.push_back(cell(r, name, text));
      return cells;
    };
  };
  table(out, "Table 3: set-up, ms (GTX 580: patchPCGAMG, CUSP)", {"patches", "Jacobi", "bytes a row"},
        homogeneous, [](const MeshResult& r, const Published* p) {
          const auto set_up = [](const SolverResult& s) { return milliseconds(s.set_up_seconds); };
          return std::vector<std::string>{
              with_published(cell(r, "patches", set_up), p, p ? milliseconds(p->set_up) : ""),
              with_published(cell(r, "Jacobi", set_up), p, p ? milliseconds(p->cusp_set_up) : ""),
              cell(r, "patches", [&](const SolverResult& s) { return std::to_string(s.bytes / r.nodes); })};
        });
  table(out, "Table 5: iterations (paper: patchPCGAMG, CUSP-PCGAMG, CG)", {"patches", "Jacobi", "CG"},
        homogeneous, [](const MeshResult& r, const Published* p) {
          const auto count = [](const SolverResult& s) { return std::to_string(s.iterations); };
          return std::vector<std::string>{
              with_published(cell(r, "patches", count), p, p ? std::to_string(p->iterations) : ""),
              with_published(cell(r, "Jacobi", count), p, p ? std::to_string(p->cusp_iterations) : ""),
              with_published(cell(r, "CG", count), p, p ? std::to_string(p->cg_iterations) : "")};
        });
  table(out, "Table 5: solution, ms (GTX 580: patchPCGAMG, CUSP-PCGAMG, CUSP-CG)",
        {"patches", "Jacobi", "CG"}, homogeneous, [](const MeshResult& r, const Published* p) {
          const auto time = [](const SolverResult& s) { return milliseconds(s.solve_seconds); };
          return std::vector<std::string>{
              with_published(cell(r, "patches", time), p, p ? milliseconds(p->solve) : ""),
              with_published(cell(r, "Jacobi", time), p, p ? milliseconds(p->cusp_solve) : ""),
              with_published(cell(r, "CG", time), p, p ? milliseconds(p->cusp_cg_solve) : "")};
        });
  table(out, "Table 6: one iteration, ms", names, homogeneous,
        lines([](const SolverResult& s) { return milliseconds(s.solve_seconds / s.iterations); }));
  table(out, "Precisions and formats of blocks: iterations", names, homogeneous,
        lines([](const SolverResult& s) { return std::to_string(s.iterations); }));
}

void figure6(std::ostream& out, const std::vector<MeshResult>& series) {
  table(out, "Figure 6: iterations as the regular mesh is refined", {"nodes", "patches", "Jacobi", "CG"},
        series, [](const MeshResult& r, const Published*) {
          const auto count = [](const SolverResult& s) { return std::to_string(s.iterations); };
          return std::vector<std::string>{std::to_string(r.nodes), cell(r, "patches", count),
                                          cell(r, "Jacobi", count), cell(r, "CG", count)};
        });
}

void figure7(std::ostream& out, const std::vector<MeshResult>& results) {
  std::vector<std::string> inner;
  for (std::size_t k = 1; k <= results.front().inner_iterations.size(); ++k)
    inner.push_back(std::to_string(k));
  if (inner.empty()) return;
  table(out, "Figure 7: iterations by inner iterations", inner, results,
        [](const MeshResult& r, const Published*) {
          std::vector<std::string> cells;
          for (const int iterations : r.inner_iterations) cells.push_back(std::to_string(iterations));
          return cells;
        });
}

} // namespace

std::string multigrid_json(const std::vector<MeshResult>& results) {
  std::vector<Record> records;
  for (const MeshResult& mesh : results)
    for (const SolverResult& solver : mesh.solvers) records.push_back({&mesh, &solver});
  return json_records(fields(), records) + "\n";
}

std::string multigrid_markdown(const std::vector<MeshResult>& results,
                               const std::vector<MeshResult>& series) {
  std::ostringstream out;
  std::vector<MeshResult> homogeneous, jumps;
  for (const MeshResult& result : results) {
    if (result.sigma == 1) homogeneous.push_back(result);
    if (result.mesh == "Blobs") jumps.push_back(result);
  }
  table(out, "Table 1: meshes (the paper's)", {"nodes", "elements", "valence", "entries, millions"},
        homogeneous, [](const MeshResult& r, const Published* p) {
          const auto valence = [](int least, int most) {
            return std::to_string(least) + " to " + std::to_string(most);
          };
          return std::vector<std::string>{
              with_published(std::to_string(r.nodes), p, p ? std::to_string(p->nodes) : ""),
              with_published(std::to_string(r.elements), p, p ? std::to_string(p->elements) : ""),
              with_published(valence(r.least_valence, r.largest_valence), p,
                             p ? valence(p->least_valence, p->largest_valence) : ""),
              format("%.1f", 1e-6 * static_cast<double>(r.entries))};
        });
  if (!homogeneous.empty() && homogeneous.front().patch_seconds > 0)
    table(out, "Table 2: assembly, ns an element (the paper's GTX 580)",
          {"Patch", "renumbered", "upper half", "pairs", "pairs, the solver's partition", "ElementAtomic",
           "ElementAtomic on the host"},
          homogeneous, [](const MeshResult& r, const Published* p) {
            const auto ns = [&](double seconds, std::int64_t elements) {
              return format("%.3g", 1e9 * seconds / static_cast<double>(elements));
            };
            return std::vector<std::string>{
                with_published(ns(r.patch_seconds, r.elements), p, p ? ns(p->assembly, p->elements) : ""),
                ns(r.renumbered_seconds, r.elements),
                ns(r.upper_half_seconds, r.elements),
                ns(r.pairs_seconds, r.elements),
                ns(r.reused_seconds, r.elements),
                ns(r.atomic_seconds, r.elements),
                ns(r.serial_seconds, r.elements)};
          });
  if (!homogeneous.empty()) solver_tables(out, homogeneous);
  if (!jumps.empty())
    table(out, "Table 4: iterations with jumps (the paper's)",
          {"patches", "Jacobi", "CG", "Hypre, the paper's"}, jumps,
          [](const MeshResult& r, const Published*) {
            const auto paper = published_jumps.find(static_cast<int>(r.sigma));
            const auto count = [&](std::size_t k) {
              return [&, k](const SolverResult& s) {
                const std::string ours = std::to_string(s.iterations);
                return paper == published_jumps.end() ? ours
                                                      : ours + " (" + std::to_string(paper->second[k]) + ")";
              };
            };
            return std::vector<std::string>{
                cell(r, "patches", count(0)), cell(r, "Jacobi", count(1)), cell(r, "CG", count(3)),
                paper == published_jumps.end() ? "" : std::to_string(paper->second[2])};
          });
  if (!series.empty()) figure6(out, series);
  if (!homogeneous.empty()) figure7(out, homogeneous);
  return out.str();
}

} // namespace tessera::tools
