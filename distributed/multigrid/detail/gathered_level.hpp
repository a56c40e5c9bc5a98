// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The level of which each rank has all rows, solved by each for itself.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/gather.hpp>
#include <tessera/distributed/multigrid/detail/whole_rows.hpp>
#include <tessera/distributed/peers/detail/peer_gather.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// Multiplies entries by the test vector's of their row and column, so that the constant is the near-null
/// vector, and gives both entries of a pair the mean of their values, which differ by the rounding of two
/// ranks.
template <class ExecutionSpace>
struct ScaleAndSymmetrise {
  CompressedRows<ExecutionSpace> a;
  Kokkos::View<const double*, ExecutionSpace> test;
  Kokkos::View<double*, ExecutionSpace> values; ///< zero on entry

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = a.row_map(row); k < a.row_map(row + 1); ++k) {
      const Ordinal column = a.columns(k);
      const double scale = test(row) * test(column);
      if (column == row) values(k) = scale * static_cast<double>(a.values(k));
      if (column <= row) continue;
      const Offset begin = a.row_map(column);
      const auto length = static_cast<Ordinal>(a.row_map(column + 1) - begin);
      const Offset other = begin + tessera::detail::place_in(a.columns.data() + begin, length, row);
      if (other >= begin + length || a.columns(other) != row) continue; // a zero without a partner
      const double both = static_cast<double>(a.values(k)) + static_cast<double>(a.values(other));
      values(k) = values(other) = scale * both / 2;
    }
  }
};

template <class ExecutionSpace>
struct RowLength {
  sparse::Offsets<ExecutionSpace> row_map;
  sparse::Ordinals<ExecutionSpace> lengths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    lengths(row) = static_cast<Ordinal>(row_map(row + 1) - row_map(row));
  }
};

template <class ExecutionSpace>
struct GivenLength {
  sparse::Ordinals<ExecutionSpace> lengths;
  KOKKOS_FUNCTION Offset operator()(Ordinal row) const { return lengths(row); }
};

/// The near-null space of a rank's rows; one where a single vector vanishes.
template <class ExecutionSpace>
struct TakeRowModes {
  sparse::Floats<ExecutionSpace> test;
  sparse::Modes<ExecutionSpace> near_null;
  int count;
  Kokkos::View<double*, ExecutionSpace> modes;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (count == 1)
      modes(row) = test(row) != 0 ? static_cast<double>(test(row)) : 1.0;
    else
      for (int m = 0; m < count; ++m) modes(static_cast<Offset>(row) * count + m) = near_null(row, m);
  }
};

template <class ExecutionSpace>
struct EnterGathered {
  Kokkos::View<const float*, ExecutionSpace> r;
  Kokkos::View<const double*, ExecutionSpace> test;
  Kokkos::View<double*, ExecutionSpace> x;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { x(row) = test(row) * static_cast<double>(r(row)); }
};

template <class ExecutionSpace>
struct LeaveGathered {
  Kokkos::View<const double*, ExecutionSpace> y, test;
  Ordinal first;
  Kokkos::View<float*, ExecutionSpace> x; ///< of the rank's own rows
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    x(row) = static_cast<float>(test(first + row) * y(first + row));
  }
};

/// The last level: all ranks have all of its rows, and a hierarchy for them.
template <class ExecutionSpace>
class GatheredLevel {
  using Level = solvers::multigrid::detail::Level<ExecutionSpace>;
  using Floats = Kokkos::View<float*, ExecutionSpace>;
  using Doubles = Kokkos::View<double*, ExecutionSpace>;
  using Multigrid = solvers::Multigrid<ExecutionSpace>;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  using Staging =
      Kokkos::View<float*, std::conditional_t<on_host, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>>;

public:
  /// Collective. \param first number of the rank's first row of the level
  /// \throws what solvers::Multigrid throws, and UnsupportedError for a level too large for MPI's messages
  GatheredLevel(const ExecutionSpace& exec, const Communicator& ranks, const Level& level,
                const CouplingMatrix<ExecutionSpace>& couplings, GlobalOrdinal first,
                const solvers::MultigridOptions& options, Transfer transfer)
      : gather_(ranks, to_size(level.rows())), first_(static_cast<Ordinal>(first)), transfer_(transfer),
        staged_(!on_host && transfer == Transfer::host) {
    if (transfer == Transfer::peer) peers_.emplace(exec, ranks, gather_.size(), gather_.own().first);
    modes_ = most(ranks, level.rows() == 0  ? 0
                         : level.has_test() ? 1
                                            : static_cast<int>(level.near_null.extent(1)));
    const int components = same_components(ranks, level);
    const auto own = agree(ranks, [&] {
      make_buffers(exec);
      return whole_rows(exec, level.matrix, couplings, first_);
    });
    const auto rows = gather_rows(exec, ranks, own);
    gather_modes(exec, ranks, level);
    agree(ranks, [&] { make_multigrid(exec, rows, components, options); });
  }

  const solvers::MultigridReport& report() const { return multigrid_->report(); }

