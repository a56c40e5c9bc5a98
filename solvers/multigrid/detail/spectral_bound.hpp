#pragma once

/// \file
/// A bound of the largest eigenvalue of a scaled matrix.

#include <tessera/solvers/multigrid/detail/fine_matrix.hpp>
#include <tessera/solvers/multigrid/detail/packed_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::solvers::multigrid {

/// Sums of one Lanczos step.
struct LanczosSums {
  double uv = 0, uu = 0;
  KOKKOS_FUNCTION LanczosSums& operator+=(const LanczosSums& other) {
    uv += other.uv;
    uu += other.uu;
    return *this;
  }
};

/// What a step does to vectors after u = A v − β v_before: the sums of u, by which it is known that α = u·v
/// and β² = u·u − α² for the next one, and the next vectors. The coefficients stay on the device.
template <class ExecutionSpace>
struct LanczosStep {
  Floats<ExecutionSpace> v, u;
  Kokkos::View<LanczosSums, ExecutionSpace> sums;

  struct Add {};
  struct Next {};

  KOKKOS_FUNCTION void operator()(Add, Ordinal row, LanczosSums& sum) const {
    const double own = u(row);
    sum += LanczosSums{own * v(row), own * own};
  }

  /// v becomes the next vector, and u what is taken off the next product, β v.
  KOKKOS_FUNCTION void operator()(Next, Ordinal row) const {
    const double a = sums().uv;
    const auto alpha = static_cast<float>(a);
    const float beta = Kokkos::sqrt(static_cast<float>(Kokkos::max(0.0, sums().uu - a * a)));
    const float before = v(row);
    v(row) = beta > 0 ? (u(row) - alpha * before) / beta : 0.0f;
    u(row) = beta * before;
  }
};

/// Largest eigenvalue of a symmetric tridiagonal matrix, and the size of its eigenvector's last entry.
inline std::pair<double, double> largest_ritz_value(const std::vector<double>& alpha,
                                                    const std::vector<double>& beta) {
  const std::size_t size = alpha.size();
  double low = alpha[0], high = alpha[0];
  for (std::size_t i = 0; i < size; ++i)
    high = std::max(high, alpha[i] + (i > 0 ? beta[i - 1] : 0) + (i + 1 < size ? beta[i] : 0));
  for (int bisection = 0; bisection < 60; ++bisection) {
    // Eigenvalues above the middle are the positive pivots of T − middle.
    const double middle = (low + high) / 2;
    bool above = false;
    double pivot = 1;
    for (std::size_t i = 0; i < size; ++i) {
      pivot = alpha[i] - middle - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0);
      if (pivot == 0) pivot = -1e-300;
      above = above || pivot > 0;
    }
    (above ? low : high) = middle;
  }
  std::vector<double> vector(size, 1);
  double norm = 1;
  for (std::size_t i = 1; i < size; ++i) {
    vector[i] =
        ((high - alpha[i - 1]) * vector[i - 1] - (i > 1 ? beta[i - 2] * vector[i - 2] : 0)) / beta[i - 1];
    norm += vector[i] * vector[i];
  }
  return {high, std::abs(vector[size - 1]) / std::sqrt(norm)};
}

/// What Lanczos' method found: the largest Ritz value, and the norm of its residual.
struct RitzValue {
  double value = 0, residual = 0;
};

