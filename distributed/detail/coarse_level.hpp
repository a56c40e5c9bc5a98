// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The coarse level of AdditiveSchwarz: a few aggregates of nodes on each rank, solved by each for itself.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/partition/curve_partition.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/coarse_kernels.hpp>
#include <tessera/distributed/detail/dense_factor.hpp>
#include <tessera/distributed/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// y += P (Pᵀ A P)⁻¹ Pᵀ r, where P has on each aggregate the rigid motions, or a constant for each component.
/// Aggregates are stretches of the Hilbert curve through the owned nodes. Messages of an application: one sum
/// over all ranks of the coarse vector.
template <class ExecutionSpace>
class CoarseLevel {
  using Values = Kokkos::View<double*, ExecutionSpace>;
  using Table = Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>;
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using Local = LinearSystem<double, ExecutionSpace>;

public:
  /// Collective. \param most_rows of the coarse matrix, but for one aggregate on each rank
  template <class Element>
  CoarseLevel(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, const Local& system,
              Ordinal owned, int most_rows)
      : ranks_(mesh.ranks()), owned_(owned) {
    const auto& equations = system.graph().equations;
    constexpr int dimension = Element::dimension;
    modes_per_aggregate_ =
        equations.components == dimension ? dimension * (dimension + 1) / 2 : equations.components;
    const Ordinal share = std::max(1, most_rows / (modes_per_aggregate_ * ranks_.size()));
    const Partition nodes = divide(exec, mesh, share);
    number_aggregates(nodes.parts);
    list_rows(nodes, equations);
    make_modes(exec, mesh, nodes, equations);
    refresh(exec, system);
  }

  /// Collective: the coarse matrix of the system's present values. One sum over all ranks of its entries.
  void refresh(const ExecutionSpace& exec, const Local& system) {
    const std::size_t count = to_size(modes_per_aggregate_), rows = to_size(aggregates_) * count;
    std::vector<double> matrix(rows * rows);
    const Kokkos::View<double*, Kokkos::HostSpace> block("Tessera::AdditiveSchwarz::block", count * count);
    const auto couplings = find_couplings(exec, system);
    for (std::size_t a = 0; a < couplings.extent(0); ++a)
      for (std::size_t b = 0; b < couplings.extent(1); ++b) {
        if (couplings(a, b) == 0) continue;
        const auto own_rows = Kokkos::subview(rows_, std::make_pair(row_begin_[a], row_begin_[a + 1]));
        Kokkos::parallel_reduce("Tessera::AdditiveSchwarz::coarse_block",
                                Range(exec, 0, static_cast<Ordinal>(own_rows.extent(0))),
                                CoarseBlock<ExecutionSpace>{static_cast<Ordinal>(count * count),
                                                            system.graph(), system.values(), modes_, own_rows,
                                                            static_cast<Ordinal>(b)},
                                block);
        exec.fence("Tessera::AdditiveSchwarz::coarse_block");
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t j = 0; j < count; ++j)
            matrix[((to_size(first_) + a) * count + i) * rows + b * count + j] = block(i * count + j);
      }
    MPI_Allreduce(MPI_IN_PLACE, matrix.data(), static_cast<int>(matrix.size()), MPI_DOUBLE, MPI_SUM,
                  ranks_.own());
    factor_ = DenseFactor(rows, std::move(matrix));
  }

  std::size_t rows() const { return factor_.rows(); }

  /// Collective: adds the coarse correction of r to y, both of owned rows.
  void add(const ExecutionSpace& exec, const Kokkos::View<const double*, ExecutionSpace>& r,
           const Values& y) const {
    restrict_to_own(exec, r);
    std::vector<double> coarse(rows());
    const std::size_t begin = to_size(first_) * to_size(modes_per_aggregate_);
    Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> own(coarse.data() + begin,
                                                                          coarse_.extent(0));
    Kokkos::deep_copy(exec, own, coarse_);
    exec.fence("Tessera::AdditiveSchwarz::restrict");
    MPI_Allreduce(MPI_IN_PLACE, coarse.data(), static_cast<int>(coarse.size()), MPI_DOUBLE, MPI_SUM,
                  ranks_.own());
    factor_.solve(coarse);
    Kokkos::deep_copy(exec, coarse_, own);
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::prolong", Range(exec, 0, owned_),
                         Prolong<ExecutionSpace>{modes_, first_, coarse_, y});
    exec.fence("Tessera::AdditiveSchwarz::prolong"); // `coarse` goes
  }

