// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A small symmetric matrix that every rank factors for itself.

#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// A = L D Lᵀ on the host. A pivot that rounding leaves of its diagonal entry belongs to a direction that the
/// ones before it span: the solution has no part of it.
class DenseFactor {
public:
  DenseFactor() = default;

  /// \param a row by row, both triangles; positive semidefinite up to rounding
  DenseFactor(std::size_t rows, std::vector<double> a) : rows_(rows), lower_(std::move(a)), inverse_(rows) {
    constexpr double rounding = 1e-10;
    std::vector<double> scaled(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      double* const row = &lower_[i * rows];
      double pivot = row[i];
      for (std::size_t j = 0; j < i; ++j) {
        const double* const other = &lower_[j * rows];
        double sum = row[j];
        for (std::size_t k = 0; k < j; ++k) sum -= scaled[k] * other[k];
        scaled[j] = sum; // L(i, j) D(j)
        row[j] = sum * inverse_[j];
        pivot -= sum * row[j];
      }
      inverse_[i] = pivot > rounding * row[i] ? 1 / pivot : 0;
    }
  }

  std::size_t rows() const { return rows_; }

  /// x = A⁻¹ x.
  void solve(std::vector<double>& x) const {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t k = 0; k < i; ++k) x[i] -= lower_[i * rows_ + k] * x[k];
    for (std::size_t i = 0; i < rows_; ++i) x[i] *= inverse_[i];
    for (std::size_t i = rows_; i-- > 0;)
      for (std::size_t k = 0; k < i; ++k) x[k] -= lower_[i * rows_ + k] * x[i];
  }

private:
  std::size_t rows_ = 0;
  std::vector<double> lower_;   ///< row by row, below the diagonal
  std::vector<double> inverse_; ///< of D
};

} // namespace tessera::distributed::detail
