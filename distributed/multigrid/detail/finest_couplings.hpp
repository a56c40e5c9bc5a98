// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The couplings of the finest level, out of the assembled rows.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/detail/mesh_validation.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/rank_rows.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// The nodes of the owned equations, as `solvers::Multigrid` is told of them.
template <class ExecutionSpace>
solvers::MultigridNodes<ExecutionSpace> owned_nodes_of(const ExecutionSpace& exec,
                                                       const RankRows<ExecutionSpace>& rows) {
  auto nodes = solvers::Multigrid<ExecutionSpace>::nodes_of(exec, rows.equations(), rows.coordinates);
  const auto count = to_size(rows.import.owned_nodes());
  nodes.coordinates = Kokkos::subview(nodes.coordinates, std::make_pair(std::size_t(0), count), Kokkos::ALL);
  const auto cut = [](auto& view, std::size_t end) {
    if (view.extent(0) > 0) view = Kokkos::subview(view, std::make_pair(std::size_t(0), end));
  };
  cut(nodes.first_row, count + 1);
  cut(nodes.row_component, to_size(rows.owned));
  return nodes;
}

/// Where an equation stands in its owner's finest level.
template <class ExecutionSpace>
struct FinestPlaces {
  Kokkos::View<GlobalOrdinal*, ExecutionSpace>
      numbers;                                 ///< node * components + component: -1 without equation
  Kokkos::View<float*, ExecutionSpace> scales; ///< the same: of the row
};

template <class ExecutionSpace>
struct PlaceOwned {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Ordinal*, ExecutionSpace> old_to_new;
  Kokkos::View<const float*, ExecutionSpace> scale;
  GlobalOrdinal first; ///< number of this rank's first row
  FinestPlaces<ExecutionSpace> places;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int c = 0; c < equations.components; ++c) {
      const Ordinal at = node * equations.components + c;
      const bool none = equations.removed && equations.is_constrained(node, c);
      const Ordinal row = none ? -1 : old_to_new(equations.equation(node, c));
      places.numbers(at) = none ? -1 : first + row;
      places.scales(at) = none ? 0.0f : scale(row);
    }
  }
};

/// Collective: the places of all local nodes' equations.
template <class ExecutionSpace>
FinestPlaces<ExecutionSpace> finest_places(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows,
                                           const solvers::multigrid::detail::FineOrder<ExecutionSpace>& order,
                                           const sparse::Floats<ExecutionSpace>& scale, GlobalOrdinal first) {
  const int components = rows.equations().components;
  const auto size = static_cast<std::size_t>(rows.import.owned_nodes() + rows.import.ghost_nodes()) *
                    static_cast<std::size_t>(components);
  FinestPlaces<ExecutionSpace> places;
  agree(rows.import.ranks(), [&] {
    places = {allocate<decltype(places.numbers)>(exec, "Tessera::Multigrid::numbers", size),
              allocate<decltype(places.scales)>(exec, "Tessera::Multigrid::scales", size)};
  });
  Kokkos::parallel_for("Tessera::Multigrid::place_owned",
                       sparse::Range<ExecutionSpace>(exec, 0, rows.import.owned_nodes()),
                       PlaceOwned<ExecutionSpace>{rows.equations(), order.old_to_new, scale, first, places});
  exchange_both(exec, rows.import, components, places.numbers, components, places.scales);
  return places;
}

/// The rows of the nodes that other ranks read, ascending.
template <class ExecutionSpace>
std::vector<Ordinal> rows_of_sent_nodes(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows,
                                        const FinestPlaces<ExecutionSpace>& places, GlobalOrdinal first) {
  const SentValues<ExecutionSpace> sent{rows.import.sent(), rows.equations().components};
  const auto count = static_cast<Ordinal>(rows.import.nodes_sent()) * sent.components;
  const auto numbers =
      allocate<Kokkos::View<GlobalOrdinal*, ExecutionSpace>>(exec, "Tessera::Multigrid::sent_numbers", count);
  const auto all = places.numbers;
  Kokkos::parallel_for(
      "Tessera::Multigrid::sent_numbers", sparse::Range<ExecutionSpace>(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal i) { numbers(i) = all(sent.place(i)); });
  exec.fence("Tessera::Multigrid::sent_numbers");
  std::vector<Ordinal> list;
  for (const GlobalOrdinal number : list_of(numbers))
    if (number >= 0) list.push_back(static_cast<Ordinal>(number - first));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Scaled entries of shared rows in columns of ghosts, whose places follow those of shared rows.
template <class ExecutionSpace>
struct FillFinestCouplings {
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<const double*, ExecutionSpace> values;
  Ordinal owned;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared, new_to_old;
  Kokkos::View<const float*, ExecutionSpace> scale, ghost_scale;
  Kokkos::View<const Ordinal*, ExecutionSpace> ghost_of_equation; ///< local equation - owned: ghost
  sparse::Matrix<ExecutionSpace, double> entries;

  KOKKOS_FUNCTION Offset length(Ordinal k) const {
    const Ordinal row = new_to_old(shared(k));
    Offset first = graph.row_map(row + 1); // columns ascend: those of ghosts come last
    while (first > graph.row_map(row) && graph.columns(first - 1) >= owned) --first;
    return graph.row_map(row + 1) - first;
  }
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const Ordinal row = new_to_old(shared(k));
    const double own = static_cast<double>(scale(shared(k)));
    Offset to = entries.graph.row_map(k), from = graph.row_map(row + 1) - length(k);
    for (; from < graph.row_map(row + 1); ++from, ++to) {
      const Ordinal equation = graph.columns(from) - owned;
      entries.graph.columns(to) = entries.rows() + ghost_of_equation(equation);
      entries.values(to) = own * values(from) * static_cast<double>(ghost_scale(equation));
    }
    // Ghosts of one owner ascend by its level's order, not by the numbers of equations.
    sort_entries(entries.graph.columns, entries.values, entries.graph.row_map(k), to);
  }
};

