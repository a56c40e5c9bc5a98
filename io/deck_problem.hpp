// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A deck for linear statics as a mesh, a function space and a form.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/reduced_elasticity.hpp>
#include <tessera/core/forms/tabulated_elasticity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/space/linear_constraints.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/detail/deck_loads.hpp>
#include <tessera/io/detail/deck_materials.hpp>
#include <tessera/io/detail/deck_temperatures.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/read_mixed_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::io {

namespace detail {

/// Displacements and rotations of a node that no element has.
inline constexpr int components_beyond = 6;

/// How a deck's form is integrated on an element: the full form, or the reduced one on wedges, and on other
/// elements where the form itself is reduced.
template <class Form>
struct FormOn {
  using Full = Form;
  template <class Element>
  using on = std::conditional_t<Element::shape == Shape::wedge, Reduced<Form>, Form>;
};
template <class Form>
struct FormOn<Reduced<Form>> {
  using Full = Form;
  template <class Element>
  using on =
      std::conditional_t<Element::shape == Shape::wedge || (Element::order == 2 && is_cube(Element::shape)),
                         Reduced<Form>, Form>;
};

template <class Form>
inline constexpr bool is_tabulated_form = false;
template <class ExecutionSpace>
inline constexpr bool is_tabulated_form<TabulatedElasticity<ExecutionSpace>> = true;

/// One element type, or several: what is made of them, and the forms of their blocks.
template <class Element, class ExecutionSpace, class Form>
struct DeckCells {
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using FormType = typename FormOn<Form>::template on<Element>;
  static constexpr int dimension = Element::dimension;
  static constexpr std::array<CellType, 1> types{cell_type_of<Element>()};

  static MeshType mesh(const ExecutionSpace& exec, MeshData data) {
    return to_mesh<Element>(exec, std::move(data));
  }
  template <class Visit>
  static void for_each_block(const Space& space, const Visit& visit) {
    visit(space);
  }
  template <class Make>
  static std::vector<PointWeights> of_each_element(const Make& make) {
    return {make(std::type_identity<Element>())};
  }
  template <class FormOfBlock>
  static FormType form(const std::vector<FormOfBlock>& of_blocks) {
    return on_element<Element>(of_blocks.front());
  }
  template <class OfElement, class Full>
  static auto on_element(const Full& full) {
    if constexpr (std::is_same_v<typename FormOn<Form>::template on<OfElement>, Full>)
      return full;
    else
      return Reduced<Full>{full};
  }
};
template <class... Elements, class ExecutionSpace, class Form>
struct DeckCells<Blocks<Elements...>, ExecutionSpace, Form> {
  using List = Blocks<Elements...>;
  using MeshType = MixedMesh<List, ExecutionSpace>;
  using Space = MixedSpace<List, ExecutionSpace>;
  static constexpr int dimension = MeshType::dimension;
  static constexpr std::array<CellType, sizeof...(Elements)> types{cell_type_of<Elements>()...};

  /// The form of each block.
  struct Forms {
    std::vector<typename FormOn<Form>::Full> of_blocks;
    template <class Element>
    auto operator()(const Mesh<Element, ExecutionSpace>&) const {
      return DeckCells<Element, ExecutionSpace, Form>::template on_element<Element>(
          of_blocks[List::template number<Element>]);
    }
  };
  using FormType = BlockForms<Forms>;

  static MeshType mesh(const ExecutionSpace& exec, MeshData data) {
    return to_mixed_mesh<List>(exec, std::move(data));
  }
  template <class Visit>
  static void for_each_block(const Space& space, const Visit& visit) {
    space.for_each_block(visit);
  }
  template <class Make>
  static std::vector<PointWeights> of_each_element(const Make& make) {
    return {make(std::type_identity<Elements>())...};
  }
  template <class Full>
  static FormType form(const std::vector<Full>& of_blocks) {
    return {Forms{of_blocks}};
  }
};

} // namespace detail

/// What it takes to solve a deck. In the plane all stiffnesses and loads are per unit of the given thickness:
/// Young's modulus, pressures and body forces are multiplied by the elements' thickness, forces on nodes are
/// whole.
/// \tparam Cells an element type, or `Blocks` of several
/// \tparam Form LinearElasticity, or ReducedElasticity for decks with reduced integration; where
///   `is_tabulated`, TabulatedElasticity or Reduced<TabulatedElasticity>. Wedges have the reduced one of
///   either.
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<detail::DeckCells<Cells, ExecutionSpace, void>::dimension>>
struct DeckProblem {
  using Of = detail::DeckCells<Cells, ExecutionSpace, Form>;

