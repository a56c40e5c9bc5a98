// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The V-cycle; on devices one launch of a graph.

#include <tessera/core/contiguous.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/operator.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Brings a right-hand side to the finest level's order and scale, in single precision; rows that fill nodes
/// up have none.
template <class ExecutionSpace>
struct EnterLevel {
  Ordinals<ExecutionSpace> new_to_old;
  Floats<ExecutionSpace> scale;
  Kokkos::View<const double*, ExecutionSpace> x;
  Floats<ExecutionSpace> r;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Ordinal old = new_to_old(row);
    r(row) = old < 0 ? 0.0f : scale(row) * static_cast<float>(x(old));
  }
};

/// x = A⁻¹ r on the coarsest level, a thread's lanes a row.
template <class ExecutionSpace>
struct DenseProduct {
  Floats<ExecutionSpace> inverse; // row · rows + column
  Kokkos::View<const float*, ExecutionSpace> r;
  Floats<ExecutionSpace> x;
  Ordinal rows;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, rows),
        [&](const Ordinal k, float& partial) { partial += inverse(row * rows + k) * r(k); }, sum);
    Kokkos::single(Kokkos::PerThread(team), [&]() { x(row) = sum; });
  }
};

/// r·x, by items.
template <class ExecutionSpace>
struct Product {
  using value_type = double;
  using Slice = Slices<ExecutionSpace>;
  Kokkos::View<const float*, ExecutionSpace> r, x;

  Range<ExecutionSpace> range(const ExecutionSpace& exec) const {
    return contiguous(Range<ExecutionSpace>(exec, 0, Slice::items(rows())));
  }
  KOKKOS_FUNCTION Ordinal rows() const { return static_cast<Ordinal>(r.extent(0)); }
  KOKKOS_FUNCTION void operator()(Ordinal item, double& sum) const {
    sum += Slice::sum(rows(), item,
                      [&](Ordinal row) { return static_cast<double>(r(row)) * static_cast<double>(x(row)); });
  }
};

/// Solves for level.x with level.r from zero: the steps of Chebyshev's iteration, the next level's
/// correction, and the steps again. They go to and fro between x and t, and end in x. `launch(label, policy,
/// functor)` runs a kernel after those before it, or records it; `combine` runs a `Combination` with the
/// level's matrix; `solve_next(residual, x)` solves on the next, and may add to its right-hand side and x.
template <class ExecutionSpace, class Launch, class CombineByLevel, class SolveNext>
void smooth_and_correct(const ExecutionSpace& exec, const std::vector<Level<ExecutionSpace>>& levels,
                        std::size_t l, const Launch& launch, const CombineByLevel& combine,
                        const SolveNext& solve_next) {
  const Level<ExecutionSpace>& level = levels[l];
  const auto by_rows = [&](const char* label, const auto& loop) { launch(label, loop.policy, loop.functor); };
  const auto& steps = level.smoother.steps;
  const bool last = l + 1 == levels.size();
  Floats<ExecutionSpace> now = level.t, next = level.x;
  if (last && steps.size() % 2 == 1) std::swap(now, next);
  const auto advance = [&](const Combination<ExecutionSpace>& step) {
    combine(step);
    std::swap(now, next);
  };
  advance({level.r, level.r, next, 0, steps[0] + steps[1], -steps[0] * steps[1]}); // two at once
  for (std::size_t k = 2; k < steps.size(); ++k) advance({now, level.r, next, steps[k], 1, -steps[k]});
  if (last) return;
  const Level<ExecutionSpace>& coarse = levels[l + 1];
  combine({now, level.r, next, 1, 0, -1}); // the residual
  by_rows("Tessera::Multigrid::restrict",
          rows_product<ExecutionSpace>(exec, level.restrictor, next, coarse.r, false));
  solve_next(next, now);
  if constexpr (runs_on_host<ExecutionSpace>) {
    const AddSlicedProduct<ExecutionSpace> prolong{level.sliced_prolongator, coarse.x, now};
    launch("Tessera::Multigrid::prolong", prolong.range(exec), prolong);
  } else {
    const auto prolong = rows_product<ExecutionSpace>(exec, level.prolongator, coarse.x, now, true);
    if (prolong.functor.body.lanes > 1)
      by_rows("Tessera::Multigrid::prolong", prolong);
    else
      launch("Tessera::Multigrid::prolong", Range<ExecutionSpace>(exec, 0, level.rows()),
             AddProduct<ExecutionSpace>{level.prolongator, coarse.x, now});
  }
  for (const float step : steps) advance({now, level.r, next, step, 1, -step});
}

