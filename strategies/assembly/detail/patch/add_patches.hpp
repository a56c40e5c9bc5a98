// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The kernels of assembly by patches: a team's patch in scratch, then the seam (paper 4, section 4).

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_lists.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// The second array of values, for what elements add to rows of other patches, and its loads.
template <class Scalar>
struct SeamKernel {
  Scalar* values; ///< zero between assemblies
  Scalar* loads;  ///< number on the seam * components + component
};

/// Scratch of one patch. Columns and values of its rows lie as in the system, node after node.
template <class Element, class ExecutionSpace, class Scalar>
struct PatchScratch {
  template <class T>
  using Array = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  NodeScratch<Element, ExecutionSpace> x;
  Array<Scalar> values, loads;
  Array<Ordinal> columns, columns_before, values_before, node;

  KOKKOS_FUNCTION static std::size_t bytes(Ordinal nodes, int components, Offset columns, Offset values) {
    return NodeScratch<Element, ExecutionSpace>::shmem_size(nodes) + Array<Scalar>::shmem_size(values) +
           Array<Scalar>::shmem_size(static_cast<std::size_t>(nodes) * components) +
           Array<Ordinal>::shmem_size(columns) + 2 * Array<Ordinal>::shmem_size(nodes + 1) +
           Array<Ordinal>::shmem_size(nodes);
  }

  template <class Space>
  KOKKOS_FUNCTION PatchScratch(const Space& space, Ordinal nodes, int components, Offset num_columns,
                               Offset num_values)
      : x(space, nodes), values(space, num_values), loads(space, nodes * components),
        columns(space, num_columns), columns_before(space, nodes + 1), values_before(space, nodes + 1),
        node(space, nodes) {}
};

/// Place of a value that is in an ascending list: binary search without branches, as many steps for all lists
/// of a length.
KOKKOS_FORCEINLINE_FUNCTION Ordinal place_of(const Ordinal* list, Ordinal length, Ordinal value) {
  Ordinal at = 0;
  for (Ordinal left = length; left > 1;) {
    const Ordinal half = left / 2;
    at += list[at + half] <= value ? half : 0;
    left -= half;
  }
  return at;
}

