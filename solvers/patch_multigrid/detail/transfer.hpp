// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Restriction and prolongation between levels of any precision, and the dense solve of the coarsest.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/patch_multigrid/detail/sparse_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tessera::solvers::patch_multigrid::detail {

/// A sparse matrix of one precision between vectors of others.
template <class Scalar, class ExecutionSpace>
struct TransferMatrix {
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Scalar*, ExecutionSpace> values;

  TransferMatrix() = default;
  TransferMatrix(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& source)
      : row_map(source.graph.row_map), columns(source.graph.columns),
        values(make<decltype(values)>(exec, "transfer", source.entries())) {
    Kokkos::deep_copy(exec, values, source.values);
  }
  std::size_t bytes() const { return bytes_of(row_map) + bytes_of(columns) + bytes_of(values); }
};

/// y = T x, or y += T x. The lanes of a thread share a row.
template <class Scalar, class From, class To, class ExecutionSpace, bool Add>
struct Transfer {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;

  TransferMatrix<Scalar, ExecutionSpace> matrix;
  Kokkos::View<const From*, ExecutionSpace> x;
  Kokkos::View<To*, ExecutionSpace> y;
  Ordinal rows_per_team;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const Ordinal begin = static_cast<Ordinal>(team.league_rank()) * rows_per_team;
    const Ordinal end = Kokkos::min(begin + rows_per_team, static_cast<Ordinal>(y.extent(0)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](const Ordinal row) {
      Scalar sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, matrix.row_map(row), matrix.row_map(row + 1)),
          [&](const Offset k, Scalar& partial) {
            partial += matrix.values(k) * static_cast<Scalar>(x(matrix.columns(k)));
          },
          sum);
      Kokkos::single(Kokkos::PerThread(team),
                     [&]() { y(row) = Add ? y(row) + static_cast<To>(sum) : static_cast<To>(sum); });
    });
  }

  /// \param lanes of a thread on devices
  void run(const ExecutionSpace& exec, const std::string& label, int lanes) {
    const auto rows = static_cast<Ordinal>(y.extent(0));
    const int used = runs_on_host<ExecutionSpace> ? 1 : std::min(lanes, Policy::vector_length_max());
    const int threads = runs_on_host<ExecutionSpace> ? 1 : 128 / used;
    rows_per_team = runs_on_host<ExecutionSpace> ? 256 : threads;
    Kokkos::parallel_for(label, Policy(exec, (rows + rows_per_team - 1) / rows_per_team, threads, used),
                         *this);
  }
};

/// The inverse of the coarsest level's matrix.
template <class ExecutionSpace>
class DenseInverse {
public:
  DenseInverse() = default;

  /// Factors on the host (Cholesky).
  /// \throws SolverError if the matrix is not positive definite
  DenseInverse(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& matrix) {
    const Ordinal n = matrix.rows();
    const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.graph.row_map);
    const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.graph.columns);
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.values);
    std::vector<double> lower(static_cast<std::size_t>(n) * n);
    for (Ordinal i = 0; i < n; ++i)
      for (Offset k = row_map(i); k < row_map(i + 1); ++k)
        if (columns(k) <= i) lower[at(n, i, columns(k))] += values(k);
    factor(n, lower);
    inverse_ = make<decltype(inverse_)>(exec, "inverse", n, n);
    const auto host = Kokkos::create_mirror_view(inverse_);
    std::vector<double> column(n);
    for (Ordinal j = 0; j < n; ++j) {
      std::fill(column.begin(), column.end(), 0.0);
      column[to_size(j)] = 1;
      solve(n, lower, j, column);
      for (Ordinal i = 0; i < n; ++i) host(i, j) = column[i];
    }
    Kokkos::deep_copy(exec, inverse_, host);
    exec.fence("Tessera::PatchMultigrid::inverse");
  }

  const Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>& values() const { return inverse_; }

private:
  static std::size_t at(Ordinal n, Ordinal i, Ordinal j) { return to_size(i) * to_size(n) + to_size(j); }

  static void factor(Ordinal n, std::vector<double>& l) {
    for (Ordinal i = 0; i < n; ++i)
      for (Ordinal j = 0; j <= i; ++j) {
        double sum = l[at(n, i, j)];
        for (Ordinal k = 0; k < j; ++k) sum -= l[at(n, i, k)] * l[at(n, j, k)];
        if (i == j && !(sum > 0))
          throw SolverError("PatchMultigrid: the coarsest matrix is not positive definite: pivot " +
                            std::to_string(i) + " of " + std::to_string(n) + " is " + std::to_string(sum));
        l[at(n, i, j)] = i == j ? std::sqrt(sum) : sum / l[at(n, j, j)];
      }
  }

  /// \param first the first entry of x that is not zero
  static void solve(Ordinal n, const std::vector<double>& l, Ordinal first, std::vector<double>& x) {
    for (Ordinal i = first; i < n; ++i) {
      for (Ordinal k = first; k < i; ++k) x[i] -= l[at(n, i, k)] * x[k];
      x[i] /= l[at(n, i, i)];
    }
    for (Ordinal i = n; i-- > 0;) { // by rows of L, which lie in one piece
      x[i] /= l[at(n, i, i)];
      for (Ordinal k = 0; k < i; ++k) x[k] -= l[at(n, i, k)] * x[i];
    }
  }

  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> inverse_;
};

/// u = A⁻¹ b by rows of the inverse.
template <class Scalar, class ExecutionSpace>
struct DenseSolve {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> inverse;
  Kokkos::View<const Scalar*, ExecutionSpace> b;
  Kokkos::View<Scalar*, ExecutionSpace> u;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const auto row = static_cast<Ordinal>(team.league_rank());
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, static_cast<Ordinal>(b.extent(0))),
        [&](const Ordinal k, double& partial) { partial += inverse(row, k) * static_cast<double>(b(k)); },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&]() { u(row) = static_cast<Scalar>(sum); });
  }
  void run(const ExecutionSpace& exec) const {
    const int lanes = runs_on_host<ExecutionSpace> ? 1 : std::min(32, Policy::vector_length_max());
    Kokkos::parallel_for("Tessera::PatchMultigrid::coarsest",
                         Policy(exec, static_cast<int>(b.extent(0)), 1, lanes), *this);
  }
};

} // namespace tessera::solvers::patch_multigrid::detail
