// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From rank 0's mesh to a solution over all ranks.

#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/divide_mesh.hpp>
#include <tessera/distributed/mesh/free_parts.hpp>
#include <tessera/distributed/mesh/read_mesh.hpp>
#include <tessera/solvers/free_motions.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/detail/named_plan.hpp>

#include "solve_mpi/iterate.hpp"
#include "support/problem/conditions.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/distributed/mesh/write_vtu.hpp>
#include <tessera/io/vtk/picture.hpp>
#endif
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::tools {

/// Prints what was solved, and the extremes of each component over all ranks. Collective.
/// \returns the exit status: 0 for a solution, else 1
int report(const SolveOptions& options, const distributed::Communicator& ranks, int components,
           std::int64_t elements, const RankSolution& solution, const Phases& phases);

/// Collective: prints what parts ranks have, least and most.
void report_parts(const distributed::Communicator& ranks, Ordinal own_elements, Ordinal other_elements,
                  Ordinal own_nodes, Ordinal ghosts);

/// Whether the mesh lies in a file for each rank: '%' in its name stands for 1, 2, ...
bool has_parts(const Problem& problem);
/// A rank's file.
std::string part_file(const Problem& problem, int rank);
/// Collective: the elements of a problem that names none, by the file of rank 0 or the files of all ranks.
/// \throws MeshError on every rank for cells of other types
std::string elements_on_ranks(const Problem& problem, const distributed::Communicator& ranks);
/// Collective: that there are as many files as ranks. \throws ArgumentError on every rank
void check_parts(const Problem& problem, const distributed::Communicator& ranks);

/// Of rank 0's mesh: that the conditions can be met, and that they hold everything.
/// \throws as apply_conditions; SolverError for what nothing holds
template <class Cells>
void check_conditions(const SolveOptions& options, const distributed::WholeMesh<Cells>& whole, int components,
                      std::optional<solvers::Unseen> unseen) {
  distributed::SpaceOn<Cells, Kokkos::DefaultHostExecutionSpace> space(whole, components,
                                                                       treatment_of(options));
  apply_conditions(options, space);
  if (!unseen) return;
  const auto free = solvers::free_motions(space, *unseen);
  if (!free.none())
    throw SolverError("the problem has no unique solution, as nothing holds " +
                      free.description([&](Ordinal e) { return whole.element_name(e); }) +
                      ". Hold it by supports");
}

/// Of a mesh that no rank has whole: that the conditions hold everything.
/// \throws SolverError on every rank for what nothing holds
template <class Cells>
void check_supports(const distributed::Mesh<Cells, Space>& mesh,
                    const distributed::SpaceOn<Cells, Space>& space, solvers::Unseen unseen) {
  const auto free = distributed::free_parts(Space(), mesh, space, unseen);
  if (free.empty()) return;
  const auto& part = free.front();
  throw SolverError("the problem has no unique solution, as nothing holds " +
                    (free.size() == 1 ? "" : std::to_string(free.size()) + " parts, the first ") +
                    "the part of " + std::to_string(part.elements) + " elements with element " +
                    std::to_string(part.first_element) + ": " + std::to_string(part.motions) +
                    (unseen == solvers::Unseen::constants ? " constants" : " rigid motions") +
                    " are free. Hold it by supports");
}

/// A plan of the strategy with that name, on one element type or several.
template <class Element>
auto planned(const std::string& strategy, const FunctionSpace<Element, Space>& space,
             const SparsityGraph<Space>& graph) {
  return catalogue::detail::NamedPlan<Element, Space>(make_assembly(strategy, space, graph));
}
template <class List>
auto planned(const std::string& strategy, const MixedSpace<List, Space>& space,
             const SparsityGraph<Space>& graph) {
  return make_assembly(strategy, space, graph);
}

/// Solves a form on the ranks' mesh.
/// \param unseen by the form's energy, where supports are still to be checked
template <class Cells, class Form>
RankSolution solve_form(const SolveOptions& options, const Form& form,
                        const distributed::Mesh<Cells, Space>& mesh, std::optional<solvers::Unseen> unseen,
                        Phases& phases) {
  phases.begin("conditions");
  distributed::SpaceOn<Cells, Space> space(mesh.local(), Form::components, treatment_of(options));
  distributed::agree(mesh.ranks(), [&] { apply_conditions(options, space); });
  if (unseen) check_supports(mesh, space, *unseen);
  const auto assemble = [&](const LinearSystem<double, Space>& system) {
    phases.begin("plan", "plan and assembly by " + options.strategy);
    auto plan = planned(options.strategy, space, system.graph());
    plan.template prepare<double>(form, {});
    phases.begin("assembly");
    plan.assemble(form, system, {});
    phases.end();
  };
  return solve_on_ranks(options, mesh, space, assemble, phases);
}

#ifdef TESSERA_HAVE_VTK
/// Writes the solution by ranks.
template <class Cells>
void write_solution(const SolveOptions& options, const distributed::Mesh<Cells, Space>& mesh, int components,
                    const RankSolution& solution, Phases& phases) {
  if (options.output.empty() || !solution.converged) return;
  phases.begin("output", "writing " + options.output);
  distributed::write_vtu(options.output, mesh,
                         {{components == 1 ? "temperature" : "displacement", solution.values}});
  phases.end();
}

/// Draws the parts of rank 0's mesh.
template <class Cells>
void draw_parts(const SolveOptions& options, const distributed::WholeMesh<Cells>& whole,
                const std::vector<Ordinal>& rank_of, int ranks) {
  io::draw_numbers(options.picture, whole, "ranks", rank_of,
                   {.title = options.problem.mesh_name() + " on " + std::to_string(ranks) + " ranks",
                    .back = options.back});
}
#endif

/// The mesh of rank 0, divided among all, after its conditions have been checked.
template <class Cells>
distributed::Mesh<Cells, Space> divided_mesh(const SolveOptions& options,
                                             const distributed::Communicator& ranks, Phases& phases) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto whole =
      distributed::on_rank_0<Cells>(ranks, [&] { return mesh_of_cells<Cells>(Host(), options.problem); });
  distributed::agree(ranks, [&] {
    if (ranks.rank() != 0) return;
    with_form<Cells, Host>(options.problem, 0, [&](const auto& form, const auto& unseen) {
      check_conditions<Cells>(options, whole, std::decay_t<decltype(form)>::components, unseen);
    });
  });
  phases.begin("division", "division among " + std::to_string(ranks.size()) + " ranks");
  const auto rank_of =
      distributed::agree(ranks, [&] { return distributed::divide_elements(whole, ranks.size()); });
  const auto mesh = distributed::divide_mesh<Cells>(Space(), ranks, whole, rank_of);
#ifdef TESSERA_HAVE_VTK
  if (!options.picture.empty()) {
    phases.begin("picture", "drawing " + options.picture);
    distributed::agree(ranks, [&] {
      if (ranks.rank() == 0) draw_parts<Cells>(options, whole, rank_of, ranks.size());
    });
  }
#endif
  return mesh;
}

