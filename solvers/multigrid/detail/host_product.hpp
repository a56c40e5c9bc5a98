#pragma once

/// \file
/// PᵀAP on hosts, by aggregates as on devices: a thread takes an aggregate, finds columns in arrays over all
/// of them, and adds up a row of A P after the other.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/thread_rooms.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// Finds an aggregate's lists, and which columns of A P meet which of P.
template <class ExecutionSpace>
struct HostMeetingAggregates {
  static constexpr Offset overflow = Offset{1} << 40; // the length of a list that has no room

  Graph<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan; // lengths go to the entry after an aggregate's own
  MeetingLists<ExecutionSpace> lists;

  static constexpr Ordinal halo_room = 1024; // rows of P that are looked at once only

  /// Words with a bit for each far column; one more word for those without room.
  KOKKOS_FUNCTION Ordinal words() const { return lists.words() + 1; }
  KOKKOS_FUNCTION std::size_t met_room() const {
    return static_cast<std::size_t>(lists.near_room + 1) * words();
  }
  KOKKOS_FUNCTION std::size_t reached_room() const {
    return static_cast<std::size_t>(halo_room + 1) * words();
  }
  std::size_t bytes() const {
    return 2 * ThreadRoom::bytes<Ordinal>(lists.near_room) + 2 * ThreadRoom::bytes<Ordinal>(lists.far_room) +
           ThreadRoom::bytes<Ordinal>(halo_room) + ThreadRoom::bytes<std::uint32_t>(words()) +
           ThreadRoom::bytes<std::uint32_t>(met_room()) + ThreadRoom::bytes<std::uint32_t>(reached_room());
  }

  /// What is found of an aggregate.
  struct Found {
    PlacedList near, far, halo;
    std::uint32_t *in_row, *met, *reached; // far columns of a row of A P, near columns, rows of P
  };

  KOKKOS_FUNCTION void operator()(Ordinal aggregate, ThreadRoom room) const {
    Ordinal* const far_place = room.place + aggregates.count;
    Found f{{room.place, room.take<Ordinal>(lists.near_room), lists.near_room},
            {far_place, room.take<Ordinal>(lists.far_room), lists.far_room},
            {far_place + aggregates.count, room.take<Ordinal>(halo_room), halo_room},
            room.take<std::uint32_t>(words()),
            room.take<std::uint32_t>(met_room()),
            room.take<std::uint32_t>(reached_room())};
    for (std::size_t k = 0; k < met_room(); ++k) f.met[k] = 0;
    const Ordinal first = aggregates.begin(aggregate), size = aggregates.size(aggregate);
    for (Ordinal item = 0; item < size; ++item) collect(aggregates.node(first + item), f);
    for (auto* list : {&f.near, &f.far, &f.halo}) list->clear();
    const bool fits = !f.near.full && !f.far.full;
    plan.near.row_map(aggregate + 1) = fits ? static_cast<Offset>(f.near.count) : overflow;
    plan.far.row_map(aggregate + 1) = fits ? static_cast<Offset>(f.far.count) : overflow;
    if (!fits) return;
    auto* const near_order = room.take<Ordinal>(lists.near_room);
    auto* const far_order = room.take<Ordinal>(lists.far_room);
    order_of(f.near.numbers, f.near.count, near_order, lists.near_of(aggregate));
    order_of(f.far.numbers, f.far.count, far_order, lists.far_of(aggregate));
    for (Ordinal place = 0; place < f.near.count; ++place)
      write_bits(f.met + static_cast<std::size_t>(near_order[place]) * words(), far_order, f.far.count,
                 lists.bits_of(aggregate, place));
  }

  /// Puts a row of A P and one of P into the lists.
  KOKKOS_FUNCTION void collect(Ordinal node, Found& f) const {
    const Ordinal count = words();
    for (Ordinal w = 0; w < count; ++w) f.in_row[w] = 0;
    const Offset end = a.row_map(node + 1);
    for (Offset k = a.row_map(node); k < end; ++k) {
      const Ordinal known = f.halo.count, place = f.halo.insert(a.columns(k));
      std::uint32_t* const reached = f.reached + static_cast<std::size_t>(place) * count;
      if (f.halo.count > known || place == halo_room) reach(a.columns(k), f.far, reached, count);
      for (Ordinal w = 0; w < count; ++w) f.in_row[w] |= reached[w];
    }
    for (Offset m = p.row_map(node); m < p.row_map(node + 1); ++m) {
      std::uint32_t* const to = f.met + static_cast<std::size_t>(f.near.insert(p.columns(m))) * count;
      for (Ordinal w = 0; w < count; ++w) to[w] |= f.in_row[w];
    }
  }

