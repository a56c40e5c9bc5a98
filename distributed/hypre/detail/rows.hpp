// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A matrix of hypre's, and where the entries of a rank's rows are in it.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/detail/mesh_validation.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace tessera::distributed::detail {

/// The two parts that hypre splits a rank's rows into: columns of the rank's own equations, with the diagonal
/// entry first in each row, and those of other ranks.
template <class ExecutionSpace>
struct HypreParts {
  using Types = HypreTypes<ExecutionSpace>;
  template <class T>
  using Array = typename Types::template Array<T>;

  Array<const HYPRE_Int> diag_rows, offd_rows; ///< row (+1): its first entry
  Array<const HYPRE_Int> diag_columns, offd_columns;
  Array<double> diag, offd;

  HypreParts() = default;
  explicit HypreParts(HYPRE_ParCSRMatrix matrix) {
    read(hypre_ParCSRMatrixDiag(matrix), diag_rows, diag_columns, diag);
    read(hypre_ParCSRMatrixOffd(matrix), offd_rows, offd_columns, offd);
  }

private:
  static void read(hypre_CSRMatrix* part, Array<const HYPRE_Int>& rows, Array<const HYPRE_Int>& columns,
                   Array<double>& values) {
    const auto entries = static_cast<std::size_t>(hypre_CSRMatrixNumNonzeros(part));
    rows = Array<const HYPRE_Int>(hypre_CSRMatrixI(part),
                                  static_cast<std::size_t>(hypre_CSRMatrixNumRows(part)) + 1);
    columns = Array<const HYPRE_Int>(hypre_CSRMatrixJ(part), entries);
    values = Array<double>(hypre_CSRMatrixData(part), entries);
  }
};

/// On devices hypre keeps the triangles of its Gauss-Seidel smoothers with a matrix: of the values when a
/// smoother first ran, with that solver's diagonal. Another solver, or one of later values, would smooth by
/// them.
inline void forget_triangles([[maybe_unused]] HYPRE_ParCSRMatrix matrix) {
#if defined(HYPRE_USING_CUSPARSE) || defined(HYPRE_USING_ROCSPARSE) || defined(HYPRE_USING_ONEMKLSPARSE)
  hypre_CSRMatrix* const diag = hypre_ParCSRMatrixDiag(matrix);
  hypre_CsrsvDataDestroy(hypre_CSRMatrixCsrsvData(diag));
  hypre_CSRMatrixCsrsvData(diag) = nullptr;
#endif
}

/// Sizes, numbers and columns of owned rows as hypre counts them.
template <class Space>
struct NumberRows {
  Kokkos::View<const Offset*, Space> row_map;
  Kokkos::View<const Ordinal*, Space> columns;
  Kokkos::View<const GlobalOrdinal*, Space> numbers;
  Kokkos::View<HYPRE_Int*, Space> row_sizes;
  Kokkos::View<HYPRE_BigInt*, Space> row_numbers, column_numbers;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    row_sizes(row) = static_cast<HYPRE_Int>(row_map(row + 1) - row_map(row));
    row_numbers(row) = static_cast<HYPRE_BigInt>(numbers(row));
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      column_numbers(k) = static_cast<HYPRE_BigInt>(numbers(columns(k)));
  }
};

/// Finds each entry of owned rows among hypre's; offends where one is missing.
template <class ExecutionSpace>
struct FindPlaces {
  using Space = typename HypreTypes<ExecutionSpace>::Space;
  NumberRows<Space> rows;
  HypreParts<ExecutionSpace> parts;
  Kokkos::View<const HYPRE_BigInt*, Space> offd_numbers; ///< of offd's columns
  Kokkos::View<HYPRE_Int*, Space> places;

  KOKKOS_FUNCTION bool operator()(Ordinal row) const {
    bool missing = false;
    const auto owned = static_cast<Ordinal>(rows.row_sizes.extent(0));
    for (Offset k = rows.row_map(row); k < rows.row_map(row + 1); ++k) {
      places(k) = rows.columns(k) < owned ? in_diag(row, rows.columns(k)) : in_offd(row, k);
      missing = missing || places(k) == missing_place;
    }
    return missing;
  }

private:
  static constexpr HYPRE_Int missing_place = std::numeric_limits<HYPRE_Int>::max();