/// Solves a problem with one element type or several. Collective.
/// \returns the exit status
template <class Cells>
int solve_problem(const SolveOptions& options, const distributed::Communicator& ranks) {
  options.check_dimension(Cells::dimension);
  check_coefficients<Cells>(options.problem);
  Phases phases(ranks);
  phases.begin("mesh");
  const Problem& problem = options.problem;
  const auto mesh = has_parts(problem) ? distributed::read_parts<Cells>(Space(), ranks.application(),
                                                                        part_file(problem, ranks.rank()),
                                                                        read_options(problem))
                                       : divided_mesh<Cells>(options, ranks, phases);
  report_parts(ranks, mesh.owned_elements(),
               static_cast<Ordinal>(mesh.local().num_elements()) - mesh.owned_elements(), mesh.owned_nodes(),
               mesh.ghost_nodes());
  const auto& numbers = mesh.global_elements();
  return with_form<Cells, Space>(
      problem, std::span<const std::int64_t>(numbers.data(), numbers.extent(0)),
      [&](const auto& form, const auto& unseen) {
        constexpr int components = std::decay_t<decltype(form)>::components;
        const auto unchecked =
            has_parts(problem) ? unseen : std::nullopt; // rank 0 has checked its whole mesh
        const RankSolution solution = solve_form(options, form, mesh, unchecked, phases);
#ifdef TESSERA_HAVE_VTK
        write_solution(options, mesh, components, solution, phases);
#endif
        return report(options, ranks, components, mesh.num_global_elements(), solution, phases);
      });
}

} // namespace tessera::tools
