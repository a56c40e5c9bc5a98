// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The problems that the tools run: a mesh from a generator or a file, and a form with its coefficients.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_renumber.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/is_in.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/read_mixed_mesh.hpp>
#include <tessera/solvers/free_motions.hpp>

#include <Kokkos_Core.hpp>

#include "support/options/options.hpp"
#include <compiled_elements.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera::tools {

/// What the command line says of the problem.
struct Problem {
  std::string mesh_file, generate, element, order = "given", form = "helmholtz", coefficients = "random";
  double sigma = 1.0, lambda = 1.0, young = 200e9, poisson = 0.3;
  std::optional<double> source; ///< empty: 1 for scalar forms; no body force in elasticity
  std::string plane;            ///< of plane elements; empty: stress
  double bend = 0;              ///< how far a wave moves the nodes, relative to the mesh's size
  bool allow_partial = false;   ///< as io::ReadOptions
  bool refuse_turned = false;   ///< cells that are numbered the other way round

  /// \param several what --element may name beside one type
  /// \param more_forms what --form may name beside those that every tool knows
  void declare(Options& options, const std::string& several = "",
               const std::vector<std::string>& more_forms = {});

  std::string mesh_name() const;
  /// The source term, or the body force along the last axis.
  double source_term() const { return source.value_or(form == "elasticity" ? 0.0 : 1.0); }
  /// The forms whose source is a body force.
  bool has_body_force() const { return form == "elasticity" || form == "stokes"; }

  /// "source 1", "no body force" and so on.
  std::string source_name() const;

  /// \throws ArgumentError unless exactly one of file and generator is given, and for options that mean
  /// nothing
  ///   with the form or without a file
  void check(const Options& options) const;
};

/// How the tools read a problem's file, with a line for what the reader changes.
io::ReadOptions read_options(const Problem& problem);

/// What a file of a problem holds once collapsed cells are read as what they are, without a word on it:
/// reading it for the problem says so.
io::MeshData contents_of(const Problem& problem, const std::string& file);

/// The type of a mesh's cells of the highest dimension.
/// \throws MeshError for several types, or for lines alone
io::CellType type_of_elements(const io::MeshData& data);

/// The element of a problem that names none: what the file holds, or the one that suits the generated mesh.
/// \throws MeshError for a file with several types of cells, listing them
std::string default_element(const Problem& problem);

/// Calls `visit(std::type_identity<Element>())` for the element of that name, whatever its case, of a list.
/// \throws ArgumentError listing the elements there are
/// \throws UnsupportedError if the build leaves the element out
template <class List = Elements, class Visit>
void with_element(const std::string& name, const Visit& visit) {
  bool found = false;
  std::string known;
  std::apply(
      [&](auto... element) {
        const auto try_element = [&]<class Element>(std::type_identity<Element>) {
          known += (known.empty() ? "" : ", ") + std::string(Element::name);
          if (!same_name(name, Element::name)) return;
          found = true;
          if constexpr (is_in<Element, CompiledElements>)
            visit(std::type_identity<Element>());
          else
            throw UnsupportedError("this build leaves out the element '" + name +
                                   "': CMake's TESSERA_ELEMENTS names others");
        };
        (try_element(std::type_identity<decltype(element)>()), ...);
      },
      List());
  if (!found) throw ArgumentError("unknown element '" + name + "'; there are " + known);
}

/// What files with several element types are read as.
using MixedElements = std::tuple<Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>,
                                 Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>, Blocks<Hex<2>, Wedge<2>, Tet<2>>,
                                 Blocks<Quad<1>, Tri<1>>, Blocks<Quad8, Tri<2>>, Blocks<Quad<2>, Tri<2>>>;

/// "hex1+wedge1+pyramid1+tet1"
template <class... Elements>
std::string name_of(Blocks<Elements...>) {
  std::string name;
  ((name += (name.empty() ? "" : "+") + std::string(Elements::name)), ...);
  return name;
}
/// The names of MixedElements, for help texts.
std::string mixed_names();

/// The types of a file's cells of the highest dimension.
std::set<io::CellType> types_of_cells(const io::MeshData& data);
/// The name of that of MixedElements which has all of some types, or nothing.
std::string mixed_name_of(const std::set<io::CellType>& types);

/// The elements of a problem that names none: as `default_element`, and one of MixedElements for a file with
/// several of its types. \throws MeshError for other types of cells, listing them
std::string default_elements(const Problem& problem);

/// Calls `visit(std::type_identity<List>())` for that of MixedElements with the name, whatever its case.
/// \return whether it is the name of one
/// \throws UnsupportedError if the build leaves an element out
template <class Visit>
bool with_mixed_elements(const std::string& name, const Visit& visit) {
  bool found = false;
  const auto try_list = [&]<class... Of>(Blocks<Of...> list) {
    if (!same_name(name, name_of(list))) return;
    found = true;
    if constexpr ((is_in<Of, CompiledElements> && ...))
      visit(std::type_identity<Blocks<Of...>>());
    else
      throw UnsupportedError("this build leaves out elements of '" + name +
                             "': CMake's TESSERA_ELEMENTS names others");
  };
  std::apply([&](auto... list) { (try_list(list), ...); }, MixedElements());
  return found;
}

