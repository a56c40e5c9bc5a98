// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An assembled system under linear constraints: unknowns that follow from others are eliminated.

#include <tessera/core/space/linear_constraints.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The row of each degree of freedom; -1 where the system has none, or one that is zero.
template <class ExecutionSpace>
struct RowsOfDofs {
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> rows;

  KOKKOS_FUNCTION void operator()(Ordinal dof) const {
    const Ordinal node = dof / equations.components;
    const int c = dof % equations.components;
    const bool none = equations.follows(node, c) || (equations.removed && equations.is_constrained(node, c));
    rows(dof) = none ? -1 : equations.equation(node, c);
  }
};

} // namespace detail

/// A system K x = f whose unknowns are x = T y + g: the unknowns y satisfy T'KT y = T'(f - K g). It has the
/// rows of K; those of dependent unknowns hold their diagonal alone, and the right-hand side zero. Symmetric
/// and positive definite where K is so on what the constraints leave.
///
/// Made on the host, with a sort of the rows that constraints touch.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConstrainedSystem {
public:
  using System = LinearSystem<double, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// \param space a `FunctionSpace` or `MixedSpace` that `system` was assembled on
  /// \param constraints made with the space's own constraints as prescribed values, and its `num_dofs()`
  /// \param loads_beyond loads on unknowns beyond the space's
  /// \throws ArgumentError for constraints of another number of degrees of freedom, a term of a constrained
  ///   one, of a linear component between corners or one beyond the space's that no equation determines, and
  ///   loads on such a one
  template <class Space>
  ConstrainedSystem(const Space& space, const System& system, const LinearConstraints& constraints,
                    const std::map<Ordinal, double>& loads_beyond = {})
      : constraints_(constraints), rows_(rows_of(space)) {
    if (constraints.num_dofs() != static_cast<Ordinal>(rows_.size()))
      throw ArgumentError("ConstrainedSystem: constraints on " + std::to_string(constraints.num_dofs()) +
                          " degrees of freedom, the space has " + std::to_string(rows_.size()));
    const auto row_map = on_host(system.graph().row_map);
    const auto columns = on_host(system.graph().columns);
    const auto values = on_host(system.values()), rhs = on_host(system.rhs());
    const Ordinal count = system.num_rows();
    const std::vector<Combination> unknowns = combinations(count);
    Rows rows(static_cast<std::size_t>(count));
    std::vector<double> load(static_cast<std::size_t>(count), 0.0);
    for (Ordinal i = 0; i < count; ++i) {
      double left = rhs(i); // of f - K g
      for (Offset k = row_map(i); k < row_map(i + 1); ++k) {
        const Combination& column = unknowns[to_size(columns(k))];
        left -= values(k) * column.value;
        for (const auto& [a, of_a] : unknowns[to_size(i)].terms)
          for (const auto& [b, of_b] : column.terms)
            rows[to_size(a)].emplace_back(b, of_a * values(k) * of_b);
        if (columns(k) == i && dependent(unknowns, i)) rows[to_size(i)].emplace_back(i, values(k));
      }
      for (const auto& [a, factor] : unknowns[to_size(i)].terms) load[to_size(a)] += factor * left;
    }
    for (const auto& [dof, value] : loads_beyond)
      for (const LinearTerm& term : dependent_beyond(dof).terms)
        load[to_size(row_of(term.dof))] += term.factor * value;
    system_ = assembled(system.graph(), rows, load);
  }

  /// The system of the independent unknowns.
  const System& system() const { return *system_; }

  /// Replaces the dependent entries of a solution by what they follow from.
  void recover(const Vector& x) const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (const auto& [dof, combination] : constraints_.dependents())
      if (dof < constraints_.num_dofs()) host(row_of(dof)) = value_of(combination, host);
    Kokkos::deep_copy(x, host);
  }

  /// Values of the unknowns beyond the space's, from a solution.
  std::map<Ordinal, double> beyond(const Vector& x) const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    std::map<Ordinal, double> found;
    for (const auto& [dof, combination] : constraints_.dependents())
      if (dof >= constraints_.num_dofs()) found[dof] = value_of(combination, host);
    return found;
  }

