// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Teams with scratch from all of a multiprocessor's shared memory, where Kokkos' team policy stops at the
/// 48 KB that a CUDA kernel has without asking.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

/// Bytes of scratch that a team of `for_each_large_team` can have.
template <class ExecutionSpace>
std::size_t large_scratch_limit(const ExecutionSpace&) {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0));
}

/// Whether such teams have more scratch than a team policy gives: devices with CUDA, which have 99 KB at
/// least.
template <class ExecutionSpace>
inline constexpr bool has_large_teams = false;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool has_large_teams<Kokkos::Cuda> = true;
#endif

namespace detail {

template <class ExecutionSpace, class Functor>
void run_team_policy(const std::string& label, const ExecutionSpace& exec, Ordinal league, int threads,
                     int grain, std::size_t scratch, const Functor& functor) {
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Functor::most_threads, Functor::least_teams>>;
  Policy probe(exec, 1, 1);
  probe.set_scratch_size(0, Kokkos::PerTeam(scratch));
  const int most =
      std::min({threads, Functor::most_threads, probe.team_size_max(functor, Kokkos::ParallelForTag())});
  Policy policy(exec, league, std::max(grain, most - most % grain));
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for(label, policy, functor);
}

} // namespace detail

/// Calls `functor(team)` for the teams of a league, on the execution space instance, and does not wait.
/// \param league how many teams
/// \param threads of a team, at most the functor's `most_threads`, for which each has registers
/// \param grain the number of threads is a multiple of it
/// \param scratch bytes, `large_scratch_limit` at most
/// \param functor states `least_teams`, which share a multiprocessor with registers for all; may ask its team
///   for `league_rank`, `team_rank`, `team_size`, `team_barrier` and `team_scratch(0)`
template <class ExecutionSpace, class Functor>
void for_each_large_team(const std::string& label, const ExecutionSpace& exec, Ordinal league, int threads,
                         int grain, std::size_t scratch, const Functor& functor) {
  detail::run_team_policy(label, exec, league, threads, grain, scratch, functor);
}

#ifdef KOKKOS_ENABLE_CUDA

inline std::size_t large_scratch_limit(const Kokkos::Cuda& exec) {
  return exec.cuda_device_prop().sharedMemPerBlockOptin;
}

namespace detail {

/// A block of threads as a functor of `for_each_large_team` sees it.
class CudaTeam {
public:
  __device__ CudaTeam(void* scratch, int bytes) : scratch_(scratch, bytes) {}

  __device__ int league_rank() const { return static_cast<int>(blockIdx.x); }
  __device__ int team_rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int team_size() const { return static_cast<int>(blockDim.x); }
  __device__ void team_barrier() const { __syncthreads(); }
  __device__ const Kokkos::Cuda::scratch_memory_space& team_scratch(int) const { return scratch_; }

private:
  Kokkos::Cuda::scratch_memory_space scratch_;
};

template <class Functor>
__global__ void __launch_bounds__(Functor::most_threads, Functor::least_teams)
    run_team(const __grid_constant__ Functor functor, int scratch) {
  extern __shared__ double tessera_team_scratch[];
  // The offset is 0, for blocks have one dimension. Of an address that is a constant the compiler forgets in
  // which memory it is, and reads scratch memory as if it could be anywhere.
  functor(CudaTeam(tessera_team_scratch + threadIdx.y, scratch));
}

inline void check_cuda(const std::string& label, cudaError_t error) {
  if (error != cudaSuccess) throw UnsupportedError(label + ": " + cudaGetErrorString(error));
}

} // namespace detail

/// \throws UnsupportedError with CUDA's words where the device cannot run such teams
template <class Functor>
void for_each_large_team(const std::string& label, const Kokkos::Cuda& exec, Ordinal league, int threads,
                         int grain, std::size_t scratch, const Functor& functor) {
  if (scratch <= static_cast<std::size_t>(Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0)))
    return detail::run_team_policy(label, exec, league, threads, grain, scratch, functor);
  const auto kernel = detail::run_team<Functor>;
  const int bytes = static_cast<int>(scratch);
  const int most = std::min(threads, Functor::most_threads);
  detail::check_cuda(label, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  std::uint64_t id = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id);
  kernel<<<static_cast<unsigned>(league), std::max(grain, most - most % grain), scratch,
           exec.cuda_stream()>>>(functor, bytes);
  detail::check_cuda(label, cudaGetLastError());
  Kokkos::Tools::endParallelFor(id);
}

#endif

} // namespace tessera
