// SPDX-License-Identifier: BSD-3-Clause
#include "deck.hpp"

#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/calculix_output.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/io/deck_stresses.hpp>

#include "support/progress.hpp"
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>

namespace tessera::tools {

namespace {

/// What the elements of a deck are read as: those of one order, which share their sides.
using DeckElements = std::tuple<Blocks<Tri<1>, Quad<1>>, Blocks<Tri<2>, Quad8>,
                                Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>, Blocks<Hex20, Wedge15, Tet<2>>>;

/// Those that the build has.
template <class Kept, class... Elements>
struct CompiledOf {
  using type = Kept;
};
template <class... Kept, class First, class... Others>
struct CompiledOf<std::tuple<Kept...>, First, Others...>
    : std::conditional_t<is_in<First, CompiledElements>, CompiledOf<std::tuple<Kept..., First>, Others...>,
                         CompiledOf<std::tuple<Kept...>, Others...>> {};

/// What CalculiX recorded of a deck: displacements, or where there are none what follows of them.
struct Reference {
  io::NodalDisplacements displacements;
  std::vector<io::CalculixQuantity> quantities;
};

/// A solved deck.
struct DeckSolution {
  Solution solution;
  io::NodalDisplacements displacements;
  std::vector<io::CalculixQuantity> quantities; ///< those of the reference
  Reference reference;
};

/// \throws FileError for a reference with nothing of the deck's last step
Reference read_reference(const std::string& path, const io::AbaqusDeck& deck) {
  io::NodalAxes axes;
  for (const auto& [node, own] : deck.axes) axes[deck.mesh.node_ids.id(node)] = own;
  const std::size_t steps = deck.steps.size();
  Reference reference;
  if (!io::has_calculix_displacements(path, axes, steps))
    reference.quantities = io::read_calculix_quantities(path, axes, steps);
  if (reference.quantities.empty())
    reference.displacements = io::read_calculix_displacements(path, deck.mesh, axes, steps);
  return reference;
}

/// The quantities of a solution that a reference has instead of displacements.
template <class List, class ExecutionSpace, class Form>
std::vector<io::CalculixQuantity> quantities_of(const Reference& reference, io::AbaqusDeck deck,
                                                const Kokkos::View<double*, Kokkos::HostSpace>& values) {
  std::vector<io::CalculixQuantity> quantities;
  if (reference.quantities.empty()) return quantities;
  if constexpr (io::detail::DeckCells<List, ExecutionSpace, Form>::dimension == 3) {
    const auto stresses = io::deck_stresses<List, ExecutionSpace, Form>(std::move(deck), values);
    for (const io::CalculixQuantity& recorded : reference.quantities)
      quantities.push_back(io::calculix_quantity(recorded.kind, stresses));
    return quantities;
  } else {
    throw UnsupportedError(deck.mesh.source + ": --reference: the file has no displacements, and " +
                           io::name_of(reference.quantities.front().kind) + " of solids alone are compared");
  }
}

template <class List, class ExecutionSpace, class Form>
DeckSolution solve_deck(const SolveOptions& options, io::AbaqusDeck deck, const StageProgress& progress) {
  const Kokkos::Timer timer;
  io::AbaqusDeck kept = options.reference.empty() ? io::AbaqusDeck() : deck;
  const auto problem = io::deck_problem<List, ExecutionSpace, Form>(std::move(deck), treatment_of(options));
  DeckSolution result;
  if (!options.reference.empty()) // before any work, to find out what is wrong with it
    result.reference = read_reference(options.reference, kept);
  result.solution.stages.emplace_back("problem", timer.seconds());
  result.solution =
      solve_space(options, problem.form, problem.space, solvers::Unseen::rigid_motions,
                  std::move(result.solution), progress, {problem.constraints, problem.loads_beyond});
  constexpr int dimension = decltype(problem.mesh)::dimension;
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
  result.quantities =
      quantities_of<List, ExecutionSpace, Form>(result.reference, std::move(kept), result.solution.values);
  return result;
}

/// Solves a deck by the form of its materials, with full integration or the reduced one that it asks for.
template <class ExecutionSpace, class First, class... Others>
DeckSolution solve_as_integrated(Blocks<First, Others...>, const SolveOptions& options, io::AbaqusDeck deck,
                                 const StageProgress& progress) {
  const auto solve_by = [&]<class Form>(std::type_identity<Form>) {
    const auto with = [&]<class Integrated>(std::type_identity<Integrated>) {
      return solve_deck<Blocks<First, Others...>, ExecutionSpace, Integrated>(options, std::move(deck),
                                                                              progress);
    };
    if constexpr ((std::is_same_v<First, Quad8> || ... || std::is_same_v<Others, Quad8>) ||
                  (std::is_same_v<First, Hex20> || ... || std::is_same_v<Others, Hex20>))
      if (io::integration_of(deck) == io::Integration::reduced)
        return with(std::type_identity<Reduced<Form>>());
    return with(std::type_identity<Form>());
  };
  if constexpr (First::dimension == 3)
    if (io::is_tabulated(deck)) return solve_by(std::type_identity<TabulatedElasticity<ExecutionSpace>>());
  return solve_by(std::type_identity<LinearElasticity<First::dimension>>());
}

/// Solves a deck on a backend. \throws UnsupportedError if the build leaves all the elements out
template <class... Elements>
DeckSolution solve_on_backend(std::tuple<Elements...>, const SolveOptions& options,
                              const std::string& backend, io::AbaqusDeck deck,
                              const StageProgress& progress) {
  DeckSolution result;
  const auto on = [&]<class ExecutionSpace>(ExecutionSpace) {
    if constexpr (sizeof...(Elements) > 0)
      if (backend_name<ExecutionSpace>() == backend)
        result =
            solve_as_integrated<ExecutionSpace>(Blocks<Elements...>(), options, std::move(deck), progress);
  };
  std::apply([&](auto... space) { (on(space), ...); }, ExecutionSpaces());
  return result;
}

/// \throws UnsupportedError if a deck has an element that the build leaves out
template <class Element>
void require_compiled(const std::set<io::CellType>& types) {
  if (!is_in<Element, CompiledElements> && types.contains(io::cell_type_of<Element>()))
    throw UnsupportedError(std::string("this build leaves out the element '") + Element::name +
                           "': CMake's TESSERA_ELEMENTS names others");
}

/// The types of a deck's elements.
std::set<io::CellType> types_of_elements(const io::MeshData& mesh) {
  std::set<io::CellType> types;
  for (const io::CellBlock& block : mesh.blocks)
    if (block.cells() > 0 && block.type.dimension() == mesh.dimension()) types.insert(block.type);
  if (types.size() < 2) return {type_of_elements(mesh)};
  return types;
}

/// \throws MeshError for elements that do not share their sides
DeckSolution solve_read_deck(const std::set<io::CellType>& types, const SolveOptions& options,
                             const std::string& backend, io::AbaqusDeck deck, const StageProgress& progress) {
  std::optional<DeckSolution> result;
  const auto try_list = [&]<class... Of>(Blocks<Of...>) {
    const std::set<io::CellType> of_list{io::cell_type_of<Of>()...};
    if (!std::includes(of_list.begin(), of_list.end(), types.begin(), types.end())) return;
    (require_compiled<Of>(types), ...);
    result = solve_on_backend(typename CompiledOf<std::tuple<>, Of...>::type(), options, backend,
                              std::move(deck), progress);
  };
  std::apply([&](auto... list) { (try_list(list), ...); }, DeckElements());
  if (!result)
    throw MeshError(deck.mesh.source + ": has " + deck.mesh.contents() +
                    ", which do not share their sides; one mesh has elements of one order");
  return std::move(*result);
}

/// "31 C3D10 as tet2": what the deck calls its elements, and what they are taken for.
std::string elements_of(const io::MeshData& mesh) {
  std::string list;
  for (const io::CellBlock& block : mesh.blocks) {
    if (block.type.dimension() < mesh.dimension()) continue;
    std::string names;
    for (const auto& [name, cells] : block.formulations)
      names += (names.empty() ? "" : " and ") + std::to_string(io::size(cells)) + " " + name;
    if (!names.empty()) list += (list.empty() ? "" : ", ") + names + " as " + block.type.name();
  }
  return list;
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

/// The same of another quantity.
bool agrees(const io::CalculixQuantity& found, const io::CalculixQuantity& recorded,
            const SolveOptions& options) {
  const std::string name = io::name_of(recorded.kind);
  const auto difference = io::compare(found, recorded);
  if (difference.compared == 0)
    throw ArgumentError("--reference: " + options.reference + " has " + name + " of nothing in the deck");
  const bool agree = difference.digits() >= options.digits;
  std::printf("reference: %s at %zu of %zu places, largest %.6e, largest difference %.3e at %s, %.1f digits, "
              "%s the %.1f asked for\n",
              name.c_str(), difference.compared, recorded.values.size(), difference.largest,
              difference.difference, difference.worst.c_str(), difference.digits(),
              agree ? "at least" : "NOT", options.digits);
  return agree;
}

/// All that the reference has.
bool agrees(const DeckSolution& result, const SolveOptions& options) {
  if (!result.reference.displacements.empty())
    return agrees(result.displacements, result.reference.displacements, options);
  bool all = true;
  for (std::size_t i = 0; i < result.quantities.size(); ++i)
    all &= agrees(result.quantities[i], result.reference.quantities[i], options);
  return all;
}

} // namespace

int run_deck(const SolveOptions& options, const std::string& backend, const StageProgress& progress) {
  progress("deck");
  io::AbaqusDeck deck = io::read_abaqus_deck(options.deck, {progress_line(options.deck)});
  if (options.steps > 0) deck = io::first_steps(std::move(deck), static_cast<std::size_t>(options.steps));
  const std::string title = options.deck + ", " + elements_of(deck.mesh);
  const std::set<io::CellType> types = types_of_elements(deck.mesh);
  // Says what is wrong with elements that no deck is solved with.
  io::require_linear_static(deck, io::integration_of(deck));
  const DeckSolution result = solve_read_deck(types, options, backend, std::move(deck), progress);
  print(options, title, result.solution);
  if (!result.solution.iteration.converged()) return 1;
  if (!options.displacements.empty())
    io::write_calculix_displacements(options.displacements, result.displacements);
  if (!options.reference.empty() && !agrees(result, options)) return 1;
  return exit_status(result.solution);
}

} // namespace tessera::tools
