// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of affine elements from reference tensors, kind of node by kind of node: a thread a row, whose
/// entries of an element are constants times few numbers of the element.

#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/forms/detail/affine_entries.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_lists.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/row_entries.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// The rows of the nodes of a kind. A thread keeps one row in scratch, where the rows of a team's threads lie
/// side by side, goes through the elements around its node, and the team writes the rows. In an element that
/// is numbered from the node, the row's number is known to the compiler: its entries have no tables and
/// no terms that vanish.
template <class Element, class ExecutionSpace, class Scalar, class Kernel, int Kind>
struct KindRows {
  static constexpr int components = Kernel::components;
  static constexpr int own = node_kinds<Element>.first[Kind]; ///< the node's number in an element
  /// Whether the rows of one component are computed after those of another, not beside them.
  static constexpr bool by_component = kind_entries<Element, Kernel> >= kind_entries_by_component;
  /// Whether the kernel can take an element's coefficients before it is integrated.
  static constexpr bool fetches_coefficients =
      requires(const Kernel k, const Cell<Element, Scalar> cell) { k.in_element(cell); };
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, kind_launch_bounds<Element, Kernel>>;
  /// Whether the row of component c is computed as that of component 0 with the axes turned by c: then one
  /// code serves all components, and neighbouring threads have a node's rows, for which they read the same.
  static constexpr bool turns = tessera::detail::is_isotropic<Kernel>;
  static_assert(!turns || components == Element::dimension);
  using Member = typename Policy::member_type;
  using Lists = KindLists<Element, ExecutionSpace>;
  using Integral = tessera::detail::affine_integral_t<Element, Kernel, Scalar>;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  /// Where the team writes a row, and its length; 0 where there is none.
  struct Target {
    Offset begin;
    Ordinal length;
  };

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Lists lists;
  Kokkos::View<const std::uint8_t*, ExecutionSpace>
      bent; ///< node: whether an element around it is not affine; or empty
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;

  /// Of scratch, between entries of a row: odd, so that threads that read a row do not meet in a bank.
  KOKKOS_FORCEINLINE_FUNCTION static Ordinal pitch(int threads) { return threads == 1 ? 1 : threads + 1; }
  static std::size_t scratch_bytes(Ordinal longest, int threads) {
    return Scratch<Scalar>::shmem_size(static_cast<std::size_t>(longest) * pitch(threads)) +
           Scratch<Target>::shmem_size(threads);
  }
  /// The most threads with which four teams share a team's scratch; where rows are long, fewer; 0 if no team
  /// has room for them.
  static int choose_threads(Ordinal longest) {
    const std::size_t all = scratch_limit<ExecutionSpace>();
    if constexpr (runs_on_host<ExecutionSpace>) return scratch_bytes(longest, 1) <= all ? 1 : 0;
    for (const int threads : {128, 64})
      if (scratch_bytes(longest, threads) <= all / 4) return threads;
    for (const int threads : {32, 16, 8, 4, 2, 1})
      if (scratch_bytes(longest, threads) <= all) return threads;
    return 0;
  }

  void run(const ExecutionSpace& exec) const {
    const auto nodes = static_cast<Ordinal>(lists.nodes.extent(0));
    if (nodes == 0) return;
    const int threads = choose_threads(lists.longest);
    const auto teams = [&](Ordinal rows) { return (rows + threads - 1) / threads; };
    auto policy = by_value<KindRows>(
        Policy(exec, turns ? teams(nodes * components) : teams(nodes) * components, threads));
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes(lists.longest, threads)));
    Kokkos::parallel_for("Tessera::RowOwner::kind_rows", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto row = [&](int block) { return block * team.team_size() + team.team_rank(); };
    if constexpr (turns) {
      const Ordinal all = row(team.league_rank());
      return compute<0>(team, all / components, all % components);
    }
    const int teams = team.league_size() / components;
    const int component = by_component ? team.league_rank() / teams : team.league_rank() % components;
    const int block = by_component ? team.league_rank() % teams : team.league_rank() / components;
    tessera::detail::for_constants<components>([&](auto a) {
      if (component == a) compute<a>(team, row(block), std::integral_constant<int, 0>());
    });
  }