  typename Of::MeshType mesh;
  typename Of::Space space;
  typename Of::FormType form; ///< `BlockForms` of several element types
  Numbering node_ids;         ///< the deck's numbers of the mesh's nodes
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

/// Sides of a block's cells under one pressure.
struct SidesUnderPressure {
  CellType type;         ///< of the block
  double pressure = 0.0; ///< times the thickness of their elements
  std::vector<Side> sides;
};

/// Those of each line of the deck, which add up, by the thickness of their elements.
std::vector<SidesUnderPressure> pressures(const AbaqusDeck& deck, const std::vector<double>& thickness);

/// Pressures on elements with reduced integration, whose sides CalculiX integrates at fewer points, too:
/// exactly on sides with straight edges, at one point on the quadrilaterals of C3D6.
/// \throws UnsupportedError for a pressure on an element with an edge that is not straight, or on a
///   quadrilateral of C3D6 that is no parallelogram
void require_flat_loaded_sides(const AbaqusDeck& deck);

/// The stiffness of each kind on the device.
template <class ExecutionSpace>
auto stiffness_table(const ExecutionSpace& exec, const CellKinds& kinds) {
  using Table = Kokkos::View<double * [VoigtStiffness::entries], Kokkos::LayoutRight, ExecutionSpace>;
  return to_device<Table>(
      exec, "Tessera::DeckProblem::stiffness",
      [&](std::size_t kind, std::size_t k) { return kinds.stiffness[kind][k]; }, kinds.stiffness.size());
}

/// The full forms of the blocks.
template <class Form, class MeshType, class ExecutionSpace = typename MeshType::execution_space>
std::vector<Form> forms_of_blocks(const ExecutionSpace& exec, const CellKinds& kinds,
                                  const ElasticConstants& constants, Plane plane, const MeshType& mesh) {
  std::vector<Form> forms(kinds.blocks.size());
  if constexpr (is_tabulated_form<Form>) {
    const auto stiffness = stiffness_table(exec, kinds);
    for (std::size_t b = 0; b < forms.size(); ++b) {
      const CellKinds::Block& block = kinds.blocks[b];
      forms[b].stiffness = stiffness;
      forms[b].kinds = to_device<Kokkos::View<std::int32_t**, Kokkos::LayoutRight, ExecutionSpace>>(
          exec, "Tessera::DeckProblem::kinds",
          [&](std::size_t cell, std::size_t q) { return block.numbers[cell * block.points + q]; },
          block.numbers.size() / block.points, block.points);
    }
  } else {
    for (Form& form : forms) {
      form.young =
          CellField::per_material<ExecutionSpace>(of_materials(constants.young, mesh.material_labels()));
      form.poisson =
          CellField::per_material<ExecutionSpace>(of_materials(constants.poisson, mesh.material_labels()));
      form.plane = plane;
    }
  }
  return forms;
}

/// What the cells of a deck are made of, and what acts on their volume.
struct DeckVolume {
  std::vector<double> thickness;
  ElasticConstants constants;
  CellKinds kinds;
  std::vector<CellLoads> loads; ///< by block
};

/// \throws as `thickness_of`, `cell_kinds` and `cell_loads`
template <class Of, class Form>
DeckVolume volume_of(const AbaqusDeck& deck) {
  DeckVolume volume;
  volume.thickness = thickness_of(deck, Of::dimension);
  volume.constants = elastic_constants(deck, volume.thickness);
  const NodeTemperatures temperatures = node_temperatures(deck);
  const auto rules = Of::of_each_element([]<class Element>(std::type_identity<Element>) {
    using Kernel = decltype(std::declval<typename FormOn<Form>::template on<Element>>().kernel());
    return point_weights<Element, Kernel::template degree<Element>>();
  });
  volume.kinds = cell_kinds(deck, volume.constants, temperatures, rules);
  volume.loads = cell_loads(deck, volume.thickness, volume.kinds, temperatures, rules);
  return volume;
}

/// Integrates the loads on a block's cells, and those on its sides.
template <class Form, class Element, class ExecutionSpace>
void add_loads(const ExecutionSpace& exec, FunctionSpace<Element, ExecutionSpace> space,
               const CellLoads& loads, const std::vector<SidesUnderPressure>& pressures) {
  using Kernel = decltype(std::declval<typename FormOn<Form>::template on<Element>>().kernel());
  if (!loads.none())
    add_volume_load<Kernel::template degree<Element>>(
        space, [&](Ordinal cell, const auto& point) { return loads.at(cell, point); });
  using SideSet = typename Mesh<Element, ExecutionSpace>::SideSet;
  for (const SidesUnderPressure& load : pressures) {
    if (load.type != cell_type_of<Element>()) continue;
    space.add_pressure(
        to_device<SideSet>(
            exec, "Tessera::DeckProblem::sides",
            [&](std::size_t i, std::size_t j) { return j == 0 ? load.sides[i].cell : load.sides[i].side; },
            load.sides.size()),
        load.pressure, Opposed::meant); // decks name the element of each face
  }
}

/// Supports, forces on nodes and equations.
template <class Problem>
void add_conditions(Problem& problem, const DeckConstraints& supports,
                    const std::map<Ordinal, double>& forces, int dimension) {
  auto& space = problem.space;
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
}

} // namespace detail

