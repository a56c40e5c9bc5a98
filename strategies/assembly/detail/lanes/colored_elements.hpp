// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elements in the order in which strategies that share an element among lanes take them.

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_input.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace TESSERA_KERNELS::assembly::detail {

template <class ExecutionSpace>
struct NumberElements {
  Kokkos::View<Ordinal*, ExecutionSpace> numbers;
  KOKKOS_FUNCTION void operator()(Ordinal e) const { numbers(e) = e; }
};

/// The elements colour by colour, or all as one range in the mesh's order, with their input.
template <class Element, class ExecutionSpace>
struct ColoredElements {
  std::vector<Ordinal> offsets; ///< first element of each colour (+1)
  ElementInput<Element, ExecutionSpace> input;

  ColoredElements(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph, Conflicts conflicts, PositionOrder order) {
    const auto& mesh = space.mesh();
    tessera::detail::check_rows(exec, graph);
    Kokkos::View<Ordinal*, ExecutionSpace> numbers;
    if (conflicts == Conflicts::colors) {
      const auto coloring = tessera::color_elements(exec, mesh.connectivity(), mesh.num_nodes());
      offsets = coloring.offsets;
      numbers = coloring.elements;
    } else {
      offsets = {0, mesh.num_elements()};
      numbers = allocate<decltype(numbers)>(exec, "Tessera::ColoredElements::numbers", mesh.num_elements());
      Kokkos::parallel_for("Tessera::ColoredElements::number",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
                           NumberElements<ExecutionSpace>{numbers});
    }
    input = element_input(exec, space, graph, numbers, order);
  }

  /// Number of elements of the largest color.
  Ordinal largest_color() const {
    Ordinal largest = 0;
    for_each_color([&](Ordinal begin, Ordinal end) { largest = std::max(largest, end - begin); });
    return largest;
  }

  /// Calls `visit(begin, end)` for the elements of each colour.
  template <class Visit>
  void for_each_color(const Visit& visit) const {
    for (std::size_t color = 0; color + 1 < offsets.size(); ++color)
      visit(offsets[color], offsets[color + 1]);
  }
};

/// Bytes of strategies that share an element among lanes: element-wise input, row starts, zeros written, and
/// for each value of each element a read and a write; with atomics as if additions met in a cache.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost lane_cost(const FunctionSpace<Element, ExecutionSpace>& space,
               const SparsityGraph<ExecutionSpace>& graph, Conflicts conflicts) {
  constexpr double n = Element::nodes, c = Form::components;
  const double elements = space.mesh().num_elements();
  const double input = n * (Element::dimension * sizeof(double) + sizeof(Ordinal) + sizeof(Offset)) +
                       2 * ElementInput<Element, ExecutionSpace>::Tiles::slots + sizeof(Ordinal);
  const double output = output_bytes<Scalar>(graph);
  const double touched = elements * n * c * (n * c + 1) * sizeof(Scalar);
  const Cost least = compulsory_cost<Element, Form, Scalar>(space, graph);
  return {.bytes = elements * input + (conflicts == Conflicts::colors ? output + 2 * touched : 3 * output),
          .flops = least.flops + elements * n * n * c * c};
}

} // namespace TESSERA_KERNELS::assembly::detail