  KOKKOS_FUNCTION HYPRE_Int in_diag(Ordinal row, Ordinal column) const {
    for (HYPRE_Int p = parts.diag_rows(row); p < parts.diag_rows(row + 1); ++p)
      if (parts.diag_columns(p) == column) return p;
    return missing_place;
  }
  KOKKOS_FUNCTION HYPRE_Int in_offd(Ordinal row, Offset k) const {
    for (HYPRE_Int p = parts.offd_rows(row); p < parts.offd_rows(row + 1); ++p)
      if (offd_numbers(parts.offd_columns(p)) == rows.column_numbers(k)) return -1 - p;
    return missing_place;
  }
};

template <class ExecutionSpace>
struct FillParts {
  using Space = typename HypreTypes<ExecutionSpace>::Space;
  Kokkos::View<const double*, Space> values;
  Kokkos::View<const HYPRE_Int*, Space> places;
  typename HypreTypes<ExecutionSpace>::template Array<double> diag, offd;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const HYPRE_Int place = places(k);
    if (place >= 0)
      diag(place) = values(k);
    else
      offd(-1 - place) = values(k);
  }
};

/// The owned rows of a system as a matrix of hypre's. Copies share it.
template <class ExecutionSpace>
class HypreRows {
public:
  using Types = HypreTypes<ExecutionSpace>;
  using Space = typename Types::Space;
  using System = LinearSystem<double, ExecutionSpace>;

  /// Collective. \throws on every rank UnsupportedError if hypre's numbers cannot count equations or entries,
  /// OutOfMemoryError, SolverError with hypre's words
  HypreRows(const ExecutionSpace& exec, const Communicator& ranks, const System& system,
            const GlobalEquations& equations)
      : entries_(agree(ranks, [&] { return checked_entries(system, equations); })) {
    const NumberRows<Space> rows = agree(ranks, [&] { return numbered_rows(exec, system, equations); });
    hypre_calls(ranks, "HYPRE_IJMatrixAssemble", [&] { make(ranks, rows, HypreRange(equations)); });
    agree(ranks, [&] { find_places(rows); });
  }

  HYPRE_ParCSRMatrix get() const { return matrix_; }
  const HypreParts<ExecutionSpace>& parts() const { return parts_; }

  /// Takes the values of owned rows: no memory, no messages.
  void take(const ExecutionSpace& exec, const System& system) const {
    fence_hypre<ExecutionSpace>("Tessera::HypreRows::take");
    if constexpr (Types::shares_memory) {
      fill(exec);
    } else {
      Kokkos::deep_copy(exec, staged_, Kokkos::subview(system.values(), std::make_pair(Offset(0), entries_)));
      exec.fence("Tessera::HypreRows::take");
      fill(Space());
    }
  }

private:
  static Offset checked_entries(const System& system, const GlobalEquations& equations) {
    constexpr auto most_equations = static_cast<GlobalOrdinal>(std::numeric_limits<HYPRE_BigInt>::max());
    constexpr auto most_entries = static_cast<Offset>(std::numeric_limits<HYPRE_Int>::max()) - 1;
    if (equations.total > most_equations)
      throw UnsupportedError("hypre counts equations in " + std::to_string(8 * sizeof(HYPRE_BigInt)) +
                             " bits, up to " + std::to_string(most_equations) + "; the mesh has " +
                             std::to_string(equations.total) + ": build hypre with --enable-mixedint");
    Offset entries = 0;
    if (equations.owned > 0)
      Kokkos::deep_copy(entries, Kokkos::subview(system.graph().row_map, to_size(equations.owned)));
    if (entries > most_entries)
      throw UnsupportedError("hypre counts a rank's entries in " + std::to_string(8 * sizeof(HYPRE_Int)) +
                             " bits, up to " + std::to_string(most_entries) + "; the rank has " +
                             std::to_string(entries) + ": use more ranks");
    return entries;
  }

