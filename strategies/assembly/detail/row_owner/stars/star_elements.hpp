// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The numbers of the elements of stars, for coefficients that vary from element to element.

#include <tessera/strategies/assembly/detail/row_owner/stars/node_stars.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Writes the elements around the nodes in the order of their corners.
template <class Element, class ExecutionSpace>
struct StarElementsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;

  NodeToElement<ExecutionSpace> incidence;
  Stars stars;
  Kokkos::View<Ordinal*, ExecutionSpace> elements;

  KOKKOS_FUNCTION void operator()(Ordinal seat) const {
    const Ordinal slice = seat / Stars::width, i = stars.node_in_window(seat);
    const NodeWindow window = stars.windows(seat / Stars::window);
    Offset at = stars.element_begin(slice) + seat % Stars::width;
    if (i < window.nodes)
      for (Offset k = incidence.offsets(window.first + i); k < incidence.offsets(window.first + i + 1);
           ++k, at += Stars::width)
        elements(at) = incidence.elements(k);
    for (; at < stars.element_begin(slice + 1); at += Stars::width) elements(at) = 0;
  }
};

/// The number of each element of `NodeStars::corners`, at the same place; 0 where there is none.
/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> star_elements(const ExecutionSpace& exec,
                                                     const Mesh<Element, ExecutionSpace>& mesh,
                                                     const NodeStars<Element, ExecutionSpace>& stars) {
  StarElementsBuilder<Element, ExecutionSpace> builder{
      node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes()), stars, {}};
  make_list(exec, builder.elements, "elements", stars.corners.extent(0));
  Kokkos::parallel_for("Tessera::NodeStars::list_elements",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, stars.num_seats()), builder);
  exec.fence("Tessera::NodeStars::list_elements");
  return builder.elements;
}

} // namespace TESSERA_KERNELS::assembly::detail
