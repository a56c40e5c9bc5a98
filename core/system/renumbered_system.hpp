// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A system in an application's own numbers of equations.

#include <tessera/core/space/equation_table.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// Sums of some entries each, in a fixed order.
template <class ExecutionSpace>
struct EntrySums {
  Kokkos::View<Offset*, ExecutionSpace> offsets, sources;

  template <class Scalar>
  void form(const char* label, const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& from,
            const Kokkos::View<Scalar*, ExecutionSpace>& to) const {
    const EntrySums sums = *this;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, to.extent(0)),
        KOKKOS_LAMBDA(std::int64_t k) {
          Scalar sum(0);
          for (Offset s = sums.offsets(k); s < sums.offsets(k + 1); ++s) sum += from(sums.sources(s));
          to(k) = sum;
        });
  }
};

/// Row of a graph: the application's equation, or −1 for rows of constrained degrees of freedom.
/// \throws ArgumentError where table and constraints contradict each other
template <class ExecutionSpace>
std::vector<Ordinal> equation_of_row(const SparsityGraph<ExecutionSpace>& graph,
                                     const EquationTable<ExecutionSpace>& table) {
  if (table.mesh_id() != graph.mesh_id || table.components() != graph.equations.components)
    throw ArgumentError(
        "RenumberedSystem: the table was made for another mesh or number of components than the "
        "graph");
  const auto on_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  Equations<Kokkos::DefaultHostExecutionSpace> equations;
  equations.components = graph.equations.components;
  equations.constrained = graph.equations.constrained;
  equations.removed = graph.equations.removed;
  equations.mask = on_host(graph.equations.mask);
  equations.first = on_host(graph.equations.first);
  std::vector<Ordinal> result(static_cast<std::size_t>(graph.num_rows()), -1);
  for (std::size_t dof = 0; dof < table.on_host().size(); ++dof) {
    const Ordinal node = static_cast<Ordinal>(dof) / equations.components, number = table.on_host()[dof];
    const int component = static_cast<int>(dof) % equations.components;
    const bool constrained = equations.is_constrained(node, component);
    if (number == EquationTable<ExecutionSpace>::absent) continue;
    if (constrained != (number < 0))
      throw ArgumentError(
          "RenumberedSystem: component " + std::to_string(component) + " of node " + std::to_string(node) +
          (constrained
               ? " is constrained in the space, and has equation " + std::to_string(number) + " in the table"
               : " has no equation in the table, and is not "
                 "constrained in the space (EquationTable::constrain)"));
    if (!constrained) result[static_cast<std::size_t>(equations.equation(node, component))] = number;
  }
  return result;
}

} // namespace detail

/// The matrix and right-hand side of a system in the numbers of an `EquationTable`. Any strategy assembles
/// the system; `update` brings what it holds into these numbers, where equations that several degrees of
/// freedom have are their sums. Rows and columns of constrained degrees of freedom are left out; equations
/// without a degree of freedom have empty rows.
///
/// Made on the host, once for a mesh and its constraints; 16 bytes an entry beside the matrix.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class RenumberedSystem {
public:
  using Source = LinearSystem<Scalar, ExecutionSpace>;
  using Values = typename Source::Values;

  /// Shares the source's views, and takes over what they hold.
  /// \throws ArgumentError for a table of another mesh or of more equations than 32-bit numbers can end, or
  ///         where table and constraints contradict each other; OutOfMemoryError naming the equations
  RenumberedSystem(const EquationTable<ExecutionSpace>& table, const Source& source,
                   const ExecutionSpace& exec = default_instance<ExecutionSpace>())
      : source_(source) {
    if (table.count() == std::numeric_limits<Ordinal>::max())
      throw ArgumentError("RenumberedSystem: the " + std::to_string(table.count()) +
                          " equations of the table and the end of their rows do not fit 32-bit numbers");
    const std::vector<Ordinal> equation = detail::equation_of_row(source.graph(), table);
    try {
      build(exec, equation, table.count());
    } catch (const std::bad_alloc&) {
      throw OutOfMemoryError("RenumberedSystem: no memory for rows of the " + std::to_string(table.count()) +
                             " equations of the table; the space has " + std::to_string(equation.size()));
    }
    values_ = allocate<Values>(exec, "Tessera::RenumberedSystem::values", columns_.extent(0));
    rhs_ = allocate<Values>(exec, "Tessera::RenumberedSystem::rhs", table.count());
    update(exec);
    exec.fence("Tessera::RenumberedSystem::RenumberedSystem");
  }

  /// Takes over what the source holds, on `exec`; without waiting for it. Allocates nothing.
  void update(const ExecutionSpace& exec) const {
    value_sums_.form("Tessera::RenumberedSystem::values", exec, source_.values(), values_);
    rhs_sums_.form("Tessera::RenumberedSystem::rhs", exec, source_.rhs(), rhs_);
  }

  Ordinal num_rows() const { return static_cast<Ordinal>(rhs_.extent(0)); }
  /// Row (+1): position of its first entry.
  const Kokkos::View<Offset*, ExecutionSpace>& row_map() const { return row_map_; }
  /// Column of each entry, ascending in a row.
  const Kokkos::View<Ordinal*, ExecutionSpace>& columns() const { return columns_; }
  const Values& values() const { return values_; }
  const Values& rhs() const { return rhs_; }

