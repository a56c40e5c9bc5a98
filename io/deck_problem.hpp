// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A deck for linear statics as a mesh, a function space and a form.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/reduced_elasticity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// What it takes to solve a deck. In the plane all stiffnesses and loads are per unit of the given thickness:
/// Young's modulus, pressures and body forces are multiplied by the elements' thickness, forces on nodes are
/// whole.
/// \tparam Form LinearElasticity, or ReducedElasticity for decks with reduced integration
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<Element::dimension>>
struct DeckProblem {
  Mesh<Element, ExecutionSpace> mesh;
  FunctionSpace<Element, ExecutionSpace> space;
  Form form;
  Numbering node_ids; ///< the deck's numbers of the mesh's nodes
};

namespace detail {

/// Thickness by material number; 1 for solids.
/// \throws UnsupportedError if a material occurs with two thicknesses
std::vector<double> thickness_of(const AbaqusDeck& deck, int dimension);

/// Young's moduli times thickness and Poisson's ratios by material number; number 0 is not used by any
/// element.
struct ElasticConstants {
  std::vector<double> young;
  std::vector<double> poisson;
};
ElasticConstants elastic_constants(const AbaqusDeck& deck, const std::vector<double>& thickness);

/// The values of a mesh's materials out of those by the deck's material numbers.
std::vector<double> of_materials(const std::vector<double>& values, const std::vector<MaterialLabel>& labels);

/// Body force of all gravity loads together, times thickness.
/// \throws UnsupportedError unless it is the same in all elements
std::array<double, 3> body_force(const AbaqusDeck& deck, const std::vector<double>& thickness);

/// Plane stress for CPS elements, plane strain for CPE elements.
/// \throws UnsupportedError for both in one deck
Plane plane_of(const CellBlock& block, const std::string& source);

/// A component of a node with a prescribed displacement, and the line that prescribes it.
using Prescribed = std::map<std::pair<Ordinal, int>, const AbaqusConstraint*>;

/// All of them; a step's take the place of those above it. Rotations are none: solids have no such component.
/// \throws FileError for a line that contradicts another one in the same step, or above it; UnsupportedError
/// for rotations of plane elements' nodes
Prescribed prescribed(const AbaqusDeck& deck, int dimension);

/// Sides under one pressure.
struct SidesUnderPressure {
  double pressure = 0.0; ///< times the thickness of their elements
  std::vector<Side> sides;
};

/// Those of each line of the deck, which add up, by the thickness of their elements.
std::vector<SidesUnderPressure> pressures(const AbaqusDeck& deck, const std::vector<double>& thickness);

/// Pressures on hexahedra with reduced integration: two Gauss points an axis integrate them as three do on
/// sides with straight edges.
/// \throws UnsupportedError for a pressure on an element with an edge that is not
void require_straight_loaded_edges(const AbaqusDeck& deck);

} // namespace detail

/// Makes the problem of a deck's one linear static step on its elements of one type.
/// \throws UnsupportedError, FormError as require_linear_static; UnsupportedError for loads beside these
/// elements,
///         gravity that is not the same in all elements, a material with two thicknesses, plane stress and
///         plane strain together; MeshError as to_mesh; FileError for supports that contradict each other
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<Element::dimension>>
DeckProblem<Element, ExecutionSpace, Form>
deck_problem(const ExecutionSpace& exec, AbaqusDeck deck,
             ConstraintTreatment treatment = ConstraintTreatment::removed) {
  constexpr int dimension = Element::dimension;
  constexpr bool reduced = std::is_same_v<Form, ReducedElasticity<dimension>>;
  require_linear_static(deck, reduced ? Integration::reduced : Integration::full);
  deck = select(std::move(deck), cell_type_of<Element>());
  if constexpr (reduced && dimension == 3) detail::require_straight_loaded_edges(deck);
  const std::vector<double> thickness = detail::thickness_of(deck, dimension);
  const detail::ElasticConstants constants = detail::elastic_constants(deck, thickness);
  const std::array<double, 3> force = detail::body_force(deck, thickness);
  const auto pressures = detail::pressures(deck, thickness);
  const detail::Prescribed supports = detail::prescribed(deck, dimension);

  Form form;
  for (int d = 0; d < dimension; ++d) form.body_force[d] = force[d];
  if constexpr (dimension == 2) form.plane = detail::plane_of(deck.mesh.blocks.front(), deck.mesh.source);

  Numbering node_ids = deck.mesh.node_ids;
  const auto mesh = to_mesh<Element>(exec, std::move(deck.mesh));
  form.young =
      CellField::per_material<ExecutionSpace>(detail::of_materials(constants.young, mesh.material_labels()));
  form.poisson = CellField::per_material<ExecutionSpace>(
      detail::of_materials(constants.poisson, mesh.material_labels()));
  FunctionSpace<Element, ExecutionSpace> space(mesh, dimension, treatment);
  const AbaqusStep& step = deck.steps.front();
  for (const auto& [dof, constraint] : supports) space.constrain(dof.first, dof.second, constraint->value);
  for (const AbaqusNodalLoad& load : step.nodal_loads) {
    if (load.component > dimension)
      throw UnsupportedError(load.place.file + ":" + std::to_string(load.place.line) +
                             ": a force across the plane of the elements");
    for (const Ordinal node : load.nodes) space.add_point_load(node, load.component - 1, load.value);
  }
  using SideSet = typename Mesh<Element, ExecutionSpace>::SideSet;
  for (const detail::SidesUnderPressure& load : pressures) {
    space.add_pressure(
        detail::to_device<SideSet>(
            exec, "Tessera::DeckProblem::sides",
            [&](std::size_t i, std::size_t j) { return j == 0 ? load.sides[i].cell : load.sides[i].side; },
            load.sides.size()),
        load.pressure, Opposed::meant); // decks name the element of each face
  }
  return {mesh, space, form, std::move(node_ids)};
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<Element::dimension>>
DeckProblem<Element, ExecutionSpace, Form>
deck_problem(AbaqusDeck deck, ConstraintTreatment treatment = ConstraintTreatment::removed) {
  return deck_problem<Element, ExecutionSpace, Form>(default_instance<ExecutionSpace>(), std::move(deck),
                                                     treatment);
}

} // namespace tessera::io
