// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an iteration owes to other ranks, where its operator is over several.

#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::detail {

/// The sum over ranks of a number that the host has.
template <class ExecutionSpace, class A>
double sum_over_ranks(const A& a, double number) {
  if constexpr (OperatorOverRanks<A, ExecutionSpace>)
    return a.sum_over_ranks(number);
  else
    return number;
}

template <class ExecutionSpace, class A>
double largest_over_ranks(const A& a, double number) {
  if constexpr (OperatorOverRanks<A, ExecutionSpace>)
    return a.largest_over_ranks(number);
  else
    return number;
}

/// Numbers in memory of the execution space become their sums over ranks, for kernels to come.
template <class ExecutionSpace, class A>
void sum_over_ranks(const ExecutionSpace& exec, const A& a, double* numbers, std::size_t count) {
  if constexpr (OperatorOverRanks<A, ExecutionSpace>)
    a.sum_over_ranks(exec, Kokkos::View<double*, ExecutionSpace, Kokkos::MemoryUnmanaged>(numbers, count));
}

/// What `work()` returns, unless it throws on some rank.
template <class ExecutionSpace, class A, class Work>
auto on_all_ranks(const A& a, const Work& work) {
  if constexpr (OperatorOverRanks<A, ExecutionSpace>)
    return a.agree(work);
  else
    return work();
}

} // namespace tessera::solvers::detail
