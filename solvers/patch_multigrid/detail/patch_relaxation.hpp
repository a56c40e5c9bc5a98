// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Relaxation by inexact block Jacobi in scratch, a team to a patch (paper 4, sections 5.1.2 and 5.2.2).

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/scratch_atomics.hpp>
#include <tessera/solvers/patch_multigrid/patch_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace tessera::solvers::patch_multigrid::detail {

/// `Before`: u = B b and the residual but for A_B's part, b − (A_I + A_D) u: prerelax-residual.
/// `After`: u += B (b − (A_I + A_D) u), b being short of A_B u already: post-relax.
/// B is `inner` steps of Jacobi on the patch's rows alone, from zero.
template <class Scalar, class ExecutionSpace, BlockFormat Format>
struct PatchRelaxation {
  using Matrix = PatchMatrix<Scalar, ExecutionSpace, Format>;
  using Place = typename Matrix::Place;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  /// The host's threads find the blocks in their caches; what level 0 holds there is small.
  static constexpr int scratch_level = runs_on_host<ExecutionSpace> ? 1 : 0;

  Matrix matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> b;
  Kokkos::View<Scalar*, ExecutionSpace> u, r; ///< r: `Before` alone
  Scalar omega;
  int inner;
  bool staged; ///< blocks are copied to scratch

  struct Before {};
  struct After {};

  static std::size_t scratch_bytes(const Matrix& matrix, bool staged) {
    const auto block = static_cast<std::size_t>(staged ? matrix.largest_block : 0);
    return 4 * Scratch<Scalar>::shmem_size(matrix.largest_patch) + Scratch<Place>::shmem_size(block) +
           Scratch<Scalar>::shmem_size(block);
  }

  /// What a team has of its patch: vectors in scratch, and the block there or in global memory.
  struct Patch {
    Ordinal first, size;
    Scalar *b, *scale, *u, *product;
    const Place* places;
    const Scalar* values;
    Offset begin, entries; ///< of the block
  };

  template <class Member>
  KOKKOS_FUNCTION Patch load(const Member& team) const {
    const auto patch = static_cast<Ordinal>(team.league_rank());
    constexpr int level = scratch_level; // passed by reference
    const auto& scratch = team.team_scratch(level);
    const auto vector = [&] { return Scratch<Scalar>(scratch, matrix.largest_patch).data(); };
    Patch p{};
    p.first = matrix.patch_offsets(patch);
    p.size = matrix.patch_offsets(patch + 1) - p.first;
    p.b = vector();
    p.scale = vector();
    p.u = vector();
    p.product = vector();
    p.begin = matrix.block_begin(patch);
    p.entries = matrix.block_begin(patch + 1) - p.begin;
    p.places = matrix.places.data() + p.begin;
    p.values = matrix.values.data() + p.begin;
    if (staged) {
      Place* const places = Scratch<Place>(scratch, matrix.largest_block).data();
      Scalar* const values = Scratch<Scalar>(scratch, matrix.largest_block).data();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.entries), [&](Offset k) {
        places[k] = p.places[k];
        values[k] = p.values[k];
      });
      p.places = places;
      p.values = values;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) {
      p.b[i] = b(p.first + i);
      p.scale[i] = omega / matrix.diagonal(p.first + i);
    });
    return p;
  }

  /// product = A_I u, between barriers.
  template <class Member>
  KOKKOS_FUNCTION void multiply(const Member& team, const Patch& p) const {
    if constexpr (Format == BlockFormat::symmetric_coo) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) { p.product[i] = 0; });
      team.team_barrier();
      const ScratchAdd<ExecutionSpace> add;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.entries), [&](Offset k) {
        const Ordinal i = static_cast<Ordinal>(p.places[k] >> 16),
                      j = static_cast<Ordinal>(p.places[k] & 0xffffu);
        add(p.product[i], p.values[k] * p.u[j]);
        add(p.product[j], p.values[k] * p.u[i]);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) {
        Scalar sum = 0;
        if constexpr (Format == BlockFormat::csr) {
          const Offset end = matrix.row_begin(p.first + i + 1) - p.begin;
          for (Offset k = matrix.row_begin(p.first + i) - p.begin; k < end; ++k)
            sum += p.values[k] * p.u[p.places[k]];
        } else {
          for (auto k = static_cast<Offset>(i); k < p.entries && p.places[k] != Matrix::padding;
               k += static_cast<Offset>(p.size))
            sum += p.values[k] * p.u[p.places[k]];
        }
        p.product[i] = sum;
      });
    }
    team.team_barrier();
  }

  /// u += ω D⁻¹ (b − (A_I + A_D) u).
  template <class Member>
  KOKKOS_FUNCTION void step(const Member& team, const Patch& p) const {
    multiply(team, p);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size),
                         [&](Ordinal i) { p.u[i] += p.scale[i] * (p.b[i] - p.product[i]) - omega * p.u[i]; });
    team.team_barrier();
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Before, const Member& team) const {
    const Patch p = load(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size),
                         [&](Ordinal i) { p.u[i] = p.scale[i] * p.b[i]; });
    team.team_barrier();
    for (int k = 1; k < inner; ++k) step(team, p);
    multiply(team, p);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) {
      u(p.first + i) = p.u[i];
      r(p.first + i) = p.b[i] - p.product[i] - matrix.diagonal(p.first + i) * p.u[i];
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(After, const Member& team) const {
    const Patch p = load(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) { p.u[i] = u(p.first + i); });
    team.team_barrier();
    for (int k = 0; k < inner; ++k) step(team, p);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, p.size), [&](Ordinal i) { u(p.first + i) = p.u[i]; });
  }

  template <class Phase>
  void run(const ExecutionSpace& exec, const std::string& label) const {
    using Policy = Kokkos::TeamPolicy<ExecutionSpace, Phase>;
    const auto bytes = static_cast<int>(scratch_bytes(matrix, staged));
    Policy probe(exec, 1, 1);
    probe.set_scratch_size(scratch_level, Kokkos::PerTeam(bytes));
    constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 256;
    const int most = probe.team_size_max(*this, Kokkos::ParallelForTag());
    Policy policy(exec, matrix.patches(), std::min(threads, most));
    policy.set_scratch_size(scratch_level, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for(label, policy, *this);
  }
};

/// target −= A_B u: what couples patches.
template <class Scalar, class ExecutionSpace, BlockFormat Format>
struct BoundaryCorrection {
  PatchMatrix<Scalar, ExecutionSpace, Format> matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<Scalar*, ExecutionSpace> target;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    Scalar sum = 0;
    for (Offset e = matrix.boundary_begin(k); e < matrix.boundary_begin(k + 1); ++e)
      sum += matrix.boundary_values(e) * u(matrix.boundary_columns(e));
    target(matrix.boundary_rows(k)) -= sum;
  }
  void run(const ExecutionSpace& exec) const {
    Kokkos::parallel_for("Tessera::PatchMultigrid::boundary",
                         Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(matrix.boundary_rows.extent(0))),
                         *this);
  }
};

} // namespace tessera::solvers::patch_multigrid::detail
