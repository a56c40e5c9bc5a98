// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elements sorted by color, interleaved by blocks of threads and padded (paper 1, figure 4).

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace tessera {

/// Node numbers of each element followed by the positions of its entries, in slots sorted by color.
///
/// Slots come in blocks of `width`; entry n of slot s is at block s / width, row n, lane s % width, so that
/// the threads of a block read side by side. Every color starts a block; the slots between its last element
/// and the next color repeat that element: vectors of elements compute them, nothing adds them.
template <class Element, class ExecutionSpace>
struct InterleavedSlots {
  /// A warp's width or more on devices, a vector register's number of lanes on the host.
  static constexpr int width = runs_on_host<ExecutionSpace> ? 16 : 64;
  using Position = typename ElementToValues<Element, ExecutionSpace>::Position;

  Kokkos::View<Ordinal * [Element::nodes][width], Kokkos::LayoutRight, ExecutionSpace> nodes;
  Kokkos::View<Position * [Element::nodes * Element::nodes][width], Kokkos::LayoutRight, ExecutionSpace>
      positions;
  Kokkos::View<Ordinal*, ExecutionSpace> numbers; ///< slot: the mesh's number of the element

  KOKKOS_FORCEINLINE_FUNCTION Ordinal& node(Offset slot, int n) const {
    return nodes(slot / width, n, slot % width);
  }
  KOKKOS_FORCEINLINE_FUNCTION Position& position(Offset slot, int i, int j) const {
    return positions(slot / width, i * Element::nodes + j, slot % width);
  }
  std::size_t bytes() const { return bytes_of(nodes) + bytes_of(positions) + bytes_of(numbers); }

  /// The cell of slot `first`; for packs, of as many slots from there on, which must exist.
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Real> cell(const MeshKernel<Element, ExecutionSpace>& mesh,
                                                       Offset first) const {
    return cell<Real>(mesh, first, first + lanes_v<Real>);
  }

  /// The same where slots from `end` on are not read: the last before it repeats.
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Real> cell(const MeshKernel<Element, ExecutionSpace>& mesh,
                                                       Offset first, Offset end) const {
    const auto slot = [&](int lane) {
      return first + static_cast<Offset>(lane) < end ? first + static_cast<Offset>(lane) : end - 1;
    };
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = numbers(slot(lane));
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    gather_coordinates(cell,
                       [&](int lane, int n, int d) { return mesh.coordinates(node(slot(lane), n), d); });
    return cell;
  }

  /// Adds row (i, a) of element data to the system; no other thread may touch the row.
  /// \param e the element's number in `data`, which has the prescribed values' part of the load taken off
  template <class Scalar, class Data>
  KOKKOS_FORCEINLINE_FUNCTION void add_row(const SystemKernel<ExecutionSpace, Scalar>& system, Offset slot,
                                           int i, int a, const Data& data, Offset e) const {
    const auto& equations = system.equations;
    const Ordinal test = node(slot, i);
    if (equations.is_constrained(test, a)) return;
    const Ordinal row = equations.equation(test, a);
    Scalar* const values = system.values.data() + system.row_map(row);
    for (int j = 0; j < Element::nodes; ++j)
      for (int b = 0; b < Data::components; ++b) {
        if (!equations.constrained) {
          values[position(slot, i, j) + b] += data.matrix(e, i, a, j, b);
        } else if (const Ordinal trial = node(slot, j); !equations.is_constrained(trial, b)) {
          values[position(slot, i, j) + equations.rank(trial, b)] += data.matrix(e, i, a, j, b);
        }
      }
    system.rhs(row) += data.load(e, i, a);
  }
};

/// The slots, and on the host where the colors are among them.
template <class Element, class ExecutionSpace>
struct InterleavedElements : InterleavedSlots<Element, ExecutionSpace> {
  std::vector<Offset> first_slot; ///< color: its first slot
  std::vector<Ordinal> sizes;     ///< color: number of its elements

  Ordinal colors() const { return static_cast<Ordinal>(sizes.size()); }
};

namespace detail {

template <class Element, class ExecutionSpace>
struct FillInterleaved {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  ElementToValues<Element, ExecutionSpace> map;
  Kokkos::View<const Ordinal*, ExecutionSpace> sorted; ///< elements by color
  InterleavedSlots<Element, ExecutionSpace> target;
  Ordinal begin, count; ///< the color's elements in `sorted`
  Offset first_slot;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal e = sorted(begin + (i < count ? i : count - 1));
    const Offset slot = first_slot + i;
    target.numbers(slot) = e;
    for (int n = 0; n < Element::nodes; ++n) {
      target.node(slot, n) = connectivity(e, n);
      for (int m = 0; m < Element::nodes; ++m) target.position(slot, n, m) = map.position(e, n, m);
    }
  }
};

} // namespace detail

/// Sorts the elements by color and interleaves them.
/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
InterleavedElements<Element, ExecutionSpace>
interleave_elements(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                    const ElementToValues<Element, ExecutionSpace>& map,
                    const Coloring<ExecutionSpace>& coloring) {
  using Interleaved = InterleavedElements<Element, ExecutionSpace>;
  constexpr Offset width = Interleaved::width;
  Interleaved result;
  Offset blocks = 0;
  for (Ordinal color = 0; color < coloring.colors; ++color) {
    result.first_slot.push_back(blocks * width);
    result.sizes.push_back(coloring.size(color));
    blocks += (coloring.size(color) + width - 1) / width;
  }
  result.nodes = allocate<decltype(result.nodes)>(exec, "Tessera::InterleavedElements::nodes", blocks);
  result.positions =
      allocate<decltype(result.positions)>(exec, "Tessera::InterleavedElements::positions", blocks);
  result.numbers =
      allocate<decltype(result.numbers)>(exec, "Tessera::InterleavedElements::numbers", blocks * width);
  for (Ordinal color = 0; color < coloring.colors; ++color) {
    const Offset end = color + 1 < coloring.colors ? result.first_slot[color + 1] : blocks * width;
    Kokkos::parallel_for(
        "Tessera::InterleavedElements::fill",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(end - result.first_slot[color])),
        detail::FillInterleaved<Element, ExecutionSpace>{mesh.connectivity(), map, coloring.elements, result,
                                                         coloring.offsets[color], coloring.size(color),
                                                         result.first_slot[color]});
  }
  exec.fence("Tessera::InterleavedElements::fill");
  return result;
}

/// Colors a space's elements and interleaves them.
/// \throws what `color_elements` and `element_to_values` throw
template <class Element, class ExecutionSpace>
InterleavedElements<Element, ExecutionSpace>
interleave_by_color(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                    const SparsityGraph<ExecutionSpace>& graph, Ordinal minimum_colors) {
  const auto& mesh = space.mesh();
  return interleave_elements(
      exec, mesh, element_to_values(exec, space, graph),
      color_elements(exec, mesh.connectivity(), mesh.num_nodes(), {.minimum_colors = minimum_colors}));
}

} // namespace tessera
