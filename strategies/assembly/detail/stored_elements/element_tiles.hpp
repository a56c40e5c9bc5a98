// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices too large for a thread's registers, in tiles.

#include <tessera/core/elements/basis_rows.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/line_sums.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/row_data.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/tile_shape.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/cuda/large_teams.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>

namespace TESSERA_KERNELS::assembly::detail {

/// Lanes are elements, the warps of a team have tiles of their matrices. Points are worked out once, by one
/// warp each, down to the coefficients of the reference element's functions, which lie in scratch; the
/// basis enters as tables that all elements share. Scalar matrices of products (`LineSums`) are cut so that a
/// tile has one pair of functions along the first axis.
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
  static constexpr int width = Element::order + 1;
  /// Whether sums go one direction after the other. On devices that takes the scratch of large teams.
  static constexpr bool factorized =
      is_product<Element> && c == 1 && (on_host || has_large_teams<ExecutionSpace>);
  static constexpr TileShape shape =
      factorized ? TileShape{width, width* width} : TileShape::choose(nodes, functions, symmetric);

  struct Tile {
    int a, b, i, j; ///< components and first places of the test and the trial functions
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
  /// Columns of a tile that are written together as rows of the other half: more where its rows are few.
  static constexpr int columns_at_once = factorized ? width : 1;

  static constexpr int line_points = [] {
    int count = 1;
    while (count * count * count < points) ++count;
    return count;
  }();
  using Lines = LineSums<Coefficients, Real, Element::order, line_points>;
  using Table = typename Lines::Table;

  // Numbers in scratch.
  static constexpr int longest_run = std::max(shape.rows, shape.columns) + 1;
  static constexpr int coordinate_numbers = nodes * Element::dimension * lanes;
  static constexpr int point_numbers = Coefficients::entries * lanes;
  static constexpr int transpose_numbers = on_host ? 0 : Transpose::numbers(longest_run);
  static constexpr int row_numbers = on_host || factorized ? 0 : 4 * nodes, padding = 32;
  /// What every device gives a team, 48 KB, but for what Kokkos takes of it; what those with large teams have
  /// at least is 99 KB. On hosts all levels are the caches, and level 0 is small.
  static constexpr int most_numbers = ((factorized ? 99 : 48) * 1024 - 2048) / sizeof(Real),
                       scratch_level = on_host ? 1 : 0;
  static constexpr int table_numbers = on_host || !factorized ? 0 : Table::numbers;
  static constexpr int numbers_of(int staged, int sharing) {
    const int of_points = staged * point_numbers, of_sums = sharing * transpose_numbers;
    return coordinate_numbers + (factorized ? of_points + of_sums : std::max(of_points, of_sums)) +
           staged * row_numbers + table_numbers + padding;
  }

  /// Points that scratch has all or none of.
  static constexpr int batch = factorized ? Lines::plane_points : 1;
  /// Warps of a multiprocessor, whose threads have 168 registers each.
  static constexpr int resident_warps = 12;
  /// Warps of a team: several teams fill a multiprocessor, and few warps are without a tile in the last
  /// round. Sums by directions have all points at once, of so many teams as 227 KB hold.
  static constexpr int warps = [] {
    int best = 1, least = std::numeric_limits<int>::max();
    for (int count = 1; count <= resident_warps && !on_host; ++count) {
      const int dealt = (tiles + count - 1) / count * count, teams = resident_warps / count;
      if (numbers_of(batch, count) > most_numbers || dealt > least) continue;
      if (factorized
              ? teams > 1 && teams * (numbers_of(points, count) * int(sizeof(Real)) + 1024) > 228 * 1024
              : resident_warps % count != 0)
        continue;
      best = count;
      least = dealt;
    }
    return best;
  }();
  static constexpr int threads = warps * lanes, rounds = (tiles + warps - 1) / warps;
  /// Whether a team has room for a point.
  static constexpr bool fit = on_host || numbers_of(batch, warps) <= most_numbers;
  /// Whether points that scratch holds all are worked out once for all rounds of tiles, not for each.
  static constexpr bool stages_once = on_host || factorized || rounds == 1;
  static constexpr int most_threads = threads, least_teams = resident_warps / warps; ///< of a multiprocessor
  using Bounds = Kokkos::LaunchBounds<threads, least_teams>;
  using Policy = std::conditional_t<on_host, Kokkos::TeamPolicy<ExecutionSpace>,
                                    Kokkos::TeamPolicy<ExecutionSpace, Bounds>>;
  static constexpr const char* label = "Tessera::StoredElements::tiles";

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Status<ExecutionSpace> status;
  Data data;
  Ordinal first, end;    ///< the elements to compute; number `first` is the data's first
  int staged_points = 1; ///< at once in scratch

