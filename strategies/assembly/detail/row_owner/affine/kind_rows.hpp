#pragma once

/// \file
/// Rows of affine elements from reference tensors, kind of node by kind of node: a thread a row, whose
/// entries of an element are constants times few numbers of the element.

#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_lists.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tessera::assembly::detail {

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
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
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
    auto policy = by_value<KindRows>(Policy(exec, (nodes + threads - 1) / threads * components, threads));
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes(lists.longest, threads)));
    Kokkos::parallel_for("Tessera::RowOwner::kind_rows", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int teams = team.league_size() / components;
    const int component = by_component ? team.league_rank() / teams : team.league_rank() % components;
    const int block = by_component ? team.league_rank() % teams : team.league_rank() / components;
    tessera::detail::for_constants<components>([&](auto a) {
      if (component == a) rows_of_component<a>(team, block);
    });
  }

private:
  template <int a>
  KOKKOS_FORCEINLINE_FUNCTION void rows_of_component(const Member& team, Ordinal block) const {
    const int threads = team.team_size(), thread = team.team_rank();
    const Ordinal step = pitch(threads);
    const Scratch<Scalar> sums(team.team_scratch(0), lists.longest * step);
    const Scratch<Target> targets(team.team_scratch(0), threads);
    targets(thread) = sum_row<a>(block * threads + thread, &sums(thread), step);
    team.team_barrier();
    write(threads, thread, step, sums, targets);
  }

  /// Sums up row i in scratch, and writes its right-hand side.
  template <int a>
  KOKKOS_FORCEINLINE_FUNCTION Target sum_row(Ordinal i, Scalar* row, Ordinal step) const {
    if (i >= static_cast<Ordinal>(lists.nodes.extent(0))) return {0, 0};
    const Ordinal node = lists.nodes(i);
    const auto& equations = system.equations;
    if ((equations.removed && equations.is_constrained(node, a)) || (bent.extent(0) > 0 && bent(node) != 0))
      return {0, 0};
    const Ordinal first = equations.first_equation(node);
    const Offset begin = system.row_map(first);
    const auto length = static_cast<Ordinal>(system.row_map(first + 1) - begin);
    for (Ordinal k = 0; k < length; ++k) row[k * step] = Scalar(0);
    Scalar load = 0;
    const Offset end = lists.slices(i / Lists::slice + 1);
    Offset group = lists.slices(i / Lists::slice) + i % Lists::slice;
    // While an element is integrated, the numbers of the next ones are fetched, and the coordinates.
    Visit next = fetch(group, end);
    Corners corners = gather(next);
    while (next.around.element != ElementAround::none) {
      const Visit now = next;
      const Corners corners_now = kind_coordinates_ahead<Element> ? corners : gather(now);
      group += Lists::slice;
      next = fetch(group, end);
      if constexpr (kind_coordinates_ahead<Element>) corners = gather(next);
      add<a>(node, now, corners_now, row, step, load);
    }
    if (!equations.is_constrained(node, a)) system.rhs(equations.equation(node, a)) = load;
    return {begin + static_cast<Offset>(equations.rank(node, a)) * length, length};
  }

  /// An element around a node, as the lists have it.
  struct Visit {
    ElementAround around;
    Ordinal corner[Lists::corners];
    std::uint32_t places[Lists::words];
    const std::uint32_t* all_places; ///< in the lists
  };
  struct Corners {
    double x[Lists::corners][Element::dimension];
  };

  KOKKOS_FORCEINLINE_FUNCTION Visit fetch(Offset at, Offset end) const {
    Visit visit;
    if (at < end) visit.around = lists.around(at);
    if (visit.around.element == ElementAround::none) {
      for (auto& corner : visit.corner) corner = 0;
      return visit;
    }
    const Offset lane = at % Lists::slice, group = at - lane;
    for (int c = 0; c < Lists::corners; ++c)
      visit.corner[c] = lists.corner(group * Lists::corners + c * Lists::slice + lane);
    visit.all_places = &lists.places(group * Lists::words + lane);
    for (int w = 0; w < Lists::words; ++w) visit.places[w] = visit.all_places[w * Lists::slice];
    return visit;
  }
  KOKKOS_FORCEINLINE_FUNCTION Corners gather(const Visit& visit) const {
    Corners corners;
    for (int c = 0; c < Lists::corners; ++c)
      for (int d = 0; d < Element::dimension; ++d) corners.x[c][d] = mesh.position(visit.corner[c])[d];
    return corners;
  }

  /// Adds an element's row.
  template <int a>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal node, const Visit& visit, const Corners& corners, Scalar* row,
                                       Ordinal step, Scalar& load) const {
    static constexpr auto kinds = node_kinds<Element>;
    const bool mirrored = kinds.mirrored[visit.around.local_node];
    const Integral integral = integrate<a>(visit.around.element, mirrored, corners);
    const Scalar sign = mirrored ? Scalar(-1) : Scalar(1);
    if (visit.around.constrained != 0)
      return add_constrained(node, a, visit.around, visit.all_places, integral, sign, row, step, load);
    load += sign * integral.load(own)(a);
    tessera::detail::for_constants<components>([&](auto b) {
      const auto entry = entries<a, b>(integral);
      tessera::detail::for_constants<Element::nodes>([&](auto j) {
        const Ordinal place = visit.places[j / 2] >> (16 * (j % 2)) & 0xffff;
        row[(place + b) * step] += sign * entry(j);
      });
    });
  }

  /// The same where some degrees of freedom are constrained: what they are prescribed goes to the load. Few
  /// elements are concerned, so that the code is short rather than fast.
  KOKKOS_FUNCTION void add_constrained(Ordinal node, int a, const ElementAround& around,
                                       const std::uint32_t* places, const Integral& integral, Scalar sign,
                                       Scalar* row, Ordinal step, Scalar& load) const {
    static constexpr auto kinds = node_kinds<Element>;
    const auto& equations = system.equations;
    if (equations.is_constrained(node, a)) return;
    load += sign * integral.load(own)(a);
    TESSERA_UNROLL(1)
    for (int j = 0; j < Element::nodes; ++j) {
      const Ordinal column = mesh.connectivity(around.element, kinds.image[around.local_node][j]);
      const Ordinal place = places[j / 2 * Lists::slice] >> (16 * (j % 2)) & 0xffff;
      const auto block = integral.stiffness(own, j);
      for (int b = 0; b < components; ++b)
        if (equations.is_constrained(column, b))
          load -= sign * block(a, b) * Scalar(equations.prescribed(column * components + b));
        else
          row[(place + equations.rank(column, b)) * step] += sign * block(a, b);
    }
  }

  /// The entries (a, b) of the row's blocks: entry(constant j).
  template <int a, int b>
  KOKKOS_FORCEINLINE_FUNCTION auto entries(const Integral& integral) const {
    if constexpr (requires { integral.factors(a, b); }) {
      return [factors = integral.factors(a, b)](auto j) {
        using Tensors = ReferenceTensors<Element>;
        Scalar sum = 0;
        tessera::detail::for_constants<Element::dimension>([&](auto p) {
          tessera::detail::for_constants<Element::dimension>([&](auto q) {
            const Scalar tensor = Tensors::template derivatives<Scalar>(own, j, p, q);
            if (tensor != 0) sum += factors(p, q) * tensor;
          });
        });
        return sum;
      };
    } else {
      return [&integral](auto j) { return integral.stiffness(own, j)(a, b); };
    }
  }

  /// The element's integrals in the numbering from the node; of a mirrored element all have the other sign.
  template <int a>
  KOKKOS_FORCEINLINE_FUNCTION Integral integrate(Ordinal element, bool mirrored,
                                                 const Corners& corners) const {
    static constexpr auto ends = tessera::detail::axis_ends<Element>();
    Cell<Element, Scalar> cell;
    cell.element[0] = mesh.number(element);
    cell.material[0] = mesh.material(element);
    for (int d = 0; d < Element::dimension; ++d) {
      cell.origin[d] = Scalar(corners.x[0][d]);
      cell.coordinates[0][d] = Scalar(0);
      for (int axis = 0; axis < Element::dimension; ++axis)
        cell.coordinates[ends.nodes[axis]][d] = Scalar(corners.x[axis + 1][d] - corners.x[0][d]);
    }
    const AffineCell<Element, Scalar> affine(cell);
    const Integral integral = kernel.over(affine);
    const Scalar determinant = affine.geometry.determinant();
    if (!((mirrored ? -determinant : determinant) > 0) ||
        !all_finite(entries<a, a>(integral)(std::integral_constant<int, own>()) + integral.load(own)(a)))
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
      for (Ordinal k = thread % together; k < target.length; k += together)
        system.values(target.begin + k) = sums(k * step + r);
    }
  }
};

} // namespace tessera::assembly::detail
