// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Multigrid by smoothed aggregation with patches in fast memory (paper 4, section 5).

#include <tessera/core/error.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/patch_multigrid/detail/partitions.hpp>
#include <tessera/solvers/patch_multigrid/detail/prolongator.hpp>
#include <tessera/solvers/patch_multigrid/detail/row_level.hpp>
#include <tessera/solvers/patch_multigrid/options.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::solvers {

using patch_multigrid::BlockFormat;

namespace patch_multigrid::detail {

/// Vectors under the numbers of the finest level: `into` its order or back.
template <class From, class To, class ExecutionSpace>
void reorder(const ExecutionSpace& exec, const Permutation<ExecutionSpace>& numbers, bool into,
             const Kokkos::View<From*, ExecutionSpace>& from, const Kokkos::View<To*, ExecutionSpace>& to) {
  const auto old_row = numbers.new_to_old;
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::reorder",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(from.extent(0))), KOKKOS_LAMBDA(const Ordinal k) {
        if (into)
          to(k) = static_cast<To>(from(old_row(k)));
        else
          to(old_row(k)) = static_cast<To>(from(k));
      });
}

/// Throws SolverError, naming the row, unless all diagonal entries are positive and finite.
template <class ExecutionSpace>
void check_diagonal(const ExecutionSpace& exec, const solvers::detail::CrsViews<double, ExecutionSpace>& a) {
  const auto diagonal = solvers::detail::diagonal<double, ExecutionSpace>(exec, a);
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal row = none;
  Kokkos::parallel_reduce(
      "Tessera::PatchMultigrid::check_diagonal", Range<ExecutionSpace>(exec, 0, a.rows()),
      KOKKOS_LAMBDA(const Ordinal i, Ordinal& first_bad) {
        if (!(diagonal(i) > 0) || !Kokkos::isfinite(diagonal(i))) first_bad = Kokkos::min(first_bad, i);
      },
      Kokkos::Min<Ordinal>(row));
  if (row == none) return;
  double value = 0;
  Kokkos::deep_copy(exec, value, Kokkos::subview(diagonal, row));
  exec.fence("Tessera::PatchMultigrid::check_diagonal");
  throw SolverError("PatchMultigrid: the diagonal entry of row " + std::to_string(row) + " is " +
                    std::to_string(value) + "; it must be positive and finite");
}

/// Throws ArgumentError unless the options are in their ranges.
inline void check(const PatchMultigridOptions& options) {
  const auto fail = [](const std::string& what) { throw ArgumentError("PatchMultigrid: " + what); };
  if (options.inner_iterations < 1)
    fail("inner_iterations must be at least 1, got " + std::to_string(options.inner_iterations));
  if (!(options.relaxation > 0 && options.relaxation < 2))
    fail("relaxation must lie between 0 and 2, got " + std::to_string(options.relaxation));
  if (!(options.smoothing >= 0 && options.smoothing < 2))
    fail("smoothing must be at least 0 and below 2, got " + std::to_string(options.smoothing));
  if (options.coarsest < 1) fail("coarsest must be at least 1, got " + std::to_string(options.coarsest));
  if (options.precision.empty()) fail("precision must name at least one level's");
}

} // namespace patch_multigrid::detail

/// One V-cycle (Algorithm 5.3) as a preconditioner of `cg`: smoothed aggregation on aggregates and patches of
/// the double partition, relaxed by block Jacobi whose blocks are solved by a few steps of Jacobi in scratch.
///
/// \tparam Format of the patches' blocks. With `symmetric_coo` additions meet in scratch, so that results
///   differ by rounding from run to run on devices; with the others they repeat bitwise. With `none` there
///   are aggregates alone: rows keep their order, and the inner iterations are those of Jacobi's method on
///   the whole matrix.
///
/// For symmetric positive definite matrices with one unknown a node. Levels follow the graph of the
/// aggregates, not the coarser matrices ("geometry-informed"); the finest one's partition may be made from
/// the mesh, once for assembly by `assembly::Patch` and solver. Symmetric, and positive definite where the
/// relaxation alone would converge in the energy norm, which the paper takes for granted; `cg` says where it
/// is not. Memory: about 300 bytes a row in single precision for linear tetrahedra.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace,
          BlockFormat Format = BlockFormat::symmetric_coo>
class PatchMultigrid {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// Sets up all levels of a matrix in compressed rows. It is not kept.
  ///
  /// \param exec instance that works; the call returns after it has ended
  /// \throws ArgumentError for options out of range or a matrix whose arrays do not fit;
  ///   SolverError naming a row whose diagonal entry is not a positive finite number, or where the coarsest
  ///   matrix is not positive definite; UnsupportedError if the graph has more separate parts than are solved
  ///   directly; OutOfMemoryError
  PatchMultigrid(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                 const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values,
                 const PatchMultigridOptions& options = {})
      : PatchMultigrid(exec, {row_map, columns, values}, options, nullptr) {}

