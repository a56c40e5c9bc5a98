// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The steps of Lanczos' method. Their coefficients stay on the device.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/products.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Sums of a step, with v its vector and u = A v − β v_before: α = u·v, and β² = u·u − α² for the next one.
struct LanczosSums {
  double uv = 0, uu = 0;
  KOKKOS_FUNCTION LanczosSums& operator+=(const LanczosSums& other) {
    uv += other.uv;
    uu += other.uu;
    return *this;
  }
  KOKKOS_FUNCTION double beta() const { return Kokkos::sqrt(Kokkos::max(0.0, uu - uv * uv)); }
};

/// The first of some sums, for which the host waits.
template <class ExecutionSpace>
std::vector<LanczosSums> lanczos_sums_on_host(const ExecutionSpace& exec,
                                              const Kokkos::View<LanczosSums*, ExecutionSpace>& sums,
                                              int count) {
  std::vector<LanczosSums> found(sums.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<LanczosSums*, Kokkos::HostSpace>(found.data(), found.size()), sums);
  exec.fence("Tessera::Multigrid::lanczos_sums");
  found.resize(to_size(count));
  return found;
}

/// The leading rows and columns of a matrix, which have about so many entries, and room for vectors with as
/// many rows as the matrix.
template <class ExecutionSpace>
struct LanczosProblem {
  PackedMatrix<ExecutionSpace> a;
  Ordinal rows;
  Offset entries;
  Floats<ExecutionSpace> v, u, w;
};

/// What a step does to vectors after u = A v − β v_before. The coefficients stay on the device.
template <class ExecutionSpace>
struct LanczosVectors {
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
    const auto alpha = static_cast<float>(sums().uv), beta = static_cast<float>(sums().beta());
    const float before = v(row);
    v(row) = beta > 0 ? (u(row) - alpha * before) / beta : 0.0f;
    u(row) = beta * before;
  }
};

/// Steps pass by pass over the vectors, for hosts and for large levels: the product is the cycle's.
template <class ExecutionSpace>
class LanczosByPasses {
public:
  LanczosByPasses(const Workspace<ExecutionSpace>& work, const LanczosProblem<ExecutionSpace>& problem)
      : exec_(work.exec), problem_(problem),
        sums_(make_temporary<Sums>(work, "lanczos_sums", tuning::lanczos_steps)),
        norm_(make_temporary<Norm>(work, "lanczos_norm")) {}

  /// v = a random vector of length one.
  void start() const {
    const auto v = problem_.v;
    const auto rows = contiguous(Range<ExecutionSpace>(exec_, 0, problem_.rows));
    const auto norm = norm_;
    if (problem_.rows < problem_.a.rows()) Kokkos::deep_copy(exec_, v, 0.0f);
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::lanczos_start", rows,
        KOKKOS_LAMBDA(const Ordinal row, double& sum) {
          v(row) = random_number(row, 3);
          sum += static_cast<double>(v(row)) * static_cast<double>(v(row));
        },
        norm);
    Kokkos::parallel_for(
        "Tessera::Multigrid::lanczos_start", rows,
        KOKKOS_LAMBDA(const Ordinal row) { v(row) /= Kokkos::sqrt(static_cast<float>(norm())); });
  }

  void step() {
    using Vectors = LanczosVectors<ExecutionSpace>;
    using Add = Kokkos::RangePolicy<ExecutionSpace, typename Vectors::Add, Kokkos::IndexType<Ordinal>>;
    using Next = Kokkos::RangePolicy<ExecutionSpace, typename Vectors::Next, Kokkos::IndexType<Ordinal>>;
    const auto v = problem_.v, u = problem_.u;
    const Combination<ExecutionSpace> product = steps_ == 0 ? Combination<ExecutionSpace>{v, v, u, 0, 0, 1}
                                                            : Combination<ExecutionSpace>{v, u, u, -1, 0, 1};
    combine_rows(exec_, problem_.a, problem_.rows, problem_.entries, product,
                 [](const auto& policy, const auto& functor) {
                   Kokkos::parallel_for("Tessera::Multigrid::lanczos_multiply", policy, functor);
                 });
    const Vectors vectors{v, u, Kokkos::subview(sums_, steps_++)};
    Kokkos::parallel_reduce("Tessera::Multigrid::lanczos_sums", contiguous(Add(exec_, 0, problem_.rows)),
                            vectors, vectors.sums);
    Kokkos::parallel_for("Tessera::Multigrid::lanczos_next", contiguous(Next(exec_, 0, problem_.rows)),
                         vectors);
  }

  /// The sums of all steps so far, for which the host waits.
  std::vector<LanczosSums> sums() const { return lanczos_sums_on_host(exec_, sums_, steps_); }

private:
  using Sums = Kokkos::View<LanczosSums*, ExecutionSpace>;
  using Norm = Kokkos::View<double, ExecutionSpace>;
  ExecutionSpace exec_;
  LanczosProblem<ExecutionSpace> problem_;
  Sums sums_; // step
  Norm norm_; // of the first vector
  int steps_ = 0;
};

/// A team's share of some rows: some for each of its threads.
struct LanczosRows {
  Ordinal begin, end;

  template <class Member>
  KOKKOS_FUNCTION LanczosRows(const Member& team, Ordinal rows) {
    const Ordinal threads = team.team_size(), groups = (rows - 1) / threads + 1;
    const Ordinal own = ((groups - 1) / team.league_size() + 1) * threads;
    begin = Kokkos::min(rows, team.league_rank() * own);
    end = Kokkos::min(rows, begin + own);
  }
};

/// The sum of what teams have found; one stores it.
template <class ExecutionSpace>
struct LanczosTotal {
  Kokkos::View<const LanczosSums*, ExecutionSpace> parts;
  Kokkos::View<LanczosSums, ExecutionSpace> total;

