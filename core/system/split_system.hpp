// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An assembled matrix by two fields, as velocity and pressure: four blocks, for solvers that treat them
/// apart.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// To which field an equation belongs, and its number there.
template <class ExecutionSpace>
struct FieldNumbers {
  int split;                                        ///< components of the first field
  Kokkos::View<Ordinal*, ExecutionSpace> component; ///< of each equation
  Kokkos::View<Ordinal*, ExecutionSpace> before;    ///< equation (+1): equations of the first field before it

  KOKKOS_FUNCTION int field(Ordinal equation) const { return component(equation) < split ? 0 : 1; }
  KOKKOS_FUNCTION Ordinal number(Ordinal equation) const {
    return field(equation) == 0 ? before(equation) : equation - before(equation);
  }
};

template <class ExecutionSpace>
struct FieldNumbering {
  FieldNumbers<ExecutionSpace> numbers;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> of_field[2]; ///< equations, ascending

  struct Components {}; ///< of a node's equations
  struct Number {};
  struct List {};
  KOKKOS_FUNCTION void operator()(Components, Ordinal node) const {
    for (int c = 0; c < equations.components; ++c)
      if (!equations.removed || !equations.is_constrained(node, c))
        numbers.component(equations.equation(node, c)) = c;
  }
  KOKKOS_FUNCTION void operator()(Number, Ordinal equation, Ordinal& count, bool final) const {
    if (final) numbers.before(equation) = count;
    if (equation < equations.count && numbers.field(equation) == 0) ++count;
  }
  KOKKOS_FUNCTION void operator()(List, Ordinal equation) const {
    of_field[numbers.field(equation)](numbers.number(equation)) = equation;
  }
};

/// One block of rows of one field: its pattern, and where its values are in the whole matrix.
template <class ExecutionSpace>
struct FieldBlock {
  FieldNumbers<ExecutionSpace> numbers;
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<Ordinal*, ExecutionSpace> rows; ///< equations of the rows' field
  int field;                                   ///< of the columns
  Kokkos::View<Offset*, ExecutionSpace> row_map;
  Kokkos::View<Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Offset*, ExecutionSpace> source;

  struct Scan {};
  struct Fill {};
  KOKKOS_FUNCTION void operator()(Scan, Ordinal row, Offset& count, bool final) const {
    if (final && row == 0) row_map(0) = 0;
    for (Offset k = graph.row_map(rows(row)); k < graph.row_map(rows(row) + 1); ++k)
      if (numbers.field(graph.columns(k)) == field) ++count;
    if (final) row_map(row + 1) = count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal row) const {
    Offset at = row_map(row);
    for (Offset k = graph.row_map(rows(row)); k < graph.row_map(rows(row) + 1); ++k)
      if (numbers.field(graph.columns(k)) == field) {
        columns(at) = numbers.number(graph.columns(k));
        source(at++) = k;
      }
  }
};

/// The first row of each node in a field.
template <class ExecutionSpace>
struct FirstRowsOfNodes {
  FieldNumbers<ExecutionSpace> numbers;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> rows;
  int field;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    const bool end = static_cast<std::size_t>(node) + 1 == rows.extent(0);
    const Ordinal first = end ? equations.count : equations.first_equation(node);
    rows(node) = field == 0 ? numbers.before(first) : first - numbers.before(first);
  }
};

/// The component of each row of a field, from the field's first on.
template <class ExecutionSpace>
struct ComponentsOfRows {
  FieldNumbers<ExecutionSpace> numbers;
  Kokkos::View<Ordinal*, ExecutionSpace> equations, components;
  int first;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    components(row) = numbers.component(equations(row)) - first;
  }
};

/// to(i) = from(index(i)), or to(index(i)) = from(i).
template <class To, class From, class Index>
struct CopyByIndex {
  To to;
  From from;
  Index index;
  bool scatter = false;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (scatter)
      to(index(i)) = from(i);
    else
      to(i) = from(index(i));
  }
};

} // namespace detail

