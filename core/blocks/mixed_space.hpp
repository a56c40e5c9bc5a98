// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mixed mesh with components per node, essential constraints, and natural loads.

#include <tessera/core/blocks/detail/mixed_loads.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/add_natural_terms.hpp>
#include <tessera/core/system/graph_for.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <tuple>
#include <vector>

namespace tessera {

/// Lagrange functions of a mixed mesh with `components` unknowns per node: what `FunctionSpace` is for one
/// element type, with the same calls. Constraints, loads and Robin sides are the nodes', so that each is said
/// once for all blocks; sets of sides are `MixedSides`, of triangles and quadrilaterals alike. Copies share
/// what they hold, as the blocks' spaces do.
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class MixedSpace;
template <class First, class... Others, class ExecutionSpace>
class MixedSpace<Blocks<First, Others...>, ExecutionSpace> {
  using FirstSpace = FunctionSpace<First, ExecutionSpace>;

public:
  using List = Blocks<First, Others...>;
  using execution_space = ExecutionSpace;
  using MeshType = MixedMesh<List, ExecutionSpace>;
  using Sides = MixedSides<List, ExecutionSpace>;
  using SparseVector = typename FirstSpace::SparseVector;

  /// \param components unknowns per node, 1 to 8
  /// \throws ArgumentError as `FunctionSpace`
  MixedSpace(const MeshType& mesh, int components,
             ConstraintTreatment treatment = ConstraintTreatment::removed)
      : MixedSpace(mesh, Unknowns{components, 0, treatment}) {}
  /// The same with linear components, which follow from the corners of all blocks' elements.
  /// \throws ArgumentError and MeshError as `FunctionSpace`
  MixedSpace(const MeshType& mesh, const Unknowns& unknowns)
      : MixedSpace(mesh, FirstSpace(mesh.template block<First>(), unknowns, mesh.template block<First>(),
                                    mesh.template block<Others>()...)) {}

  const MeshType& mesh() const { return mesh_; }
  /// The space of a block, which shares constraints, loads and Robin sides with all others.
  template <class Element>
  const FunctionSpace<Element, ExecutionSpace>& block() const {
    return std::get<List::template number<Element>>(blocks_);
  }
  /// `visit(space)` of each block, empty ones too, in the order of the list.
  template <class Visit>
  void for_each_block(const Visit& visit) const {
    std::apply([&](const auto&... block) { (visit(block), ...); }, blocks_);
  }
  /// The first block's space: for what asks the nodes alone.
  const FirstSpace& first() const { return std::get<0>(blocks_); }

  /// \name As FunctionSpace's, for all blocks.
  ///@{
  int components() const { return first().components(); }
  ConstraintTreatment treatment() const { return first().treatment(); }
  int linear_components() const { return first().linear_components(); }
  const LinearComponents<ExecutionSpace>& linear() const { return first().linear(); }
  Ordinal num_dofs() const { return first().num_dofs(); }
  std::size_t revision() const { return first().revision(); }
  template <class Nodes>
  void constrain(const Nodes& nodes, const std::vector<double>& values) {
    nodal().constrain(nodes, values);
  }
  template <class Nodes>
  void constrain(const Nodes& nodes, int component, double value) {
    nodal().constrain(nodes, component, value);
  }
  template <class Nodes, class Values>
  void prescribe(const Nodes& nodes, const Values& values) {
    nodal().prescribe(nodes, values);
  }
  template <class Nodes, class Values>
  void prescribe(const Nodes& nodes, int component, const Values& values) {
    nodal().prescribe(nodes, component, values);
  }
  template <class Nodes>
  void release(const Nodes& nodes) {
    nodal().release(nodes);
  }
  template <class Nodes>
  void release(const Nodes& nodes, int component) {
    nodal().release(nodes, component);
  }
  void clear_constraints() { nodal().clear_constraints(); }
  void add_point_load(Ordinal node, int component, double value) {
    nodal().add_point_load(node, component, value);
  }
  void clear_loads() { nodal().clear_loads(); }
  void clear_robin() { nodal().clear_robin(); }
  Equations<ExecutionSpace> equations(const ExecutionSpace& exec) const { return first().equations(exec); }
  Equations<ExecutionSpace> equations() const { return first().equations(); }
  SparseVector nodal_loads(const ExecutionSpace& exec) const { return first().nodal_loads(exec); }
  SparseVector nodal_loads() const { return first().nodal_loads(); }
  RobinSides<ExecutionSpace> robin(const ExecutionSpace& exec) const { return first().robin(exec); }
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const ExecutionSpace& exec, const Solution& solution) const {
    return first().expand(exec, solution);
  }
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const Solution& solution) const {
    return first().expand(solution);
  }
  ///@}

  /// \name Sides of all blocks. As FunctionSpace's, which refuse a face that the set has twice: here also one
  /// between two blocks, from both.
  ///@{
  void add_load(const Sides& sides, const std::vector<double>& traction) {
    const detail::LoadedBlocks loaded("MixedSpace::add_load: ", mesh_, sides);
    loaded.check_faces();
    add([&](auto& space, const auto& own) { space.add_load(own, traction); }, sides);
  }
  template <class Traction>
  void add_load(const Sides& sides, const Traction& traction) {
    const detail::LoadedBlocks loaded("MixedSpace::add_load: ", mesh_, sides);
    loaded.check_faces();
    add([&](auto& space, const auto& own) { space.add_load(own, traction); }, sides);
  }
  template <class Pressure>
  void add_pressure(const Sides& sides, const Pressure& pressure, Opposed opposed = Opposed::refused) {
    const detail::LoadedBlocks loaded("MixedSpace::add_pressure: ", mesh_, sides);
    if (opposed == Opposed::refused) {
      loaded.check_faces();
      loaded.check_turns();
    }
    add([&](auto& space, const auto& own) { space.add_pressure(own, pressure, opposed); }, sides);
  }
  template <class Transfer, class Surroundings>
  void add_robin(const Sides& sides, const Transfer& transfer, const Surroundings& surroundings) {
    const detail::LoadedBlocks loaded("MixedSpace::add_robin: ", mesh_, sides);
    loaded.check_faces();
    add([&](auto& space, const auto& own) { space.add_robin(own, transfer, surroundings); }, sides);
  }
  ///@}

