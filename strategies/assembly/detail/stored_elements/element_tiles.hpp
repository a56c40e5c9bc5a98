// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices too large for a thread's registers, in tiles.

#include <tessera/core/elements/basis_rows.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/row_data.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::assembly::detail {

/// How a matrix of `nodes` x `nodes` is cut into tiles of `rows` x `columns`: the cheapest way among those
/// whose sums, and the products of a row's functions, a thread has registers for.
struct TileShape {
  int rows, columns;

  /// Multiply-adds at a point for all tiles of a component pair, and as many again for what a tile reads:
  /// coefficients, which no two lanes share, cost two, functions of the basis, of which all lanes read one,
  /// four.
  static constexpr int work(int nodes, int functions, bool symmetric, TileShape shape) {
    int sum = 0;
    for (int i = 0; i < nodes; i += shape.rows)
      for (int j = 0; j < nodes && (!symmetric || j < i + shape.rows); j += shape.columns)
        sum += shape.rows * functions * (functions + shape.columns) + 2 * functions * functions +
               4 * (shape.rows + shape.columns);
    return sum;
  }
  static constexpr TileShape choose(int nodes, int functions, bool symmetric) {
    constexpr int most_sums = 50, most_numbers = 72;
    TileShape best{1, 1};
    int least = std::numeric_limits<int>::max();
    for (int rows = 1; rows <= nodes; ++rows)
      for (int columns = 1; columns <= nodes; ++columns) {
        const int needed = work(nodes, functions, symmetric, {rows, columns});
        if (rows * columns > most_sums || rows * (columns + functions) > most_numbers || needed >= least)
          continue;
        best = {rows, columns};
        least = needed;
      }
    return best;
  }
};