/// Lanczos' method for the leading `rows` rows and columns of a symmetric matrix from a fixed random vector.
/// Stops early at a Ritz value of `enough`, or of less than `hopeless`, and at an invariant space.
///
/// \param entries  of these rows, about.
/// \param v, u     room for two vectors; the first is zero in the other rows.
template <class ExecutionSpace>
RitzValue lanczos(const ExecutionSpace& exec, const PackedMatrix<ExecutionSpace>& a, Ordinal rows,
                  Offset entries, double enough, double hopeless, const Floats<ExecutionSpace>& v,
                  const Floats<ExecutionSpace>& u) {
  constexpr int first_look = 6, most_steps = 10;
  using Step = LanczosStep<ExecutionSpace>;
  using Sums = Kokkos::View<LanczosSums*, ExecutionSpace>;
  const auto sums = make_temporary<Sums>(exec, "sums", most_steps);
  const auto norm = make_temporary<Kokkos::View<double, ExecutionSpace>>(exec, "norm");
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::lanczos_start", Range<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row, double& sum) {
        v(row) = random_number(row, 3);
        sum += static_cast<double>(v(row)) * static_cast<double>(v(row));
      },
      norm);
  Kokkos::parallel_for(
      "Tessera::Multigrid::lanczos_start", Range<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row) { v(row) /= Kokkos::sqrt(static_cast<float>(norm())); });
  using Add = Kokkos::RangePolicy<ExecutionSpace, typename Step::Add, Kokkos::IndexType<Ordinal>>;
  using Next = Kokkos::RangePolicy<ExecutionSpace, typename Step::Next, Kokkos::IndexType<Ordinal>>;
  int step = 0;
  std::vector<double> alpha, beta;
  RitzValue ritz;
  for (const int look : {first_look, most_steps}) {
    const int steps = std::min<Ordinal>(look, rows);
    for (; step < steps; ++step) {
      const Combination<ExecutionSpace> product = step == 0 ? Combination<ExecutionSpace>{v, v, u, 0, 0, 1}
                                                            : Combination<ExecutionSpace>{v, u, u, -1, 0, 1};
      combine_rows(exec, a, rows, entries, product, [](const auto& policy, const auto& functor) {
        Kokkos::parallel_for("Tessera::Multigrid::lanczos_multiply", policy, functor);
      });
      const Step vectors{v, u, Kokkos::subview(sums, step)};
      Kokkos::parallel_reduce("Tessera::Multigrid::lanczos_sums", Add(exec, 0, rows), vectors, vectors.sums);
      Kokkos::parallel_for("Tessera::Multigrid::lanczos_next", Next(exec, 0, rows), vectors);
    }
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    bool invariant = false; // up to single precision: what comes after is rounding
    for (auto k = static_cast<int>(alpha.size()); k < steps && !invariant; ++k) {
      alpha.push_back(found(k).uv);
      beta.push_back(std::sqrt(std::max(0.0, found(k).uu - found(k).uv * found(k).uv)));
      invariant = beta.back() <= 1e-4 * std::abs(alpha[0]);
    }
    const auto [value, last] = largest_ritz_value(alpha, beta);
    ritz = {value, beta.back() * last};
    if (invariant || value >= enough || value < hopeless) break;
  }
  return ritz;
}

/// A bound of the largest eigenvalue of a symmetric matrix: the lesser of Gershgorin's
/// and of Lanczos' largest Ritz value plus its residual (Y. Zhou and R.-C. Li, "Bounding the spectrum of
/// large Hermitian matrices", Linear Algebra Appl. 435, 2011). A Ritz value is no larger than the eigenvalue:
/// as soon as one comes near Gershgorin's bound, that bound is taken. Nor is one of a part of a large matrix
/// (Cauchy's interlacing theorem), which is tried first.
///
/// \param row_sum_bound  Gershgorin's.
/// \param entries        of the matrix.
/// \param v, u           room for two vectors.
template <class ExecutionSpace>
double spectral_bound(const ExecutionSpace& exec, const PackedMatrix<ExecutionSpace>& a, Offset entries,
                      double row_sum_bound, const Floats<ExecutionSpace>& v,
                      const Floats<ExecutionSpace>& u) {
  constexpr double tight = 1.1;
  constexpr double fair = 0.9; // what is farther from it after few steps does not get there by some more
  constexpr Ordinal part = runs_on_host<ExecutionSpace> ? 1 << 15 : 1 << 17; // rows
  const double enough = row_sum_bound / tight;
  if (a.rows() >= 8 * part) {
    Kokkos::deep_copy(exec, v, 0.0f);
    const auto share = static_cast<Offset>(static_cast<double>(entries) * part / a.rows());
    if (lanczos(exec, a, part, share, enough, fair * enough, v, u).value >= enough) return row_sum_bound;
  }
  const RitzValue found = lanczos(exec, a, a.rows(), entries, enough, 0, v, u);
  return found.value >= enough ? row_sum_bound : std::min(row_sum_bound, found.value + found.residual);
}

} // namespace tessera::solvers::multigrid
