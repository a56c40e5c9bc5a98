#pragma once

/// \file
/// From one element's matrix and load to the values and right-hand side of the system.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>

namespace tessera {

/// Adds one lane of an element system to the system of equations.
///
/// Constrained rows are left out; entries of constrained columns, times the prescribed values, are taken from
/// the load (paper 1, section 3.3, third treatment).
/// \param node the element's node numbers
/// \param position `position(i, j)`: see `ElementToValues`
template <class Element, class ExecutionSpace, class Scalar, class Local, class PositionOf, class Add>
KOKKOS_FORCEINLINE_FUNCTION void scatter(const Local& local, int lane, const Ordinal (&node)[Element::nodes],
                                         const SystemKernel<ExecutionSpace, Scalar>& system,
                                         const PositionOf& position, const Add& add) {
  constexpr int components = Local::components;
  const auto& equations = system.equations;
  if (!equations.constrained) {
    TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
    for (int i = 0; i < Element::nodes; ++i)
      for (int a = 0; a < components; ++a) {
        const Ordinal row = node[i] * components + a;
        Scalar* const values = system.values.data() + system.row_map(row);
        TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
        for (int j = 0; j < Element::nodes; ++j)
          for (int b = 0; b < components; ++b)
            add(values[position(i, j) + b], Scalar(lane_of(local(i, a, j, b), lane)));
        add(system.rhs(row), Scalar(lane_of(local.load[i](a), lane)));
      }
    return;
  }
  for (int i = 0; i < Element::nodes; ++i)
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node[i], a)) continue;
      const Ordinal row = equations.equation(node[i], a);
      Scalar* const values = system.values.data() + system.row_map(row);
      Scalar load = lane_of(local.load[i](a), lane);
      for (int j = 0; j < Element::nodes; ++j)
        for (int b = 0; b < components; ++b) {
          const Scalar k = lane_of(local(i, a, j, b), lane);
          if (equations.is_constrained(node[j], b))
            load -= k * Scalar(equations.prescribed(node[j] * components + b));
          else
            add(values[position(i, j) + equations.rank(node[j], b)], k);
        }
      add(system.rhs(row), load);
    }
}

} // namespace tessera
