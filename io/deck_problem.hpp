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
#include <tessera/core/space/volume_loads.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
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
  /// *EQUATION, and supports along axes of *TRANSFORM: what the system, assembled on the space, is put under
  /// by a `ConstrainedSystem`. The nodes of equations that no element has follow those of the mesh.
  LinearConstraints constraints;
  std::map<Ordinal, double> loads_beyond;      ///< on degrees of freedom beyond the space's
  std::map<Ordinal, double> prescribed_beyond; ///< values of those that are supported
  std::vector<std::int64_t> nodes_beyond;      ///< the deck's numbers of the nodes beyond the mesh's
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

/// Plane stress for CPS elements, plane strain for CPE elements.
/// \throws UnsupportedError for both in one deck
Plane plane_of(const CellBlock& block, const std::string& source);

/// A component of a node with a prescribed displacement, and the line that prescribes it.
using Prescribed = std::map<std::pair<Ordinal, int>, const AbaqusConstraint*>;

/// All of them; a step's take the place of those above it. Rotations are none: solids have no such component.
/// \throws FileError for a line that contradicts another one in the same step, or above it; UnsupportedError
/// for rotations of plane elements' nodes
Prescribed prescribed(const AbaqusDeck& deck, int dimension);

/// Supports and equations on degrees of freedom node * dimension + component.
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

/// What acts on the volume of the cells of a deck, times their thickness.
struct CellLoads {
  /// Force at x: weight of the cell times the arm from the axis through the point to x.
  struct Rotation {
    std::vector<double> weight; ///< by cell
    std::array<double, 3> point{}, axis{};
  };
  /// By cell; empty without gravity.
  std::vector<std::array<double, 3>> force;
  std::vector<Rotation> rotations;
  /// By material number: normal stresses that hold a cell in shape, per degree; empty without temperatures.
  std::vector<std::array<double, 3>> stress_per_degree;
  std::vector<double> warming; ///< by node
  bool mean_warming = false;   ///< of a cell is the mean of its nodes'
  std::vector<Ordinal> nodes;  ///< of the cells
  std::vector<std::int32_t> materials;

  bool none() const { return force.empty() && rotations.empty() && stress_per_degree.empty(); }

  /// Force and stress in a cell at a point of a quadrature.
  template <class Point>
  auto at(Ordinal cell, const Point& point) const {
    constexpr int dimension = Point::dimension, count = Point::element_type::nodes;
    const auto c = static_cast<std::size_t>(cell);
    VolumeLoad<dimension> load;
    if (!force.empty())
      for (int d = 0; d < dimension; ++d) load.force(d) = force[c][static_cast<std::size_t>(d)];
    for (const Rotation& rotation : rotations) {
      std::array<double, 3> arm{};
      for (int d = 0; d < dimension; ++d) arm[static_cast<std::size_t>(d)] = point.position(d);
      double along = 0.0;
      for (std::size_t d = 0; d < 3; ++d) along += (arm[d] -= rotation.point[d]) * rotation.axis[d];
      for (int d = 0; d < dimension; ++d)
        load.force(d) += rotation.weight[c] * (arm[static_cast<std::size_t>(d)] -
                                               along * rotation.axis[static_cast<std::size_t>(d)]);
    }
    if (stress_per_degree.empty()) return load;
    double degrees = 0.0;
    for (int n = 0; n < count; ++n)
      degrees += warming[static_cast<std::size_t>(nodes[c * count + static_cast<std::size_t>(n)])] *
                 (mean_warming ? 1.0 / count : point.value(n));
    for (int d = 0; d < dimension; ++d)
      load.stress(d, d) =
          degrees * stress_per_degree[static_cast<std::size_t>(materials[c])][static_cast<std::size_t>(d)];
    return load;
  }
};

/// Those of gravity, rotation and temperatures. First-order quadrilaterals and hexahedra have the mean
/// temperature of their nodes, as in CalculiX.
/// \throws FormError for a node of an expanding cell without an initial temperature; UnsupportedError for an
///   expansion that depends on the temperature, and temperatures that vary within cells of which CalculiX
///   makes another interpolation: fully integrated ones with nodes on their edges
CellLoads cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness,
                     const ElasticConstants& constants);

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
///         temperatures as detail::cell_loads, a material with two thicknesses, plane stress and
///         plane strain together; MeshError as to_mesh; FileError for supports that contradict each other;
///         ArgumentError with the line of an equation that contradicts supports or equations before it
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
  const detail::CellLoads loads = detail::cell_loads(deck, thickness, constants);
  const auto pressures = detail::pressures(deck, thickness);
  const detail::DeckConstraints supports = detail::constraints_of(deck, dimension);
  const std::map<Ordinal, double> forces = detail::forces_of(deck, dimension);
  const std::vector<std::int64_t> nodes_beyond = deck.nodes_beyond;

  Form form;
  if constexpr (dimension == 2) form.plane = detail::plane_of(deck.mesh.blocks.front(), deck.mesh.source);

  Numbering node_ids = deck.mesh.node_ids;
  const auto mesh = to_mesh<Element>(exec, std::move(deck.mesh));
  form.young =
      CellField::per_material<ExecutionSpace>(detail::of_materials(constants.young, mesh.material_labels()));
  form.poisson = CellField::per_material<ExecutionSpace>(
      detail::of_materials(constants.poisson, mesh.material_labels()));
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
    else
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