/// The matrix of a system in four blocks: rows and columns of a first field, the components before `split`,
/// and of a second one, those from it on. All views are in memory of the execution space, and made once; the
/// blocks' values follow the system's by `update`.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class SplitSystem {
public:
  using System = LinearSystem<Scalar, ExecutionSpace>;
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;
  using Indices = Kokkos::View<const Ordinal*, ExecutionSpace>;

  /// Compressed rows: a row for each equation of one field, columns numbered within the other.
  struct Block {
    Kokkos::View<const Offset*, ExecutionSpace> row_map; ///< row (+1)
    Indices columns;                                     ///< ascending in each row
    ConstVector values;
  };

  /// Of the system's present values. \throws ArgumentError unless 0 < split < the system's components;
  /// OutOfMemoryError
  SplitSystem(const ExecutionSpace& exec, const System& system, int split) : graph_(system.graph()) {
    const Equations<ExecutionSpace>& equations = graph_.equations;
    if (split < 1 || split >= equations.components)
      throw ArgumentError("SplitSystem: the first field has " + std::to_string(split) + " of " +
                          std::to_string(equations.components) + " components");
    number(exec, split);
    for (int field = 0; field < 2; ++field)
      for (int other = 0; other < 2; ++other) make_block(exec, field, other);
    update(exec, system);
  }

  /// Takes the values of the system, or of another on the same graph, on `exec` without waiting for it.
  /// \throws ArgumentError for one on another graph
  void update(const ExecutionSpace& exec, const System& system) const {
    if (system.graph().row_map.data() != graph_.row_map.data())
      throw ArgumentError("SplitSystem: the system has another graph than the one that was split");
    for (int field = 0; field < 2; ++field)
      for (int other = 0; other < 2; ++other)
        copy(exec, values_[field][other], system.values(), pattern_[field][other].source, false);
  }

  /// Rows of one field, 0 or 1, columns of another.
  Block block(int field, int other) const {
    return {pattern_[field][other].row_map, pattern_[field][other].columns, values_[field][other]};
  }

  const SparsityGraph<ExecutionSpace>& graph() const { return graph_; }
  int components(int field) const {
    return field == 0 ? numbers_.split : graph_.equations.components - numbers_.split;
  }
  std::size_t rows(int field) const { return of_field_[field].extent(0); }
  /// The equation of each row of a field, ascending.
  Indices equations(int field) const { return of_field_[field]; }

  /// Node (+1): its first row in a field; nodes without equations there have none.
  Indices first_rows(const ExecutionSpace& exec, int field) const {
    const auto rows = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
        exec, "Tessera::SplitSystem::first_rows", nodes() + 1);
    for_all(exec, nodes() + 1,
            detail::FirstRowsOfNodes<ExecutionSpace>{numbers_, graph_.equations, rows, field});
    return rows;
  }
  /// The component of each row of a field, 0 for the field's first.
  Indices row_components(const ExecutionSpace& exec, int field) const {
    const auto components = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
        exec, "Tessera::SplitSystem::row_components", rows(field));
    for_all(exec, static_cast<Ordinal>(rows(field)),
            detail::ComponentsOfRows<ExecutionSpace>{numbers_, of_field_[field], components,
                                                     field == 0 ? 0 : numbers_.split});
    return components;
  }

  /// A field's entries of a vector of all equations. \throws ArgumentError if extents do not fit
  void take(const ExecutionSpace& exec, int field, const ConstVector& all, const Vector& part) const {
    check(field, all.extent(0), part.extent(0));
    copy(exec, part, all, of_field_[field], false);
  }
  /// Puts them back. \throws as `take`
  void put(const ExecutionSpace& exec, int field, const ConstVector& part, const Vector& all) const {
    check(field, all.extent(0), part.extent(0));
    copy(exec, all, part, of_field_[field], true);
  }

