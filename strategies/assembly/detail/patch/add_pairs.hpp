// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The kernel of assembly by patches whose rows are summed pair by pair of nodes.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/scratch_atomics.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/patch/add_patches.hpp>
#include <tessera/strategies/assembly/detail/patch/pair_lists.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/large_teams.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Scratch of one patch: coordinates by code, blocks by place, loads of its own nodes.
template <class Element, class ExecutionSpace, class Scalar>
struct PairScratch {
  template <class T>
  using Array = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Coordinates = Kokkos::View<double * [Element::dimension], Kokkos::LayoutRight,
                                   typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Coordinates x;
  Array<Scalar> blocks, loads;

  KOKKOS_FUNCTION static std::size_t bytes(const PatchPart& part, int components) {
    const auto c = static_cast<std::size_t>(components);
    return Coordinates::shmem_size(part.nodes + part.halo) + Array<Scalar>::shmem_size(part.pairs * c * c) +
           Array<Scalar>::shmem_size(part.nodes * c);
  }

  template <class Space>
  KOKKOS_FUNCTION PairScratch(const Space& space, const PatchPart& part, int components)
      : x(space, part.nodes + part.halo), blocks(space, part.pairs * components * components),
        loads(space, part.nodes * components) {}
};

/// Adds the elements of a patch to the blocks of its pairs, and writes its rows from them. Constraints are
/// met when the rows are written. For symmetric forms.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AddPairs {
  static_assert(Kernel::symmetric);
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Scratch = PairScratch<Element, ExecutionSpace, Scalar>;
  using Pairs = PatchPairs<Element, ExecutionSpace>;
  using Codes = typename Pairs::Codes;
  using Local = element_system_t<Element, Kernel, Real>;
  static constexpr int components = Kernel::components, block = components * components;
  /// Threads that share a row where rows are written.
  static constexpr int row_threads = runs_on_host<ExecutionSpace> ? 1 : 8;
  /// Threads of a team at most. Scalar forms on linear simplices and quadrilaterals leave each thread 128
  /// registers, so that a multiprocessor of CUDA has two teams of 256; larger element matrices take more.
  static constexpr int most_threads = components == 1 && Element::nodes <= 4 ? 512 : 256, least_teams = 1;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Pairs pairs;
  PatchRows<ExecutionSpace> rows;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const PatchPart part = pairs.part(static_cast<Ordinal>(team.league_rank()));
    const Scratch scratch(team.team_scratch(0), part, components);
    const auto rank = static_cast<Ordinal>(team.team_rank()), size = static_cast<Ordinal>(team.team_size());
    load(scratch, part, rank, size);
    team.team_barrier();
    add_elements(scratch, part, rank, size);
    team.team_barrier();
    write_blocks(scratch, part, rank, size);
    if (system.equations.constrained) team.team_barrier();
    write_loads(scratch, part, rank, size);
  }

  /// Coordinates of own nodes and halo; zero blocks and loads.
  KOKKOS_FUNCTION void load(const Scratch& scratch, const PatchPart& part, Ordinal rank, Ordinal size) const {
    for (Ordinal i = rank; i < part.nodes + part.halo; i += size) {
      const auto x = mesh.position(i < part.nodes ? pairs.nodes(part.first + i)
                                                  : pairs.halo(part.halo_first + i - part.nodes));
      for (int d = 0; d < Element::dimension; ++d) scratch.x(i, d) = x[d];
    }
    for (Ordinal i = rank; i < part.pairs * block; i += size) scratch.blocks(i) = 0;
    for (Ordinal i = rank; i < part.nodes * components; i += size) scratch.loads(i) = 0;
  }

  KOKKOS_FUNCTION void add_elements(const Scratch& scratch, const PatchPart& part, Ordinal rank,
                                    Ordinal size) const {
    constexpr Ordinal lanes = lanes_v<Real>;
    for (Ordinal slot = part.slot + rank * lanes; slot < part.slot_end; slot += size * lanes) {
      const Ordinal last = Kokkos::min(lanes, part.slot_end - slot) - 1;
      Codes codes[lanes];
      Cell<Element, Real> cell;
      for (int lane = 0; lane < lanes; ++lane) {
        const Ordinal own = slot + Kokkos::min(Ordinal(lane), last);
        codes[lane] = pairs.codes(own);
        cell.element[lane] = pairs.elements(own);
        cell.material[lane] = mesh.material(cell.element[lane]);
      }
      gather_coordinates(cell, [&](int lane, int n, int d) { return scratch.x(codes[lane].code(n), d); });
      Local local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane <= last; ++lane) add_element(scratch, local, lane, codes[lane], part.nodes);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_element(const Scratch& scratch, const Local& local, int lane,
                                               const Codes& codes, Ordinal own) const {
    const ScratchAdd<ExecutionSpace> add;
    TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
    for (int i = 0; i < Element::nodes; ++i) {
      const Ordinal code = codes.code(i);
      if (code < own) {
        add_block(scratch, local, lane, code, i, i);
        for (int a = 0; a < components; ++a)
          add(scratch.loads(code * components + a), Scalar(lane_of(local.load[i](a), lane)));
      }
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
      for (int j = 0; j < i; ++j) {
        const Ordinal place = codes.place(i, j);
        if (place == Pairs::no_place) continue;
        if (components == 1 || code < codes.code(j))
          add_block(scratch, local, lane, place, i, j);
        else
          add_block(scratch, local, lane, place, j, i);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_block(const Scratch& scratch, const Local& local, int lane,
                                             Ordinal place, int row, int column) const {
    const ScratchAdd<ExecutionSpace> add;
    for (int a = 0; a < components; ++a)
      for (int b = 0; b < components; ++b)
        add(scratch.blocks(place * block + a * components + b),
            Scalar(lane_of(local(row, a, column, b), lane)));
  }

  KOKKOS_FUNCTION void write_blocks(const Scratch& scratch, const PatchPart& part, Ordinal rank,
                                    Ordinal size) const {
    const bool plain = !system.equations.constrained && !rows.upper;
    for (Ordinal k = rank / row_threads; k < part.nodes; k += size / row_threads) {
      const Ordinal node = pairs.nodes(part.first + k);
      const Offset begin = pairs.graph.row_map(node);
      const auto length = static_cast<Ordinal>(pairs.graph.row_map(node + 1) - begin);
      const Offset to = length == 0 ? 0 : rows.begin(node);
      for (Ordinal i = rank % row_threads; i < length; i += row_threads) {
        const Ordinal place = pairs.places(begin + i);
        const Scalar* const from = scratch.blocks.data() + (place & Pairs::most_places) * block;
        const auto entry = [&](int a, int b) {
          return place < Pairs::turned ? from[a * components + b] : from[b * components + a];
        };
        if (!plain)
          write_block(entry, node, pairs.graph.columns(begin + i), &scratch.loads(k * components));
        else
          for (int a = 0; a < components; ++a)
            for (int b = 0; b < components; ++b)
              system.values(to + (a * length + i) * components + b) = entry(a, b);
      }
    }
  }

  /// The part of a block that the matrix holds. What belongs to prescribed values goes to the loads.
  template <class Entry>
  KOKKOS_FUNCTION void write_block(const Entry& entry, Ordinal node, Ordinal other, Scalar* loads) const {
    const auto& equations = system.equations;
    const Ordinal length = rows.length(node), column = equations.first_equation(other);
    const bool stored = !rows.upper || column >= equations.first_equation(node);
    const Ordinal* const columns = rows.graph.columns.data() + rows.begin(node);
    const Ordinal place = stored ? place_of(columns, length, column) : 0;
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node, a)) continue;
      const int rank = equations.rank(node, a);
      const Offset row = rows.begin(node) + rows.row_start(rank, length) + place;
      for (int b = 0; b < components; ++b) {
        const bool prescribed = equations.is_constrained(other, b);
        if (prescribed)
          ScratchAdd<ExecutionSpace>()(loads[a],
                                       -entry(a, b) * Scalar(equations.prescribed(other * components + b)));
        if (!stored || (prescribed && equations.removed)) continue;
        if (rows.upper && other == node && equations.rank(other, b) < rank) continue;
        system.values(row + equations.rank(other, b)) = prescribed ? Scalar(0) : entry(a, b);
      }
    }
  }

  KOKKOS_FUNCTION void write_loads(const Scratch& scratch, const PatchPart& part, Ordinal rank,
                                   Ordinal size) const {
    for (Ordinal i = rank; i < part.nodes * components; i += size) {
      const Ordinal node = pairs.nodes(part.first + i / components);
      if (!system.equations.is_constrained(node, i % components))
        system.rhs(system.equations.equation(node, i % components)) = scratch.loads(i);
    }
  }

  void run(const ExecutionSpace& exec, const std::string& who, int threads, std::size_t scratch) const {
    for_each_large_team("Tessera::" + who + "::add_pairs", exec, pairs.patches, threads, row_threads, scratch,
                        *this);
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