  void run(const ExecutionSpace& exec) {
    const Ordinal teams = (end - first + elements - 1) / elements;
    if (teams == 0) return;
    // A multiprocessor's scratch for `least_teams`, each of which takes 1 KB more than it asks for.
    const auto room = [](std::size_t bytes) { return static_cast<int>(bytes / sizeof(Real)); };
    if constexpr (factorized && !on_host) {
      stage_at_once(room((large_scratch_limit(exec) + 1024) / least_teams - 1024));
      for_each_large_team(label, exec, teams, threads, threads, scratch_bytes(), *this);
    } else {
      // Elsewhere it has scratch for about four teams of `most_numbers`.
      stage_at_once(on_host ? room(to_size(Policy::scratch_size_max(scratch_level)))
                            : most_numbers * 4 / std::max(4, least_teams));
      auto policy = by_value<ElementTiles>(Policy(exec, teams, threads));
      policy.set_scratch_size(scratch_level, Kokkos::PerTeam(scratch_bytes()));
      Kokkos::parallel_for(label, policy, *this);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal begin = first + team.league_rank() * elements;
    const int warp = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    StagedRows rows;
    if constexpr (row_numbers > 0)
      rows =
          StagedRows(team.team_scratch(int(scratch_level)), static_cast<std::size_t>(staged_points * nodes));
    [[maybe_unused]] const Table* const line = staged_table(team);
    const Staged numbers(team.team_scratch(int(scratch_level)),
                         static_cast<std::size_t>(numbers_of(staged_points, warps) -
                                                  staged_points * row_numbers - table_numbers - padding));
    const Coordinates coordinates{numbers.data() + lane};
    // Points, and when they have been added, or behind them, the sums on their way to memory.
    Real* const staged = numbers.data() + coordinate_numbers;
    const Transpose transpose{
        staged + (factorized ? staged_points * point_numbers : 0) + warp * transpose_numbers, lane};
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
            if constexpr (factorized)
              add_planes(sums, tile, q0, q1, *line, staged + lane);
            else
              for (int q = q0; q < q1; ++q)
                add(sums, tile, table(q, q0, rows), staged + (q - q0) * point_numbers + lane);
          });
      }
      if constexpr (!factorized) team.team_barrier();
      write(team, sums, tile, exists, transpose, begin, Kokkos::min(Ordinal(elements), end - begin));
    }
  }

