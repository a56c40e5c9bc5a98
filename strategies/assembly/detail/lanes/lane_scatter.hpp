// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From an element matrix in scratch to the values and right-hand side of the system, by all lanes that share
/// the element.

#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_workspace.hpp>
#include <tessera/strategies/common/conflicts.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Adds to values of the system, atomically or alone.
template <class ExecutionSpace, class Scalar>
struct ValueAdder {
  using execution_space = ExecutionSpace;
  Scalar* values;
  bool atomic;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(Offset index, Scalar value) const {
    if (atomic)
      AtomicAdd<ExecutionSpace>{}(values[index], value);
    else
      values[index] += value;
  }
};

/// Adds the node rows `begin` ... of an element, in `work.of.matrix`, to the values: lanes take neighbouring
/// columns, and each the rows of all components, so that a warp writes runs of consecutive values. Offsets
/// are read in the order of `PositionOrder::rows`.
///
/// Values of constrained columns times the prescribed values are taken from `work.load`.
/// \param p lane of a pack of elements \param element its place in the plan's order
template <int Rows, class Lanes, class Workspace, class Input, class System, class Adder, class SlotOf>
KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Lanes& lanes, Workspace& work, const Input& input,
                                          const System& system, const Adder& add, int p, Ordinal element,
                                          int begin, const SlotOf& slot_of) {
  constexpr int c = Workspace::components, columns = Workspace::columns;
  using Scalar = std::remove_reference_t<decltype(*add.values)>;
  using ExecutionSpace = typename Adder::execution_space;
  const int rows = Kokkos::min(Rows, Workspace::nodes - begin);
  const auto entry = [&](int r, int column) { return lane_of(work.of.matrix[r][column], p); };

  if (!work.any_constrained(p)) {
    lanes.for_each(rows * columns, [&](int item) {
      const int row = item / columns, column = item % columns, i = begin + row;
      const int row_components = Workspace::Basis::components_at(i);
      if (column % c >= Workspace::Basis::components_at(column / c)) return;
      const Ordinal length = work.row_length[p][i];
      Scalar* const values =
          add.values + work.row_begin[p][i] + input.positions(element, slot_of(i, column / c)) + column % c;
      if (add.atomic) {
        for (int a = 0; a < row_components; ++a)
          AtomicAdd<ExecutionSpace>{}(values[a * length], entry(row * c + a, column));
      } else {
        // All old values are read before any is written, to have the reads under way together.
        Scalar sum[c];
        for (int a = 0; a < row_components; ++a) sum[a] = values[a * length];
        for (int a = 0; a < row_components; ++a) values[a * length] = sum[a] + entry(row * c + a, column);
      }
    });
    return;
  }

  const auto& equations = system.equations;
  lanes.for_each(rows * c, [&](int r) {
    Scalar sum = 0;
    for (int column = 0; column < columns; ++column)
      if (const Ordinal node = work.node[p][column / c]; equations.is_constrained(node, column % c))
        sum += entry(r, column) * Scalar(equations.prescribed(node * c + column % c));
    auto& load = work.load[begin * c + r];
    if constexpr (lanes_v<typename Workspace::real_type> == 1)
      load -= sum;
    else
      load.set(p, load[p] - sum);
  });
  lanes.for_each(rows * columns, [&](int item) {
    const int i = begin + item / columns, j = item % columns / c, b = item % c;
    if (equations.is_constrained(work.node[p][j], b)) return;
    for (int a = 0; a < c; ++a) {
      if (equations.is_constrained(work.node[p][i], a)) continue;
      const Offset at = work.row_begin[p][i] +
                        static_cast<Offset>(equations.rank(work.node[p][i], a)) * work.row_length[p][i] +
                        input.positions(element, slot_of(i, j)) + equations.rank(work.node[p][j], b);
      add(at, Scalar(entry(item / columns * c + a, item % columns)));
    }
  });
}

/// Adds `work.load` to the right-hand side, which has been set to zero.
template <class Lanes, class Workspace, class System>
KOKKOS_FORCEINLINE_FUNCTION void add_load(const Lanes& lanes, const Workspace& work, const System& system,
                                          bool atomic, int p) {
  constexpr int c = Workspace::components;
  using Scalar = typename decltype(system.rhs)::non_const_value_type;
  using ExecutionSpace = typename decltype(system.rhs)::execution_space;
  lanes.for_each(Workspace::columns, [&](int r) {
    const Ordinal node = work.node[p][r / c];
    if (system.equations.is_constrained(node, r % c)) return;
    auto& target = system.rhs(system.equations.equation(node, r % c));
    const Scalar value = lane_of(work.load[r], p);
    if (atomic)
      AtomicAdd<ExecutionSpace>{}(target, value);
    else
      target += value;
  });
}

} // namespace TESSERA_KERNELS::assembly::detail
