#pragma once

/// \file
/// Products of sparse matrices, C = X Y: the pattern by counting and filling, the values into a pattern that
/// is kept. Rows come out sorted and every sum has a fixed order.

#include <tessera/core/ascending_list.hpp>
#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tessera::solvers::multigrid {

/// C = (shift·I + factor·X) Y.
template <class ExecutionSpace>
struct ProductTerms {
  Matrix<ExecutionSpace> x, y;
  float factor = 1, shift = 0;
};

/// How rows are spread: `lanes` of a thread share a row's work, each with sums of its own.
struct ProductShape {
  int lanes = 1, threads = 1;
  Ordinal room = 64; ///< of a row's table (a power of two) or of its sums
  int scratch_level = 0;
};

/// The distinct columns of a row of X Y, in a hash table of the thread's own: linear probing, -1 is free.
template <class ExecutionSpace>
struct ProductPattern {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Member = typename Policy::member_type;
  using Scratch =
      Kokkos::View<Ordinal*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  ProductTerms<ExecutionSpace> terms;
  Offsets<ExecutionSpace> row_map; // lengths after Count, offsets before Fill
  Ordinals<ExecutionSpace> columns;
  ProductShape shape;
  Kokkos::View<int, ExecutionSpace> overflow;
  Ordinal rows;

  struct Count {};
  struct Fill {};

  std::size_t scratch_bytes() const { return 2 * Scratch::shmem_size(shape.room); }

  /// \return 1 if the column is new, else 0; -1 if the table is full
  KOKKOS_FUNCTION int insert(const Scratch& table, Ordinal column) const {
    const auto mask = static_cast<std::uint32_t>(shape.room - 1);
    std::uint32_t slot = (static_cast<std::uint32_t>(column) * 2654435769u >> 7) & mask;
    for (Ordinal probe = 0; probe < shape.room; ++probe, slot = (slot + 1) & mask) {
      Ordinal found = table(slot);
      if (found == column) return 0;
      if (found != -1) continue;
      found = Kokkos::atomic_compare_exchange(&table(slot), Ordinal(-1), column);
      if (found == -1) return 1;
      if (found == column) return 0;
    }
    return -1;
  }

  /// Puts a row's columns into the table. \return how many there are
  KOKKOS_FUNCTION Ordinal collect(const Member& team, const Scratch& table, Ordinal row) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, shape.room), [&](Ordinal k) { table(k) = -1; });
    const Offset first = terms.x.row_map(row);
    const auto length = static_cast<Ordinal>(terms.x.row_map(row + 1) - first);
    Ordinal count = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, length),
        [&](Ordinal k, Ordinal& sum) {
          const Ordinal middle = terms.x.columns(first + k);
          for (Offset m = terms.y.row_map(middle); m < terms.y.row_map(middle + 1); ++m) {
            const int inserted = insert(table, terms.y.columns(m));
            if (inserted < 0) {
              overflow() = 1;
              break;
            }
            sum += inserted;
          }
        },
        count);
    return count;
  }

  KOKKOS_FUNCTION Ordinal row_of(const Member& team, Ordinal thread) const {
    return team.league_rank() * shape.threads + thread;
  }
  KOKKOS_FUNCTION Ordinal rows_of(const Member& team) const {
    return Kokkos::min(shape.threads, rows - team.league_rank() * shape.threads);
  }

  KOKKOS_FUNCTION void operator()(Count, const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(team)), [&](Ordinal thread) {
      const Scratch table(team.thread_scratch(shape.scratch_level), shape.room);
      const Ordinal row = row_of(team, thread), count = collect(team, table, row);
      Kokkos::single(Kokkos::PerThread(team), [&]() { row_map(row + 1) = count; });
    });
  }

  KOKKOS_FUNCTION void operator()(Fill, const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(team)), [&](Ordinal thread) {
      const Scratch table(team.thread_scratch(shape.scratch_level), shape.room);
      const Scratch list(team.thread_scratch(shape.scratch_level), shape.room);
      const Ordinal row = row_of(team, thread), count = collect(team, table, row);
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, shape.room),
                            [&](Ordinal k, Ordinal& at, bool final) {
                              const bool used = table(k) != -1;
                              if (final && used) list(at) = table(k);
                              at += used ? 1 : 0;
                            });
      const Offset first = row_map(row);
      if (shape.lanes == 1) {
        tessera::detail::sort_ascending(list.data(), count);
        for (Ordinal k = 0; k < count; ++k) columns(first + k) = list(k);
        return;
      }
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        Ordinal rank = 0;
        for (Ordinal other = 0; other < count; ++other) rank += list(other) < list(k) ? 1 : 0;
        columns(first + rank) = list(k);
      });
    });
  }
};

/// The values of X Y. Each lane adds its share of the products to sums of its own, which are added in order.
template <class ExecutionSpace>
struct ProductValues {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Member = typename Policy::member_type;
  using Scratch =
      Kokkos::View<double*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  ProductTerms<ExecutionSpace> terms;
  Matrix<ExecutionSpace> product;
  ProductShape shape;
  Ordinal rows;

