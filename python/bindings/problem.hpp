// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes, spaces and systems of any element that the build compiles, as the bindings see them.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/vtk/picture.hpp>
#include <tessera/solvers/multigrid/nodes.hpp>
#include <tessera/solvers/newton_result.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>

#include "arrays.hpp"
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::python {

/// Elasticity in as many dimensions as the mesh has, one for each component of the body force; without any
/// there is no force.
struct Elasticity {
  CellField young, poisson;
  std::vector<double> body_force;
  Plane plane = Plane::strain;
};

/// \throws ArgumentError unless there is one value for each dimension, or none
template <int dimension>
std::array<double, dimension> force_in(const std::string& form, const std::vector<double>& given) {
  std::array<double, dimension> force{};
  if (given.empty()) return force;
  if (given.size() != dimension)
    throw ArgumentError(form + ": " + std::to_string(given.size()) + " components of the body force in " +
                        std::to_string(dimension) + " dimensions");
  std::copy(given.begin(), given.end(), force.begin());
  return force;
}

/// \throws as `force_in`
template <int dimension>
LinearElasticity<dimension> elasticity_in(const Elasticity& form) {
  return {form.young, form.poisson, force_in<dimension>("LinearElasticity", form.body_force), form.plane};
}

/// `Stokes` in as many dimensions as the mesh has, as `Elasticity`.
struct SlowFlow {
  double viscosity;
  std::vector<double> body_force;
};

/// \throws as `elasticity_in`
template <int dimension>
Stokes<dimension> stokes_in(const SlowFlow& form) {
  return {form.viscosity, force_in<dimension>("Stokes", form.body_force)};
}

/// A shipped form.
using Form = std::variant<Helmholtz<>, Elasticity, SlowFlow>;

/// `NeoHookean` in as many dimensions as the mesh has.
struct NeoHookeanSolid {
  double shear, lame;
};

/// A shipped weak form, which has a residual.
using ResidualForm = std::variant<WeakForm<Poisson, CellField, CellField>,
                                  WeakForm<NonlinearPoisson, CellField>, NeoHookeanSolid>;

/// One value for each component, or a single one, at a position.
using Function = std::function<std::vector<double>(const std::vector<double>&)>;

/// What a strategy did.
struct Report {
  std::string strategy; ///< by its name in the catalogue
  PlanReport plan;
};

/// The product by a form's matrix without the matrix, for vectors over the equations.
class Operator {
public:
  /// \param form has the memory of the operator's coefficients
  Operator(const Form& form, std::unique_ptr<const tessera::AnyOperator<Exec>> op);

  Report report() const { return {op_->info().name, op_->report()}; }
  std::size_t rows() const { return op_->rows(); }
  /// y = A x, both of `rows()` entries.
  void apply(const Located<const double>& x, const Located<double>& y) const;
  /// The right-hand side that an assembly would give.
  Kokkos::View<double*, Exec> load() const;
  Kokkos::View<double*, Exec> diagonal() const;

private:
  template <class Compute>
  Kokkos::View<double*, Exec> computed(const std::string& label, const Compute& compute) const;

  Form form_;
  std::unique_ptr<const tessera::AnyOperator<Exec>> op_;
};

/// The residual of a weak form under a space's constraints and loads.
class AnyResidual {
public:
  virtual ~AnyResidual() = default;
  virtual Report report() const = 0;
  virtual std::size_t dofs() const = 0;
  /// Another form of the same type.
  virtual void set_form(const ResidualForm& form) = 0;
  /// r(u), both of `dofs()` entries, node * components + component.
  virtual void integrate(const Located<const double>& u, const Located<double>& r) = 0;
};

/// How linear systems of Jacobians are solved.
struct LinearOptions {
  double relative;               ///< of the residual
  bool multigrid;                ///< or Jacobi's preconditioner
  std::function<void()> between; ///< called before each product; what it throws ends the solution
};

/// The derivative of a weak form's residual by its unknown at a state, K(u) = dr/du, as the matrix of a
/// system. Vectors have an entry for each degree of freedom, node * components + component. Constrained ones
/// are no variables, and their residual is zero: derivatives are zero there, and other vectors' entries are
/// not looked at.
class AnyLinearised {
public:
  virtual ~AnyLinearised() = default;
  /// Another form of the same type.
  virtual void set_form(const ResidualForm& form) = 0;
  /// Fills the system with K(u) and K(u) u - r(u).
  virtual void assemble(const Located<const double>& u) = 0;
  /// result = K(u)' lambda; fills the system.
  virtual void transposed_product(const Located<const double>& u, const Located<const double>& lambda,
                                  const Located<double>& result) = 0;
  /// K(u)' lambda = -slope; fills the system. \throws SolverError unless the options' residual is reached
  virtual void solve_transposed(const Located<const double>& u, const Located<const double>& slope,
                                const Located<double>& lambda, const LinearOptions& options) = 0;
  /// lambda' dr/da of the form's field of this number, an entry for each of its values.
  virtual Kokkos::View<double*, Exec> gradient(std::size_t field, const Located<const double>& u,
                                               const Located<const double>& lambda) = 0;
  /// Newton's method from u on, which becomes the solution. \throws as `solvers::Newton::solve`
  virtual solvers::NewtonResult newton(const Located<double>& u, const solvers::NewtonOptions& options,
                                       const LinearOptions& linear) = 0;
};

/// What a solver of slow flow asks for beside the system.
struct FlowParts {
  int dimension;
  LinearSystem<double, Exec> pressure_mass; ///< over the viscosity, of the system's graph
  Kokkos::View<const double**, Kokkos::LayoutRight, Exec> coordinates;
};

class AnySystem {
public:
  virtual ~AnySystem() = default;
  virtual const LinearSystem<double, Exec>& system() const = 0;
  /// \throws ArgumentError for an unknown strategy; as plans do
  virtual Report assemble(const Form& form, const std::string& strategy) = 0;
  /// Whether `SlowFlow` was assembled last.
  virtual bool has_flow() const = 0;
  /// \throws ArgumentError unless it has
  virtual FlowParts flow() = 0;
};

class AnySpace {
public:
  virtual ~AnySpace() = default;
  virtual std::string element() const = 0;
  /// The `FunctionSpace` of that element, or the `MixedSpace`, for extensions; see `space_of`.
  virtual const void* function_space() const = 0;
  virtual int components() const = 0;
  virtual int linear_components() const = 0;
  virtual Ordinal num_equations() const = 0;
  /// One value for each node.
  virtual void constrain(const std::vector<Ordinal>& nodes, int component,
                         const std::vector<double>& values) = 0;
  virtual void release(const std::vector<Ordinal>& nodes, int component) = 0;
  /// \name Sides are pairs of element and number of the side.
  ///@{
  virtual void add_load(const std::vector<Ordinal>& sides, const Function& traction) = 0;
  virtual void add_pressure(const std::vector<Ordinal>& sides, const Function& pressure) = 0;
  virtual void add_robin(const std::vector<Ordinal>& sides, const Function& transfer,
                         const Function& surroundings) = 0;
  ///@}
  virtual void add_point_load(Ordinal node, int component, double value) = 0;
  virtual void clear_loads() = 0;
  virtual void clear_robin() = 0;
  /// node * components + component
  virtual Kokkos::View<double*, Exec> expand(const Located<const double>& solution) const = 0;
  virtual solvers::MultigridNodes<Exec> multigrid_nodes() const = 0;
  virtual std::shared_ptr<AnySystem> system() const = 0;
  /// \throws as `tessera::make_operator`
  virtual std::shared_ptr<Operator> make_operator(const Form& form, const std::string& strategy) const = 0;
  /// \throws ArgumentError for an unknown strategy; as plans do
  virtual std::shared_ptr<AnyResidual> make_residual(const ResidualForm& form,
                                                     const std::string& strategy) const = 0;
  /// \param system of this space, which it fills
  /// \throws UnsupportedError for elements of higher order; as plans do
  virtual std::shared_ptr<AnyLinearised> linearise(const ResidualForm& form,
                                                   const AnySystem& system) const = 0;
};

class AnyMesh {
public:
  using Sets = std::map<std::string, Array<const Ordinal>>;

  virtual ~AnyMesh() = default;
  virtual std::string element() const = 0;
  /// \name Arrays on the host. Elements are numbered over all blocks, one after the other.
  ///@{
  virtual Array<const double> points() const = 0;
  /// Nodes of the elements of each type; several types have elements each.
  virtual std::vector<std::pair<std::string, Array<const Ordinal>>> blocks() const = 0;
  virtual Array<const Ordinal> materials() const = 0;
  virtual Sets node_sets() const = 0;
  virtual Sets side_sets() const = 0;
  virtual Array<const Ordinal> boundary_sides() const = 0;
  ///@}
  virtual Ordinal num_materials() const = 0;
  /// The names that a file gives to the materials 0, 1, ...
  virtual std::vector<std::string> material_names() const = 0;
  /// Calls `use` with the mesh and its sets as pictures take them.
  virtual void
  show(const std::function<void(std::span<const io::MeshArrays>, const std::vector<io::DrawnSet>&)>& use)
      const = 0;
  virtual void add_node_set(const std::string& name, const std::vector<Ordinal>& nodes) = 0;
  virtual void add_side_set(const std::string& name, const std::vector<Ordinal>& sides) = 0;
  virtual std::shared_ptr<AnySpace> space(const Unknowns& unknowns) const = 0;
};

/// Arrays of the elements of a type. Without materials all are of one.
struct BlockArrays {
  std::string element;
  Located<const Ordinal> cells;
  std::size_t elements, nodes_per_element;
  std::optional<Located<const Ordinal>> materials;
};

/// Arrays of a mesh.
struct MeshArrays {
  Located<const double> points;
  std::size_t nodes, dimension;
  std::vector<BlockArrays> blocks;
};

/// How meshes of one element are made; arrays have one block.
struct ElementEntry {
  std::string name;
  int dimension;
  std::shared_ptr<AnyMesh> (*from_arrays)(const MeshArrays&);
  std::shared_ptr<AnyMesh> (*from_data)(io::MeshData, bool allow_partial);
  std::shared_ptr<AnyMesh> (*box)(const io::Box&);
};

/// The elements that the build compiles.
std::vector<std::string> element_names();
/// \throws ArgumentError that lists the elements there are
const ElementEntry& find_element(const std::string& name);

/// \name Meshes of several element types, which have one order
/// \throws UnsupportedError that lists the elements that can be together; as `MixedMesh`
///@{
std::shared_ptr<AnyMesh> mixed_from_arrays(const MeshArrays& arrays);
std::shared_ptr<AnyMesh> mixed_from_data(io::MeshData data, bool allow_partial);
///@}

} // namespace tessera::python
