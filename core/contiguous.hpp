// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How the threads of a host share a range.

#include <tessera/core/execution_spaces.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// A range of which each thread of a host takes one piece; devices share it as before. Kokkos' OpenMP deals
/// out small chunks in turns: what a row's neighbours have would be in other threads' caches.
template <class Policy>
Policy contiguous(Policy policy) {
  if constexpr (runs_on_host<typename Policy::execution_space>) {
    const auto count = policy.end() - policy.begin();
    if (count > 0) policy.set_chunk_size(static_cast<int>((count - 1) / policy.space().concurrency() + 1));
  }
  return policy;
}

} // namespace tessera