  /// Far columns of a row of P.
  KOKKOS_FUNCTION void reach(Ordinal node, PlacedList& far, std::uint32_t* reached, Ordinal count) const {
    for (Ordinal w = 0; w < count; ++w) reached[w] = 0;
    const Offset end = p.row_map(node + 1);
    for (Offset m = p.row_map(node); m < end; ++m) {
      const auto place = static_cast<std::uint32_t>(far.insert(p.columns(m)));
      reached[place / 32] |= std::uint32_t{1} << place % 32;
    }
  }

  /// Bits in the order of columns.
  KOKKOS_FUNCTION static void write_bits(const std::uint32_t* met, const Ordinal* order, Ordinal count,
                                         std::uint32_t* words) {
    for (Ordinal begin = 0; begin < count; begin += 32) {
      const Ordinal* const slots = order + begin;
      const Ordinal bits = Kokkos::min(Ordinal{32}, count - begin);
      std::uint32_t word = 0;
      for (Ordinal k = 0; k < bits; ++k) word |= (met[slots[k] / 32] >> slots[k] % 32 & 1u) << k;
      words[begin / 32] = word;
    }
  }
};

/// Σ P(n, J)ᵀ (A P)(n, K) over an aggregate's nodes n. A row of A P is spread over the far columns, all
/// columns of a block at once, so that adding it up vectorises.
///
/// \tparam Scalar  whether blocks are single values.
template <class ExecutionSpace, bool Scalar>
struct HostContributions {
  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;

  KOKKOS_FUNCTION int modes() const { return Scalar ? 1 : p.block_columns; }
  KOKKOS_FUNCTION std::size_t row_room() const {
    return static_cast<std::size_t>(plan.whole_fours(plan.far.longest)) * modes();
  }
  std::size_t bytes() const { return ThreadRoom::bytes<float>(row_room()); }

  KOKKOS_FUNCTION void operator()(Ordinal aggregate, ThreadRoom room) const {
    Ordinal *const near_place = room.place, *const far_place = room.place + aggregates.count;
    set_places(plan.near, aggregate, near_place, true);
    set_places(plan.far, aggregate, far_place, true);
    auto* const row = room.take<float>(row_room());
    const Ordinal length = plan.stride(aggregate) * modes();
    float* const to = out.data() + plan.begin(aggregate) * modes() * modes();
    const std::size_t all = static_cast<std::size_t>(plan.near.length(aggregate)) * modes() * length;
    for (std::size_t k = 0; k < all; ++k) to[k] = 0;
    const Ordinal first = aggregates.begin(aggregate), size = aggregates.size(aggregate);
    for (Ordinal item = 0; item < size; ++item)
      for (int r = 0; r < (Scalar ? 1 : a.block_rows); ++r) {
        const Ordinal node = aggregates.node(first + item);
        for (Ordinal k = 0; k < length; ++k) row[k] = 0;
        multiply(node, r, far_place, row);
        add_up(node, r, near_place, row, length, to);
      }
    set_places(plan.near, aggregate, near_place, false);
    set_places(plan.far, aggregate, far_place, false);
  }

  /// Sets the places of a list's numbers, or takes them back.
  KOKKOS_FUNCTION static void set_places(const Graph<ExecutionSpace>& lists, Ordinal item, Ordinal* place,
                                         bool set) {
    const Ordinal* const numbers = lists.columns.data() + lists.row_map(item);
    for (Ordinal k = 0; k < lists.length(item); ++k) place[numbers[k]] = set ? k : -1;
  }

  /// row += a row of A P.
  KOKKOS_FUNCTION void multiply(Ordinal node, int r, const Ordinal* place, float* row) const {
    const int width = Scalar ? 1 : a.block_columns;
    const float* factors = a.values.data() + a.row_begin(node, r);
    for (Offset k = a.graph.row_map(node); k < a.graph.row_map(node + 1); ++k, factors += width) {
      const Ordinal neighbor = a.graph.columns(k);
      const Offset begin = p.graph.row_map(neighbor);
      const auto length = static_cast<Ordinal>(p.graph.row_map(neighbor + 1) - begin);
      const Ordinal* const columns = p.graph.columns.data() + begin;
      const float* const values = p.values.data() + begin * width * modes();
      for (Ordinal m = 0; m < length; ++m) {
        float* const to = row + place[columns[m]] * modes();
        for (int c = 0; c < width; ++c)
          for (int d = 0; d < modes(); ++d)
            to[d] += factors[c] * values[(static_cast<Offset>(c) * length + m) * modes() + d];
      }
    }
  }

