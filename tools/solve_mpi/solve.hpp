// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From rank 0's mesh to a solution over all ranks.

#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/divide_mesh.hpp>
#include <tessera/distributed/free_parts.hpp>
#include <tessera/distributed/read_mesh.hpp>
#include <tessera/solvers/free_motions.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "solve_mpi/iterate.hpp"
#include "support/conditions.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/distributed/write_vtu.hpp>
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
/// Collective: that there are as many files as ranks. \throws ArgumentError on every rank
void check_parts(const Problem& problem, const distributed::Communicator& ranks);

/// Of rank 0's mesh: that the conditions can be met, and that they hold everything.
/// \throws as apply_conditions; SolverError for what nothing holds
template <class Element>
void check_conditions(const SolveOptions& options, const distributed::WholeMesh<Element>& whole,
                      int components, std::optional<solvers::Unseen> unseen) {
  FunctionSpace<Element, Kokkos::DefaultHostExecutionSpace> space(whole, components, treatment_of(options));
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
template <class Element>
void check_supports(const distributed::Mesh<Element, Space>& mesh, const FunctionSpace<Element, Space>& space,
                    solvers::Unseen unseen) {
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

/// Solves a form on the ranks' mesh.
/// \param unseen by the form's energy, where supports are still to be checked
template <class Element, class Form>
RankSolution solve_form(const SolveOptions& options, const Form& form,
                        const distributed::Mesh<Element, Space>& mesh, std::optional<solvers::Unseen> unseen,
                        Phases& phases) {
  phases.begin("conditions");
  FunctionSpace<Element, Space> space(mesh.local(), Form::components, treatment_of(options));
  distributed::agree(mesh.ranks(), [&] { apply_conditions(options, space); });
  if (unseen) check_supports(mesh, space, *unseen);
  const auto assemble = [&](const LinearSystem<double, Space>& system) {
    phases.begin("plan", "plan and assembly by " + options.strategy);
    const auto plan = make_assembly(options.strategy, space, system.graph());
    plan->prepare(form, double());
    phases.begin("assembly");
    plan->assemble(form, system);
    phases.end();
  };
  return solve_on_ranks(options, mesh, space, assemble, phases);
}

#ifdef TESSERA_HAVE_VTK
/// Writes the solution by ranks.
template <class Element>
void write_solution(const SolveOptions& options, const distributed::Mesh<Element, Space>& mesh,
                    int components, const RankSolution& solution, Phases& phases) {
  if (options.output.empty() || !solution.converged) return;
  phases.begin("output", "writing " + options.output);
  distributed::write_vtu(options.output, mesh,
                         {{components == 1 ? "temperature" : "displacement", solution.values}});
  phases.end();
}

/// Draws the parts of rank 0's mesh.
template <class Element>
void draw_parts(const SolveOptions& options, const distributed::WholeMesh<Element>& whole,
                const std::vector<Ordinal>& rank_of, int ranks) {
  io::draw_numbers(options.picture, whole, "ranks", rank_of,
                   {.title = options.problem.mesh_name() + " on " + std::to_string(ranks) + " ranks",
                    .back = options.back});
}
#endif

/// The mesh of rank 0, divided among all, after its conditions have been checked.
template <class Element>
distributed::Mesh<Element, Space> divided_mesh(const SolveOptions& options,
                                               const distributed::Communicator& ranks, Phases& phases) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto whole =
      distributed::on_rank_0<Element>(ranks, [&] { return make_mesh<Element>(Host(), options.problem); });
  distributed::agree(ranks, [&] {
    if (ranks.rank() != 0) return;
    with_form<Element, Host>(options.problem, 0, [&](const auto& form, const auto& unseen) {
      check_conditions<Element>(options, whole, std::decay_t<decltype(form)>::components, unseen);
    });
  });
  phases.begin("division", "division among " + std::to_string(ranks.size()) + " ranks");
  const auto rank_of =
      distributed::agree(ranks, [&] { return distributed::divide_elements(whole, ranks.size()); });
  const auto mesh = distributed::divide_mesh<Element>(Space(), ranks, whole, rank_of);
#ifdef TESSERA_HAVE_VTK
  if (!options.picture.empty()) {
    phases.begin("picture", "drawing " + options.picture);
    distributed::agree(ranks, [&] {
      if (ranks.rank() == 0) draw_parts<Element>(options, whole, rank_of, ranks.size());
    });
  }
#endif
  return mesh;
}

/// Solves a problem with one element. Collective.
/// \returns the exit status
template <class Element>
int solve_problem(const SolveOptions& options, const distributed::Communicator& ranks) {
  options.check_dimension(Element::dimension);
  Phases phases(ranks);
  phases.begin("mesh");
  const Problem& problem = options.problem;
  const auto mesh = has_parts(problem) ? distributed::read_parts<Element>(Space(), ranks.application(),
                                                                          part_file(problem, ranks.rank()),
                                                                          read_options(problem))
                                       : divided_mesh<Element>(options, ranks, phases);
  report_parts(ranks, mesh.owned_elements(), mesh.local().num_elements() - mesh.owned_elements(),
               mesh.owned_nodes(), mesh.ghost_nodes());
  const auto& numbers = mesh.global_elements();
  return with_form<Element, Space>(
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