  /// Takes the finest level's partition, which `options.partition` then has no part in: `double_partition` of
  /// the mesh's nodes, that of `assembly::Patch` say.
  /// \throws as above, and ArgumentError for a partition of another number of nodes than the matrix has rows
  PatchMultigrid(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                 const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values,
                 const DoublePartition<ExecutionSpace>& partition, const PatchMultigridOptions& options = {})
      : PatchMultigrid(exec, {row_map, columns, values}, options, &partition) {}

  std::size_t rows() const { return rows_; }
  /// Of the finest level, for an assembly by patches; of no nodes where the matrix is solved directly, and of
  /// aggregates alone, in the matrix's numbers, where there are no blocks.
  const DoublePartition<ExecutionSpace>& partition() const { return partition_; }
  const PatchMultigridReport& report() const { return report_; }

  /// y = M⁻¹ x.
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_vectors("PatchMultigrid", rows(), x.extent(0), y.extent(0));
    const Kokkos::Profiling::ScopedRegion region("Tessera::PatchMultigrid::apply");
    if (levels_.empty()) {
      patch_multigrid::detail::DenseSolve<double, ExecutionSpace>{inverse_.values(), x, y}.run(exec);
      return;
    }
    std::visit(
        [&](const auto& level) {
          patch_multigrid::detail::reorder(exec, partition_.nodes, true, x, level.b);
        },
        levels_[0]);
    cycle(exec, 0);
    std::visit(
        [&](const auto& level) {
          patch_multigrid::detail::reorder(exec, partition_.nodes, false, level.u, y);
        },
        levels_[0]);
  }