  /// Collective: level.x = a cycle for level.r.
  void solve(const ExecutionSpace& exec, const Level& level) {
    const Floats r = gather_values(exec, level.r);
    const sparse::Range<ExecutionSpace> all(exec, 0, static_cast<Ordinal>(r.extent(0)));
    Kokkos::parallel_for("Tessera::Multigrid::enter_gathered", all,
                         EnterGathered<ExecutionSpace>{r, test_, x_});
    multigrid_->apply(exec, x_, y_);
    Kokkos::parallel_for("Tessera::Multigrid::leave_gathered",
                         sparse::Range<ExecutionSpace>(exec, 0, level.rows()),
                         LeaveGathered<ExecutionSpace>{y_, test_, first_, level.x});
  }

private:
  static int most(const Communicator& ranks, int own) {
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_MAX, ranks.own());
    return own;
  }

  /// Rows of a node, if all ranks have as many, else one.
  static int same_components(const Communicator& ranks, const Level& level) {
    const int own = level.rows() == 0 ? 0 : level.matrix.block_rows;
    const int largest = most(ranks, own);
    const bool other = own != 0 && own != largest;
    return most(ranks, other ? 1 : 0) == 0 ? std::max(largest, 1) : 1;
  }

  CompressedRows<ExecutionSpace> gather_rows(const ExecutionSpace& exec, const Communicator& ranks,
                                             const CompressedRows<ExecutionSpace>& own) const {
    const auto rows = own.row_map.extent(0) - 1;
    const auto lengths = agree(ranks, [&] {
      return allocate<sparse::Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::lengths", rows);
    });
    Kokkos::parallel_for("Tessera::Multigrid::lengths",
                         sparse::Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(rows)),
                         RowLength<ExecutionSpace>{own.row_map, lengths});
    const auto all = gather(exec, ranks, transfer_, lengths);
    CompressedRows<ExecutionSpace> result{
        {}, gather(exec, ranks, transfer_, own.columns), gather(exec, ranks, transfer_, own.values)};
    agree(ranks, [&] {
      result.row_map =
          allocate<sparse::Offsets<ExecutionSpace>>(exec, "Tessera::Multigrid::gathered", all.extent(0) + 1);
      const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
      sparse::scan_lengths(work, result.row_map, GivenLength<ExecutionSpace>{all});
    });
    return result;
  }

  /// The near-null space: one vector, or several.
  void gather_modes(const ExecutionSpace& exec, const Communicator& ranks, const Level& level) {
    const auto own = agree(ranks, [&] {
      return allocate<Doubles>(exec, "Tessera::Multigrid::modes",
                               to_size(level.rows()) * to_size(std::max(modes_, 1)));
    });
    Kokkos::parallel_for("Tessera::Multigrid::modes", sparse::Range<ExecutionSpace>(exec, 0, level.rows()),
                         TakeRowModes<ExecutionSpace>{level.test, level.near_null, modes_, own});
    const Doubles all = gather(exec, ranks, transfer_, own);
    if (modes_ == 1) {
      test_ = all;
      return;
    }
    near_null_ = all;
    test_ = agree(
        ranks, [&] { return allocate<Doubles>(exec, "Tessera::Multigrid::gathered_test", gather_.size()); });
    Kokkos::deep_copy(exec, test_, 1.0);
  }

  void make_buffers(const ExecutionSpace& exec) {
    const std::size_t size = gather_.size();
    if (!peers_) r_ = allocate<Floats>(exec, "Tessera::Multigrid::gathered_r", size);
    x_ = allocate<Doubles>(exec, "Tessera::Multigrid::gathered_x", size);
    y_ = allocate<Doubles>(exec, "Tessera::Multigrid::gathered_y", size);
    if (!staged_) return;
    host_own_ = Staging("Tessera::Multigrid::host_own", gather_.own().second - gather_.own().first);
    host_r_ = Staging("Tessera::Multigrid::host_r", size);
  }

  void make_multigrid(const ExecutionSpace& exec, const CompressedRows<ExecutionSpace>& rows, int components,
                      const solvers::MultigridOptions& options) {
    const auto values = allocate_zeroed<Doubles>(exec, "Tessera::Multigrid::gathered", rows.values.extent(0));
    Kokkos::parallel_for("Tessera::Multigrid::symmetrise",
                         sparse::Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(gather_.size())),
                         ScaleAndSymmetrise<ExecutionSpace>{rows, test_, values});
    solvers::MultigridNodes<ExecutionSpace> nodes;
    nodes.components = components;
    if (modes_ > 1)
      nodes.near_null_space = Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace>(
          near_null_.data(), gather_.size(), to_size(modes_));
    multigrid_.emplace(exec, rows.row_map, rows.columns, values, nodes, options);
    near_null_ = {};
  }

  /// Of all rows, until the next call.
  Floats gather_values(const ExecutionSpace& exec, const Floats& own) {
    if (peers_) return (*peers_)(exec, own);
    if (staged_) Kokkos::deep_copy(exec, host_own_, own);
    exec.fence("Tessera::Multigrid::gather");
    gather_(staged_ ? host_own_.data() : own.data(), staged_ ? host_r_.data() : r_.data());
    if (staged_) Kokkos::deep_copy(exec, r_, host_r_);
    return r_;
  }

  Gather<float> gather_;
  Ordinal first_; ///< number of the rank's first row
  Transfer transfer_;
  bool staged_;
  std::optional<PeerGather<float, ExecutionSpace>> peers_; ///< instead of MPI
  Floats r_;
  int modes_ = 0;
  Doubles test_, x_, y_; ///< of all rows
  Doubles near_null_;    ///< row * modes + mode, while the hierarchy is made
  Staging host_own_, host_r_;
  std::optional<Multigrid> multigrid_;
};

} // namespace tessera::distributed::detail