/// Integrates the elements of a patch and writes its rows, all but what elements of other patches add.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AddPatches {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Scratch = PatchScratch<Element, ExecutionSpace, Scalar>;
  using Local = element_system_t<Element, Kernel, Real>;
  static constexpr int components = Kernel::components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  PatchLists<Element, ExecutionSpace> lists;
  PatchRows<ExecutionSpace> rows;
  SystemKernel<ExecutionSpace, Scalar> system;
  SeamKernel<Scalar> seam;
  Status<ExecutionSpace> status;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto patch = static_cast<Ordinal>(team.league_rank());
    const Ordinal first = lists.node_offsets(patch), nodes = lists.node_offsets(patch + 1) - first;
    const Offset columns = lists.columns_before(first), values = lists.values_before(first);
    const Scratch scratch(team.team_scratch(0), nodes, components,
                          lists.columns_before(first + nodes) - columns,
                          lists.values_before(first + nodes) - values);
    load_nodes(team, scratch, first, nodes);
    team.team_barrier();
    load_rows(team, scratch, nodes);
    team.team_barrier();
    const Ordinal begin = lists.element_offsets(patch), end = lists.element_offsets(patch + 1);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, (end - begin + lanes_v<Real> - 1) / lanes_v<Real>),
                         [&](Ordinal chunk) { add_elements(scratch, begin + chunk * lanes_v<Real>, end); });
    team.team_barrier();
    write_rows(team, scratch, nodes);
  }

  /// Step 1: coordinates, and where the nodes' rows lie in scratch.
  KOKKOS_FUNCTION void load_nodes(const Member& team, const Scratch& scratch, Ordinal first,
                                  Ordinal nodes) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes + 1), [&](Ordinal i) {
      scratch.columns_before(i) =
          static_cast<Ordinal>(lists.columns_before(first + i) - lists.columns_before(first));
      scratch.values_before(i) =
          static_cast<Ordinal>(lists.values_before(first + i) - lists.values_before(first));
      if (i == nodes) return;
      const Ordinal node = lists.nodes(first + i);
      scratch.node(i) = node;
      for (int d = 0; d < Element::dimension; ++d) scratch.x(i, d) = mesh.position(node)[d];
    });
  }

  /// Step 4: the rows' columns and zero values. They have scratch of their own beside the coordinates, so
  /// that a patch may have more elements than its team has threads.
  KOKKOS_FUNCTION void load_rows(const Member& team, const Scratch& scratch, Ordinal nodes) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nodes), [&](Ordinal i) {
      const Ordinal length = scratch.columns_before(i + 1) - scratch.columns_before(i);
      const Offset begin = length == 0 ? 0 : rows.begin(scratch.node(i));
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length), [&](Ordinal k) {
        scratch.columns(scratch.columns_before(i) + k) = rows.graph.columns(begin + k);
      });
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, scratch.values_before(nodes)),
                         [&](Ordinal k) { scratch.values(k) = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes * components),
                         [&](Ordinal k) { scratch.loads(k) = 0; });
  }

  /// Steps 2, 3 and 5 for the elements of a pack.
  KOKKOS_FUNCTION void add_elements(const Scratch& scratch, Ordinal slot, Ordinal end) const {
    Cell<Element, Real> cell;
    const auto slot_of = [&](int lane) { return slot + lane < end ? slot + lane : end - 1; };
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = lists.elements(slot_of(lane));
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    gather_coordinates(cell, [&](int lane, int n, int d) {
      const Ordinal code = lists.codes(slot_of(lane), n);
      return code < 0 ? mesh.position(-code - 1)[d] : scratch.x(code, d);
    });
    Local local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && slot + lane < end; ++lane)
      add_element(scratch, local, lane, slot + lane);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_element(const Scratch& scratch, const Local& local, int lane,
                                               Ordinal slot) const {
    Ordinal code[Element::nodes], node[Element::nodes];
    for (int n = 0; n < Element::nodes; ++n) {
      code[n] = lists.codes(slot, n);
      node[n] = code[n] < 0 ? -code[n] - 1 : scratch.node(code[n]);
    }
    TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Element::nodes>)
    for (int i = 0; i < Element::nodes; ++i) {
      if (system.equations.equations_of(node[i]) == 0) continue;
      if (code[i] >= 0) {
        const Ordinal begin = scratch.columns_before(code[i]);
        add_rows(local, lane, node, i, scratch.columns.data() + begin,
                 scratch.columns_before(code[i] + 1) - begin,
                 scratch.values.data() + scratch.values_before(code[i]),
                 scratch.loads.data() + code[i] * components, ScratchAdd<ExecutionSpace>());
      } else if (!lists.recomputed) {
        const Ordinal number = lists.seam_of_node(node[i]);
        add_rows(local, lane, node, i, rows.graph.columns.data() + rows.begin(node[i]), rows.length(node[i]),
                 seam.values + lists.seam_begin(number), seam.loads + number * components,
                 AtomicAdd<ExecutionSpace>());
      }
    }
  }

  /// Adds the rows of the element's node i; each place is found by binary search in the columns.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void
  add_rows(const Local& local, int lane, const Ordinal (&node)[Element::nodes], int i, const Ordinal* columns,
           Ordinal length, Scalar* values, Scalar* loads, const Add& add) const {
    const auto& equations = system.equations;
    if (!equations.constrained && !rows.upper) {
      TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Element::nodes>)
      for (int j = 0; j < Element::nodes; ++j) {
        Scalar* const entry = values + place_of(columns, length, node[j] * components);
        for (int a = 0; a < components; ++a)
          for (int b = 0; b < components; ++b)
            add(entry[a * length + b], Scalar(lane_of(local(i, a, j, b), lane)));
      }
      for (int a = 0; a < components; ++a) add(loads[a], Scalar(lane_of(local.load[i](a), lane)));
      return;
    }
    const Ordinal own = equations.first_equation(node[i]);
    Scalar load[components];
    for (int a = 0; a < components; ++a) load[a] = lane_of(local.load[i](a), lane);
    TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Element::nodes>)
    for (int j = 0; j < Element::nodes; ++j) {
      const Ordinal other = equations.first_equation(node[j]);
      const bool stored = !rows.upper || other >= own;
      const Ordinal place = stored ? place_of(columns, length, other) : 0;
      for (int a = 0; a < components; ++a) {
        if (equations.is_constrained(node[i], a)) continue;
        const int rank = equations.rank(node[i], a);
        Scalar* const row = values + rows.row_start(rank, length) + place;
        for (int b = 0; b < components; ++b) {
          const Scalar k = lane_of(local(i, a, j, b), lane);
          if (equations.is_constrained(node[j], b))
            load[a] -= k * Scalar(equations.prescribed(node[j] * components + b));
          else if (stored && !(rows.upper && i == j && equations.rank(node[j], b) < rank))
            add(row[equations.rank(node[j], b)], k);
        }
      }
    }
    for (int a = 0; a < components; ++a)
      if (!equations.is_constrained(node[i], a)) add(loads[a], load[a]);
  }

  /// Step 6.
  KOKKOS_FUNCTION void write_rows(const Member& team, const Scratch& scratch, Ordinal nodes) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nodes), [&](Ordinal i) {
      const Ordinal node = scratch.node(i), from = scratch.values_before(i);
      const Ordinal count = scratch.values_before(i + 1) - from;
      const Offset to = count == 0 ? 0 : rows.begin(node);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count),
                           [&](Ordinal k) { system.values(to + k) = scratch.values(from + k); });
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, components), [&](Ordinal a) {
        if (!system.equations.is_constrained(node, a))
          system.rhs(system.equations.equation(node, a)) = scratch.loads(i * components + a);
      });
    });
  }

  void run(const ExecutionSpace& exec, const std::string& who, int threads, int lanes,
           std::size_t scratch) const {
    auto probe = by_value<AddPatches>(Policy(exec, 1, 1, lanes));
    probe.set_scratch_size(0, Kokkos::PerTeam(scratch));
    const int most = probe.team_size_max(*this, Kokkos::ParallelForTag());
    auto policy = by_value<AddPatches>(
        Policy(exec, lists.patches, std::max(1, std::min(threads / lanes, most)), lanes));
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
    Kokkos::parallel_for("Tessera::" + who + "::add_patches", policy, *this);
  }
};

