// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mesh with components per node, essential constraints, and natural loads.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/fields/user_view.hpp>
#include <tessera/core/mesh/identity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/space/detail/space_state.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/space/linear_components.hpp>
#include <tessera/core/space/robin.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

template <class, class>
class MixedSpace;

/// What becomes of a pressure on a face from both of its elements, or in opposite directions on neighbours
/// inside the mesh: most often a mistake, and what a set does of which it was left open which element each
/// side is of.
enum class Opposed { refused, meant };

/// The unknowns of a space.
struct Unknowns {
  int components = 1; ///< per node, 1 to 8
  /// The last ones, which have the linear functions of a mesh of higher order: unknowns at corners alone.
  int linear_components = 0;
  ConstraintTreatment treatment = ConstraintTreatment::removed;
};

/// Lagrange functions of a mesh with `components` unknowns per node. Degrees of freedom are numbered
/// node * components + component.
///
/// Linear components (Taylor-Hood's pressure, a temperature beside quadratic displacements) have degrees of
/// freedom at every node too, but those of nodes that are no corners follow from the corners of their
/// element. As constrained ones they have no equation, or a row of their own that holds zero; what is
/// prescribed for them is passed over, their loads go to the corners, and `expand` interpolates them. Forms
/// state as many `linear_components` and take their functions from `LinearBasis`.
///
/// Constraints, loads and Robin sides are collected on the host; `equations()`, `nodal_loads()` and `robin()`
/// bring them to the device. A degree of freedom that is constrained again takes the last value. Copies share
/// what they hold.
///
/// Sets of nodes and sides are views in the memory of `ExecutionSpace`, of a mesh or not; a call that throws
/// leaves the space as it was. Functions of the position are called on the host with a
/// `Vector<double, dimension>`; where they give several components they return something with `operator[]`
/// or `operator()`: `std::array`, `std::vector`, `Vector`.
template <class ElementType, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class FunctionSpace {
public:
  using Element = ElementType;
  using execution_space = ExecutionSpace;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Position = Vector<double, Element::dimension>;
  static constexpr int max_components = detail::max_components;

  /// Sparse vector over degrees of freedom, ascending and unique.
  using SparseVector = detail::SparseDofs<ExecutionSpace>;

  /// \param components unknowns per node, 1 to 8
  /// \throws ArgumentError for another number of components or a count of unknowns beyond 32 bits
  FunctionSpace(const MeshType& mesh, int components,
                ConstraintTreatment treatment = ConstraintTreatment::removed);
  /// The same with linear components. \throws ArgumentError as well for fewer than none or more of them than
  ///   components; MeshError naming a node that is a corner of one element and not of another
  FunctionSpace(const MeshType& mesh, const Unknowns& unknowns);
  /// The space of another block over the same nodes, with the same unknowns: constraints, loads and Robin
  /// sides of either are those of both.
  /// \throws ArgumentError for a mesh over other nodes; UnsupportedError for linear components that do not
  ///   know this block, as those of a `MixedSpace` do, but on elements of first order
  template <class OtherElement>
  FunctionSpace(const MeshType& mesh, const FunctionSpace<OtherElement, ExecutionSpace>& over);
  /// The same constraints, shared, and no natural loads and Robin sides, which are this space's own: what
  /// further blocks of a sum are planned on, so that such terms enter once.
  FunctionSpace without_natural_terms() const;

  const MeshType& mesh() const { return mesh_; }
  int components() const { return components_; }
  /// How many of them, the last ones, have linear functions.
  int linear_components() const { return linear_components_; }
  /// Where linear components follow from corners, and how.
  const LinearComponents<ExecutionSpace>& linear() const { return *linear_; }
  ConstraintTreatment treatment() const { return treatment_; }
  /// Number of degrees of freedom, constrained ones included.
  Ordinal num_dofs() const { return mesh_.num_nodes() * components_; }
  /// Names the set of degrees of freedom that are constrained or follow from others, so that a graph can tell
  /// whether it still fits: 0 while there are none, then a number that no other set of this process has had.
  /// New values for constrained degrees of freedom leave it alone.
  std::size_t revision() const { return constraints_->revision; }

  /// \name Essential constraints
  ///@{
  /// Prescribes all components at the nodes of a set.
  /// \throws ArgumentError for another number of values than components, values that are not finite, or a
  ///   node that the mesh does not have
  template <class Nodes>
  void constrain(const Nodes& nodes, const std::vector<double>& values);
  /// Prescribes one component at the nodes of a set. \throws ArgumentError as above
  template <class Nodes>
    requires Kokkos::is_view_v<Nodes>
  void constrain(const Nodes& nodes, int component, double value);
  /// Prescribes one component of one node. \throws ArgumentError naming a node that does not exist
  void constrain(Ordinal node, int component, double value);
  /// Prescribes all components at the nodes of a set, differently at each: by a function of the position,
  /// or by a view with a row for each node of the set and a column for each component (for one component
  /// without that index). The function sees the mesh as it is now. \throws ArgumentError as above
  template <class Nodes, class Values>
  void prescribe(const Nodes& nodes, const Values& values);
  /// The same for one component: a function that returns a number, or a view of one number for each node.
  template <class Nodes, class Values>
  void prescribe(const Nodes& nodes, int component, const Values& values);
  /// Frees all components at the nodes of a set; those that are free stay so. Graphs and plans of the old
  /// constraints no longer fit. \throws ArgumentError naming a node that does not exist
  template <class Nodes>
  void release(const Nodes& nodes);
  /// The same for one component.
  template <class Nodes>
  void release(const Nodes& nodes, int component);
  /// Removes all constraints, of this space and its copies.
  void clear_constraints();
  ///@}

  /// \name Natural loads, integrated over the mesh as it is now
  ///@{
  /// Adds a load per area (per length in two dimensions): a traction, or the flux of a scalar form.
  /// \throws ArgumentError for another number of values than components, values that are not finite, a side
  ///   that the mesh does not have, or a face that the set has twice, of one element or of two
  template <class Sides>
  void add_load(const Sides& sides, const std::vector<double>& traction);
  /// The same by a function of the position, integrated exactly if its product with the basis functions has
  /// no more than twice their order. \throws ArgumentError as above
  template <class Sides, class Traction>
  void add_load(const Sides& sides, const Traction& traction);
  /// Adds a pressure against the outward normal, for vector forms with one component per dimension, beside
  /// which there may be linear ones: a number or a function of the position. A face between two elements is
  /// pushed into that of the side.
  /// \throws ArgumentError as above, and for neighbours inside the mesh whose normals are opposite; neither
  ///   these nor faces that the set has twice are refused where they are `meant`
  template <class Sides, class Pressure>
  void add_pressure(const Sides& sides, const Pressure& pressure, Opposed opposed = Opposed::refused);
  /// Adds a concentrated load at one node. \throws ArgumentError naming a node that does not exist
  void add_point_load(Ordinal node, int component, double value);
  /// Removes all natural and concentrated loads.
  void clear_loads();
  ///@}

  /// \name Robin sides, integrated over the mesh as it is now
  ///@{
  /// On sides, n . sigma grad u = h (g - u): a scalar form's flux by heat transfer h from surroundings at g,
  /// or an elastic bedding of stiffness h about displacements g, component by component. Assemblies,
  /// operators, residuals and reactions have the integrals of h u v and h g v as if they were the form's.
  /// \param sides view of (element, side), as of `Mesh::side_set`
  /// \param transfer h >= 0: a number for all components, or a function of the position that gives it or each
  /// \param surroundings g, given in the same ways
  /// \throws ArgumentError for sides that the mesh does not have, a face that the set has twice, h or g that
  ///   are not finite, h < 0
  template <class Sides, class Transfer, class Surroundings>
  void add_robin(const Sides& sides, const Transfer& transfer, const Surroundings& surroundings);
  /// Removes all Robin sides.
  void clear_robin();
  ///@}

  /// Equation numbers on the device, with all constraints so far. Memory for them is allocated once for a set
  /// of constrained degrees of freedom; new values are written over the old ones, by `exec`.
  /// \throws OutOfMemoryError
  Equations<ExecutionSpace> equations(const ExecutionSpace& exec) const;
  /// Natural and concentrated loads of all degrees of freedom, summed in a fixed order. New ones are written
  /// over the old ones, by `exec`, in memory that grows where there are more than ever before.
  /// \throws OutOfMemoryError
  SparseVector nodal_loads(const ExecutionSpace& exec) const;
  /// What all Robin sides add up to, in a fixed order. Made anew by `exec` where some have been added.
  /// \throws OutOfMemoryError
  RobinSides<ExecutionSpace> robin(const ExecutionSpace& exec) const;
  /// The same on the default instance.
  Equations<ExecutionSpace> equations() const { return equations(default_instance<ExecutionSpace>()); }
  /// The same on the default instance.
  SparseVector nodal_loads() const { return nodal_loads(default_instance<ExecutionSpace>()); }

  /// Values of all degrees of freedom from a solution of the system: prescribed values filled in, linear
  /// components interpolated.
  /// \throws ArgumentError if `solution` has not one entry per equation
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const ExecutionSpace& exec, const Solution& solution) const;
  /// The same on the default instance.
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const Solution& solution) const {
    return expand(default_instance<ExecutionSpace>(), solution);
  }

