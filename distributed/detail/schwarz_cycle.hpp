// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tessera's multigrid on each rank between two corrections on a coarse level, for any library's vectors.

#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/additive_schwarz_options.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/coarse_level.hpp>
#include <tessera/distributed/detail/diagonal_block.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tessera::distributed::detail {

/// y += x.
template <class ExecutionSpace>
struct AddVector {
  Kokkos::View<const double*, ExecutionSpace> x;
  Kokkos::View<double*, ExecutionSpace> y;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { y(i) += x(i); }
};

/// y = C x + (I - C A) S (I - A C) x, where S = Σ Rᵀ M⁻¹ R is a cycle of `solvers::Multigrid` for each rank's
/// own block of the matrix, and C = P (Pᵀ A P)⁻¹ Pᵀ, where P has a few aggregates of nodes on each rank with
/// the rigid motions or a constant for each component (J. Mandel, "Balancing domain decomposition", 1993). On
/// one rank it is the multigrid alone, without a coarse level it is S.
template <class ExecutionSpace>
class SchwarzCycle {
  using Multigrid = solvers::Multigrid<ExecutionSpace>;
  using Local = LinearSystem<double, ExecutionSpace>;
  using View = Kokkos::View<double*, ExecutionSpace>;
  using ConstView = Kokkos::View<const double*, ExecutionSpace>;

public:
  /// Collective, after the system has been assembled.
  /// \throws ArgumentError for options out of range; on every rank what `Multigrid` throws on one
  template <class Element>
  SchwarzCycle(const ExecutionSpace& exec, const Communicator& ranks,
               const Mesh<Element, ExecutionSpace>& mesh, const Local& system,
               const GlobalEquations& equations, const AdditiveSchwarzOptions& options)
      : exec_(exec), ranks_(ranks), system_(system) {
    agree(ranks, [&] {
      if (options.coarse_rows < 0)
        throw ArgumentError("AdditiveSchwarz: coarse_rows must be at least 0, got " +
                            std::to_string(options.coarse_rows));
      make_multigrid(mesh, equations.owned, options.multigrid);
    });
    if (ranks.size() > 1 && options.coarse_rows > 0)
      coarse_.emplace(exec, mesh, system, equations.owned, options.coarse_rows);
  }

  /// Collective: takes the system's present values; aggregates stay. \throws as the constructor
  void refresh() {
    agree(ranks_, [&] {
      if (!multigrid_) return;
      fill_block(exec_, system_, block_);
      multigrid_->refresh(exec_, block_.row_map, block_.columns, block_.values);
    });
    if (coarse_) coarse_->refresh(exec_, system_);
  }

  /// Rows of the coarse level; 0 where there is none.
  std::size_t coarse_rows() const { return coarse_ ? coarse_->rows() : 0; }

  /// Collective.
  /// \param library of the vectors, which reads and writes the owned entries of one as `read(v)` and
  /// `write(v)`, and
  ///   multiplies as `subtract_product(from, to)`: to -= A from
  /// \param x, y of the library: what the cycle is applied to, and the result
  /// \param residual, correction for the cycle's own use; null where there is no coarse level
  template <class Library, class From, class To, class Work>
  void apply(const Library& library, const From& x, To& y, Work* residual, Work* correction) const {
    if (!coarse_) {
      smooth(library.read(x), library.write(y));
      return;
    }
    Kokkos::deep_copy(exec_, library.write(y), 0.0);
    coarse_->add(exec_, library.read(x), library.write(y)); // y = C x
    Kokkos::deep_copy(exec_, library.write(*residual), library.read(x));
    exec_.fence("Tessera::AdditiveSchwarz::apply");
    library.subtract_product(y, *residual); // x - A y
    smooth(library.read(*residual), library.write(*correction));
    Kokkos::deep_copy(exec_, library.write(*residual), 0.0);
    add(library.read(*correction), library.write(y));
    library.subtract_product(*correction, *residual);
    coarse_->add(exec_, library.read(*residual),
                 library.write(y)); // the coarse part of -A times the correction
    exec_.fence("Tessera::AdditiveSchwarz::apply");
  }

private:
  template <class Element>
  void make_multigrid(const Mesh<Element, ExecutionSpace>& mesh, Ordinal owned,
                      const solvers::MultigridOptions& options) {
    if (owned == 0) return;
    block_ = diagonal_block(exec_, system_, owned);
    const auto owned_nodes = to_size(mesh.owned_nodes());
    auto nodes = Multigrid::nodes_of(exec_, system_.graph().equations, mesh.local().coordinates());
    nodes.coordinates =
        Kokkos::subview(nodes.coordinates, std::make_pair(std::size_t(0), owned_nodes), Kokkos::ALL);
    const auto cut = [](auto& view, std::size_t end) {
      if (view.extent(0) > 0) view = Kokkos::subview(view, std::make_pair(std::size_t(0), end));
    };
    cut(nodes.first_row, owned_nodes + 1);
    cut(nodes.row_component, to_size(owned));
    multigrid_.emplace(exec_, block_.row_map, block_.columns, block_.values, nodes, options);
  }

  void smooth(const ConstView& x, const View& y) const {
    if (multigrid_) multigrid_->apply(exec_, x, y);
    exec_.fence("Tessera::AdditiveSchwarz::smooth");
  }

  void add(const ConstView& x, const View& y) const {
    Kokkos::parallel_for("Tessera::AdditiveSchwarz::add",
                         Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, static_cast<Ordinal>(y.extent(0))),
                         AddVector<ExecutionSpace>{x, y});
    exec_.fence("Tessera::AdditiveSchwarz::add");
  }

  ExecutionSpace exec_;
  Communicator ranks_;
  Local system_;
  DiagonalBlock<ExecutionSpace> block_;
  std::optional<Multigrid> multigrid_; ///< none on a rank without equations
  std::optional<CoarseLevel<ExecutionSpace>> coarse_;
};

} // namespace tessera::distributed::detail