/// Lanes are elements, the warps of a team have tiles of their matrices. Points are worked out once, by one
/// warp each, down to the coefficients of the reference element's functions, which lie in scratch; the
/// basis enters as tables that all elements share.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ElementTiles {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Coefficients = tessera::detail::reference_coefficients_t<Kernel, Element, Real>;
  using Data = RowData<Element, Kernel::components, Scalar>;
  using Staged = Kokkos::View<Real*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int degree = Kernel::template degree<Element>;
  using Rows = tessera::detail::BasisRows<Element, degree>;
  using Value = value_type_t<Real>;
  using BasisRow = tessera::detail::BasisRow<Value>;
  using StagedRows =
      Kokkos::View<BasisRow*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int points = Tabulation<Element, degree>::points;
  static constexpr int nodes = Element::nodes, c = Kernel::components, functions = Coefficients::functions;
  static constexpr bool symmetric = Kernel::symmetric, on_host = runs_on_host<ExecutionSpace>;
  static constexpr TileShape shape = TileShape::choose(nodes, functions, symmetric);

  struct Tile {
    int a, b, i, j; ///< components and first nodes of the test and the trial functions
  };
  static constexpr bool exists(const Tile& t) {
    return !symmetric || t.b < t.a || (t.b == t.a && t.j < t.i + shape.rows);
  }
  template <class Visit>
  static constexpr void for_each_tile(const Visit& visit) {
    for (int a = 0; a < c; ++a)
      for (int b = 0; b < c; ++b)
        for (int i = 0; i < nodes; i += shape.rows)
          for (int j = 0; j < nodes; j += shape.columns)
            if (const Tile tile{a, b, i, j}; exists(tile)) visit(tile);
  }
  static constexpr int tiles = [] {
    int count = 0;
    for_each_tile([&](const Tile&) { ++count; });
    return count;
  }();
  struct Tiles {
    Tile entries[tiles];
  };
  static constexpr Tiles make_tiles() {
    Tiles list{};
    int count = 0;
    for_each_tile([&](const Tile& tile) { list.entries[count++] = tile; });
    return list;
  }

  static constexpr int lanes = on_host ? 1 : warp_lanes; ///< of a warp
  static constexpr int elements = lanes * lanes_v<Real>; ///< of a team
  using Transpose = RunTranspose<Real, lanes>;

  // Numbers in scratch.
  static constexpr int longest_run = std::max(shape.rows, shape.columns) + 1;
  static constexpr int coordinate_numbers = nodes * Element::dimension * lanes;
  static constexpr int point_numbers = Coefficients::entries * lanes;
  static constexpr int transpose_numbers = on_host ? 0 : Transpose::numbers(longest_run);
  static constexpr int row_numbers = on_host ? 0 : 4 * nodes, padding = 32;
  /// What every device gives a team, 48 KB, but for what Kokkos takes of it. On hosts all levels are the
  /// caches, and level 0 is small.
  static constexpr int most_numbers = (49152 - 2048) / sizeof(Real), scratch_level = on_host ? 1 : 0;
  static constexpr int numbers_of(int staged, int sharing) {
    return coordinate_numbers + std::max(staged * point_numbers, sharing * transpose_numbers) +
           staged * row_numbers + padding;
  }

  /// Warps of a multiprocessor, whose threads have 168 registers each.
  static constexpr int resident_warps = 12;
  /// Warps of a team: several teams fill a multiprocessor, and few warps are without a tile in the last
  /// round.
  static constexpr int warps = [] {
    int best = 1, least = std::numeric_limits<int>::max();
    for (int count = 1; count <= resident_warps && !on_host; ++count) {
      const int dealt = (tiles + count - 1) / count * count;
      if (resident_warps % count != 0 || numbers_of(1, count) > most_numbers || dealt > least) continue;
      best = count;
      least = dealt;
    }
    return best;
  }();
  static constexpr int threads = warps * lanes, rounds = (tiles + warps - 1) / warps;
  /// Whether a team has room for a point.
  static constexpr bool fit = on_host || numbers_of(1, warps) <= most_numbers;
  /// Whether points that scratch holds all are worked out once for all rounds of tiles, not for each.
  static constexpr bool stages_once = on_host || rounds == 1;
  using Bounds = Kokkos::LaunchBounds<threads, resident_warps / warps>;
  using Policy = std::conditional_t<on_host, Kokkos::TeamPolicy<ExecutionSpace>,
                                    Kokkos::TeamPolicy<ExecutionSpace, Bounds>>;
  using Member = typename Policy::member_type;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Status<ExecutionSpace> status;
  Data data;
  Ordinal first, end;    ///< the elements to compute; number `first` is the data's first
  int staged_points = 1; ///< at once in scratch

  void run(const ExecutionSpace& exec) {
    const Ordinal teams = (end - first + elements - 1) / elements;
    if (teams == 0) return;
    // A multiprocessor has scratch for about four teams of `most_numbers`.
    const int room = on_host
                         ? static_cast<int>(to_size(Policy::scratch_size_max(scratch_level)) / sizeof(Real))
                         : most_numbers * 4 / std::max(4, resident_warps / warps);
    staged_points = std::max(
        1, std::min((room - coordinate_numbers - padding) / (point_numbers + row_numbers), int(points)));
    if (warps < staged_points && staged_points < points) staged_points -= staged_points % warps;
    auto policy = by_value<ElementTiles>(Policy(exec, teams, threads));
    policy.set_scratch_size(scratch_level,
                            Kokkos::PerTeam(sizeof(Real) * to_size(numbers_of(staged_points, warps))));
    Kokkos::parallel_for("Tessera::StoredElements::tiles", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal begin = first + team.league_rank() * elements;
    const int warp = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    const StagedRows rows(team.team_scratch(int(scratch_level)),
                          static_cast<std::size_t>(on_host ? 0 : staged_points * nodes));
    const Staged numbers(
        team.team_scratch(int(scratch_level)),
        static_cast<std::size_t>(numbers_of(staged_points, warps) - staged_points * row_numbers - padding));
    const Coordinates coordinates{numbers.data() + lane};
    // Points, and when they have been added the sums on their way to memory.
    Real* const staged = numbers.data() + coordinate_numbers;
    const Transpose transpose{staged + warp * transpose_numbers, lane};
    auto cell = read_cell(Kokkos::min(begin + lane * lanes_v<Real>, end - 1), warp, coordinates);
    team.team_barrier();
    for (int n = 0; n < nodes; ++n) // for forms that look at them; the compiler leaves it out for others
      for (int d = 0; d < Element::dimension; ++d) cell.coordinates[n][d] = coordinates(n, d);
    for (int round = 0; round < rounds; ++round) {
      const int number = round * warps + warp;
      const bool exists = number < tiles;
      const Tile tile = tile_of(exists ? number : 0);
      Sums sums;
      for (int q0 = 0; q0 < points; q0 += staged_points) {
        const int q1 = Kokkos::min(int(points), q0 + staged_points);
        if (round == 0 || !stages_once || staged_points < points) {
          team.team_barrier();
          stage(cell, coordinates, q0, q1, warp, staged + lane);
          stage_rows(team, q0, q1, rows);
          team.team_barrier();
        }
        if (exists)
          by_best_instructions<Real>([&]() TESSERA_INLINED {
            for (int q = q0; q < q1; ++q)
              add(sums, tile, table(q, q0, rows), staged + (q - q0) * point_numbers + lane);
          });
      }
      team.team_barrier();
      write(team, sums, tile, exists, transpose, begin, Kokkos::min(Ordinal(elements), end - begin));
    }
  }

private:
  struct Sums {
    Real matrix[shape.rows][shape.columns] = {};
    Real load[shape.rows] = {};
  };

  KOKKOS_FORCEINLINE_FUNCTION static Tile tile_of(int number) {
    static constexpr auto list = make_tiles();
    Tile tile = list.entries[number];
    if constexpr (c == 1) tile.a = tile.b = 0; // constants
    return tile;
  }

  /// The coordinates of the lane's elements, which the warps share.
  struct Coordinates {
    Real* of_lane;
    KOKKOS_FORCEINLINE_FUNCTION Real& operator()(int n, int d) const {
      return of_lane[(n * Element::dimension + d) * lanes];
    }
  };
  /// All of a cell but its coordinates, of which each warp writes some nodes' to scratch.
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Real> read_cell(Ordinal own, int warp,
                                                            const Coordinates& coordinates) const {
    if constexpr (on_host) {
      const auto cell = mesh.template cell<Real>(own);
      for (int n = 0; n < nodes; ++n)
        for (int d = 0; d < Element::dimension; ++d) coordinates(n, d) = cell.coordinates[n][d];
      return cell;
    } else {
      Cell<Element, Real> cell;
      cell.element[0] = mesh.number(own);
      cell.material[0] = mesh.material(own);
      double origin[Element::dimension];
      for (int d = 0; d < Element::dimension; ++d) {
        origin[d] = mesh.coordinates(mesh.connectivity(own, 0), d);
        cell.origin[d] = Real(origin[d]);
      }
      TESSERA_UNROLL(1)
      for (int n = warp; n < nodes; n += warps) {
        const Ordinal node = mesh.connectivity(own, n);
        for (int d = 0; d < Element::dimension; ++d)
          coordinates(n, d) = Real(mesh.coordinates(node, d) - origin[d]);
      }
      return cell;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage(const Cell<Element, Real>& cell, const Coordinates& coordinates,
                                         int q0, int q1, int warp, Real* of_lane) const {
    for (int q = q0 + warp; q < q1; q += warps) {
      const bool valid = by_best_instructions<Real>([&]() TESSERA_INLINED {
        bool positive = true;
        const auto at = tessera::detail::coefficients_at(kernel, cell, coordinates, q, positive);
        for (int k = 0; k < Coefficients::entries; ++k)
          of_lane[(q - q0) * point_numbers + k * lanes] = at.entry[k];
        return positive && all_finite(sum_of(at));
      });
      if (!valid) fail(cell);
    }
  }
  /// Tables of the basis, whose numbers all lanes read at once: from the caches hosts read as fast.
  KOKKOS_FORCEINLINE_FUNCTION static void stage_rows(const Member& team, int q0, int q1,
                                                     const StagedRows& rows) {
    if constexpr (!on_host)
      for (int k = team.team_rank(); k < (q1 - q0) * nodes; k += threads)
        rows(k) = Rows::template at<Value>(q0 + k / nodes, k % nodes);
  }
  KOKKOS_FORCEINLINE_FUNCTION static const BasisRow* table(int q, int q0, const StagedRows& rows) {
    if constexpr (on_host)
      return &Rows::template at<Value>(q, 0);
    else
      return &rows((q - q0) * nodes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void fail(const Cell<Element, Real>& cell) const {
    if constexpr (on_host)
      status.fail(kernel, cell);
    else
      status.fail(cell.element[0]);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real sum_of(const Coefficients& at) {
    Real sum = at.entry[0];
    for (int k = 1; k < Coefficients::entries; ++k) sum += at.entry[k];
    return sum;
  }

  /// Adds what a point has for a tile, and in the first tile of its rows for their load.
  KOKKOS_FORCEINLINE_FUNCTION void add(Sums& sums, const Tile& tile, const BasisRow* basis,
                                       const Real* at) const {
    using tessera::detail::for_constants;
    Real half[shape.rows][functions];
    const bool loads = has_load(tile);
    for_constants<shape.rows>([&](auto r) TESSERA_INLINED {
      const BasisRow& row = basis[node_of(tile.i + r)];
      for_constants<functions>([&](auto l) TESSERA_INLINED {
        Real sum = at[Coefficients::place(tile.a, l * c + tile.b) * lanes] * row.entry[0];
        for (int k = 1; k < functions; ++k)
          sum += at[Coefficients::place(k * c + tile.a, l * c + tile.b) * lanes] * row.entry[k];
        half[r][l] = sum;
      });
      if (loads)
        for (int k = 0; k <= Element::dimension; ++k)
          sums.load[r] += at[Coefficients::load_place(k * c + tile.a) * lanes] * row.entry[k];
    });
    for_constants<shape.columns>([&](auto s) TESSERA_INLINED {
      const BasisRow& column = basis[node_of(tile.j + s)];
      for_constants<functions>([&](auto l) TESSERA_INLINED {
        for (int r = 0; r < shape.rows; ++r) sums.matrix[r][s] += half[r][l] * column.entry[l];
      });
    });
  }
  /// Tiles that reach beyond the last node find it once more.
  KOKKOS_FORCEINLINE_FUNCTION static int node_of(int number) { return Kokkos::min(number, int(nodes) - 1); }
  KOKKOS_FORCEINLINE_FUNCTION static bool has_load(const Tile& tile) { return tile.j == 0 && tile.b == 0; }

  /// Writes a tile's rows and, of a symmetric matrix, its columns as rows of the other half.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Sums& sums, const Tile& tile, bool exists,
                                         const Transpose& transpose, Ordinal begin, int count) const {
    using tessera::detail::for_constants;
    const bool diagonal = symmetric && tile.a == tile.b;
    for_constants<shape.rows>([&](auto r) TESSERA_INLINED {
      const int i = tile.i + r, end_of_row = diagonal ? Kokkos::min(int(nodes), i + 1) : nodes;
      Scalar* const row = data.row(begin - first, Kokkos::min(i, int(nodes) - 1), tile.a);
      write_run<shape.columns + 1>(
          team, exists && i < nodes, transpose, count,
          [&](auto s) TESSERA_INLINED -> const Real& {
            return s < shape.columns ? sums.matrix[r][s < shape.columns ? int(s) : 0] : sums.load[r];
          },
          [&](int s) -> Scalar* {
            if (s == shape.columns) return has_load(tile) ? row + Data::row_entries - 1 : nullptr;
            return tile.j + s < end_of_row ? row + Data::column(tile.j + s, tile.b) : nullptr;
          });
    });
    if constexpr (symmetric)
      for_constants<shape.columns>([&](auto s) TESSERA_INLINED {
        const int j = tile.j + s, begin_of_column = diagonal ? j + 1 : 0;
        Scalar* const row = data.row(begin - first, Kokkos::min(j, int(nodes) - 1), tile.b);
        write_run<shape.rows>(
            team, exists && j < nodes, transpose, count,
            [&](auto r) TESSERA_INLINED -> const Real& { return sums.matrix[r][s]; },
            [&](int r) -> Scalar* {
              const int i = tile.i + r;
              return i < nodes && i >= begin_of_column ? row + Data::column(i, tile.a) : nullptr;
            });
      });
  }

  /// \param value `value(k)`: number k, a constant, of the lane's element
  /// \param target `target(k)`: where it goes for the team's first element; null: nowhere
  template <int Count, class Value, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void write_run(const Member& team, bool exists, const Transpose& transpose,
                                             int count, const Value& value, const Target& target) const {
    using tessera::detail::for_constants;
    if constexpr (on_host) {
      if (exists)
        for_constants<Count>([&](auto k) {
          if (Scalar* const to = target(k))
            for (int e = 0; e < count; ++e) to[e * Data::element_entries] = Scalar(lane_of(value(k), e));
        });
    } else {
      for_constants<Count>([&](auto k) TESSERA_INLINED { transpose.put(k, value(k)); });
      team.team_barrier();
      if (exists) transpose.template write<Count>(count, Data::element_entries, target);
      team.team_barrier();
    }
  }
};

} // namespace tessera::assembly::detail