template <class ExecutionSpace>
struct FinestLengths {
  FillFinestCouplings<ExecutionSpace> fill;
  KOKKOS_FUNCTION Offset operator()(Ordinal k) const { return fill.length(k); }
};

template <class ExecutionSpace>
struct CouplingNotFinite {
  sparse::Matrix<ExecutionSpace, double> entries;
  KOKKOS_FUNCTION bool operator()(Ordinal k) const {
    return entries.any_entry(k, [](Ordinal, double value) { return !Kokkos::isfinite(value); });
  }
};

/// Collective: the couplings of the finest level. \throws SolverError for an entry that is not finite
/// \param first number of this rank's first row among those of all ranks' finest levels
template <class ExecutionSpace>
CouplingMatrix<ExecutionSpace>
finest_couplings(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows,
                 const solvers::multigrid::detail::FineOrder<ExecutionSpace>& order,
                 const sparse::Floats<ExecutionSpace>& scale, GlobalOrdinal first) {
  const auto places = finest_places(exec, rows, order, scale, first);
  const auto components = to_size(rows.equations().components);
  const auto ghost_places =
      std::make_pair(to_size(rows.import.owned_nodes()) * components, places.numbers.extent(0));
  const auto numbers = list_of(Kokkos::subview(places.numbers, ghost_places));
  const auto scales = list_of(Kokkos::subview(places.scales, ghost_places));
  struct Ghost {
    GlobalOrdinal number;
    int owner;
  };
  std::vector<Ghost> ghosts; // in the order of equations
  std::vector<float> ghost_scale;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0) continue;
    ghosts.push_back({numbers[i], rows.ghost_owners(i / components)});
    ghost_scale.push_back(scales[i]);
  }
  std::vector<Ghost> sorted = ghosts;
  std::sort(sorted.begin(), sorted.end(), [](const Ghost& a, const Ghost& b) { return a.number < b.number; });
  std::vector<GlobalOrdinal> sorted_numbers;
  std::vector<int> owners;
  for (const Ghost& ghost : sorted) {
    sorted_numbers.push_back(ghost.number);
    owners.push_back(ghost.owner);
  }
  std::vector<Ordinal> ghost_of_equation;
  for (const Ghost& ghost : ghosts)
    ghost_of_equation.push_back(
        static_cast<Ordinal>(std::lower_bound(sorted_numbers.begin(), sorted_numbers.end(), ghost.number) -
                             sorted_numbers.begin()));
  const auto sent = agree(rows.import.ranks(), [&] { return rows_of_sent_nodes(exec, rows, places, first); });
  CouplingMatrix<ExecutionSpace> result{
      share_rows(exec, rows.import.ranks(), first, sent, sorted_numbers, owners), {}};
  agree(rows.import.ranks(), [&] {
    const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
    FillFinestCouplings<ExecutionSpace> fill{
        rows.system.graph(),
        rows.system.values(),
        rows.owned,
        result.rows.rows,
        order.new_to_old,
        scale,
        list_on(exec, "Tessera::Multigrid::ghost_scale", ghost_scale),
        list_on(exec, "Tessera::Multigrid::ghost_of_equation", ghost_of_equation),
        {}};
    result.entries.graph.row_map = allocate<sparse::Offsets<ExecutionSpace>>(
        exec, "Tessera::Multigrid::couplings", result.rows.count() + 1);
    const auto found =
        sparse::scan_lengths(work, result.entries.graph.row_map, FinestLengths<ExecutionSpace>{fill});
    result.entries.graph.columns =
        allocate<sparse::Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::couplings", found.sum);
    result.entries.values =
        allocate<sparse::Doubles<ExecutionSpace>>(exec, "Tessera::Multigrid::couplings", found.sum);
    fill.entries = result.entries;
    Kokkos::parallel_for("Tessera::Multigrid::couplings",
                         sparse::Range<ExecutionSpace>(exec, 0, result.rows.count()), fill);
    const Ordinal k =
        tessera::detail::first_offender(exec, "Tessera::Multigrid::check_couplings", result.rows.count(),
                                        CouplingNotFinite<ExecutionSpace>{result.entries});
    if (k == tessera::detail::no_offender) return;
    Ordinal row = 0;
    Kokkos::deep_copy(row, Kokkos::subview(order.new_to_old, result.rows.shared[to_size(k)]));
    throw SolverError("Multigrid: row " + std::to_string(row) +
                      " of the matrix has an entry that is not finite");
  });
  return result;
}

} // namespace tessera::distributed::detail
