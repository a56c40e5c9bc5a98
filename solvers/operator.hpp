// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the solvers ask of an operator and of a preconditioner.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>

namespace tessera::solvers {

/// A number in memory of the execution space that someone else owns.
template <class ExecutionSpace>
using DeviceScalar = Kokkos::View<double, ExecutionSpace, Kokkos::MemoryUnmanaged>;

/// A square linear operator on vectors of `Scalar`: an assembled matrix or a matrix-free operator.
///
/// `rows()` is the length of its vectors; `apply(exec, x, y)` sets y = A x on the given instance, for x and y
/// of rank 1, distinct, with `rows()` entries in memory of the execution space. `apply` need not fence.
template <class Type, class ExecutionSpace, class Scalar>
concept Operator =
    requires(const Type& op, const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& x,
             const Kokkos::View<Scalar*, ExecutionSpace>& y) {
      { op.rows() } -> std::convertible_to<std::size_t>;
      op.apply(exec, x, y);
    };

/// An operator that can leave x·y beside y = A x, `dot`, which is ready when the instance has got there.
template <class Type, class ExecutionSpace, class Scalar>
concept DotOperator =
    Operator<Type, ExecutionSpace, Scalar> &&
    requires(const Type& op, const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& x,
             const Kokkos::View<Scalar*, ExecutionSpace>& y,
             const DeviceScalar<ExecutionSpace>& dot) { op.apply_dot(exec, x, y, dot); };

/// An operator that knows its entries' sizes: `apply_absolute(exec, x, y)` sets y = |A| |x|, which bounds the
/// rounding of A x.
template <class Type, class ExecutionSpace, class Scalar>
concept AbsoluteOperator =
    Operator<Type, ExecutionSpace, Scalar> &&
    requires(const Type& op, const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& x,
             const Kokkos::View<Scalar*, ExecutionSpace>& y) { op.apply_absolute(exec, x, y); };

namespace detail {
/// Something to do that is no lambda: nvcc's front end for devices finds a concept false that has one, and
/// leaves out the kernels behind it.
struct NoWork {
  void operator()() const {}
};
} // namespace detail

/// An operator over many ranks, of which each has some rows, and entries of vectors for them. All calls are
/// collective. `sum_over_ranks(exec, numbers)` replaces up to two numbers in memory of the execution space by
/// their sums over all ranks, on the instance; `sum_over_ranks(number)` and `largest_over_ranks(number)`
/// return a sum and a maximum on the host; `agree(work)` returns what `work()` does, or throws on all ranks
/// what it throws on one.
template <class Type, class ExecutionSpace>
concept OperatorOverRanks =
    requires(const Type& op, const ExecutionSpace& exec,
             const Kokkos::View<double*, ExecutionSpace, Kokkos::MemoryUnmanaged>& numbers, double number) {
      op.sum_over_ranks(exec, numbers);
      { op.sum_over_ranks(number) } -> std::convertible_to<double>;
      { op.largest_over_ranks(number) } -> std::convertible_to<double>;
      op.agree(detail::NoWork{});
    };

/// A preconditioner with a solution of its own, which a solver can read within its kernels: `solve(exec, r,
/// dot)` solves, and leaves r·M⁻¹ r as `DotOperator` does; `gate()` is copied into kernels then, where
/// `give(row)` returns an entry of M⁻¹ r.
template <class Type, class ExecutionSpace, class Scalar>
concept GatedPreconditioner =
    Operator<Type, ExecutionSpace, Scalar> && requires(const Type& preconditioner, const ExecutionSpace& exec,
                                                       const Kokkos::View<Scalar*, ExecutionSpace>& r,
                                                       Ordinal row, const DeviceScalar<ExecutionSpace>& dot) {
      preconditioner.solve(exec, r, dot);
      { preconditioner.gate().give(row) } -> std::convertible_to<Scalar>;
    };

/// A preconditioner that scales each row by itself. `scale(row)` is callable on the device and its type is
/// copied into kernels, so that a solver can fuse it with its vector updates.
template <class Type, class ExecutionSpace, class Scalar>
concept DiagonalPreconditioner =
    Operator<Type, ExecutionSpace, Scalar> && requires(const Type& preconditioner, Ordinal row) {
      { preconditioner.scale(row) } -> std::convertible_to<Scalar>;
    };

/// No preconditioner: the identity on vectors of `rows` entries.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class Identity {
public:
  explicit Identity(std::size_t rows) : rows_(rows) {}

  std::size_t rows() const { return rows_; }

  /// 1 for every row.
  KOKKOS_FUNCTION Scalar scale(Ordinal) const { return Scalar(1); }

  /// y = x.
  void apply(const ExecutionSpace& exec, const Kokkos::View<const Scalar*, ExecutionSpace>& x,
             const Kokkos::View<Scalar*, ExecutionSpace>& y) const {
    Kokkos::deep_copy(exec, y, x);
  }

private:
  std::size_t rows_;
};

} // namespace tessera::solvers