#ifdef TESSERA_HAVE_KOKKOSKERNELS
  /// The matrix as Kokkos Kernels sees it; shares values and graph.
  typename Source::CrsMatrix matrix() const {
    return typename Source::CrsMatrix("Tessera::RenumberedSystem::matrix", num_rows(), num_rows(),
                                      columns_.extent(0), values_, row_map_, columns_);
  }
#endif

private:
  /// \param equation of each of the source's rows, −1 for none
  void build(const ExecutionSpace& exec, const std::vector<Ordinal>& equation, Ordinal count) {
    std::vector<std::vector<Offset>> rows_of(static_cast<std::size_t>(count)); // that add up to an equation
    for (std::size_t row = 0; row < equation.size(); ++row)
      if (equation[row] >= 0) rows_of[static_cast<std::size_t>(equation[row])].push_back(row);
    const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), source_.graph().row_map);
    const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), source_.graph().columns);
    std::vector<Offset> own_rows{0}, value_offsets, value_sources, rhs_offsets{0}, rhs_sources;
    std::vector<Ordinal> own_columns;
    std::vector<std::pair<Ordinal, Offset>> entries; // column, source
    for (const std::vector<Offset>& sources : rows_of) {
      entries.clear();
      for (const Offset row : sources)
        for (Offset k = row_map(row); k < row_map(row + 1); ++k)
          if (const Ordinal column = equation[static_cast<std::size_t>(columns(k))]; column >= 0)
            entries.emplace_back(column, k);
      std::sort(entries.begin(), entries.end());
      for (const auto& [column, source] : entries) {
        if (own_columns.size() == own_rows.back() || own_columns.back() != column) {
          own_columns.push_back(column);
          value_offsets.push_back(value_sources.size());
        }
        value_sources.push_back(source);
      }
      own_rows.push_back(own_columns.size());
      rhs_sources.insert(rhs_sources.end(), sources.begin(), sources.end());
      rhs_offsets.push_back(rhs_sources.size());
    }
    value_offsets.push_back(value_sources.size());
    const auto copy = [&](const char* member, const auto& host) {
      return detail::copy_of(exec, std::string("Tessera::RenumberedSystem::") + member, host);
    };
    row_map_ = copy("row_map", own_rows);
    columns_ = copy("columns", own_columns);
    value_sums_ = {copy("value_offsets", value_offsets), copy("value_sources", value_sources)};
    rhs_sums_ = {copy("rhs_offsets", rhs_offsets), copy("rhs_sources", rhs_sources)};
  }

  Source source_;
  Kokkos::View<Offset*, ExecutionSpace> row_map_;
  Kokkos::View<Ordinal*, ExecutionSpace> columns_;
  detail::EntrySums<ExecutionSpace> value_sums_, rhs_sums_;
  Values values_, rhs_;
};

} // namespace tessera
