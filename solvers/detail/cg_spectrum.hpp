// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What conjugate gradients learn of the matrix on their way.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tessera::solvers::detail {

/// The extreme eigenvalues of a symmetric positive definite tridiagonal matrix, by bisection on the number of
/// negative pivots (J. H. Wilkinson 1965; W. Barth, R. S. Martin and J. H. Wilkinson 1967).
struct Tridiagonal {
  std::vector<double> diagonal, beside; ///< beside(i) couples i − 1 and i; the first is unused

  /// How many eigenvalues are below `value`.
  std::size_t below(double value) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      pivot = diagonal[i] - value - (i == 0 ? 0.0 : beside[i] * beside[i] / pivot);
      if (pivot == 0) pivot = -std::numeric_limits<double>::min();
      count += pivot < 0 ? 1 : 0;
    }
    return count;
  }
  /// Largest sum of absolute values in a row, which no eigenvalue exceeds.
  double bound() const {
    double most = 0;
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      most = std::max(most, diagonal[i] + (i == 0 ? 0 : std::abs(beside[i])) +
                                (i + 1 == diagonal.size() ? 0 : std::abs(beside[i + 1])));
    return most;
  }
  /// The number beyond which at least `count` eigenvalues lie below, to three digits or to the rounding of
  /// the largest.
  double eigenvalue(std::size_t count) const {
    double high = bound() * (1 + 1e-12), low = high * std::numeric_limits<double>::epsilon();
    if (below(low) >= count) return low;
    while (high > 1.001 * low) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (below(middle) >= count ? high : low) = middle;
    }
    return std::sqrt(low) * std::sqrt(high);
  }
};

/// Keeps the Lanczos matrix of M⁻¹A that the coefficients of conjugate gradients make up (Y. Saad, "Iterative
/// Methods for Sparse Linear Systems", 2nd ed., section 6.7.3), and the norm √(xᵀMx) of what has been added
/// to the first guess (T. Steihaug 1983). An iteration that begins anew begins another matrix.
class CgSpectrum {
public:
  /// Takes step α = r·M⁻¹r / p·Ap, and the β that led to p, 0 for a first direction.
  void add(double rz, double beta, double pq) {
    const double alpha = rz / pq;
    if (beta == 0) {
      close();
      pmp_ = rz;
      xmp_ = 0;
    } else {
      xmp_ = beta * (xmp_ + alpha_ * pmp_);
      pmp_ = rz + beta * beta * pmp_;
    }
    lanczos_.beside.push_back(beta == 0 ? 0 : std::sqrt(beta) / alpha_);
    lanczos_.diagonal.push_back(1 / alpha + (beta == 0 ? 0 : beta / alpha_));
    alpha_ = alpha;
    xmx_ += 2 * alpha * xmp_ + alpha * alpha * pmp_;
  }

  /// Ends a matrix; its eigenvalues lie within those of M⁻¹A but for rounding.
  void close() {
    if (!lanczos_.diagonal.empty()) {
      smallest_ = std::min(smallest_, lanczos_.eigenvalue(1));
      largest_ = std::max(largest_, lanczos_.eigenvalue(lanczos_.diagonal.size()));
      solution_ = std::max(solution_, std::sqrt(std::max(0.0, xmx_)));
    }
    lanczos_ = {};
    xmx_ = 0;
  }

  /// p·Mp of the direction that was added last.
  double direction() const { return pmp_; }
  double smallest() const { return std::isfinite(smallest_) ? smallest_ : 0; }
  double largest() const { return largest_; }
  /// Largest √(xᵀMx) that the matrices' iterations have added.
  double solution() const { return solution_; }

private:
  Tridiagonal lanczos_;
  double alpha_ = 0, pmp_ = 0, xmp_ = 0, xmx_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = 0, solution_ = 0;
};

} // namespace tessera::solvers::detail
