#pragma once

/// \file
/// A mesh with components per node, essential constraints, and natural loads.

#include <tessera/core/equations.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/core/side_integrals.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// Lagrange functions of a mesh with `components` unknowns per node. Degrees of freedom are numbered
/// node * components + component.
///
/// Constraints and loads are collected on the host; `equations()` and `nodal_loads()` bring them to the
/// device. A degree of freedom that is constrained again takes the last value. Copies share what they hold.
template <class ElementType, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class FunctionSpace {
public:
  using Element = ElementType;
  using execution_space = ExecutionSpace;
  using MeshType = Mesh<Element, ExecutionSpace>;
  static constexpr int max_components = 8;

  /// Sparse vector over degrees of freedom, ascending and unique.
  struct SparseVector {
    Kokkos::View<Ordinal*, ExecutionSpace> dofs;
    Kokkos::View<double*, ExecutionSpace> values;
  };

  /// \param components unknowns per node, 1 to 8
  /// \throws ArgumentError for another number of components or a count of unknowns beyond 32 bits
  FunctionSpace(const MeshType& mesh, int components,
                ConstraintTreatment treatment = ConstraintTreatment::removed);

  const MeshType& mesh() const { return mesh_; }
  int components() const { return components_; }
  ConstraintTreatment treatment() const { return treatment_; }
  /// Number of degrees of freedom, constrained ones included.
  Ordinal num_dofs() const { return mesh_.num_nodes() * components_; }
  /// Increases whenever another degree of freedom is constrained, so that a graph can tell whether it still
  /// fits; new values for constrained degrees of freedom leave it alone.
  std::size_t revision() const { return constraints_->revision; }

  /// Prescribes all components at the nodes of a set.
  /// \throws ArgumentError for another number of values than components, or values that are not finite
  void constrain(const typename MeshType::NodeSet& nodes, const std::vector<double>& values);
  /// Prescribes one component at the nodes of a set. \throws ArgumentError as above
  void constrain(const typename MeshType::NodeSet& nodes, int component, double value);
  /// Prescribes one component of one node. \throws ArgumentError naming a node that does not exist
  void constrain(Ordinal node, int component, double value);

  /// Adds a natural load per area (per length in two dimensions): a traction, or the flux of a scalar form.
  /// \throws ArgumentError for another number of values than components
  void add_load(const typename MeshType::SideSet& sides, const std::vector<double>& traction);
  /// Adds a pressure against the outward normal; for vector forms with one component per dimension.
  void add_pressure(const typename MeshType::SideSet& sides, double pressure);
  /// Adds a concentrated load at one node. \throws ArgumentError naming a node that does not exist
  void add_point_load(Ordinal node, int component, double value);

  /// Equation numbers on the device, with all constraints so far; copied there once, by `exec`.
  Equations<ExecutionSpace> equations(const ExecutionSpace& exec = ExecutionSpace()) const;
  /// Natural and concentrated loads of all degrees of freedom, summed in a fixed order; copied once, by
  /// `exec`.
  SparseVector nodal_loads(const ExecutionSpace& exec = ExecutionSpace()) const;

  /// Values of all degrees of freedom from a solution of the system: prescribed values filled in.
  /// \throws ArgumentError if `solution` has not one entry per equation
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const ExecutionSpace& exec, const Solution& solution) const;
  /// The same on the default instance.
  template <class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const Solution& solution) const {
    return expand(ExecutionSpace(), solution);
  }

private:
  struct Constraints {
    std::size_t revision = 0;
    std::vector<std::uint8_t> mask;  // node; empty without constraints
    std::vector<double> prescribed;  // degree of freedom
    std::map<Ordinal, double> loads; // degree of freedom
    Equations<ExecutionSpace> equations;
    bool equations_current = false;
    SparseVector load_vector;
    bool loads_current = false;
  };

  void check(Ordinal node, int component, double value, const char* what) const;
  void set(Ordinal node, int component, double value);
  static std::vector<Ordinal> to_host(const typename MeshType::NodeSet& nodes);

  MeshType mesh_;
  int components_;
  ConstraintTreatment treatment_;
  std::shared_ptr<Constraints> constraints_ = std::make_shared<Constraints>();
};

} // namespace tessera

#include <tessera/core/detail/function_space_impl.hpp>