  /// to += factor · from; all are computed before the first is written, so that they make a vector.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void add(float factor, const float* from, float* to) {
    float sums[Count];
    for (int k = 0; k < Count; ++k) sums[k] = to[k] + factor * from[k];
    for (int k = 0; k < Count; ++k) to[k] = sums[k];
  }

  /// A row of A P times the columns of the row of P.
  KOKKOS_FUNCTION void add_up(Ordinal node, int r, const Ordinal* place, const float* row, Ordinal length,
                              float* to) const {
    const Ordinal* const columns = p.graph.columns.data() + p.graph.row_map(node);
    const float* const factors = p.values.data() + p.row_begin(node, r);
    for (Ordinal k = 0; k < p.graph.length(node) * modes(); ++k) {
      const std::size_t column =
          static_cast<std::size_t>(place[columns[k / modes()]]) * modes() + k % modes();
      float* const sums = to + column * length;
      Ordinal j = 0;
      for (; j + 16 <= length; j += 16) add<16>(factors[k], row + j, sums + j);
      for (; j < length; j += 4) add<4>(factors[k], row + j, sums + j);
    }
  }
};

/// A coarse node's rows: the sum of the contributions in the order of their aggregates.
template <class ExecutionSpace, bool Scalar>
struct HostCoarseRows {
  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;

  KOKKOS_FUNCTION int modes() const { return Scalar ? 1 : coarse.block_rows; }
  KOKKOS_FUNCTION std::size_t sums_room() const {
    return (static_cast<std::size_t>(coarse.graph.longest) + 1) * modes() * modes();
  }
  std::size_t bytes() const { return ThreadRoom::bytes<double>(sums_room()); }

  KOKKOS_FUNCTION void operator()(Ordinal node, ThreadRoom room) const {
    const Ordinal length = coarse.graph.length(node);
    const int block = modes() * modes();
    const Ordinal* const columns = coarse.graph.columns.data() + coarse.graph.row_map(node);
    auto* const all_sums = room.take<double>(sums_room());
    double* const sums = all_sums + block; // before the first: zeros, of columns that the row has not
    for (Ordinal k = 0; k < (length + 1) * block; ++k) all_sums[k] = 0;
    for (Ordinal k = 0; k < length; ++k) room.place[columns[k]] = k;
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source);
      const Offset stride = static_cast<Offset>(plan.stride(source)) * modes();
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      const float* const from =
          contributions.data() + plan.begin(source) * block + plan.place(s) * stride * modes();
      for (Ordinal k = 0; k < count; ++k) {
        double* const to = sums + static_cast<Offset>(room.place[far[k]]) * block;
        for (int m = 0; m < modes(); ++m)
          for (int d = 0; d < modes(); ++d)
            to[m * modes() + d] += static_cast<double>(from[m * stride + k * modes() + d]);
      }
    }
    for (Ordinal k = 0; k < length; ++k) {
      room.place[columns[k]] = -1;
      for (int m = 0; m < modes(); ++m)
        for (int d = 0; d < modes(); ++d)
          coarse.values(coarse.row_begin(node, m) + static_cast<Offset>(k) * modes() + d) =
              static_cast<float>(sums[k * block + m * modes() + d]);
    }
  }
};

/// Finds the lists of all aggregates.
template <class ExecutionSpace>
void host_meeting(const ExecutionSpace& exec, const HostMeetingAggregates<ExecutionSpace>& meeting) {
  for_each_row_with_room(
      exec, "Tessera::Multigrid::meeting_aggregates", meeting.aggregates.count,
      ThreadRooms<ExecutionSpace>(exec, std::size_t{2} * meeting.aggregates.count + meeting.a.count(),
                                  meeting.bytes()),
      meeting);
}

/// Makes the contributions, and sums them up.
template <class ExecutionSpace, bool Scalar>
void host_product(const ExecutionSpace& exec, const HostContributions<ExecutionSpace, Scalar>& aggregates,
                  const HostCoarseRows<ExecutionSpace, Scalar>& rows) {
  const auto count = static_cast<std::size_t>(aggregates.aggregates.count);
  for_each_row_with_room(exec, "Tessera::Multigrid::contributions", aggregates.aggregates.count,
                         ThreadRooms<ExecutionSpace>(exec, 2 * count, aggregates.bytes()), aggregates);
  for_each_row_with_room(exec, "Tessera::Multigrid::coarse_rows", rows.coarse.nodes(),
                         ThreadRooms<ExecutionSpace>(exec, count, rows.bytes()), rows);
}

} // namespace tessera::solvers::multigrid
