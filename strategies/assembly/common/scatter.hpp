// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From one element's matrix and load to the values and right-hand side of the system.

#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>

namespace tessera {

namespace detail {

/// Whether an element has constrained components beside linear ones at nodes that are no corners. Of forms
/// without such components every element is looked at in full if any node of the mesh is constrained.
template <class Form, class Element, class ExecutionSpace>
KOKKOS_FORCEINLINE_FUNCTION bool has_constraints(const Equations<ExecutionSpace>& equations,
                                                 const Ordinal (&node)[Element::nodes]) {
  if constexpr (linear_components_of<Form>() > 0) {
    bool any = false;
    for (int n = 0; n < Element::nodes; ++n)
      any |= ComponentBasis<Form, Element>::is_constrained(equations, node[n], n);
    return any;
  } else {
    return equations.constrained;
  }
}

} // namespace detail

/// Adds one lane of an element's matrix and load to the system of equations; a form's linear components where
/// elements have their functions.
///
/// Constrained rows are left out; entries of constrained columns, times the prescribed values, are taken from
/// the load (paper 1, section 3.3, third treatment).
/// \param local an `ElementSystem`, or `detail::AffineEntries`
/// \param node the element's node numbers
/// \param position `position(i, j)`: see `ElementToValues`
template <class Element, class Kernel, class ExecutionSpace, class Scalar, class Local, class PositionOf,
          class Add>
KOKKOS_FORCEINLINE_FUNCTION void scatter(const Local& local, int lane, const Ordinal (&node)[Element::nodes],
                                         const SystemKernel<ExecutionSpace, Scalar>& system,
                                         const PositionOf& position, const Add& add) {
  constexpr int components = Local::components;
  using Basis = ComponentBasis<Kernel, Element>;
  const auto& equations = system.equations;
  if (!detail::has_constraints<Kernel, Element>(equations, node)) {
    TESSERA_UNROLL_EACH(Local::unrolled_on_gpus, Local::unrolled)
    for (int i = 0; i < Element::nodes; ++i) {
      Scalar* row[components];
      const auto load = local.load_of(i);
      const Ordinal equation =
          linear_components_of<Kernel>() == 0 ? node[i] * components : equations.first_equation(node[i]);
      for (int a = 0; a < Basis::components_at(i); ++a) {
        row[a] = system.values.data() + system.row_map(equation + a);
        add(system.rhs(equation + a), Scalar(lane_of(load(a), lane)));
      }
      TESSERA_UNROLL_EACH(Local::unrolled_on_gpus, Local::unrolled)
      for (int j = 0; j < Element::nodes; ++j) {
        const auto& k = local.entries(i, j);
        const Ordinal first = position(i, j);
        for (int a = 0; a < Basis::components_at(i); ++a)
          for (int b = 0; b < Basis::components_at(j); ++b)
            add(row[a][first + b], Scalar(lane_of(k(a, b), lane)));
      }
    }
    return;
  }
  using tessera::detail::for_indices;
  for_indices<Local::unrolled_if_constrained, Element::nodes>([&](int i) TESSERA_INLINED {
    if (equations.equations_of(node[i]) == 0) return;
    Scalar* row[components] = {};
    Scalar load[components];
    for (int a = 0; a < components; ++a) {
      load[a] = Scalar(lane_of(local.load_of(i)(a), lane));
      if (!equations.is_constrained(node[i], a))
        row[a] = system.values.data() + system.row_map(equations.equation(node[i], a));
    }
    for_indices<Local::unrolled_if_constrained, Element::nodes>([&](int j) TESSERA_INLINED {
      const auto& k = local.entries(i, j);
      for (int b = 0; b < components; ++b) {
        const bool known = equations.is_constrained(node[j], b);
        const Scalar prescribed = known ? Scalar(equations.prescribed(node[j] * components + b)) : Scalar(0);
        for (int a = 0; a < components; ++a) {
          if (row[a] == nullptr) continue;
          const Scalar entry = lane_of(k(a, b), lane);
          if (known)
            load[a] -= entry * prescribed;
          else
            add(row[a][position(i, j) + equations.rank(node[j], b)], entry);
        }
      }
    });
    for (int a = 0; a < components; ++a)
      if (row[a] != nullptr) add(system.rhs(equations.equation(node[i], a)), load[a]);
  });
}

/// Adds elements of packs, none of whose nodes is constrained, to the system. For hosts, where the calling
/// thread owns the rows.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
class LaneScatter {
  using Basis = ComponentBasis<Kernel, Element>;
  static constexpr int components = Kernel::components;
  static constexpr int fewest = Basis::components_at(Element::nodes - 1);

public:
  using Map = ElementToValues<Element, ExecutionSpace>;

  KOKKOS_FORCEINLINE_FUNCTION explicit LaneScatter(const SystemKernel<ExecutionSpace, Scalar>& system)
      : first_(system.equations.removed ? system.equations.first.data() : nullptr),
        row_map_(system.row_map.data()), values_(system.values.data()), rhs_(system.rhs.data()) {}

  /// Adds both halves of a symmetric matrix pair by pair of nodes, as they are stored.
  /// \param node the element's node numbers \param position its entries' in `Map`, row by row
  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Local& local, int lane, const Ordinal* node,
                                       const typename Map::Position* position) const {
    constexpr int nodes = Element::nodes;
    Scalar* row[nodes][components];
    for (int i = 0; i < nodes; ++i) {
      const Ordinal equation = first_ == nullptr ? node[i] * components : first_[node[i]];
      for (int a = 0; a < Basis::components_at(i); ++a) {
        row[i][a] = values_ + row_map_[equation + a];
        rhs_[equation + a] += lane_of(local.load[i](a), lane);
      }
    }
    const auto add = [&](int i, int j, const auto& entry) TESSERA_INLINED {
      const int rows = Basis::components_at(i);
      const auto value = [&](int a, int b) TESSERA_INLINED { return lane_of(entry(a, b), lane); };
      if (Basis::components_at(j) == components)
        add_block<components>(row[i], position[i * nodes + j], rows, value);
      else
        add_block<fewest>(row[i], position[i * nodes + j], rows, value);
    };
    const auto* block = local.block;
    TESSERA_UNROLL(Local::unrolled)
    for (int i = 0; i < nodes; ++i) {
      TESSERA_UNROLL(Local::unrolled)
      for (int j = 0; j < (Local::symmetric ? i : nodes); ++j, ++block) {
        add(i, j, *block);
        if constexpr (Local::symmetric)
          add(j, i, [&](int a, int b) TESSERA_INLINED { return (*block)(b, a); });
      }
      if constexpr (Local::symmetric) add(i, i, *block++);
    }
  }

private:
  template <int Columns, class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void
  add_block(Scalar* const (&row)[components], typename Map::Position position, int rows, const Value& value) {
    for (int a = 0; a < components; ++a) {
      if (a >= rows) break;
      Scalar* const target = row[a] + position;
      Scalar sum[Columns]; // all are read before one is written: the compiler takes two together
      for (int b = 0; b < Columns; ++b) sum[b] = target[b] + value(a, b);
      for (int b = 0; b < Columns; ++b) target[b] = sum[b];
    }
  }

  // Out of the views: the compiler does not know that additions to the system leave those as they are.
  const Ordinal* first_; ///< null: equations have the numbers of nodes and components
  const Offset* row_map_;
  Scalar *values_, *rhs_;
};

} // namespace tessera
