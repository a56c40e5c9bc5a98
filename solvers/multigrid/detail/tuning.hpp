// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Multigrid's thresholds and sizes: what each decides, and what was measured for it
/// (docs/performance/multigrid.md, experiments.md). Iterations are those to 1e-8;
/// times are an H200's unless a host is named. Where nothing is said the value was not swept.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail::tuning {

// Which aggregates: see `choose_aggregation`.

/// Nodes in a run where the options leave it open: cubes of three nodes an edge. Runs of 20 take 14
/// iterations instead of 16 and twice the set-up, runs of 16 take 13 and three times the set-up. In the plane
/// runs of 27 are longer than three cells, and iterations grow with the mesh, 30 to 41 from 160² to 400²
/// cells; runs of 12 take 18 and 20.
constexpr int usual_run_length(int dimension) { return dimension == 2 ? 12 : 27; }
/// The same among slivers: on a Delaunay mesh of random points 88 to 95 → 68 iterations.
constexpr int run_length_among_slivers(int usual) { return 3 * usual / 4 > 2 ? 3 * usual / 4 : 2; }

/// Neighbours with at least half of the strongest coupling, by signs, below which nodes are coupled along one
/// direction. About six among tetrahedra, two on flat cells.
inline constexpr double one_direction = 2.4;
/// Share of the strongest coupling by which a neighbour counts there.
inline constexpr float half_as_strong = 0.5f;
/// Least strength of couplings that are told by their signs: bricks couple nodes on the diagonals of their
/// long faces by 0.36 at most.
inline constexpr double least_strength_by_sign = 0.4;
/// Leaps of the curve in a run, above which the body is slender. Rings, pipes, springs and blocks have 0.11
/// to 0.23, shells and combs 0.10 and 0.05, balls 0.02.
inline constexpr double slender = 0.1;
/// A leap: the next point of the curve is so many times as far away as the farthest neighbour.
inline constexpr double leap = 3;
/// Ratio of diagonal entries that is a jump of the coefficients. Neighbours on graded meshes differ by less
/// than ten.
inline constexpr float jump = 25;
/// Share of the rows that differ from their run's first by a jump, above which a run has little in common:
/// one in 200. A conductivity e^v with a smooth v, on triangles: 119 → 33 iterations.
inline constexpr double varied = 0.005;
/// Share of the nodes beside jumps, from which on couplings are followed. Nodes near slivers look like jumps.
constexpr double many_jumps(bool slivers) { return slivers ? 0.03 : 1e-4; }
/// Share of the nodes at corners of slivers, above which a mesh has slivers: a generator that removes them
/// leaves 0.03, random points have 0.2.
inline constexpr double has_slivers = 0.08;
/// The same, above which cells are stretched or skewed everywhere.
inline constexpr double is_stretched = 0.4;
/// A scaled diagonal entry below which the others outweigh it.
inline constexpr float outweighed_diagonal = 0.75f;
/// Rows of neighbours whose conductivity tensors are added: they are right within a tenth then, on even and
/// moved meshes, Delaunay's and cubic elements.
inline constexpr Ordinal conductivity_group = 16;
/// Determinant of a conductivity tensor of mean one, below which it is uneven: as if one direction conducted
/// less than a fifth (in the plane a sixth) as well as the others.
inline constexpr double uneven_determinant = 0.5;

/// Groups, runs and nodes that are looked at on large levels.
inline constexpr Ordinal sampled_groups = 256, sampled_runs = 512, sampled_couplings = 1 << 16,
                         sampled_signs = 1 << 14;

/// One in so many of the finest level's unknowns may be left by a system's sets; where more are, matched
/// pairs take over. Tetrahedra that grow 10 times along all axes: complexity 3.72 → 1.71, set-up and solution
/// 571 → 168 ms on a host.
inline constexpr int few_left_by_sets = 4;
/// Three in four of a level's unknowns may be left at most: aggregates of few rows each would give a next
/// level as large.
inline constexpr int least_coarsening[2] = {3, 4};

// Matched pairs.

