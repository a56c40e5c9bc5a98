#pragma once

/// \file
/// The numbers of the elements of stars, for coefficients that vary from element to element.

#include <tessera/strategies/assembly/detail/row_owner/node_stars.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// Every window's elements, each once: a tetrahedron touches two or three nodes of a window, so that this
/// takes half of what their numbers in the places of `NodeStars::corners` would.
template <class ExecutionSpace>
struct StarElements {
  struct Run {
    Offset begin;
    Ordinal count;
  };

  Kokkos::View<Run*, ExecutionSpace> windows;
  Kokkos::View<Ordinal*, ExecutionSpace> elements;     ///< windows(w).begin ..: those of window w
  Kokkos::View<std::uint16_t*, ExecutionSpace> places; ///< as the corners, where these do not hold the places
  int most = 0;                                        ///< elements of a window of nodes that fit

  std::size_t bytes() const { return bytes_of(windows) + bytes_of(elements) + bytes_of(places); }
};

template <class Element, class ExecutionSpace>
struct StarElementsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;

  ElementClaims<Element, ExecutionSpace> claims;
  Stars stars;
  StarElements<ExecutionSpace> result;

  struct List {};
  struct Place {};
  struct Most {};

  KOKKOS_FUNCTION void operator()(List, Ordinal place) const {
    const Ordinal i = place % Stars::window;
    const NodeWindow window = stars.windows(place / Stars::window);
    const Offset begin = claims.begin(window.first);
    if (i == 0)
      result.windows(place / Stars::window) = {
          begin, static_cast<Ordinal>(claims.begin(window.first + window.nodes) - begin)};
    if (i >= window.nodes) return;
    const Ordinal node = window.first + i;
    const auto& incidence = claims.incidence;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      if (claims.claims(window, node, incidence.elements(k)))
        result.elements(claims.begin(node) + claims.rank(k)) = incidence.elements(k);
  }

  KOKKOS_FUNCTION void operator()(Place, Ordinal seat) const {
    const Ordinal slice = seat / Stars::width, i = stars.node_in_window(seat);
    const NodeWindow window = stars.windows(seat / Stars::window);
    Offset at = stars.element_begin(slice) + seat % Stars::width;
    const auto& incidence = claims.incidence;
    if (i < window.nodes)
      for (Offset k = incidence.offsets(window.first + i); k < incidence.offsets(window.first + i + 1);
           ++k, at += Stars::width)
        result.places(at) = static_cast<std::uint16_t>(claims.place(window, incidence.elements(k)));
    for (; at < stars.element_begin(slice + 1); at += Stars::width) result.places(at) = 0;
  }

  KOKKOS_FUNCTION void operator()(Most, Ordinal window, Ordinal& most) const {
    most = Kokkos::max(most, result.windows(window).count);
  }
};

/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
StarElements<ExecutionSpace> star_elements(const ExecutionSpace& exec,
                                           const Mesh<Element, ExecutionSpace>& mesh,
                                           const NodeStars<Element, ExecutionSpace>& stars) {
  using Builder = StarElementsBuilder<Element, ExecutionSpace>;
  const auto incidence = node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes());
  Builder builder{claim_elements(exec, mesh, incidence, stars), stars, {}};
  StarElements<ExecutionSpace>& result = builder.result;
  Offset total = 0;
  Kokkos::deep_copy(exec, total, Kokkos::subview(builder.claims.begin, mesh.num_nodes()));
  exec.fence("Tessera::NodeStars::total_elements");
  make_list(exec, result.windows, "windows_of_elements", stars.num_windows());
  make_list(exec, result.elements, "elements", total);
  if (!stars.holds_places) make_list(exec, result.places, "places", stars.corners.extent(0));
  Kokkos::parallel_for(
      "Tessera::NodeStars::list_elements",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::List>(exec, 0, stars.num_seats()), builder);
  if (!stars.holds_places)
    Kokkos::parallel_for(
        "Tessera::NodeStars::place_elements",
        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Place>(exec, 0, stars.num_seats()), builder);
  Kokkos::parallel_reduce(
      "Tessera::NodeStars::most_elements",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::Most>(exec, 0, stars.num_fitting), builder,
      Kokkos::Max<Ordinal>(result.most));
  exec.fence("Tessera::NodeStars::most_elements");
  return result;
}

} // namespace tessera::detail