/// Adds the second array to the rows on the seam, and clears it for the next assembly.
template <class ExecutionSpace, class Scalar>
struct AddSeam {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;

  Kokkos::View<const Ordinal*, ExecutionSpace> nodes;
  Kokkos::View<const Offset*, ExecutionSpace> begin;
  PatchRows<ExecutionSpace> rows;
  SystemKernel<ExecutionSpace, Scalar> system;
  SeamKernel<Scalar> seam;
  Ordinal nodes_per_team;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const Ordinal first = static_cast<Ordinal>(team.league_rank()) * nodes_per_team;
    const Ordinal last = Kokkos::min(first + nodes_per_team, static_cast<Ordinal>(nodes.extent(0)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](Ordinal number) {
      const Ordinal node = nodes(number);
      const auto count = static_cast<Ordinal>(begin(number + 1) - begin(number));
      const Offset to = count == 0 ? 0 : rows.begin(node);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        system.values(to + k) += seam.values[begin(number) + k];
        seam.values[begin(number) + k] = 0;
      });
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, system.equations.components), [&](Ordinal a) {
        Scalar& load = seam.loads[number * system.equations.components + a];
        if (!system.equations.is_constrained(node, a)) system.rhs(system.equations.equation(node, a)) += load;
        load = 0;
      });
    });
  }

  void run(const ExecutionSpace& exec, const std::string& who, int lanes) {
    const int threads = runs_on_host<ExecutionSpace> ? 1 : 256 / lanes;
    nodes_per_team = runs_on_host<ExecutionSpace> ? 64 : threads;
    const auto count = static_cast<Ordinal>(nodes.extent(0));
    Kokkos::parallel_for("Tessera::" + who + "::add_seam",
                         Policy(exec, (count + nodes_per_team - 1) / nodes_per_team, threads, lanes), *this);
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
