// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A sparse LU factorisation in memory of the host, by SuiteSparse's UMFPACK.

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::solvers::detail {

/// P R A Q = L U (T. A. Davis, "Algorithm 832: UMFPACK V4.3", ACM Transactions on Mathematical Software 30,
/// 2004). Its memory grows with the fill, which an order by nested dissection bounds.
class HostLu {
public:
  /// Rows of a square matrix: row (+1): position of its first entry; columns, ascending in a row; values.
  /// \throws SolverError if the matrix is singular or not finite; OutOfMemoryError
  HostLu(const std::vector<std::int64_t>& row_map, const std::vector<std::int64_t>& columns,
         const std::vector<double>& values);

  /// x = A⁻¹ b, `rows` entries each.
  void solve(const double* b, double* x) const;

  /// Smallest over largest pivot: about the inverse of the condition number.
  double smallest_pivot() const { return smallest_pivot_; }
  /// Of the factors.
  double bytes() const { return bytes_; }

private:
  std::shared_ptr<void> numeric_;
  double smallest_pivot_ = 0, bytes_ = 0;
};

} // namespace tessera::solvers::detail
