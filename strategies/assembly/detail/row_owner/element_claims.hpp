#pragma once

/// \file
/// The elements that touch a window of nodes, each once.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/detail/row_owner/star_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// The n-th corner of an element in the order that an even permutation gives which brings corner `own` to the
/// front.
template <class Element>
KOKKOS_FORCEINLINE_FUNCTION int star_corner(int own, int n) {
  return Element::dimension == 2 ? (own + n) % 3 : own ^ n;
}

/// The first of an element's nodes that lie in a window.
template <class Element, class Connectivity>
KOKKOS_FUNCTION Ordinal first_node(const Connectivity& connectivity, Ordinal element,
                                   const NodeWindow& window) {
  Ordinal first = window.first + window.nodes;
  for (int n = 0; n < Element::nodes; ++n) {
    const Ordinal node = connectivity(element, n);
    if (node >= window.first) first = Kokkos::min(first, node);
  }
  return first;
}

/// Each window's elements are those that its nodes claim, node by node: the first of an element's nodes in a
/// window claims it.
template <class Element, class ExecutionSpace>
struct ElementClaims {
  using Stars = NodeStars<Element, ExecutionSpace>;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Stars stars;
  Kokkos::View<Offset*, ExecutionSpace> begin; ///< node (+1): of its claims
  /// As the elements around nodes: among a node's claims, for those that it claims.
  Kokkos::View<std::uint16_t*, ExecutionSpace> rank;

  struct Claim {};
  struct Scan {};

  KOKKOS_FUNCTION bool claims(const NodeWindow& window, Ordinal node, Ordinal element) const {
    return first_node<Element>(connectivity, element, window) == node;
  }

  /// \param place window * Stars::window + node in the window
  KOKKOS_FUNCTION void operator()(Claim, Ordinal place) const {
    const NodeWindow window = stars.windows(place / Stars::window);
    if (place % Stars::window >= window.nodes) return;
    const Ordinal node = window.first + place % Stars::window;
    Ordinal count = 0;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      if (claims(window, node, incidence.elements(k))) rank(k) = static_cast<std::uint16_t>(count++);
    begin(node) = count;
  }

  KOKKOS_FUNCTION void operator()(Scan, Ordinal node, Offset& sum, bool final) const {
    const bool last = node + 1 == static_cast<Ordinal>(begin.extent(0));
    const Offset count = last ? 0 : begin(node);
    if (final) begin(node) = sum;
    sum += count;
  }

  /// An element's place among those of a window that it touches.
  KOKKOS_FUNCTION Ordinal place(const NodeWindow& window, Ordinal element) const {
    const Ordinal node = first_node<Element>(connectivity, element, window);
    Offset k = incidence.offsets(node);
    while (incidence.elements(k) != element) ++k;
    return static_cast<Ordinal>(begin(node) - begin(window.first)) + rank(k);
  }
};

template <class Element, class ExecutionSpace>
ElementClaims<Element, ExecutionSpace> claim_elements(const ExecutionSpace& exec,
                                                      const Mesh<Element, ExecutionSpace>& mesh,
                                                      const NodeToElement<ExecutionSpace>& incidence,
                                                      const NodeStars<Element, ExecutionSpace>& stars) {
  using Claims = ElementClaims<Element, ExecutionSpace>;
  Claims claims{mesh.kernel().connectivity, incidence, stars, {}, {}};
  make_list(exec, claims.begin, "claims_begin", mesh.num_nodes() + 1);
  make_list(exec, claims.rank, "claims_rank", incidence.elements.extent(0));
  Kokkos::parallel_for(
      "Tessera::NodeStars::claim",
      Kokkos::RangePolicy<ExecutionSpace, typename Claims::Claim>(exec, 0, stars.num_seats()), claims);
  Kokkos::parallel_scan(
      "Tessera::NodeStars::scan_claims",
      Kokkos::RangePolicy<ExecutionSpace, typename Claims::Scan>(exec, 0, mesh.num_nodes() + 1), claims);
  return claims;
}

} // namespace tessera::detail