private:
  /// As many points as there is room for: all, or so many that warps or planes have the same number.
  void stage_at_once(int room) {
    const int taken = numbers_of(0, factorized ? warps : 0);
    staged_points = std::clamp((room - taken) / (point_numbers + row_numbers), batch, int(points));
    const int multiple = factorized ? batch : warps;
    if (multiple <= staged_points && staged_points < points) staged_points -= staged_points % multiple;
  }
  std::size_t scratch_bytes() const { return sizeof(Real) * to_size(numbers_of(staged_points, warps)); }

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
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static void stage_rows(const Member& team, int q0, int q1,
                                                     const StagedRows& rows) {
    if constexpr (row_numbers > 0)
      for (int k = team.team_rank(); k < (q1 - q0) * nodes; k += threads)
        rows(k) = Rows::template at<Value>(q0 + k / nodes, k % nodes);
  }
  /// The functions of a line, in scratch for the same reason.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static const Table* staged_table(const Member& team) {
    if constexpr (table_numbers == 0) {
      return &Table::get();
    } else {
      const Kokkos::View<Value*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>
          numbers(team.team_scratch(int(scratch_level)), static_cast<std::size_t>(table_numbers));
      for (int k = team.team_rank(); k < table_numbers; k += threads) numbers(k) = Table::get().entry[k];
      return reinterpret_cast<const Table*>(numbers.data());
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static const BasisRow* table(int q, int q0, const StagedRows& rows) {
    if constexpr (row_numbers == 0)
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
      const BasisRow& row = basis[place_of(tile.i + r)];
      for_constants<functions>([&](auto l) TESSERA_INLINED {
        Real sum = at[Coefficients::place(tile.a, l * c + tile.b) * lanes] * row.entry[0];
        for (int k = 1; k < functions; ++k)
          sum += at[Coefficients::place(k * c + tile.a, l * c + tile.b) * lanes] * row.entry[k];
        half[r][l] = sum;
      });
      if (loads) add_load(sums.load[r], tile, row, at);
    });
    for_constants<shape.columns>([&](auto s) TESSERA_INLINED {
      const BasisRow& column = basis[place_of(tile.j + s)];
      for_constants<functions>([&](auto l) TESSERA_INLINED {
        for (int r = 0; r < shape.rows; ++r) sums.matrix[r][s] += half[r][l] * column.entry[l];
      });
    });
  }
  /// The same for the points of planes, one direction after the other.
  KOKKOS_FORCEINLINE_FUNCTION static void add_planes(Sums& sums, const Tile& tile, int q0, int q1,
                                                     const Table& table, const Real* of_lane) {
    const int i0 = tile.i / (width * width), i1 = tile.i / width % width, j0 = tile.j / (width * width);
    tessera::detail::for_constants<width>([&](auto second) TESSERA_INLINED {
      if (second != i1) return;
      TESSERA_UNROLL(1)
      for (int q = q0; q < q1; q += batch) {
        const typename Lines::Plane plane{table, q / batch, of_lane + (q - q0) * point_numbers,
                                          point_numbers};
        Lines::template add_matrix<second, lanes>(sums.matrix, plane, i0, j0, tile.a, tile.b);
        if (has_load(tile)) Lines::template add_load<second, lanes>(sums.load, plane, i0, tile.a);
      }
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_load(Real& load, const Tile& tile, const BasisRow& row,
                                                   const Real* at) {
    for (int k = 0; k <= Element::dimension; ++k)
      load += at[Coefficients::load_place(k * c + tile.a) * lanes] * row.entry[k];
  }
  /// Tiles that reach beyond the last place find its function once more.
  KOKKOS_FORCEINLINE_FUNCTION static int place_of(int number) { return Kokkos::min(number, int(nodes) - 1); }
  KOKKOS_FORCEINLINE_FUNCTION static bool has_load(const Tile& tile) { return tile.j == 0 && tile.b == 0; }

  /// Writes a tile's rows and, of a symmetric matrix, its columns as rows of the other half.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Sums& sums, const Tile& tile, bool exists,
                                         const Transpose& transpose, Ordinal begin, int count) const {
    using tessera::detail::for_constants;
    const bool diagonal = symmetric && tile.a == tile.b;
    for_constants<shape.rows>([&](auto r) TESSERA_INLINED {
      const int i = tile.i + r, end_of_row = diagonal ? Kokkos::min(int(nodes), i + 1) : nodes;
      Scalar* const row = data.row(begin - first, place_of(i), tile.a);
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
      for_constants<shape.columns / columns_at_once>([&](auto chunk) TESSERA_INLINED {
        // number k: row k % shape.rows of the tile in one of its columns
        write_run<columns_at_once * shape.rows>(
            team, exists, transpose, count,
            [&](auto k) TESSERA_INLINED -> const Real& {
              return sums.matrix[k % shape.rows][chunk * columns_at_once + k / shape.rows];
            },
            [&](int k) -> Scalar* {
              const int i = tile.i + k % shape.rows, j = tile.j + chunk * columns_at_once + k / shape.rows;
              const bool exists_there = i < nodes && j < nodes && i >= (diagonal ? j + 1 : 0);
              return exists_there ? data.row(begin - first, place_of(j), tile.b) + Data::column(i, tile.a)
                                  : nullptr;
            });
      });
  }

  /// \param value `value(k)`: number k, a constant, of the lane's element
  /// \param target `target(k)`: where it goes for the team's first element; null: nowhere
  template <int Count, class Member, class Value, class Target>
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
      warp_barrier(team);
      if (exists) transpose.template write<Count>(count, Data::element_entries, target);
      warp_barrier(team);
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
