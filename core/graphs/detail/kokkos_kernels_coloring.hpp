#pragma once

/// \file
/// Element coloring by Kokkos Kernels' distance-2 coloring of the element-to-node incidence.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <KokkosGraph_Distance2Color.hpp>
#include <KokkosKernels_Handle.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace tessera::detail {

/// Colors the elements by KokkosGraph's one-sided bipartite coloring: rows are elements, columns are nodes.
/// It takes no execution space instance, so the default instance runs it between two fences, and on a GPU it
/// is not deterministic. Memory: two copies of the connectivity, one of them transposed.
///
/// \return the number of colors.
template <class ExecutionSpace, class Connectivity>
Ordinal color_by_kokkos_kernels(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                                const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, Ordinal, double, ExecutionSpace,
                                                                  MemorySpace, MemorySpace>;
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  const auto element_nodes = static_cast<Ordinal>(connectivity.extent(1));
  const auto row_map = allocate<Kokkos::View<Offset*, ExecutionSpace>>(
      exec, "Tessera::Coloring::row_map", static_cast<std::size_t>(elements) + 1);
  const auto entries = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
      exec, "Tessera::Coloring::entries",
      static_cast<std::size_t>(elements) * static_cast<std::size_t>(element_nodes));
  Kokkos::parallel_for(
      "Tessera::Coloring::incidence",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, elements + 1),
      KOKKOS_LAMBDA(const Ordinal element) {
        const Offset begin = static_cast<Offset>(element) * element_nodes;
        row_map(element) = begin;
        if (element == elements) return;
        for (Ordinal i = 0; i < element_nodes; ++i) entries(begin + i) = connectivity(element, i);
      });
  exec.fence("Tessera::Coloring::kokkos_kernels");
  Handle handle;
  handle.create_distance2_graph_coloring_handle();
  KokkosGraph::Experimental::bipartite_color_rows(&handle, elements, nodes, row_map, entries);
  const auto found = handle.get_distance2_graph_coloring_handle()->get_vertex_colors();
  const auto color_count =
      static_cast<Ordinal>(handle.get_distance2_graph_coloring_handle()->get_num_colors());
  Kokkos::fence("Tessera::Coloring::kokkos_kernels");
  Kokkos::parallel_for(
      "Tessera::Coloring::from_zero",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, elements),
      KOKKOS_LAMBDA(const Ordinal element) { colors(element) = static_cast<Ordinal>(found(element)) - 1; });
  exec.fence("Tessera::Coloring::kokkos_kernels");
  handle.destroy_distance2_graph_coloring_handle();
  return color_count;
}

} // namespace tessera::detail