/// Nodes of an aggregate, at most. With up to 20 or 27 nodes flat cells take 162 and 175 iterations instead
/// of 82.
inline constexpr Ordinal most_matched = 16;
/// Nodes of an aggregate on average, below which matching has failed: on coarse levels of solids few
/// couplings are negative.
inline constexpr Ordinal least_matched = 6;
/// Times that sets are matched; without the fifth, which gathers what was left over, there are a fifth more
/// entries.
inline constexpr int matchings = 5;
/// Rounds of a matching, after which few are free that could be matched.
inline constexpr int matching_rounds = 10;
/// Couplings that differ by less than twice this share are chosen from at random.
inline constexpr float matching_noise = 0.005f;

// The smoother.

/// Steps of Chebyshev's iteration. One more on hosts, where the product in double takes as long as three of
/// the cycle's: it saves a fifth of the iterations. On devices it takes as long as two. A fourth saves one of
/// 12, and no time.
template <class ExecutionSpace>
inline constexpr int smoothing_steps = runs_on_host<ExecutionSpace> ? 3 : 2;
/// Least eigenvalue that it works on, relative to the bound of the largest; more steps reach farther.
template <class ExecutionSpace>
inline constexpr double smoothing_range = runs_on_host<ExecutionSpace> ? 0.1 : 0.14;

/// Gershgorin's bound is taken if it is at most so many times a Ritz value.
inline constexpr double tight_bound = 1.1;
/// A Ritz value of a part that is below this share of what is enough does not get there by more steps.
inline constexpr double hopeful = 0.9;
/// Rows of the part that is tried first, where a level has eight times as many.
template <class ExecutionSpace>
inline constexpr Ordinal tried_rows = runs_on_host<ExecutionSpace> ? 1 << 15 : 1 << 17;
/// Steps of Lanczos' method at which a bound is looked for first, and at most. After six the second level of
/// 274,625 unknowns has a bound that is too low, 1.45 instead of 1.50.
inline constexpr int lanczos_first_look = 6, lanczos_steps = 10;
/// Entries from which on steps pass by pass are faster than one launch each: a step takes 47 and 24 µs on
/// 131,072 rows, 118 and 227 on two million.
inline constexpr Offset lanczos_by_passes = 5'000'000;
/// β relative to α, below which the space is invariant up to single precision.
inline constexpr double lanczos_invariant = 1e-4;
/// Lanes and threads of a team of Lanczos' method.
inline constexpr int lanczos_team = 256;
/// Entries for each lane, from which on a row of the smoother's product is shared: 11,140 rows take 13.7 µs
/// with a thread a row and 7.1 with 16 lanes a row; 300,763 rows take longer with more lanes.
inline constexpr int smoother_entries_per_lane = 64;

// Transfer.

/// What prolongators are smoothed by, relative to the bound of the spectrum.
inline constexpr double usual_prolongator_step = 4.0 / 3.0;
/// The same for runs where the finest level's bound is above `simplices_bound`, as that of simplices is,
/// about two: 12 → 11 iterations on a host, 16 → 15 at 8.1 million. An iteration reduces the residual to 0.28
/// instead of 0.31 on tetrahedra; on hexahedra it would be 0.13 instead of 0.11.
inline constexpr double prolongator_step_of_simplices = 1.6, simplices_bound = 1.7;
/// Part of the diagonal that a filtered row must keep, or it keeps the matrix's own.
inline constexpr double fair_diagonal = 0.25;
/// Part of a mode's norm, below which what is left of it on an aggregate is rounding, or a sliver's rotation.
inline constexpr double dependent_mode = 1e-4;
/// A diagonal entry of the coarse matrix, by orthonormal modes, below which an unknown has no energy;
/// rounding in single precision is below.
inline constexpr double no_energy = 1e-6;
/// Entries of a row on average, up to which the prolongator's pattern is made by lists in registers.
inline constexpr Offset short_smoothing_rows = 32;
/// First capacity for the aggregates that a row reaches.
inline constexpr Ordinal prolongator_capacity = 16;
/// Values of a row of the prolongator that a thread adds up in registers at a time.
inline constexpr int prolongator_values_at_once = 8;

// PᵀAP.