private:
  template <class... Tag>
  using Policy = Kokkos::RangePolicy<Tag..., ExecutionSpace, Kokkos::IndexType<Ordinal>>;

  Ordinal nodes() const {
    const Equations<ExecutionSpace>& equations = graph_.equations;
    return equations.removed ? static_cast<Ordinal>(equations.first.extent(0)) - 1
                             : equations.count / equations.components;
  }
  template <class Kernel>
  static void for_all(const ExecutionSpace& exec, Ordinal count, const Kernel& kernel) {
    Kokkos::parallel_for("Tessera::SplitSystem", Policy<>(exec, 0, count), kernel);
  }

  void number(const ExecutionSpace& exec, int split) {
    using Numbering = detail::FieldNumbering<ExecutionSpace>;
    using List = Kokkos::View<Ordinal*, ExecutionSpace>;
    const Ordinal count = graph_.num_rows();
    numbers_ = {split, allocate<List>(exec, "Tessera::SplitSystem::component", count),
                allocate<List>(exec, "Tessera::SplitSystem::before", count + 1)};
    Numbering numbering{numbers_, graph_.equations, {}};
    Kokkos::parallel_for("Tessera::SplitSystem::components",
                         Policy<typename Numbering::Components>(exec, 0, nodes()), numbering);
    Ordinal first = 0;
    Kokkos::parallel_scan("Tessera::SplitSystem::number",
                          Policy<typename Numbering::Number>(exec, 0, count + 1), numbering, first);
    of_field_[0] = allocate<List>(exec, "Tessera::SplitSystem::equations", first);
    of_field_[1] = allocate<List>(exec, "Tessera::SplitSystem::equations", count - first);
    for (int field = 0; field < 2; ++field) numbering.of_field[field] = of_field_[field];
    Kokkos::parallel_for("Tessera::SplitSystem::list", Policy<typename Numbering::List>(exec, 0, count),
                         numbering);
  }

  void make_block(const ExecutionSpace& exec, int field, int other) {
    using Pattern = detail::FieldBlock<ExecutionSpace>;
    const auto count = static_cast<Ordinal>(rows(field));
    Pattern& pattern = pattern_[field][other];
    pattern = {numbers_, graph_, of_field_[field], other, {}, {}, {}};
    pattern.row_map = allocate_zeroed<Kokkos::View<Offset*, ExecutionSpace>>(
        exec, "Tessera::SplitSystem::row_map", count + 1);
    Offset entries = 0;
    Kokkos::parallel_scan("Tessera::SplitSystem::scan", Policy<typename Pattern::Scan>(exec, 0, count),
                          pattern, entries);
    pattern.columns =
        allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::SplitSystem::columns", entries);
    pattern.source =
        allocate<Kokkos::View<Offset*, ExecutionSpace>>(exec, "Tessera::SplitSystem::source", entries);
    Kokkos::parallel_for("Tessera::SplitSystem::fill", Policy<typename Pattern::Fill>(exec, 0, count),
                         pattern);
    values_[field][other] = allocate<Vector>(exec, "Tessera::SplitSystem::values", entries);
  }

  template <class To, class From, class Index>
  static void copy(const ExecutionSpace& exec, const To& to, const From& from, const Index& index,
                   bool scatter) {
    Kokkos::parallel_for(
        "Tessera::SplitSystem::copy",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, index.extent(0)),
        detail::CopyByIndex<To, From, Index>{to, from, index, scatter});
  }
  void check(int field, std::size_t all, std::size_t part) const {
    if (all != to_size(graph_.num_rows()) || part != rows(field))
      throw ArgumentError("SplitSystem: vectors have " + std::to_string(all) + " and " +
                          std::to_string(part) + " entries, and need " + std::to_string(graph_.num_rows()) +
                          " and " + std::to_string(rows(field)));
  }

  SparsityGraph<ExecutionSpace> graph_;
  detail::FieldNumbers<ExecutionSpace> numbers_;
  Kokkos::View<Ordinal*, ExecutionSpace> of_field_[2];
  detail::FieldBlock<ExecutionSpace> pattern_[2][2];
  Vector values_[2][2];
};

} // namespace tessera