private:
  template <class Element>
  static Partition divide(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                          Ordinal share) {
    const Ordinal nodes = mesh.owned_nodes();
    if (nodes == 0) return {.parts = 0, .part_of_item = {}, .offsets = {0}, .items = {}};
    const auto owned =
        Kokkos::subview(mesh.local().coordinates(), std::make_pair(Ordinal(0), nodes), Kokkos::ALL);
    return partition_by_curve(exec, owned, std::min(share, nodes));
  }

  void number_aggregates(Ordinal own) {
    own_ = own;
    MPI_Exscan(&own_, &first_, 1, MPI_INT32_T, MPI_SUM, ranks_.own());
    if (ranks_.rank() == 0) first_ = 0;
    MPI_Allreduce(&own_, &aggregates_, 1, MPI_INT32_T, MPI_SUM, ranks_.own());
  }

  /// The owned rows by aggregates, and the pieces that teams sum up.
  void list_rows(const Partition& nodes, const Equations<ExecutionSpace>& equations) {
    constexpr Ordinal piece_rows = 512;
    const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.first);
    std::vector<Ordinal> rows, piece_begin, first_piece;
    row_begin_.assign(1, 0);
    for (Ordinal part = 0; part < nodes.parts; ++part) {
      for (Ordinal i = nodes.offsets[to_size(part)]; i < nodes.offsets[to_size(part) + 1]; ++i) {
        const Ordinal node = nodes.items[to_size(i)];
        const Ordinal begin = equations.removed ? first(node) : node * equations.components;
        const Ordinal end = equations.removed ? first(node + 1) : begin + equations.components;
        for (Ordinal row = begin; row < end; ++row) rows.push_back(row);
      }
      first_piece.push_back(static_cast<Ordinal>(piece_begin.size()));
      for (Ordinal begin = row_begin_.back(); begin < static_cast<Ordinal>(rows.size()); begin += piece_rows)
        piece_begin.push_back(begin);
      row_begin_.push_back(static_cast<Ordinal>(rows.size()));
    }
    first_piece.push_back(static_cast<Ordinal>(piece_begin.size()));
    piece_begin.push_back(row_begin_.back());
    rows_ = to_device("rows", rows);
    piece_begin_ = to_device("piece_begin", piece_begin);
    first_piece_ = to_device("first_piece", first_piece);
  }

  static List to_device(const std::string& name, const std::vector<Ordinal>& list) {
    const List view("Tessera::AdditiveSchwarz::" + name, list.size());
    Kokkos::deep_copy(view, Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                list.data(), list.size()));
    return view;
  }

  /// The modes of all local rows: those of ghosts by the aggregates of their owners.
  template <class Element>
  void make_modes(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                  const Partition& nodes, const Equations<ExecutionSpace>& equations) {
    constexpr int dimension = Element::dimension;
    const Ordinal local_nodes = mesh.local().num_nodes();
    const List aggregate = allocate<List>(exec, "Tessera::AdditiveSchwarz::aggregate", local_nodes);
    const Values center = allocate<Values>(exec, "Tessera::AdditiveSchwarz::center", local_nodes * dimension);
    mark_owned<Element>(exec, mesh, nodes, aggregate, center);
    NodeExchange<Ordinal, ExecutionSpace> numbers(exec, mesh.import(), 1);
    NodeExchange<double, ExecutionSpace> centers(exec, mesh.import(), dimension);
    numbers.begin(exec, aggregate);
    centers.begin(exec, center);
    numbers.end(exec, aggregate);
    centers.end(exec, center);
    modes_ = {.aggregate = allocate<List>(exec, "Tessera::AdditiveSchwarz::row_aggregate", equations.count),
              .values = allocate<Table>(exec, "Tessera::AdditiveSchwarz::modes", equations.count,
                                        modes_per_aggregate_)};
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::fill_modes", Range(exec, 0, local_nodes),
                         FillModes<dimension, ExecutionSpace>{equations, mesh.local().coordinates(),
                                                              aggregate, center, modes_});
    sums_ = allocate<Table>(exec, "Tessera::AdditiveSchwarz::sums", piece_begin_.extent(0) - 1,
                            modes_per_aggregate_);
    coarse_ = allocate<Values>(exec, "Tessera::AdditiveSchwarz::coarse", own_ * modes_per_aggregate_);
    exec.fence("Tessera::AdditiveSchwarz::fill_modes");
  }

  /// The owned nodes' aggregates, and the means of these aggregates' coordinates.
  template <class Element>
  void mark_owned(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                  const Partition& nodes, const List& aggregate, const Values& center) const {
    constexpr std::size_t dimension = Element::dimension;
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.local().coordinates());
    const auto numbers = Kokkos::create_mirror_view(aggregate);
    const auto centers = Kokkos::create_mirror_view(center);
    for (Ordinal part = 0; part < nodes.parts; ++part) {
      const auto begin = nodes.items.begin() + nodes.offsets[to_size(part)];
      const auto end = begin + nodes.size(part);
      for (std::size_t d = 0; d < dimension; ++d) {
        double mean = 0;
        for (auto node = begin; node != end; ++node) mean += x(*node, d) / nodes.size(part);
        for (auto node = begin; node != end; ++node) centers(to_size(*node) * dimension + d) = mean;
      }
      for (auto node = begin; node != end; ++node) numbers(*node) = first_ + part;
    }
    Kokkos::deep_copy(exec, aggregate, numbers);
    Kokkos::deep_copy(exec, center, centers);
    exec.fence("Tessera::AdditiveSchwarz::mark_owned");
  }

  auto find_couplings(const ExecutionSpace& exec, const Local& system) const {
    using Marks = Kokkos::View<int**, Kokkos::LayoutRight, ExecutionSpace>;
    const auto marks = allocate_zeroed<Marks>(exec, "Tessera::AdditiveSchwarz::couplings", own_, aggregates_);
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::find_couplings", Range(exec, 0, owned_),
                         MarkCouplings<ExecutionSpace>{system.graph(), modes_, first_, marks});
    exec.fence("Tessera::AdditiveSchwarz::find_couplings");
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), marks);
  }

  void restrict_to_own(const ExecutionSpace& exec,
                       const Kokkos::View<const double*, ExecutionSpace>& r) const {
    const int threads = runs_on_host<ExecutionSpace> ? 1 : 128;
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::restrict",
                         Kokkos::TeamPolicy<ExecutionSpace>(exec, static_cast<int>(sums_.extent(0)), threads),
                         RestrictPieces<ExecutionSpace>{modes_, rows_, piece_begin_, r, sums_});
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::sum_pieces",
                         Range(exec, 0, static_cast<Ordinal>(coarse_.extent(0))),
                         SumPieces<ExecutionSpace>{sums_, first_piece_, coarse_});
  }

  Communicator ranks_;
  Ordinal owned_;
  int modes_per_aggregate_ = 0;
  Ordinal own_ = 0, first_ = 0, aggregates_ = 0; ///< aggregates: of this rank, before it, of all
  List rows_;
  std::vector<Ordinal> row_begin_; ///< own aggregate (+1): position in `rows_`
  List piece_begin_, first_piece_;
  CoarseModes<ExecutionSpace> modes_;
  Table sums_;
  Values coarse_;
  DenseFactor factor_;
};

} // namespace tessera::distributed::detail
