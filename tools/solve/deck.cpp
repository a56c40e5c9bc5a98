// SPDX-License-Identifier: BSD-3-Clause
#include "deck.hpp"

#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/deck_problem.hpp>

#include "support/progress.hpp"
#include <cstdio>
#include <map>
#include <tuple>
#include <type_traits>

namespace tessera::tools {

namespace {

/// What the elements of a deck are read as.
using DeckElements = std::tuple<Tri<1>, Tri<2>, Quad<1>, Quad8, Tet<1>, Tet<2>, Hex<1>, Hex20>;

/// A solved deck.
struct DeckSolution {
  Solution solution;
  io::NodalDisplacements displacements, reference;
};

template <class Element, class ExecutionSpace, class Form>
DeckSolution solve_deck(const SolveOptions& options, io::AbaqusDeck deck, const StageProgress& progress) {
  const Kokkos::Timer timer;
  const io::MeshData mesh = options.reference.empty() ? io::MeshData() : deck.mesh;
  const std::size_t steps = deck.steps.size();
  io::NodalAxes axes;
  for (const auto& [node, own] : deck.axes) axes[deck.mesh.node_ids.id(node)] = own;
  const auto problem =
      io::deck_problem<Element, ExecutionSpace, Form>(std::move(deck), treatment_of(options));
  DeckSolution result;
  if (!options.reference.empty()) // before any work, to find out what is wrong with it
    result.reference = io::read_calculix_displacements(options.reference, mesh, axes, steps);
  result.solution.stages.emplace_back("problem", timer.seconds());
  result.solution =
      solve_space(options, problem.form, problem.space, solvers::Unseen::rigid_motions,
                  std::move(result.solution), progress, {problem.constraints, problem.loads_beyond});
  constexpr int dimension = Element::dimension;
  for (Ordinal node = 0; node < problem.mesh.num_nodes(); ++node) {
    auto& u = result.displacements[problem.node_ids.id(node)];
    for (int d = 0; d < dimension; ++d) u[d] = result.solution.values(dimension * node + d);
  }
  std::map<Ordinal, double> beyond = result.solution.beyond;
  beyond.insert(problem.prescribed_beyond.begin(), problem.prescribed_beyond.end());
  for (const auto& [dof, value] : beyond) {
    const auto [node, component] = problem.beyond(dof);
    if (component < 3) result.displacements[node][static_cast<std::size_t>(component)] = value;
  }
  return result;
}

/// Solves a deck by the form of its materials, with full integration or the reduced one that it asks for.
template <class Element, class ExecutionSpace>
DeckSolution solve_as_integrated(const SolveOptions& options, io::AbaqusDeck deck,
                                 const StageProgress& progress) {
  constexpr int dimension = Element::dimension;
  const auto with = [&]<class Form>(std::type_identity<Form>) {
    return solve_deck<Element, ExecutionSpace, Form>(options, std::move(deck), progress);
  };
  const bool reduced = io::integration_of(deck) == io::Integration::reduced;
  if constexpr (dimension == 3) {
    if constexpr (std::is_same_v<Element, Hex20>)
      if (io::is_anisotropic(deck) && reduced)
        return with(std::type_identity<ReducedAnisotropicElasticity>());
    if (io::is_anisotropic(deck)) return with(std::type_identity<AnisotropicElasticity>());
  }
  if constexpr (std::is_same_v<Element, Quad8> || std::is_same_v<Element, Hex20>)
    if (reduced) return with(std::type_identity<ReducedElasticity<dimension>>());
  return with(std::type_identity<LinearElasticity<dimension>>());
}

/// "31 C3D10 as tet2": what the deck calls its elements, and what they are taken for.
std::string elements_of(const io::CellBlock& block) {
  std::string list;
  for (const auto& [name, cells] : block.formulations)
    list += (list.empty() ? "" : " and ") + std::to_string(io::size(cells)) + " " + name;
  return list + " as " + block.type.name();
}

/// Prints how far the displacements are from the reference; false if they agree to fewer digits than asked
/// for.
bool agrees(const io::NodalDisplacements& found, const io::NodalDisplacements& reference,
            const SolveOptions& options) {
  const auto difference = io::compare(found, reference);
  if (difference.nodes == 0)
    throw ArgumentError("--reference: " + options.reference + " has none of the deck's nodes");
  const bool agree = difference.digits() >= options.digits;
  std::printf("reference: %zu of %zu nodes, largest displacement %.6e, largest difference %.3e at node %lld, "
              "%.1f digits, %s the %.1f asked for\n",
              difference.nodes, reference.size(), difference.largest, difference.difference,
              static_cast<long long>(difference.worst), difference.digits(), agree ? "at least" : "NOT",
              options.digits);
  return agree;
}

} // namespace

int run_deck(const SolveOptions& options, const std::string& backend, const StageProgress& progress) {
  progress("deck");
  io::AbaqusDeck deck = io::read_abaqus_deck(options.deck, {progress_line(options.deck)});
  if (options.steps > 0) deck = io::first_steps(std::move(deck), static_cast<std::size_t>(options.steps));
  const io::CellType type = type_of_elements(deck.mesh);
  const std::string title = options.deck + ", " + elements_of(*deck.mesh.find(type));
  // Says what is wrong with elements that no deck is solved with.
  io::require_linear_static(deck, io::integration_of(deck));
  DeckSolution result;
  with_element<DeckElements>(type.name(), [&]<class Element>(std::type_identity<Element>) {
    std::apply(
        [&](auto... space) {
          const auto on_backend = [&]<class ExecutionSpace>(ExecutionSpace) {
            if (backend_name<ExecutionSpace>() == backend)
              result = solve_as_integrated<Element, ExecutionSpace>(options, std::move(deck), progress);
          };
          (on_backend(space), ...);
        },
        ExecutionSpaces());
  });
  print(options, title, result.solution);
  if (!result.solution.iteration.converged()) return 1;
  if (!options.displacements.empty())
    io::write_calculix_displacements(options.displacements, result.displacements);
  if (!options.reference.empty() && !agrees(result.displacements, result.reference, options)) return 1;
  return exit_status(result.solution);
}

} // namespace tessera::tools