private:
  /// Of a row's unknown: rows and factors of independent ones.
  struct Combination {
    std::vector<std::pair<Ordinal, double>> terms;
    double value = 0.0;
  };
  using Rows = std::vector<std::vector<std::pair<Ordinal, double>>>; ///< column and value

  template <class View>
  static auto on_host(const View& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }

  template <class Space>
  static std::vector<Ordinal> rows_of(const Space& space) {
    const ExecutionSpace exec;
    const auto rows = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
        exec, "Tessera::ConstrainedSystem::rows", space.num_dofs());
    Kokkos::parallel_for("Tessera::ConstrainedSystem::rows",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.num_dofs()),
                         detail::RowsOfDofs<ExecutionSpace>{space.equations(exec), rows});
    exec.fence("Tessera::ConstrainedSystem::rows");
    const auto host = on_host(rows);
    return std::vector<Ordinal>(host.data(), host.data() + host.extent(0));
  }

  Ordinal row_of(Ordinal dof) const {
    const Ordinal row = dof < static_cast<Ordinal>(rows_.size()) ? rows_[to_size(dof)] : -1;
    if (row < 0)
      throw ArgumentError("ConstrainedSystem: degree of freedom " + std::to_string(dof) +
                          " is no unknown of the system, but others follow from it");
    return row;
  }

  static bool dependent(const std::vector<Combination>& unknowns, Ordinal row) {
    const auto& terms = unknowns[to_size(row)].terms;
    return terms.empty() || terms.front().first != row;
  }

  const LinearCombination& dependent_beyond(Ordinal dof) const {
    const auto found = constraints_.dependents().find(dof);
    if (found == constraints_.dependents().end())
      throw ArgumentError("ConstrainedSystem: a load on degree of freedom " + std::to_string(dof) +
                          ", which no constraint joins to the space's");
    return found->second;
  }

  std::vector<Combination> combinations(Ordinal count) const {
    std::vector<Combination> unknowns(to_size(count));
    for (Ordinal row = 0; row < count; ++row) unknowns[to_size(row)].terms = {{row, 1.0}};
    for (const auto& [dof, combination] : constraints_.dependents()) {
      Combination of_rows{{}, combination.value};
      for (const LinearTerm& term : combination.terms)
        of_rows.terms.emplace_back(row_of(term.dof), term.factor);
      if (dof < constraints_.num_dofs()) unknowns[to_size(row_of(dof))] = std::move(of_rows);
    }
    return unknowns;
  }

  template <class HostVector>
  double value_of(const LinearCombination& combination, const HostVector& x) const {
    double value = combination.value;
    for (const LinearTerm& term : combination.terms) value += term.factor * x(row_of(term.dof));
    return value;
  }

  /// Sorts the entries of each row and adds up those of one column.
  static void combine(Rows& rows) {
    for (auto& row : rows) {
      std::stable_sort(row.begin(), row.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      std::size_t kept = 0;
      for (std::size_t k = 0; k < row.size(); ++k)
        if (kept > 0 && row[kept - 1].first == row[k].first)
          row[kept - 1].second += row[k].second;
        else
          row[kept++] = row[k];
      row.resize(kept);
    }
  }

  static System assembled(SparsityGraph<ExecutionSpace> graph, Rows& rows, const std::vector<double>& load) {
    combine(rows);
    std::size_t entries = 0;
    for (const auto& row : rows) entries += row.size();
    const ExecutionSpace exec;
    graph.row_map =
        allocate<decltype(graph.row_map)>(exec, "Tessera::ConstrainedSystem::row_map", rows.size() + 1);
    graph.columns = allocate<decltype(graph.columns)>(exec, "Tessera::ConstrainedSystem::columns", entries);
    graph.own = false;
    const System system(exec, graph);
    const auto row_map = Kokkos::create_mirror_view(graph.row_map);
    const auto columns = Kokkos::create_mirror_view(graph.columns);
    const auto values = Kokkos::create_mirror_view(system.values());
    const auto rhs = Kokkos::create_mirror_view(system.rhs());
    Offset entry = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row_map(i) = entry;
      for (const auto& [column, value] : rows[i]) {
        columns(entry) = column;
        values(entry++) = value;
      }
      rhs(i) = load[i];
    }
    row_map(rows.size()) = entry;
    Kokkos::deep_copy(graph.row_map, row_map);
    Kokkos::deep_copy(graph.columns, columns);
    Kokkos::deep_copy(system.values(), values);
    Kokkos::deep_copy(system.rhs(), rhs);
    return system;
  }

  LinearConstraints constraints_;
  std::vector<Ordinal> rows_; ///< of the space's degrees of freedom; -1: none
  std::optional<System> system_;
};

} // namespace tessera
