// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A deck for linear statics as a mesh, a function space and a form.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/reduced_elasticity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/space/linear_constraints.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/detail/deck_loads.hpp>
#include <tessera/io/detail/deck_materials.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

namespace detail {

/// Displacements and rotations of a node that no element has.
inline constexpr int components_beyond = 6;

} // namespace detail

/// What it takes to solve a deck. In the plane all stiffnesses and loads are per unit of the given thickness:
/// Young's modulus, pressures and body forces are multiplied by the elements' thickness, forces on nodes are
/// whole.
/// \tparam Form LinearElasticity, or ReducedElasticity for decks with reduced integration; where
///   `is_anisotropic`, AnisotropicElasticity or ReducedAnisotropicElasticity
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<Element::dimension>>
struct DeckProblem {
  Mesh<Element, ExecutionSpace> mesh;
  FunctionSpace<Element, ExecutionSpace> space;
  Form form;
  Numbering node_ids; ///< the deck's numbers of the mesh's nodes
  /// *EQUATION, and supports along axes of *TRANSFORM: what the system, assembled on the space, is put under
  /// by a `ConstrainedSystem`. The nodes of equations that no element has follow those of the mesh.
  LinearConstraints constraints;
  std::map<Ordinal, double> loads_beyond;      ///< on degrees of freedom beyond the space's
  std::map<Ordinal, double> prescribed_beyond; ///< values of those that are supported
  std::vector<std::int64_t> nodes_beyond;      ///< the deck's numbers of the nodes beyond the mesh's

  /// The deck's number of the node beyond the mesh's that has a degree of freedom, and which of its three
  /// displacements and three rotations that is, from 0.
  std::pair<std::int64_t, int> beyond(Ordinal dof) const {
    const Ordinal place = dof - space.num_dofs();
    return {nodes_beyond.at(static_cast<std::size_t>(place / detail::components_beyond)),
            place % detail::components_beyond};
  }
};