  /// \return the same for all threads
  KOKKOS_FUNCTION LanczosSums sum(const TeamMember<ExecutionSpace>& team) const {
    LanczosSums sums;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, parts.extent_int(0)), [&](int k, LanczosSums& sum) { sum += parts(k); },
        sums);
    if (team.league_rank() == 0) Kokkos::single(Kokkos::PerTeam(team), [&]() { total() = sums; });
    return sums;
  }
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const { sum(team); }
};

/// v = 0 and u = a random vector, whose length is the first β.
template <class ExecutionSpace>
struct LanczosStart {
  Ordinal rows;
  Floats<ExecutionSpace> v, u;
  Kokkos::View<LanczosSums*, ExecutionSpace> parts; // team: its sums

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const {
    const LanczosRows own(team, rows);
    LanczosSums sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, own.begin, own.end),
        [&](Ordinal row, LanczosSums& part) {
          const double random = random_number(row, 3);
          v(row) = 0;
          u(row) = static_cast<float>(random);
          part += LanczosSums{.uv = 0, .uu = random * random};
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { parts(team.league_rank()) = sum; });
  }
};

/// A step in one launch: its vector (u − α v) / β of the step before is made where it is read.
template <class ExecutionSpace>
struct LanczosStep {
  /// The vector.
  struct Next {
    const float *u, *v;
    Ordinal rows; // beyond it is zero
    float alpha, reciprocal;

    KOKKOS_FORCEINLINE_FUNCTION float operator[](Ordinal row) const {
      return row < rows ? (u[row] - alpha * v[row]) * reciprocal : 0.0f;
    }
  };

  PackedMatrix<ExecutionSpace> a;
  Ordinal rows;
  int lanes;
  LanczosTotal<ExecutionSpace> before;
  Kokkos::View<const float*, ExecutionSpace> v_before, u_before;
  Floats<ExecutionSpace> v, u;
  Kokkos::View<LanczosSums*, ExecutionSpace> parts; // team: its sums

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const {
    const LanczosSums found = before.sum(team);
    const auto beta = static_cast<float>(found.beta());
    const Next next{u_before.data(), v_before.data(), rows, static_cast<float>(found.uv),
                    beta > 0 ? 1 / beta : 0.0f};
    const LanczosRows own(team, rows);
    LanczosSums sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, own.begin, own.end),
        [&](Ordinal row, LanczosSums& part) {
          const float product = a.product(team, lanes, row, next), vector = next[row];
          const float image = product - beta * v_before(row);
          Kokkos::single(Kokkos::PerThread(team), [&]() {
            v(row) = vector;
            u(row) = image;
          });
          part += LanczosSums{.uv = static_cast<double>(image) * vector,
                              .uu = static_cast<double>(image) * image};
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { parts(team.league_rank()) = sum; });
  }
};

/// Steps on devices, a launch each, for small levels, where launches take longer than what they do.
template <class ExecutionSpace>
class LanczosByLaunches {
public:
  LanczosByLaunches(const Workspace<ExecutionSpace>& work, const LanczosProblem<ExecutionSpace>& problem)
      : exec_(work.exec), problem_(problem),
        lanes_(
            lanes_for_product(work.exec, problem.rows, problem.entries, tuning::smoother_entries_per_lane)),
        sums_(make_temporary<Sums>(work, "lanczos_sums", tuning::lanczos_steps + 1)) {
    teams_ = teams_for(work.exec, (problem.rows - 1) / threads() + 1, 2 * threads() * lanes_);
    for (Sums& parts : parts_) parts = make_temporary<Sums>(work, "lanczos_parts", teams_);
    v_[0] = problem.v, u_[0] = problem.u, v_[1] = problem.w;
    u_[1] = make_temporary<Floats<ExecutionSpace>>(work, "lanczos_u", problem.rows);
  }

  void start() const {
    Kokkos::parallel_for("Tessera::Multigrid::lanczos_start", policy(teams_),
                         LanczosStart<ExecutionSpace>{problem_.rows, v_[0], u_[0], parts_[0]});
  }

  void step() {
    const int now = steps_ % 2, next = 1 - now;
    Kokkos::parallel_for("Tessera::Multigrid::lanczos_step", policy(teams_),
                         LanczosStep<ExecutionSpace>{problem_.a, problem_.rows, lanes_, total(), v_[now],
                                                     u_[now], v_[next], u_[next], parts_[next]});
    ++steps_;
  }

  /// The sums of all steps so far, for which the host waits.
  std::vector<LanczosSums> sums() const {
    Kokkos::parallel_for("Tessera::Multigrid::lanczos_sums", policy(1), total());
    std::vector<LanczosSums> found = lanczos_sums_on_host(exec_, sums_, steps_ + 1);
    found.erase(found.begin()); // the start's
    return found;
  }

private:
  using Sums = Kokkos::View<LanczosSums*, ExecutionSpace>;
  int threads() const {
    return std::max(1, (runs_on_host<ExecutionSpace> ? 1 : tuning::lanczos_team) / lanes_);
  }
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> policy(Ordinal teams) const {
    return {exec_, teams, threads(), lanes_};
  }
  /// Of the parts of the last step.
  LanczosTotal<ExecutionSpace> total() const { return {parts_[steps_ % 2], Kokkos::subview(sums_, steps_)}; }

  ExecutionSpace exec_;
  LanczosProblem<ExecutionSpace> problem_;
  int lanes_;
  Sums sums_; // step (+1): of the start first
  Ordinal teams_ = 1;
  Sums parts_[2];
  Floats<ExecutionSpace> v_[2], u_[2];
  int steps_ = 0;
};

} // namespace tessera::solvers::multigrid::detail
