// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The lists of the nodes of a mesh of linear simplices, laid out for one thread (or vector lane) per node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// A run of consecutive nodes.
struct NodeWindow {
  Ordinal first, nodes;
};

/// Neighbours and elements of each node, in slices of `width` nodes whose lists are interleaved, so that the
/// threads of a warp read neighbouring words (the sliced ELLPACK layout: A. Monakov, A. Lokhmotov, A.
/// Avetisyan, "Automatically tuning sparse matrix-vector multiplication for GPU architectures", HiPEAC 2010).
///
/// A window is a run of at most `window` consecutive nodes, as many as leave a team's neighbours within what
/// the caller allows; a team takes a window, on the host a slice. A node that does not fit even alone is
/// crowded: it has a window to itself, behind all others. Within a window the nodes follow the lengths of
/// their lists: those of one slice have nearly the same length, which keeps the padding small and the lanes
/// busy.
///
/// A "seat" is a place in this order: seat / window is its window, seat / width its slice, seat % width its
/// lane. Every window has `window` seats, those of its nodes first; where stars are folded, the second slice
/// is seated backwards, and the neighbours of its nodes lie in scratch behind those of the nodes in the same
/// lanes of the first: a long list shares its lane with a short one.
template <class Element, class ExecutionSpace>
struct NodeStars {
  static_assert(Element::affine_simplex, "NodeStars: linear triangles and tetrahedra");
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  static constexpr int dimension = Element::dimension;
  /// Half a warp: its coordinates of a neighbour fill all banks, and half as wide a slice needs less padding.
  static constexpr int width = on_host ? 8 : dimension == 2 ? 16 : wave_lanes<ExecutionSpace> / 2;
  /// Scratch holds about as much for this many nodes in either dimension.
  static constexpr int window = on_host || dimension == 2 ? 64 : wave_lanes<ExecutionSpace>;
  static constexpr int slices = window / width;            ///< of a window
  static constexpr int team_slices = on_host ? 1 : slices; ///< of a team
  static constexpr bool folded = team_slices == 2;
  /// An element as a node sees it, from the lowest bit: positions of its other nodes in the list of
  /// neighbours.
  using Corners = std::conditional_t<dimension == 2, std::uint16_t, std::uint32_t>;
  static constexpr int position_bits = 8;

  Ordinal num_fitting = 0; ///< windows; crowded nodes follow
  Kokkos::View<NodeWindow*, ExecutionSpace> windows;
  Kokkos::View<std::uint8_t*, ExecutionSpace> node_in_window; ///< seat: node number minus its window's first
  Kokkos::View<std::uint16_t*, ExecutionSpace> degree;        ///< seat: neighbours, the node itself included
  Kokkos::View<std::uint16_t*, ExecutionSpace> valence;       ///< seat: elements around the node
  Kokkos::View<std::uint8_t*, ExecutionSpace> position;       ///< seat: of the node among its neighbours
  /// seat, where stars are folded: places in its lane that are taken before its first neighbour
  Kokkos::View<std::uint16_t*, ExecutionSpace> row;
  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin; ///< slice (+1)
  Kokkos::View<Offset*, ExecutionSpace> element_begin;  ///< slice (+1)
  Kokkos::View<Ordinal*, ExecutionSpace>
      neighbors; ///< neighbor_begin(slice) + k * width + lane: ascending in k
  /// element_begin(slice) + k * width + lane: ascending by element number in k
  Kokkos::View<Corners*, ExecutionSpace> corners;

  /// Position of another node of an element.
  KOKKOS_FORCEINLINE_FUNCTION static int corner(Corners corners, int n) {
    return static_cast<int>(static_cast<unsigned>(corners) >> (position_bits * n) &
                            ((1u << position_bits) - 1));
  }

  /// The seat in its window of the node whose list is the `rank`-th by length.
  KOKKOS_FORCEINLINE_FUNCTION static int seat_of_rank(int rank) {
    return folded && rank >= width ? window + width - 1 - rank : rank;
  }

  /// Where the first neighbour of a seat's node lies among those of its team; the others follow `width`
  /// apart.
  KOKKOS_FORCEINLINE_FUNCTION int first_place(Ordinal seat) const {
    const Ordinal slice = seat / width, first = slice - slice % team_slices, lane = seat % width;
    if constexpr (folded)
      return row(seat) * width + lane;
    else
      return lane + static_cast<int>(neighbor_begin(slice) - neighbor_begin(first));
  }

  Ordinal num_windows() const { return static_cast<Ordinal>(windows.extent(0)); }
  Ordinal num_seats() const { return num_windows() * window; }

  std::size_t bytes() const {
    return bytes_of(windows) + bytes_of(node_in_window) + bytes_of(degree) + bytes_of(valence) +
           bytes_of(position) + bytes_of(row) + bytes_of(neighbor_begin) + bytes_of(element_begin) +
           bytes_of(neighbors) + bytes_of(corners);
  }
};

/// The n-th corner of an element in the order that an even permutation gives which brings corner `own` to the
/// front.
template <class Element>
KOKKOS_FORCEINLINE_FUNCTION int star_corner(int own, int n) {
  return Element::dimension == 2 ? (own + n) % 3 : own ^ n;
}

/// An uninitialised member of the stars.
template <class View, class ExecutionSpace>
void make_list(const ExecutionSpace& exec, View& view, const char* member, Offset extent) {
  view = allocate<View>(exec, std::string("Tessera::NodeStars::") + member, extent);
}

} // namespace TESSERA_KERNELS::assembly::detail