  NumberRows<Space> numbered_rows(const ExecutionSpace& exec, const System& system,
                                  const GlobalEquations& equations) {
    const Space space;
    const auto owned = to_size(equations.owned);
    const auto here = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), view);
    };
    exec.fence("Tessera::HypreRows::numbered_rows");
    const auto& graph = system.graph();
    const NumberRows<Space> rows{
        .row_map = here(graph.row_map),
        .columns = here(graph.columns),
        .numbers = here(equations.numbers),
        .row_sizes = allocate<Kokkos::View<HYPRE_Int*, Space>>(space, "Tessera::HypreRows::row_sizes", owned),
        .row_numbers =
            allocate<Kokkos::View<HYPRE_BigInt*, Space>>(space, "Tessera::HypreRows::row_numbers", owned),
        .column_numbers =
            allocate<Kokkos::View<HYPRE_BigInt*, Space>>(space, "Tessera::HypreRows::columns", entries_)};
    Kokkos::parallel_for("Tessera::HypreRows::number",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<Ordinal>>(space, 0, equations.owned),
                         rows);
    places_ = allocate<Kokkos::View<HYPRE_Int*, Space>>(space, "Tessera::HypreRows::places", entries_);
    if constexpr (Types::shares_memory)
      staged_ = system.values();
    else
      staged_ = allocate_zeroed<Kokkos::View<double*, Space>>(space, "Tessera::HypreRows::staged", entries_);
    space.fence("Tessera::HypreRows::numbered_rows");
    return rows;
  }

  void make(const Communicator& ranks, const NumberRows<Space>& rows, const HypreRange& range) {
    HYPRE_IJMatrix made = nullptr;
    HYPRE_IJMatrixCreate(ranks.own(), range.first, range.last, range.first, range.last, &made);
    owner_ = HypreHandle<HYPRE_IJMatrix>(made, HYPRE_IJMatrixDestroy);
    HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR);
    const auto sizes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.row_sizes);
    HYPRE_IJMatrixSetRowSizes(made, sizes.data());
    HYPRE_IJMatrixInitialize_v2(made, Types::memory);
    HYPRE_IJMatrixSetValues2(made, static_cast<HYPRE_Int>(sizes.extent(0)), rows.row_sizes.data(),
                             rows.row_numbers.data(), nullptr, rows.column_numbers.data(), staged_.data());
    HYPRE_IJMatrixAssemble(made);
    matrix_ = hypre_object<HYPRE_ParCSRMatrix>(made, HYPRE_IJMatrixGetObject);
  }

  void find_places(const NumberRows<Space>& rows) {
#if defined(HYPRE_USING_GPU)
    hypre_ParCSRMatrixCopyColMapOffdToHost(matrix_);
#endif
    fence_hypre<ExecutionSpace>("Tessera::HypreRows::find_places");
    parts_ = HypreParts<ExecutionSpace>(matrix_);
    const Kokkos::View<const HYPRE_BigInt*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> offd_numbers(
        hypre_ParCSRMatrixColMapOffd(matrix_),
        static_cast<std::size_t>(hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(matrix_))));
    const Ordinal row = tessera::detail::first_offender(
        Space(), "Tessera::HypreRows::find_places", static_cast<Ordinal>(rows.row_sizes.extent(0)),
        FindPlaces<ExecutionSpace>{
            rows, parts_, Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), offd_numbers),
            places_});
    if (row != tessera::detail::no_offender)
      throw SolverError("hypre has not all entries of row " + std::to_string(row));
  }

  void fill(const Space& space) const {
    Kokkos::parallel_for("Tessera::HypreRows::fill",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             space, 0, static_cast<std::int64_t>(entries_)),
                         FillParts<ExecutionSpace>{staged_, places_, parts_.diag, parts_.offd});
    space.fence("Tessera::HypreRows::fill"); // hypre's stream does not wait for the space's
  }

  Offset entries_ = 0; ///< of owned rows, which come first
  HypreHandle<HYPRE_IJMatrix> owner_;
  HYPRE_ParCSRMatrix matrix_ = nullptr;
  HypreParts<ExecutionSpace> parts_;
  Kokkos::View<HYPRE_Int*, Space> places_; ///< entry: its place in diag, or -1 - place in offd
  Kokkos::View<double*, Space> staged_;    ///< the system's values, or a copy in hypre's memory
};

} // namespace tessera::distributed::detail