  std::size_t scratch_bytes() const { return Scratch::shmem_size(shape.room * shape.lanes); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal begin = team.league_rank() * shape.threads;
    const Ordinal threads = Kokkos::min(shape.threads, rows - begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](Ordinal thread) {
      const Scratch sums(team.thread_scratch(shape.scratch_level), shape.room * shape.lanes);
      multiply(team, sums, begin + thread);
    });
  }

  KOKKOS_FUNCTION void multiply(const Member& team, const Scratch& sums, Ordinal row) const {
    const Offset first = product.row_map(row);
    const auto count = static_cast<Ordinal>(product.row_map(row + 1) - first);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count * shape.lanes),
                         [&](Ordinal k) { sums(k) = 0; });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, shape.lanes), [&](Ordinal lane) {
      const Offset end = terms.x.row_map(row + 1);
      for (Offset k = terms.x.row_map(row) + lane; k < end; k += shape.lanes) {
        const Ordinal middle = terms.x.columns(k);
        const double factor = static_cast<double>(terms.factor) * static_cast<double>(terms.x.values(k)) +
                              (middle == row ? static_cast<double>(terms.shift) : 0.0);
        for (Offset m = terms.y.row_map(middle); m < terms.y.row_map(middle + 1); ++m) {
          const Ordinal at =
              tessera::detail::place_in(product.columns.data() + first, count, terms.y.columns(m));
          sums(at * shape.lanes + lane) += factor * static_cast<double>(terms.y.values(m));
        }
      }
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
      double sum = 0;
      for (int lane = 0; lane < shape.lanes; ++lane) sum += sums(k * shape.lanes + lane);
      product.values(first + k) = static_cast<float>(sum);
    });
  }
};

/// Launches a product's kernel with as many threads a team as its scratch admits; where one thread's does not
/// fit fast memory, with its scratch in memory.
template <class Tag, class ExecutionSpace, class Functor>
void launch_product(const ExecutionSpace& exec, const char* label, Functor functor) {
  const Ordinal rows = functor.rows;
  if (rows == 0) return;
  const auto bytes = functor.scratch_bytes();
  constexpr int block = 128; // lanes and threads of a team
  int threads = runs_on_host<ExecutionSpace> ? 1 : std::max(1, block / functor.shape.lanes);
  const auto most = static_cast<std::size_t>(Functor::Policy::scratch_size_max(0));
  while (threads > 1 && threads * bytes > most / 4) threads /= 2;
  functor.shape.scratch_level = threads * bytes > most / 2 ? 1 : 0;
  functor.shape.threads = threads;
  const Ordinal league = (rows - 1) / threads + 1;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>, Tag>;
  Kokkos::parallel_for(
      label,
      Policy(exec, league, threads, functor.shape.lanes)
          .set_scratch_size(functor.shape.scratch_level, Kokkos::PerThread(static_cast<int>(bytes))),
      functor);
}

/// Lanes for rows with so many entries on average.
template <class ExecutionSpace>
int lanes_for(const Matrix<ExecutionSpace>& x) {
  if (runs_on_host<ExecutionSpace> || x.rows() == 0) return 1;
  int lanes = 1;
  while (lanes < 32 && static_cast<Offset>(2 * lanes) * x.rows() < x.entries()) lanes *= 2;
  return lanes;
}

/// The pattern of X Y, with room for its values.
/// \throws OutOfMemoryError as `allocate`
template <class ExecutionSpace>
Matrix<ExecutionSpace> product_pattern(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& x,
                                       const Matrix<ExecutionSpace>& y) {
  using Functor = ProductPattern<ExecutionSpace>;
  const Ordinal rows = x.rows();
  Matrix<ExecutionSpace> product{make<Offsets<ExecutionSpace>>(exec, "row_map", rows + 1), {}, {}};
  Functor functor{{x, y}, product.row_map, {}, {lanes_for(x)}, {}, rows};
  functor.overflow = Kokkos::View<int, ExecutionSpace>(
      Kokkos::view_alloc(exec, std::string("Tessera::Multigrid::overflow")));
  for (;; functor.shape.room *= 2) {
    launch_product<typename Functor::Count>(exec, "Tessera::Multigrid::product_count", functor);
    int overflow = 0;
    Kokkos::deep_copy(exec, overflow, functor.overflow);
    exec.fence("Tessera::Multigrid::product_count");
    if (overflow == 0) break;
    Kokkos::deep_copy(exec, functor.overflow, 0);
  }
  const Offset entries = lengths_to_offsets(exec, product.row_map);
  product.columns = make<Ordinals<ExecutionSpace>>(exec, "columns", entries);
  product.values = make<Floats<ExecutionSpace>>(exec, "values", entries);
  functor.columns = product.columns;
  launch_product<typename Functor::Fill>(exec, "Tessera::Multigrid::product_fill", functor);
  return product;
}

/// Length of the longest row.
template <class ExecutionSpace>
Ordinal longest_row(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix) {
  const auto row_map = matrix.row_map;
  Ordinal longest = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::longest_row", Range<ExecutionSpace>(exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row, Ordinal& most) {
        most = Kokkos::max(most, static_cast<Ordinal>(row_map(row + 1) - row_map(row)));
      },
      Kokkos::Max<Ordinal>(longest));
  return Kokkos::max(longest, Ordinal(1));
}

/// Fills the values of a product whose pattern is known.
template <class ExecutionSpace>
void product_values(const ExecutionSpace& exec, const ProductTerms<ExecutionSpace>& terms,
                    const Matrix<ExecutionSpace>& product) {
  ProductValues<ExecutionSpace> functor{terms, product, {lanes_for(terms.x)}, terms.x.rows()};
  functor.shape.room = longest_row(exec, product);
  launch_product<void>(exec, "Tessera::Multigrid::product_values", functor);
}

} // namespace tessera::solvers::multigrid