/// Makes the problem of a deck at the end of its linear static steps, on its elements of some types.
/// \throws UnsupportedError, FormError as require_linear_static and at_end_of_steps; UnsupportedError for a
///         deck that `is_tabulated` and another form, loads beside these elements, a material with two
///         thicknesses, plane stress and plane strain together; FormError as detail::cell_loads and
///         detail::cell_kinds; MeshError as to_mesh; FileError for supports that contradict each other;
///         ArgumentError with the line of an equation that contradicts supports or equations before it
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<detail::DeckCells<Cells, ExecutionSpace, void>::dimension>>
DeckProblem<Cells, ExecutionSpace, Form>
deck_problem(const ExecutionSpace& exec, AbaqusDeck deck,
             ConstraintTreatment treatment = ConstraintTreatment::removed) {
  using Of = detail::DeckCells<Cells, ExecutionSpace, Form>;
  using Full = typename detail::FormOn<Form>::Full;
  constexpr int dimension = Of::dimension;
  require_linear_static(deck, std::is_same_v<Form, Full> ? Integration::full : Integration::reduced);
  deck = at_end_of_steps(std::move(deck));
  deck = select(std::move(deck), Of::types);
  if (!detail::is_tabulated_form<Full> && is_tabulated(deck))
    throw UnsupportedError(deck.mesh.source +
                           ": has a material that is not the same along all axes, or that " +
                           "depends on the temperature, which TabulatedElasticity has in three dimensions");
  detail::require_flat_loaded_sides(deck);
  const detail::DeckVolume volume = detail::volume_of<Of, Form>(deck);
  const auto pressures = detail::pressures(deck, volume.thickness);
  const detail::DeckConstraints supports = detail::constraints_of(deck, dimension);
  const std::map<Ordinal, double> forces = detail::forces_of(deck, dimension);
  const Plane plane = detail::plane_of(deck.mesh);
  Numbering node_ids = deck.mesh.node_ids;

  const auto mesh = Of::mesh(exec, std::move(deck.mesh));
  const auto form =
      Of::form(detail::forms_of_blocks<Full>(exec, volume.kinds, volume.constants, plane, mesh));
  DeckProblem<Cells, ExecutionSpace, Form> problem{
      mesh, typename Of::Space(mesh, dimension, treatment), form, std::move(node_ids), {}, {}, {}, {}};
  problem.nodes_beyond = deck.nodes_beyond;
  detail::add_conditions(problem, supports, forces, dimension);
  std::size_t number = 0;
  Of::for_each_block(problem.space, [&](const auto& space) {
    detail::add_loads<Form>(exec, space, volume.loads[number++], pressures);
  });
  return problem;
}

/// The same on the default instance.
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          class Form = LinearElasticity<detail::DeckCells<Cells, ExecutionSpace, void>::dimension>>
DeckProblem<Cells, ExecutionSpace, Form>
deck_problem(AbaqusDeck deck, ConstraintTreatment treatment = ConstraintTreatment::removed) {
  return deck_problem<Cells, ExecutionSpace, Form>(default_instance<ExecutionSpace>(), std::move(deck),
                                                   treatment);
}

} // namespace tessera::io