private:
  /// The axis or component that is number d after a turn.
  template <class Turn>
  KOKKOS_FORCEINLINE_FUNCTION static int turned(int d, Turn turn) {
    return d + turn < components ? d + turn : d + turn - components;
  }

  /// Row a of node i after a turn, among those of a team.
  template <int a, class Turn>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Member& team, Ordinal i, Turn turn) const {
    const int threads = team.team_size(), thread = team.team_rank();
    const Ordinal step = pitch(threads);
    const Scratch<Scalar> sums(team.team_scratch(0), lists.longest * step);
    const Scratch<Target> targets(team.team_scratch(0), threads);
    targets(thread) = sum_row<a>(i, turn, &sums(thread), step);
    team.team_barrier();
    write(threads, thread, step, sums, targets);
  }

  /// Sums up row i in scratch, and writes its right-hand side.
  template <int a, class Turn>
  KOKKOS_FORCEINLINE_FUNCTION Target sum_row(Ordinal i, Turn turn, Scalar* row, Ordinal step) const {
    if (i >= static_cast<Ordinal>(lists.nodes.extent(0))) return {0, 0};
    const Ordinal node = lists.nodes(i);
    const int component = turned(a, turn);
    const auto& equations = system.equations;
    if ((equations.removed && equations.is_constrained(node, component)) ||
        (bent.extent(0) > 0 && bent(node) != 0))
      return {0, 0};
    const Ordinal first = equations.first_equation(node);
    const Offset begin = system.row_map(first);
    const auto length = static_cast<Ordinal>(system.row_map(first + 1) - begin);
    const Offset end = lists.slices(i / Lists::slice + 1);
    Offset at = lists.slices(i / Lists::slice) + i % Lists::slice;
    // While an element is integrated, the numbers of the next one are on their way, and what it is integrated
    // from if registers last.
    constexpr bool ahead = kind_inputs_ahead<Element, Kernel>;
    Visit visit = fetch(at, end);
    Inputs inputs;
    if constexpr (ahead) inputs = gather(visit, turn);
    for (Ordinal k = 0; k < length; ++k) row[k * step] = Scalar(0);
    Scalar load = 0;
    while (visit.around.element != ElementAround::none) {
      at += Lists::slice;
      if constexpr (!ahead) inputs = gather(visit, turn);
      const Visit next = fetch(at, end);
      Inputs inputs_next;
      if constexpr (ahead) inputs_next = gather(next, turn);
      add<a>(node, turn, visit, inputs, row, step, load);
      visit = next;
      if constexpr (ahead) inputs = inputs_next;
    }
    if (!equations.is_constrained(node, component)) system.rhs(equations.equation(node, component)) = load;
    return {begin + static_cast<Offset>(equations.rank(node, component)) * length, length};
  }

  /// An element around a node, as the lists have it.
  struct Visit {
    ElementAround around;
    Ordinal corner[Lists::corners] = {};
    const std::uint32_t* places; ///< in the lists; if there is no element, of any
  };
  struct NoKernel {};
  /// What an element's row is computed from.
  struct Inputs {
    std::uint32_t places[Lists::words];
    double x[Lists::corners][Element::dimension];
    std::conditional_t<fetches_coefficients, Kernel, NoKernel> kernel; ///< with the element's coefficients
  };

  KOKKOS_FORCEINLINE_FUNCTION Visit fetch(Offset at, Offset end) const {
    Visit visit;
    visit.places = lists.places.data();
    if (at >= end) return visit;
    const Offset lane = at % Lists::slice, group = at - lane;
    visit.around = lists.around(at);
    for (int c = 0; c < Lists::corners; ++c)
      visit.corner[c] = lists.corner(group * Lists::corners + c * Lists::slice + lane);
    visit.places += group * Lists::words + lane;
    return visit;
  }
  template <class Turn>
  KOKKOS_FORCEINLINE_FUNCTION Inputs gather(const Visit& visit, Turn turn) const {
    Inputs inputs;
    for (int w = 0; w < Lists::words; ++w) inputs.places[w] = visit.places[w * Lists::slice];
    for (int c = 0; c < Lists::corners; ++c)
      for (int d = 0; d < Element::dimension; ++d)
        inputs.x[c][d] = mesh.position(visit.corner[c])[turns ? turned(d, turn) : d];
    if constexpr (fetches_coefficients) {
      const Ordinal element = Kokkos::max(visit.around.element, 0); // none: any
      inputs.kernel = kernel.in_element(numbered_cell(element));
    }
    return inputs;
  }
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Scalar> numbered_cell(Ordinal element) const {
    Cell<Element, Scalar> cell;
    cell.element[0] = mesh.number(element);
    cell.material[0] = mesh.material(element);
    return cell;
  }

  /// Adds an element's row.
  template <int a, class Turn>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal node, Turn turn, const Visit& visit, const Inputs& inputs,
                                       Scalar* row, Ordinal step, Scalar& load) const {
    static constexpr auto kinds = node_kinds<Element>;
    const bool mirrored = kinds.mirrored[visit.around.local_node] != mirrors(turn);
    const Integral integral = integrate<a>(visit.around.element, mirrored, inputs);
    const Scalar sign = mirrored ? Scalar(-1) : Scalar(1);
    if (visit.around.constrained != 0)
      return add_constrained(node, a, turn, visit, integral, sign, row, step, load);
    load += sign * entry_of(integral.load(own), turned(a, turn));
    tessera::detail::for_constants<components>([&](auto b) {
      const auto entry = row_entries<Element, own, a, b, Scalar>(integral);
      add_entries<Element::nodes>(inputs.places, row + turned(b, turn) * step, step,
                                  [&](auto j) { return sign * entry(j); });
    });
  }
  /// Whether a turn of the axes is an odd permutation.
  KOKKOS_FORCEINLINE_FUNCTION static bool mirrors(int turn) { return Element::dimension == 2 && turn == 1; }

  /// The same where some degrees of freedom are constrained: what they are prescribed goes to the load. Few
  /// elements are concerned, so that the code is short rather than fast.
  KOKKOS_FUNCTION void add_constrained(Ordinal node, int a, int turn, const Visit& visit,
                                       const Integral& integral, Scalar sign, Scalar* row, Ordinal step,
                                       Scalar& load) const {
    static constexpr auto kinds = node_kinds<Element>;
    const auto& equations = system.equations;
    const ElementAround& around = visit.around;
    if (equations.is_constrained(node, turned(a, turn))) return;
    load += sign * entry_of(integral.load(own), turned(a, turn));
    TESSERA_UNROLL(1)
    for (int j = 0; j < Element::nodes; ++j) {
      const Ordinal column = mesh.connectivity(around.element, kinds.image[around.local_node][j]);
      const Ordinal place = visit.places[j / 2 * Lists::slice] >> (16 * (j % 2)) & 0xffff;
      const auto block = integral.stiffness(own, j);
      for (int b = 0; b < components; ++b) {
        const int c = turned(b, turn);
        if (equations.is_constrained(column, c))
          load -= sign * block(a, b) * Scalar(equations.prescribed(column * components + c));
        else
          row[(place + equations.rank(column, c)) * step] += sign * block(a, b);
      }
    }
  }

  /// The element's integrals in the numbering from the node; of a mirrored element all have the other sign.
  template <int a>
  KOKKOS_FORCEINLINE_FUNCTION Integral integrate(Ordinal element, bool mirrored, const Inputs& inputs) const {
    static constexpr auto ends = tessera::detail::axis_ends<Element>;
    Cell<Element, Scalar> cell = numbered_cell(element);
    for (int d = 0; d < Element::dimension; ++d) {
      cell.origin[d] = Scalar(inputs.x[0][d]);
      cell.coordinates[0][d] = Scalar(0);
      for (int axis = 0; axis < Element::dimension; ++axis)
        cell.coordinates[ends.nodes[axis]][d] = Scalar(inputs.x[axis + 1][d] - inputs.x[0][d]);
    }
    const AffineCell<Element, Scalar> affine(cell);
    const Integral integral = [&] {
      if constexpr (fetches_coefficients)
        return inputs.kernel.over(affine);
      else
        return kernel.over(affine);
    }();
    const Scalar determinant = affine.geometry.determinant();
    if (!((mirrored ? -determinant : determinant) > 0) ||
        !all_finite(row_entries<Element, own, a, a, Scalar>(integral)(std::integral_constant<int, own>()) +
                    integral.load(own)(a)))
      status.fail(element);
    return integral;
  }

  /// Threads side by side write values side by side.
  KOKKOS_FORCEINLINE_FUNCTION void write(int threads, int thread, Ordinal step, const Scratch<Scalar>& sums,
                                         const Scratch<Target>& targets) const {
    constexpr int most = 16;
    const int together = threads < most ? threads : most;
    for (int r = thread / together; r < threads; r += threads / together) {
      const Target target = targets(r);
      TESSERA_UNROLL(4)
      for (Ordinal k = thread % together; k < target.length; k += together)
        system.values(target.begin + k) = sums(k * step + r);
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