private:
  template <class Scalar>
  using Level = patch_multigrid::detail::Level<Scalar, ExecutionSpace, Format>;
  using Matrix = patch_multigrid::detail::SparseMatrix<ExecutionSpace>;
  using Partition = DoublePartition<ExecutionSpace>;

  PatchMultigrid(const ExecutionSpace& exec, const detail::CrsViews<double, ExecutionSpace>& matrix,
                 const PatchMultigridOptions& options, const Partition* finest)
      : rows_(matrix.row_map.extent(0) == 0 ? 0 : matrix.row_map.extent(0) - 1), options_(options) {
    const Kokkos::Profiling::ScopedRegion region("Tessera::PatchMultigrid::set_up");
    const Kokkos::Timer timer;
    patch_multigrid::detail::check(options);
    detail::check_crs(exec, "PatchMultigrid", matrix);
    patch_multigrid::detail::check_diagonal(exec, matrix);
    if (finest && finest->nodes.new_to_old.extent(0) != rows_)
      throw ArgumentError("PatchMultigrid: a partition of " +
                          std::to_string(finest->nodes.new_to_old.extent(0)) + " nodes for a matrix of " +
                          std::to_string(rows_) + " rows");
    set_up(exec, matrix, finest);
    exec.fence("Tessera::PatchMultigrid::set_up");
    report_.seconds = timer.seconds();
  }

  void set_up(const ExecutionSpace& exec, const detail::CrsViews<double, ExecutionSpace>& matrix,
              const Partition* finest) {
    using namespace patch_multigrid::detail;
    const std::vector<Partition> partitions = partition(exec, {matrix.row_map, matrix.columns}, finest);
    Matrix a;
    if (partitions.empty()) {
      a = permuted(exec, matrix, identity(exec, matrix.rows()));
    } else {
      partition_ = partitions[0];
      a = permuted(exec, matrix, partition_.nodes);
    }
    for (std::size_t l = 0; l < partitions.size(); ++l) {
      const Partition* coarser = l + 1 < partitions.size() ? &partitions[l + 1] : nullptr;
      const bool single =
          options_.precision[std::min(l, options_.precision.size() - 1)] == Precision::single_precision;
      a = single ? add_level<float>(exec, a, partitions[l], coarser)
                 : add_level<double>(exec, a, partitions[l], coarser);
    }
    inverse_ = DenseInverse<ExecutionSpace>(exec, a);
    coarse_b_ = make<Vector>(exec, "coarse_b", a.rows());
    coarse_u_ = make<Vector>(exec, "coarse_u", a.rows());
    report_.levels.push_back({a.rows(), a.entries(), 0, 0, false, false});
    report_.bytes += bytes_of(inverse_.values()) + 2 * bytes_of(coarse_b_) + partition_bytes();
  }

  /// Partitions of every level but the coarsest, from the graphs alone.
  std::vector<Partition> partition(const ExecutionSpace& exec, NodeGraph<ExecutionSpace> graph,
                                   const Partition* finest) const {
    std::vector<Partition> partitions;
    while (graph.num_nodes() > options_.coarsest) {
      partitions.push_back(partition_level(exec, graph, partitions.empty() ? finest : nullptr));
      if (partitions.back().num_aggregates == graph.num_nodes())
        throw UnsupportedError("PatchMultigrid: " + std::to_string(graph.num_nodes()) +
                               " nodes without neighbours are left; at most " +
                               std::to_string(options_.coarsest) +
                               " rows (option coarsest) are solved directly");
      graph = partitions.back().coarse;
    }
    return partitions;
  }

  /// One level's, `given` or made.
  Partition partition_level(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                            const Partition* given) const {
    using namespace patch_multigrid::detail;
    if constexpr (Format == BlockFormat::none)
      return given ? without_patches(exec, *given) : aggregates(exec, graph, options_.partition);
    else
      return given ? *given : double_partition(exec, graph, options_.partition);
  }

  std::size_t partition_bytes() const {
    return 2 * bytes_of(partition_.nodes.new_to_old) + bytes_of(partition_.aggregate_of_node) +
           bytes_of(partition_.aggregate_offsets) + bytes_of(partition_.patch_of_aggregate) +
           bytes_of(partition_.patch_offsets) + bytes_of(partition_.coarse.row_map) +
           bytes_of(partition_.coarse.columns);
  }

  /// Keeps a level and makes the coarser matrix R A P, in the coarser level's order.
  template <class Scalar>
  Matrix add_level(const ExecutionSpace& exec, const Matrix& a, const Partition& partition,
                   const Partition* coarser) {
    using namespace patch_multigrid::detail;
    const auto diagonal = detail::diagonal<double, ExecutionSpace>(exec, views(a));
    const auto inverse_diagonal = detail::inverted<double, ExecutionSpace>(exec, "PatchMultigrid", diagonal);
    const double radius = spectral_radius(exec, a, inverse_diagonal);
    const Ordinal aggregates = partition.num_aggregates;
    const auto tentative =
        tentative_prolongator<ExecutionSpace>(exec, aggregates_of_rows(exec, partition, coarser));
    const Matrix p = options_.smoothing > 0 ? smoothed_prolongator(exec, a, inverse_diagonal, tentative,
                                                                   aggregates, options_.smoothing / radius)
                                            : tentative;
    const Matrix r = transposed(exec, p, aggregates);

    Level<Scalar> level;
    level.omega = options_.relaxation / radius;
    level.inner = options_.inner_iterations;
    level.take(exec, a, partition);
    level.prolongator = {exec, p};
    level.restrictor = {exec, r};
    level.make_vectors(exec, a.rows());
    report_.levels.push_back(
        {a.rows(), a.entries(), partition.num_patches, radius, level.staged, std::is_same_v<Scalar, float>});
    report_.bytes += level.bytes();
    levels_.push_back(std::move(level));
    return product(exec, "coarse_matrix", r, product(exec, "product", a, p, aggregates), aggregates);
  }

  void cycle(const ExecutionSpace& exec, std::size_t l) const {
    if (l == levels_.size()) {
      patch_multigrid::detail::DenseSolve<double, ExecutionSpace>{inverse_.values(), coarse_b_, coarse_u_}
          .run(exec);
      return;
    }
    std::visit([&](const auto& level) { down_and_up(exec, l, level); }, levels_[l]);
  }

  template <class Scalar>
  void down_and_up(const ExecutionSpace& exec, std::size_t l, const Level<Scalar>& level) const {
    level.relax_before(exec);
    with_coarser(l, [&](const auto& b, const auto&) { level.restrict_to(exec, b); });
    cycle(exec, l + 1);
    with_coarser(l, [&](const auto&, const auto& u) { level.prolong_from(exec, u); });
    level.relax_after(exec);
  }

  /// Calls `visit(b, u)` with the vectors of the level after l.
  template <class Visit>
  void with_coarser(std::size_t l, const Visit& visit) const {
    if (l + 1 == levels_.size())
      visit(coarse_b_, coarse_u_);
    else
      std::visit([&](const auto& level) { visit(level.b, level.u); }, levels_[l + 1]);
  }

  std::size_t rows_;
  PatchMultigridOptions options_;
  Partition partition_; // of the finest level
  std::vector<std::variant<Level<float>, Level<double>>> levels_;
  patch_multigrid::detail::DenseInverse<ExecutionSpace> inverse_;
  Vector coarse_b_, coarse_u_;
  PatchMultigridReport report_;
};

} // namespace tessera::solvers
