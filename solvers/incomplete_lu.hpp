// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Kokkos Kernels' incomplete LU factorisation as a preconditioner, of matrices that are not symmetric too.

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/diagonal.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace tessera::solvers {

/// ILU(k): A = L U but for entries that k levels of fill leave out (Y. Saad, "Iterative Methods for Sparse
/// Linear Systems", section 10.3), by KokkosSparse's `spiluk` and `sptrsv`, whose rows of one level are
/// independent of each other. For convection and reaction beside diffusion, with `bicgstab`; where levels are
/// many, as along the lines of a structured mesh, a GPU has little to do at once.
///
/// Deterministic. Memory: at k = 0 the matrix once more, and a vector. One preconditioner serves one caller
/// at a time.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class IncompleteLu {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// Factorises; new values need a new preconditioner. Waits for `exec`.
  ///
  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, ascending in a row, with the diagonal.
  /// \param values   value of each entry.
  /// \param level    of fill, >= 0.
  /// \throws ArgumentError if the matrix is inconsistent or `level` is negative.
  /// \throws SolverError naming the first row whose diagonal entry is missing, zero or not finite, in the
  ///         matrix or in U. A pivot that comes out as zero is none: Kokkos Kernels takes 1e6 in its place.
  IncompleteLu(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
               const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values,
               int level = 0)
      : matrix_{row_map, columns, values} {
    if (level < 0)
      throw ArgumentError("IncompleteLu: the level of fill must be at least 0, got " + std::to_string(level));
    detail::check_crs(exec, "IncompleteLu", matrix_);
    require_diagonal(exec, matrix_);
    if (matrix_.rows() > 0) factorise(exec, level);
  }

  /// Of an assembled system's matrix.
  /// \throws also SolverError naming the first node that no element has (`require_rows`)
  explicit IncompleteLu(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system,
                        int level = 0)
      : IncompleteLu(exec, require_rows(exec, "IncompleteLu", system.graph()).row_map, system.graph().columns,
                     system.values(), level) {}
  /// The same on the default instance.
  explicit IncompleteLu(const LinearSystem<Scalar, ExecutionSpace>& system, int level = 0)
      : IncompleteLu(default_instance<ExecutionSpace>(), system, level) {}

  std::size_t rows() const { return static_cast<std::size_t>(matrix_.rows()); }

  /// y = U⁻¹ L⁻¹ x. \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("IncompleteLu", rows(), x, y);
    if (rows() == 0) return;
    const Kokkos::Profiling::ScopedRegion region("Tessera::IncompleteLu::apply");
    solve(exec, lower_, x, between_);
    solve(exec, upper_, between_, y);
  }

private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, Ordinal, Scalar, ExecutionSpace,
                                                                  MemorySpace, MemorySpace>;
  struct Factor {
    Kokkos::View<Offset*, ExecutionSpace> row_map;
    Kokkos::View<Ordinal*, ExecutionSpace> columns;
    Vector values;
    std::shared_ptr<Handle> handle = std::make_shared<Handle>();
  };

  static void require_diagonal(const ExecutionSpace& exec,
                               const detail::CrsViews<Scalar, ExecutionSpace>& matrix) {
    detail::inverted<Scalar, ExecutionSpace>(exec, "IncompleteLu", detail::diagonal(exec, matrix));
  }

  void factorise(const ExecutionSpace& exec, int level) {
    const Ordinal rows = matrix_.rows();
    between_ = allocate<Vector>(exec, "Tessera::IncompleteLu::between", static_cast<std::size_t>(rows));
    auto row_map = matrix_.row_map;
    auto columns = matrix_.columns;
    auto values = matrix_.values;
    using namespace KokkosSparse; // since version 5
    using namespace KokkosSparse::Experimental;
    Handle handle;
    // Kokkos Kernels asks for room for the pattern before it is known, throws where that does not do, and
    // works on its default instance.
    const std::size_t most = static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows);
    for (std::size_t capacity = matrix_.columns.extent(0) * (static_cast<std::size_t>(level) + 2) +
                                static_cast<std::size_t>(rows);
         ; capacity *= 2) {
      make_room(exec, capacity);
      handle.create_spiluk_handle(SPILUKAlgorithm::SEQLVLSCHD_TP1, rows, capacity, capacity);
      try {
        spiluk_symbolic(&handle, level, row_map, columns, lower_.row_map, lower_.columns, upper_.row_map,
                        upper_.columns);
        break;
      } catch (const std::runtime_error&) {
        if (capacity >= most) throw;
        handle.destroy_spiluk_handle();
      }
    }
    shrink(exec, lower_, handle.get_spiluk_handle()->get_nnzL());
    shrink(exec, upper_, handle.get_spiluk_handle()->get_nnzU());
    spiluk_numeric(&handle, level, row_map, columns, values, lower_.row_map, lower_.columns, lower_.values,
                   upper_.row_map, upper_.columns, upper_.values);
    ExecutionSpace().fence("Tessera::IncompleteLu::factorise");
    handle.destroy_spiluk_handle();
    require_diagonal(exec, {upper_.row_map, upper_.columns, upper_.values});
    analyse(lower_, true);
    analyse(upper_, false);
  }

  /// Of the factors' patterns, so many entries each.
  void make_room(const ExecutionSpace& exec, std::size_t entries) {
    for (Factor* factor : {&lower_, &upper_}) {
      factor->row_map = allocate<decltype(factor->row_map)>(exec, "Tessera::IncompleteLu::row_map",
                                                            static_cast<std::size_t>(matrix_.rows()) + 1);
      factor->columns = allocate<decltype(factor->columns)>(exec, "Tessera::IncompleteLu::columns", entries);
    }
    exec.fence("Tessera::IncompleteLu::make_room");
  }
  static void shrink(const ExecutionSpace& exec, Factor& factor, std::size_t entries) {
    Kokkos::resize(factor.columns, entries);
    factor.values = allocate<Vector>(exec, "Tessera::IncompleteLu::values", entries);
    exec.fence("Tessera::IncompleteLu::shrink");
  }
  static void analyse(const Factor& factor, bool lower) {
    factor.handle->create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1,
                                        factor.row_map.extent(0) - 1, lower);
    using namespace KokkosSparse;
    using namespace KokkosSparse::Experimental;
    sptrsv_symbolic(factor.handle.get(), factor.row_map, factor.columns, factor.values);
  }
  template <class Right, class Left>
  static void solve(ExecutionSpace exec, const Factor& factor, const Right& b, const Left& x) {
    using namespace KokkosSparse;
    using namespace KokkosSparse::Experimental;
    sptrsv_solve(exec, factor.handle.get(), factor.row_map, factor.columns, factor.values, b, x);
  }

  detail::CrsViews<Scalar, ExecutionSpace> matrix_;
  Factor lower_, upper_;
  Vector between_;
};

} // namespace tessera::solvers
