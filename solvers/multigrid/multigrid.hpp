// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Algebraic multigrid by smoothed aggregation, set up and applied on the device.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>
#include <tessera/solvers/multigrid/gate.hpp>
#include <tessera/solvers/multigrid/nodes.hpp>
#include <tessera/solvers/multigrid/options.hpp>
#include <tessera/solvers/operator.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace tessera::solvers {

namespace multigrid::detail {
template <class ExecutionSpace>
class Hierarchy;
}

/// Multigrid for symmetric positive definite matrices: a preconditioner for `cg`, one V-cycle a call.
///
/// Smoothed aggregation (P. Vaněk, J. Mandel and M. Brezina, Computing 56, 1996) whose aggregates are runs of
/// nodes along the Hilbert curve, after the geometry-informed aggregates of Z. Fu, T. J. Lewis, R. M. Kirby
/// and R. T. Whitaker (2014), or follow strong couplings (`Aggregation`); Chebyshev's smoother of degree two
/// on devices and three on hosts; the coarsest level is solved directly. The hierarchy is in single
/// precision, or half of it with exact sums of rows. Copies share it.
///
/// Deterministic: the same matrix gives the same bits on one execution space. Memory: `report().bytes`.
/// `apply` uses the hierarchy's own vectors, so that one hierarchy serves one caller at a time.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class Multigrid {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// From a matrix: row_map (extent rows + 1), columns, values. The matrix is read, not kept.
  /// \param exec   instance that runs the set-up; the call returns after it has ended.
  /// \param nodes  what is known of the nodes behind the rows.
  /// \throws ArgumentError if matrix, nodes or options are inconsistent
  /// \throws MeshError if a coordinate is not finite
  /// \throws SolverError naming the first row with an entry that is not finite or without a positive diagonal
  ///         entry; or if the matrix is not symmetric, or found indefinite
  /// \throws OutOfMemoryError with the bytes wanted
  Multigrid(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
            const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values,
            const MultigridNodes<ExecutionSpace>& nodes = {}, const MultigridOptions& options = {});

  /// From an assembled system and its space, a `FunctionSpace` or a `MixedSpace`: coordinates, components and
  /// constraints are taken from there.
  /// \throws also SolverError naming the first node that no element has (`require_rows`)
  template <class Space>
    requires requires { typename Space::MeshType; }
  Multigrid(const ExecutionSpace& exec, const LinearSystem<double, ExecutionSpace>& system,
            const Space& space, const MultigridOptions& options = {})
      : Multigrid(exec, require_rows(exec, "Multigrid", system.graph()).row_map, system.graph().columns,
                  system.values(), nodes_of(exec, system.graph().equations, space.mesh().coordinates()),
                  options) {}
  /// The same on the default instance.
  template <class Space>
    requires requires { typename Space::MeshType; }
  Multigrid(const LinearSystem<double, ExecutionSpace>& system, const Space& space,
            const MultigridOptions& options = {})
      : Multigrid(default_instance<ExecutionSpace>(), system, space, options) {}

  /// Takes new values of the same pattern; order, aggregates and all patterns stay. An operator in place of
  /// rows goes: it is that of the old values.
  /// \throws ArgumentError if the pattern is another: nothing has changed then; SolverError as the
  /// constructor:
  ///         the hierarchy is of no use after it.
  void refresh(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
               const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values);
  void refresh(const ExecutionSpace& exec, const LinearSystem<double, ExecutionSpace>& system) {
    refresh(exec, system.graph().row_map, system.graph().columns, system.values());
  }
  /// The same on the default instance.
  void refresh(const LinearSystem<double, ExecutionSpace>& system) {
    refresh(default_instance<ExecutionSpace>(), system);
  }

  /// Multiplies by `a` on the finest level instead of by stored rows, which are given back: an operator of
  /// the same form and constraints as the matrix, matrix-free as a rule, on vectors of float (the cycle's
  /// precision, and so preferred) or double. A copy of it is kept; `cg` is handed one as its operator.
  /// Constrained rows that the matrix keeps must be the identity's in both. The next `refresh` stores the
  /// rows again. A finest level that is solved directly has no products: `a` is then checked, and not used.
  ///
  /// Deterministic if `a` is. The cycle does not wait for the device unless `a` does.
  /// Memory: two vectors, for 4 bytes an entry of the matrix and, by `MultigridStorage`, 4 or 8 more that the
  /// rows took.
  /// \throws ArgumentError if `a` has not as many rows as the matrix, or its product with a random vector is
  ///         not the matrix's to single precision; or if rows were replaced before. Nothing has changed then.
  template <class A>
    requires(Operator<A, ExecutionSpace, float> || Operator<A, ExecutionSpace, double>)
  void replace_rows(const ExecutionSpace& exec, const A& a) {
    using Scalar = std::conditional_t<Operator<A, ExecutionSpace, float>, float, double>;
    replace_rows(exec, multigrid::fine_operator<Scalar>(exec, a));
  }
  /// The same on the default instance.
  template <class A>
    requires(Operator<A, ExecutionSpace, float> || Operator<A, ExecutionSpace, double>)
  void replace_rows(const A& a) {
    replace_rows(default_instance<ExecutionSpace>(), a);
  }
  void replace_rows(const ExecutionSpace& exec, const multigrid::FineOperator<ExecutionSpace>& a);

  std::size_t rows() const;

  /// y = M⁻¹ x: one cycle from zero. \throws ArgumentError unless x and y have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const;

  /// One cycle for r, whose result the solver's kernels read through the gate, see `GatedPreconditioner`.
  void solve(const ExecutionSpace& exec, const ConstVector& r, const DeviceScalar<ExecutionSpace>& dot) const;
  multigrid::Gate<ExecutionSpace> gate() const;

  const MultigridReport& report() const;

  /// Takes its part in the null space out of a vector, if the matrix is singular (`report().singular`): a
  /// right-hand side that was balanced up to rounding is balanced then, and a solution has the least norm.
  /// \throws ArgumentError unless v has as many entries as the matrix has rows
  void remove_null_space(const ExecutionSpace& exec, const Vector& v) const;

  /// The nodes of a numbering of equations.
  static MultigridNodes<ExecutionSpace>
  nodes_of(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations,
           const Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace>& coordinates);

private:
  std::shared_ptr<multigrid::detail::Hierarchy<ExecutionSpace>> hierarchy_;
};

} // namespace tessera::solvers