private:
  MixedSpace(const MeshType& mesh, const FirstSpace& first)
      : mesh_(mesh),
        blocks_(first, FunctionSpace<Others, ExecutionSpace>(mesh.template block<Others>(), first)...) {}

  FirstSpace& nodal() { return std::get<0>(blocks_); }

  /// `add_to(space, sides)` for each block. What throws leaves the space as it was.
  template <class AddTo>
  void add(const AddTo& add_to, const Sides& sides) {
    auto& terms = *nodal().natural_;
    const auto before = terms;
    try {
      std::apply([&](auto&... space) { (add_own(add_to, space, sides), ...); }, blocks_);
    } catch (...) {
      terms = before;
      throw;
    }
  }
  template <class AddTo, class Element>
  static void add_own(const AddTo& add_to, FunctionSpace<Element, ExecutionSpace>& space,
                      const Sides& sides) {
    const auto& own = sides.template block<Element>();
    if (own.extent(0) > 0) add_to(space, own);
  }

  MeshType mesh_;
  std::tuple<FirstSpace, FunctionSpace<Others, ExecutionSpace>...> blocks_;
};

template <class List, class ExecutionSpace>
MixedSpace(const MixedMesh<List, ExecutionSpace>&, int) -> MixedSpace<List, ExecutionSpace>;
template <class List, class ExecutionSpace>
MixedSpace(const MixedMesh<List, ExecutionSpace>&, int, ConstraintTreatment)
    -> MixedSpace<List, ExecutionSpace>;
template <class List, class ExecutionSpace>
MixedSpace(const MixedMesh<List, ExecutionSpace>&, const Unknowns&) -> MixedSpace<List, ExecutionSpace>;

namespace detail {

template <class... Elements, class ExecutionSpace>
struct SpaceOver<Blocks<Elements...>, ExecutionSpace> {
  using type = MixedSpace<Blocks<Elements...>, ExecutionSpace>;
};

} // namespace detail

/// The graph of all blocks. \throws OutOfMemoryError with the bytes wanted
template <class... Elements, class ExecutionSpace>
SparsityGraph<ExecutionSpace> sparsity_graph(const ExecutionSpace& exec,
                                             const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space) {
  return shared_graph(exec, space.template block<Elements>()...);
}

/// A graph with more entries than the space's own blocks need, as `graph_for` of a `FunctionSpace`.
/// \throws ArgumentError as that
template <class... Elements, class ExecutionSpace>
SparsityGraph<ExecutionSpace> graph_for(const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space,
                                        const SparsityGraph<ExecutionSpace>& graph) {
  space.for_each_block([&](const auto& block) { detail::check_graph_for(block, graph); });
  return detail::lent_graph(graph, space.revision(), space.mesh().template block<Elements>().id()...);
}

/// Adds the natural loads and Robin sides of all blocks, as `add_natural_terms` of a `FunctionSpace`.
template <class List, class ExecutionSpace, class Scalar>
void add_natural_terms(const ExecutionSpace& exec, const MixedSpace<List, ExecutionSpace>& space,
                       const LinearSystem<Scalar, ExecutionSpace>& system) {
  add_natural_terms(exec, space.first(), system);
}

} // namespace tessera
