// SPDX-License-Identifier: BSD-3-Clause
// What the kernel of thread transposition takes of scratch memory, beside the model's (3.1).

#include <tessera/core/forms/poisson.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include <Kokkos_Core.hpp>

#include "rows.hpp"

namespace tessera::paper3 {

namespace {

/// Bytes of a team with so many blocks, in single precision.
template <class Element>
double bytes_of(int blocks) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  using Kernel = decltype(as_weak_form(Laplace{}).kernel(MeshKernel<Element, ExecutionSpace>{}));
  using Loop = residual::detail::TranspositionLoop<
      residual::detail::GivenElements<Element, ExecutionSpace, float, 1, true>, Kernel>;
  return static_cast<double>(Loop::scratch_bytes(blocks * Loop::N_bs * Loop::at_once));
}

} // namespace

double kernel_scratch_bytes(int dimension, int blocks) {
  return dimension == 2 ? bytes_of<Tri<2>>(blocks) : bytes_of<Tet<2>>(blocks);
}

} // namespace tessera::paper3
