// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A direct solver of one process, for what iterations give up on.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/host_lu.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tessera::solvers {

/// A⁻¹ by a sparse LU factorisation, SuiteSparse's UMFPACK, on the host. Takes every matrix that is not
/// singular: convection without diffusion, waves, saddle points, parts of any stiffness; to some hundred
/// thousand rows, in two dimensions to a million: the factors fill.
///
/// It is an operator as preconditioners are. `gmres` with it solves in one iteration or two, and judges the
/// solution by its residual as any other:
///
///     gmres(exec, matrix, DirectSolver(exec, system), system.rhs(), x);
///
/// A program that uses it links `Tessera::direct`, which is there where UMFPACK is; UMFPACK is under the GPL.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class DirectSolver {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// Factorises; new values need a new solver. Waits for `exec`.
  ///
  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, ascending in a row.
  /// \param values   value of each entry.
  /// \throws ArgumentError if the matrix is inconsistent; SolverError if it is singular, or naming the first
  ///         row with an entry that is not finite; OutOfMemoryError
  DirectSolver(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
               const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values)
      : rows_(check(exec, {row_map, columns, values})),
        lu_(to_host(row_map), to_host(columns), to_host(values)) {}

  /// Of an assembled system's matrix.
  /// \throws also SolverError naming the first node that no element has (`require_rows`)
  DirectSolver(const ExecutionSpace& exec, const LinearSystem<double, ExecutionSpace>& system)
      : DirectSolver(exec, require_rows(exec, "DirectSolver", system.graph()).row_map, system.graph().columns,
                     system.values()) {}
  /// The same on the default instance.
  explicit DirectSolver(const LinearSystem<double, ExecutionSpace>& system)
      : DirectSolver(default_instance<ExecutionSpace>(), system) {}

  std::size_t rows() const { return rows_; }

  /// y = A⁻¹ x, by the host, which waits for `exec`.
  /// \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("DirectSolver", rows(), x, y);
    const Kokkos::Profiling::ScopedRegion region("Tessera::DirectSolver::apply");
    exec.fence("Tessera::DirectSolver::apply");
    const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    const auto solution = Kokkos::create_mirror_view(y);
    lu_.solve(b.data(), solution.data());
    Kokkos::deep_copy(exec, y, solution);
  }

  /// Smallest over largest pivot: about the inverse of the condition number.
  double smallest_pivot() const { return lu_.smallest_pivot(); }
  /// Of the factors.
  double bytes() const { return lu_.bytes(); }

private:
  static std::size_t check(const ExecutionSpace& exec,
                           const detail::CrsViews<double, ExecutionSpace>& matrix) {
    detail::check_crs(exec, "DirectSolver", matrix);
    if (matrix.rows() == 0) throw ArgumentError("DirectSolver: the matrix has no rows");
    exec.fence("Tessera::DirectSolver::check");
    return static_cast<std::size_t>(matrix.rows());
  }
  template <class View>
  static auto to_host(const View& view) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    using Entry =
        std::conditional_t<std::is_integral_v<typename View::non_const_value_type>, std::int64_t, double>;
    return std::vector<Entry>(host.data(), host.data() + host.extent(0));
  }

  std::size_t rows_;
  detail::HostLu lu_;
};

} // namespace tessera::solvers
