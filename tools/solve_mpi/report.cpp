// SPDX-License-Identifier: BSD-3-Clause
#include "solve_mpi/solve.hpp"
#include <cmath>
#include <cstdio>
#include <utility>

namespace tessera::tools {

namespace {

/// Collective: the least and the most of each component over all ranks.
std::vector<Extremes> extremes_of(const distributed::Communicator& ranks,
                                  const Kokkos::View<double*, Space>& values, int components) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  std::vector<Extremes> all;
  for (int c = 0; c < components; ++c) {
    double both[2] = {-INFINITY, -INFINITY}; // least, negative, and most
    for (std::size_t i = to_size(c); i < host.extent(0); i += to_size(components)) {
      both[0] = std::fmax(both[0], -host(i));
      both[1] = std::fmax(both[1], host(i));
    }
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, ranks.own());
    all.push_back({-both[0], both[1]});
  }
  return all;
}

void print(const SolveOptions& options, int ranks, std::int64_t elements, const RankSolution& solution,
           const std::vector<Extremes>& components) {
  const Problem& problem = options.problem;
  std::printf("%s %s, %s, %s, on %d ranks: %lld elements, %lld unknowns, %lld nonzeros\n",
              problem.mesh_name().c_str(), problem.element.c_str(), problem.form.c_str(),
              problem.source_name().c_str(), ranks, static_cast<long long>(elements),
              static_cast<long long>(solution.unknowns), static_cast<long long>(solution.nonzeros));
  std::printf("cg, preconditioner %s: %d iterations, %s; relative residual %.1e\n", options.solver.c_str(),
              solution.iterations, to_string(solution.reason).c_str(), solution.relative_residual);
  if (!solution.converged) {
    std::printf("NOT solved; %s\n", solution.reason == solvers::StopReason::max_iterations
                                        ? "more --max-iterations or another --solver may help"
                                        : "tessera-solve on one rank looks for the cause");
    if (!options.output.empty()) std::printf("%s is not written\n", options.output.c_str());
  }
  std::printf("energy %.9e\n", solution.energy);
  for (std::size_t c = 0; c < components.size(); ++c)
    std::printf("component %zu: min %.9e max %.9e\n", c, components[c].least, components[c].most);
}

} // namespace

int report(const SolveOptions& options, const distributed::Communicator& ranks, int components,
           std::int64_t elements, const RankSolution& solution, const Phases& phases) {
  const auto all = extremes_of(ranks, solution.values, components);
  if (ranks.rank() == 0) print(options, ranks.size(), elements, solution, all);
  phases.print();
  return solution.converged ? 0 : 1;
}

void report_parts(const distributed::Communicator& ranks, Ordinal own_elements, Ordinal other_elements,
                  Ordinal own_nodes, Ordinal ghosts) {
  const std::pair<const char*, Ordinal> counts[] = {{"elements", own_elements},
                                                    {"elements of other ranks", other_elements},
                                                    {"nodes", own_nodes},
                                                    {"ghosts", ghosts}};
  if (ranks.rank() == 0) std::printf("a rank has");
  const char* comma = " ";
  for (const auto& [what, mine] : counts) {
    const Extremes all = extremes(ranks.own(), mine);
    if (ranks.rank() == 0) std::printf("%s%.0f to %.0f %s", comma, all.least, all.most, what);
    comma = ", ";
  }
  if (ranks.rank() == 0) std::printf("\n");
}

} // namespace tessera::tools