/// The cycle from a level on, by the levels' rows.
template <class ExecutionSpace, class Launch>
void v_cycle(const ExecutionSpace& exec, const std::vector<Level<ExecutionSpace>>& levels, std::size_t l,
             const Launch& launch) {
  const Level<ExecutionSpace>& level = levels[l];
  if (level.rows() == 0) return;
  const auto by_rows = [&](const char* label, const auto& loop) { launch(label, loop.policy, loop.functor); };
  if (level.inverse.extent(0) > 0)
    return by_rows("Tessera::Multigrid::coarsest",
                   row_loop(exec, level.rows(), 32, 0,
                            DenseProduct<ExecutionSpace>{level.inverse, level.r, level.x, level.rows()}));
  const auto combine = [&](const Combination<ExecutionSpace>& step) {
    combine_rows(exec, level.packed, level.rows(), level.matrix.entries(), step,
                 [&](const auto& policy, const auto& functor) {
                   launch("Tessera::Multigrid::combine", policy, functor);
                 });
  };
  smooth_and_correct(exec, levels, l, launch, combine,
                     [&](const auto&, const auto&) { v_cycle(exec, levels, l + 1, launch); });
}

/// The cycle of a hierarchy, recorded where that saves launches; with an operator on the finest level, whose
/// launches are its own affair, from the second on.
template <class ExecutionSpace>
class Cycle {
public:
  /// To be called when the levels' matrices or smoothers are new.
  /// \param first  level with rows, 0 or 1.
  void record(const ExecutionSpace& exec, const std::vector<Level<ExecutionSpace>>& levels,
              std::size_t first) {
    first_ = first;
    if constexpr (!runs_on_host<ExecutionSpace>) {
      std::optional<Kokkos::Experimental::Graph<ExecutionSpace>> next;
      if (first < levels.size()) {
#if KOKKOS_VERSION >= 50100
        next.emplace(Kokkos::Experimental::get_device_handle(exec));
#else
        next.emplace(exec);
#endif
        Node last = next->root_node();
        v_cycle(exec, levels, first, [&](const char* label, const auto& policy, const auto& functor) {
          last = last.then_parallel_for(std::string(label), policy, functor);
        });
        next->instantiate();
      }
      graph_ = std::move(next); // the end of the one before waits for the device
    }
  }

  /// \param combine  runs a combination on a finest level without rows.
  template <class CombineFinest>
  void run(const ExecutionSpace& exec, const std::vector<Level<ExecutionSpace>>& levels,
           const CombineFinest& combine) const {
    const auto launch = [](const char* label, const auto& policy, const auto& functor) {
      Kokkos::parallel_for(label, policy, functor);
    };
    const auto run_recorded = [&] {
      if constexpr (runs_on_host<ExecutionSpace>)
        v_cycle(exec, levels, first_, launch);
      else
        graph_->submit(exec);
    };
    if (first_ == 0)
      run_recorded();
    else
      smooth_and_correct(exec, levels, 0, launch, combine, [&](const auto&, const auto&) { run_recorded(); });
  }

private:
  using Node = Kokkos::Experimental::GraphNodeRef<ExecutionSpace>;
  std::size_t first_ = 0;
  std::optional<Kokkos::Experimental::Graph<ExecutionSpace>> graph_;
};

} // namespace tessera::solvers::multigrid::detail