/// The mesh of a problem with several element types.
/// \throws ArgumentError for options that such meshes do not take; as io::read_mixed_mesh
template <class List, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> make_mixed_mesh(const ExecutionSpace& exec, const Problem& problem) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw ArgumentError(std::string(option) + " is for meshes of one element type");
  };
  refuse(!problem.generate.empty(), "--generate");
  refuse(problem.order == "shuffled", "--order shuffled");
  refuse(problem.bend != 0, "--bend");
  const auto mesh = io::read_mixed_mesh<List>(exec, problem.mesh_file, read_options(problem));
  return problem.order == "hilbert" ? hilbert_renumbered(exec, mesh) : mesh;
}

/// Calls `visit(std::type_identity<Cells>())` for the element of that name, or that of MixedElements.
/// \throws as `with_element`
template <class Visit>
void with_cells(const std::string& name, const Visit& visit) {
  if (!with_mixed_elements(name, visit)) with_element(name, visit);
}

/// The mesh of a problem on an execution space. Compiled once for all tools, with every one of
/// CompiledElements and ExecutionSpaces.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> make_mesh(const ExecutionSpace& exec, const Problem& problem);

/// The mesh of a problem with one element type or, as one of MixedElements, several.
template <class Cells, class ExecutionSpace>
auto mesh_of_cells(const ExecutionSpace& exec, const Problem& problem) {
  if constexpr (is_in<Cells, MixedElements>)
    return make_mixed_mesh<Cells>(exec, problem);
  else
    return make_mesh<Cells>(exec, problem);
}

/// That a problem's coefficients are the same everywhere if its mesh is of several element types.
/// \throws ArgumentError
template <class Cells>
void check_coefficients(const Problem& problem) {
  if (is_in<Cells, MixedElements> && problem.coefficients != "constant")
    throw ArgumentError("--coefficients random is for meshes of one element type");
}

/// As in mesh_order.hpp, compiled as `make_mesh`.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> in_order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                                       const std::string& order);

/// The elements of a mesh: all of them, or by ascending numbers some of those of a larger mesh.
struct ElementNumbers {
  Ordinal count;
  std::span<const std::int64_t> numbers{}; ///< empty: 0, 1, ...

  ElementNumbers(Ordinal all) : count(all) {}
  ElementNumbers(std::span<const std::int64_t> some)
      : count(static_cast<Ordinal>(some.size())), numbers(some) {}
};

/// `value` everywhere, or per element within 10 % of it; the same numbers for every backend and on every
/// rank.
template <class ExecutionSpace>
CellField coefficient(const Problem& problem, double value, const ElementNumbers& elements) {
  if (problem.coefficients == "constant") return value;
  Kokkos::View<double*, Kokkos::HostSpace> host("Tessera::tools::coefficient", elements.count);
  std::uint64_t state = 88172645463325252ull; // xorshift (Marsaglia 2003)
  std::int64_t number = 0;
  for (Ordinal e = 0; e < elements.count; ++e) {
    const std::int64_t own = elements.numbers.empty() ? e : elements.numbers[to_size(e)];
    for (; number <= own; ++number) state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    host(e) = value * (0.9 + 0.2 * static_cast<double>(state >> 11) / 9007199254740992.0);
  }
  Kokkos::View<double*, ExecutionSpace> device("Tessera::tools::coefficient", elements.count);
  Kokkos::deep_copy(device, host);
  return CellField::per_element(device);
}

template <class ExecutionSpace>
Helmholtz<> make_helmholtz(const Problem& problem, const ElementNumbers& elements) {
  return {.sigma = coefficient<ExecutionSpace>(problem, problem.sigma, elements),
          .lambda = problem.form == "heat" ? 0.0 : problem.lambda,
          .source = problem.source_term()};
}

template <class ExecutionSpace, int Dimension>
LinearElasticity<Dimension> make_elasticity(const Problem& problem, const ElementNumbers& elements) {
  if (Dimension == 3 && !problem.plane.empty()) throw ArgumentError("--plane has no meaning for solids");
  LinearElasticity<Dimension> form{.young = coefficient<ExecutionSpace>(problem, problem.young, elements),
                                   .poisson = problem.poisson};
  form.body_force[Dimension - 1] = problem.source_term();
  form.plane = problem.plane == "strain" ? Plane::strain : Plane::stress;
  return form;
}

/// Calls `visit(form, unseen)` with a problem's form and the fields that it does not see, where it sees not
/// all. \tparam Cells an element type or `Blocks` of several
template <class Cells, class ExecutionSpace, class Visit>
auto with_form(const Problem& problem, const ElementNumbers& elements, const Visit& visit) {
  using solvers::Unseen;
  if (problem.form == "elasticity")
    return visit(make_elasticity<ExecutionSpace, Cells::dimension>(problem, elements),
                 std::optional(Unseen::rigid_motions));
  const bool reacts = problem.form == "helmholtz" && problem.lambda != 0;
  return visit(make_helmholtz<ExecutionSpace>(problem, elements),
               reacts ? std::nullopt : std::optional(Unseen::constants));
}

/// Bytes per element that per-element coefficients add to the input.
inline double coefficient_bytes(const Problem& problem) {
  return problem.coefficients == "random" ? sizeof(double) : 0;
}

} // namespace tessera::tools
