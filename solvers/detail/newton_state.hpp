// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a call of Newton's method works on.

#include <tessera/core/allocate.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/solvers/detail/newton_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace tessera::solvers::detail {

/// Vectors of one call of Newton's method, and their norms.
template <class ExecutionSpace>
struct NewtonState {
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  ExecutionSpace exec;
  Equations<ExecutionSpace> equations;
  Vector u, next, trial, r, trial_r, x, product;

  double left = 0; ///< of the linear system's right-hand side, ‖b − J x‖ / ‖b‖

  /// \param rows of the linear system. \throws OutOfMemoryError
  template <class Space>
  NewtonState(const ExecutionSpace& instance, const Space& space, std::size_t rows)
      : exec(instance), equations(space.equations(exec)) {
    const auto vector = [&](const char* label, std::size_t extent) {
      return allocate<Vector>(exec, std::string("Tessera::Newton::") + label, extent);
    };
    const auto dofs = static_cast<std::size_t>(space.num_dofs());
    u = vector("u", dofs);
    next = vector("next", dofs);
    trial = vector("trial", dofs);
    r = vector("r", dofs);
    trial_r = vector("trial_r", dofs);
    x = vector("x", rows);
    product = vector("product", rows);
  }
  /// Whether the linear solver has done more than nothing.
  bool is_solved() const { return left <= 0.5; }

  template <class Functor>
  void for_all(const char* label, std::size_t count, const Functor& functor) const {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count), functor);
  }
  double norm(const Vector& v) const {
    return std::sqrt(sum(SumOfSquares<ExecutionSpace>{v, {}}, v.extent(0)));
  }
  double difference(const Vector& a, const Vector& b) const {
    return std::sqrt(sum(SumOfSquares<ExecutionSpace>{a, b}, a.extent(0)));
  }
  bool meets_constraints() const {
    return !equations.constrained || sum(ConstraintGap<ExecutionSpace>{u, equations}, u.extent(0)) == 0;
  }
  template <class Term>
  double sum(const Term& term, std::size_t extent) const {
    double total = 0;
    Kokkos::parallel_reduce("Tessera::Newton::sum", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, extent),
                            term, total);
    return total;
  }
};

} // namespace tessera::solvers::detail