private:
  template <class, class>
  friend class FunctionSpace;
  template <class, class>
  friend class MixedSpace;

  using Linear = std::shared_ptr<const LinearComponents<ExecutionSpace>>;
  /// The space of a block whose linear components are those of all `blocks`, this one among them.
  template <class... Elements>
  FunctionSpace(const MeshType& mesh, const Unknowns& unknowns,
                const Mesh<Elements, ExecutionSpace>&... blocks);
  void check_component(int component, const char* what) const;
  void check(Ordinal node, int component, double value, const char* what) const;
  /// Sets `width` components from `first` on at each node; values: node x component.
  void set(const std::vector<Ordinal>& nodes, int first, int width, const std::vector<double>& values,
           const char* what);
  /// Frees `width` components from `first` on at each node.
  void free(const std::vector<Ordinal>& nodes, int first, int width);
  /// Adds to a load, or to the corners' that a linear component follows from.
  void add_to(std::map<Ordinal, double>& loads, Ordinal node, int component, double load) const;
  template <class Nodes>
  static std::vector<Ordinal> to_host(const char* what, const Nodes& nodes);
  template <class Values>
  std::vector<double> values_at(const std::vector<Ordinal>& nodes, int width, const Values& values) const;
  template <class Sides, class Traction>
  void integrate(const char* what, const Sides& sides, bool along_normal, Opposed opposed,
                 const Traction& traction);

  MeshType mesh_;
  int components_, linear_components_ = 0;
  ConstraintTreatment treatment_;
  // Shared by copies, and by spaces of other blocks.
  std::shared_ptr<detail::ConstraintState<ExecutionSpace>> constraints_ =
      std::make_shared<detail::ConstraintState<ExecutionSpace>>();
  std::shared_ptr<detail::NaturalState<ExecutionSpace>> natural_ =
      std::make_shared<detail::NaturalState<ExecutionSpace>>();
  Linear linear_;
};

namespace detail {

/// The space over elements of one type; of several, over `Blocks`, in core/blocks/mixed_space.hpp.
template <class Elements, class ExecutionSpace>
struct SpaceOver {
  using type = FunctionSpace<Elements, ExecutionSpace>;
};

} // namespace detail

} // namespace tessera

#include <tessera/core/space/detail/function_space_impl.hpp>