/// First capacities for near and far aggregates, a power of two and three times one, doubled while rows have
/// more entries than these serve; aggregates without room are made again in larger ones.
inline constexpr Ordinal first_near_capacity = 32, first_far_capacity = 96;
/// By so many times capacities grow.
inline constexpr Ordinal capacity_growth = 4;
/// Part of the aggregates that may be without room twice; the prolongator is not smoothed where more are, as
/// in networks in which a few steps lead anywhere. A scale-free one of 50,000 unknowns: set-up 35 → 0.27 s.
inline constexpr int few_overflows = 4;
/// First capacities for the columns of a coarse row, and of a row of PᵀAP of blocks.
inline constexpr Ordinal coarse_row_capacity = 64, coarse_blocks_capacity = 128;
/// Entries of a row on average, from which on a team finds an aggregate's lists, its lanes the entries of a
/// row of P.
inline constexpr Offset long_meeting_rows = 32;
/// Entries of a row of P on average, up to which a thread makes a row of A P; at 8.1 million unknowns that
/// takes 3.8 ms, by eight lanes 5.8.
inline constexpr Offset short_prolongator_rows = 12;
/// Threads of an aggregate whose rows of A P are shared by lanes; so it is where all aggregates have so many
/// at once. 413 aggregates: 0.20 → 0.14 ms; 11,140 would take 0.87 instead of 0.61.
inline constexpr Offset threads_sharing_rows = 256;
/// Far columns that a table of bytes has places for.
inline constexpr Ordinal most_in_table = 255;
/// Multipliers that are tried for a table without collisions.
inline constexpr int multiplier_trials = 64;
/// Length of the longest far list, from which on 32 lanes share a coarse row; below it 16.
inline constexpr Ordinal long_far_list = 64;
/// Rows of P around an aggregate that hosts look at, or spread, once only. For blocks spreading is three
/// times slower.
inline constexpr Ordinal halo_rows = 1024;

// The finest level.

/// Σ_j |a_ij| of a scaled row, above which it is scaled down to `even_row`, Gershgorin's bound of the largest
/// eigenvalue: rows beside boundaries, which weigh less, reach 2.3. On a Delaunay mesh of random points 104 →
/// 88 to 95 iterations; on coarse levels it takes them back up.
inline constexpr float outweighed_row = 2.5f, even_row = 2;
/// Skew part of a symmetric matrix relative to its terms' root of squares.
inline constexpr double symmetric = 1e-8;
/// Sum of a row relative to its absolute sum, below which it is rounding.
inline constexpr double row_sum_rounding = 1e-13;
/// Diagonal entries whose reciprocals and products single precision has.
inline constexpr double least_diagonal = 1e-37, largest_diagonal = 1e37;
/// Part of the nodes that may share a key of 32 bits along the curve; they sort in half the time of 64 bits.
inline constexpr Ordinal few_ties = 16;
/// Rows later on the curve that hosts have on their way.
inline constexpr Ordinal fetched_rows = 16, fetched_halo_rows = 8;

// The coarsest level, and checks.

/// Rows of a matrix that is inverted, at most; one of 103 rows takes 149 µs four pivots at a time.
inline constexpr Ordinal most_inverted = 512;
/// Most that is added to its unit diagonal: rounding adds up from level to level.
constexpr double most_shift(bool given) { return given ? 0.1 : 1; }
/// A pivot of the null space's Gram matrix, relative to the first, below which a mode depends on others.
inline constexpr double dependent_null_mode = 1e-12;
/// Deviation of an operator's product from the rows', relative to its largest entry, up to which both are the
/// same: rounding of single precision, magnified in thin elements.
inline constexpr double same_product = 1e-3;

// Memory of devices. An allocation of 10 MB takes 35 µs and giving it back as long, one of 600 MB 90 and 210
// µs.

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// Bytes of chunks that arrays share: as many as the matrix has in single precision, within limits, for those
/// that are kept a quarter and for those that are given back at once, which may waste more, three times.
inline constexpr std::size_t least_kept = 4 * mebibyte, most_kept = 128 * mebibyte,
                             least_temporary = 16 * mebibyte, most_temporary = 170 * mebibyte;
inline constexpr std::size_t kept_part = 4, temporary_times = 3;

} // namespace tessera::solvers::multigrid::detail::tuning