namespace detail {

/// A component of a node with a prescribed displacement, and the line that prescribes it.
using Prescribed = std::map<std::pair<Ordinal, int>, const AbaqusConstraint*>;

/// All of them; a step's take the place of those above it. Rotations are none: solids have no such component.
/// \throws FileError for a line that contradicts another one in the same step, or above it; UnsupportedError
/// for rotations of plane elements' nodes
Prescribed prescribed(const AbaqusDeck& deck, int dimension);

/// Supports and equations on degrees of freedom node * dimension + component; beyond those of the mesh each
/// node has six.
struct DeckConstraints {
  std::map<Ordinal, double> prescribed;
  std::vector<LinearEquation> equations;
};

/// Those of a deck, along the axes of its nodes. \throws as `prescribed`; UnsupportedError for axes and
/// components across the plane of plane elements
DeckConstraints constraints_of(const AbaqusDeck& deck, int dimension);

/// Forces on degrees of freedom, those of all lines together. \throws UnsupportedError for forces across the
/// plane of plane elements
std::map<Ordinal, double> forces_of(const AbaqusDeck& deck, int dimension);

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

/// Makes the problem of a deck at the end of its linear static steps, on its elements of one type.
/// \throws UnsupportedError, FormError as require_linear_static and at_end_of_steps; UnsupportedError for an
///         anisotropic deck and an isotropic form, loads beside these elements, temperatures as
///         detail::cell_loads, a material with two thicknesses, plane stress and plane strain together;
///         MeshError as to_mesh; FileError for supports that contradict each other; ArgumentError with the
///         line of an equation that contradicts supports or equations before it
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<Element::dimension>>
DeckProblem<Element, ExecutionSpace, Form>
deck_problem(const ExecutionSpace& exec, AbaqusDeck deck,
             ConstraintTreatment treatment = ConstraintTreatment::removed) {
  constexpr int dimension = Element::dimension;
  constexpr bool anisotropic = requires(Form form) { form.stiffness; };
  constexpr bool reduced = std::is_same_v<Form, ReducedElasticity<dimension>> ||
                           std::is_same_v<Form, ReducedAnisotropicElasticity>;
  require_linear_static(deck, reduced ? Integration::reduced : Integration::full);
  deck = at_end_of_steps(std::move(deck));
  deck = select(std::move(deck), cell_type_of<Element>());
  if (!anisotropic && is_anisotropic(deck))
    throw UnsupportedError(deck.mesh.source + ": has a material that is not the same along all axes, which " +
                           "AnisotropicElasticity has in three dimensions");
  if constexpr (reduced && dimension == 3) detail::require_straight_loaded_edges(deck);
  const std::vector<double> thickness = detail::thickness_of(deck, dimension);
  const detail::ElasticConstants constants = detail::elastic_constants(deck, thickness);
  const detail::CellKinds kinds = detail::cell_kinds(deck, constants);
  const detail::CellLoads loads = detail::cell_loads(deck, thickness, kinds);
  const auto pressures = detail::pressures(deck, thickness);
  const detail::DeckConstraints supports = detail::constraints_of(deck, dimension);
  const std::map<Ordinal, double> forces = detail::forces_of(deck, dimension);
  const std::vector<std::int64_t> nodes_beyond = deck.nodes_beyond;

  Form form;
  if constexpr (dimension == 2) form.plane = detail::plane_of(deck.mesh.blocks.front(), deck.mesh.source);

  Numbering node_ids = deck.mesh.node_ids;
  const auto mesh = to_mesh<Element>(exec, std::move(deck.mesh));
  if constexpr (anisotropic) {
    for (std::size_t k = 0; k < form.stiffness.size(); ++k)
      form.stiffness[k] = CellField::per_element(detail::to_device<Kokkos::View<double*, ExecutionSpace>>(
          exec, "Tessera::DeckProblem::stiffness",
          [&](std::size_t cell, std::size_t) {
            return kinds.stiffness[static_cast<std::size_t>(kinds.of_cells[cell])][k];
          },
          kinds.of_cells.size()));
  } else {
    form.young = CellField::per_material<ExecutionSpace>(
        detail::of_materials(constants.young, mesh.material_labels()));
    form.poisson = CellField::per_material<ExecutionSpace>(
        detail::of_materials(constants.poisson, mesh.material_labels()));
  }
  FunctionSpace<Element, ExecutionSpace> space(mesh, dimension, treatment);
  DeckProblem<Element, ExecutionSpace, Form> problem{mesh, space, form, std::move(node_ids), {}, {}, {}, {}};
  problem.nodes_beyond = nodes_beyond;
  for (const auto& [dof, value] : supports.prescribed)
    if (dof < space.num_dofs())
      space.constrain(dof / dimension, dof % dimension, value);
    else
      problem.prescribed_beyond[dof] = value;
  problem.constraints = LinearConstraints(supports.equations, supports.prescribed, space.num_dofs());
  for (const auto& [dof, force] : forces)
    if (dof < space.num_dofs())
      space.add_point_load(dof / dimension, dof % dimension, force);
    else if (!supports.prescribed.contains(dof)) // whose support takes it
      problem.loads_beyond[dof] = force;
  if (!loads.none())
    add_volume_load<decltype(form.kernel())::template degree<Element>>(
        space, [&](Ordinal cell, const auto& point) { return loads.at(cell, point); });
  using SideSet = typename Mesh<Element, ExecutionSpace>::SideSet;
  for (const detail::SidesUnderPressure& load : pressures) {
    space.add_pressure(
        detail::to_device<SideSet>(
            exec, "Tessera::DeckProblem::sides",
            [&](std::size_t i, std::size_t j) { return j == 0 ? load.sides[i].cell : load.sides[i].side; },
            load.sides.size()),
        load.pressure, Opposed::meant); // decks name the element of each face
  }
  return problem;
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
