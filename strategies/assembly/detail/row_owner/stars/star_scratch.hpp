// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The compile-time shape of a launch of `StarRows`, and the layout of its teams' scratch.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_form.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_layout.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Threads that take turns with the elements around a node. Two hide more of the memory's latency where
/// scratch leaves few warps, as it does for tetrahedra; each has sums of its own.
template <class Stars>
constexpr int star_threads(int components) {
  return Stars::on_host || Stars::dimension == 2 || components > 1 ? 1 : 2;
}

/// Numbers that a neighbour takes in scratch.
template <class Stars>
constexpr int star_numbers(int components, int threads) {
  return Stars::dimension + threads * components * components;
}

/// \tparam Varying coefficients that may vary from element to element, the first ones of the form
/// \tparam Crowded whether it is the turn of the crowded nodes
template <class ElementType, class ExecutionSpace, class ScalarType, class KernelType, int Varying,
          bool Crowded>
struct StarShape {
  using Element = ElementType;
  using Scalar = ScalarType;
  using Kernel = KernelType;
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr bool on_host = Stars::on_host, crowded = Crowded;
  static constexpr int varying = Varying;
  static constexpr int width = Stars::width, dimension = Element::dimension;
  using Real = std::conditional_t<on_host, Pack<Scalar, width>, Scalar>;
  static constexpr int lanes = lanes_v<Real>;
  static constexpr int components = Kernel::components, blocks = components * components;

  static constexpr int ahead = on_host ? 1 : star_elements_ahead(dimension);
  static constexpr int together = on_host ? 1 : star_neighbors_together;
  static constexpr int threads = Crowded ? 1 : star_threads<Stars>(components); ///< of a node
  static constexpr int rest = threads == 1 ? together : star_neighbors_rest;
  static constexpr int step = threads * width; ///< from one of a thread's elements to its next
  static constexpr int team_size = Stars::team_slices * width * threads / lanes;
  static constexpr int seats_per_team = Crowded ? Stars::window : Stars::team_slices * width;
  static constexpr unsigned unit = star_unit<Scalar>(dimension);

  /// From one neighbour's place in scratch to the next, and from one lane's to the next: a crowded node's
  /// neighbours take one place each, not one for every lane of a slice.
  static constexpr int stride = Crowded ? 1 : width, spread = Crowded ? 0 : 1;
  /// Whether the rows of a team fit in the place of its coordinates.
  static constexpr bool staged = !on_host && blocks <= dimension;
  /// Coefficients whose values are fetched before the elements are computed; 0: elements look them up.
  static constexpr int fields = Kokkos::min(Varying, fields_ahead<Kernel>(on_host));
  static_assert(threads == 1 || staged, "the barriers of staging keep the threads of a node in step");
};

/// The scratch of a team: coordinates of the neighbours, sums of each thread of a node, the loads of all
/// threads but the first; finished rows take the place of coordinates and sums.
template <class Shape>
struct StarScratch {
  using Scalar = typename Shape::Scalar;
  static constexpr int dimension = Shape::dimension, blocks = Shape::blocks;

  Scalar* memory;
  int capacity; ///< neighbours of all nodes of a team, padding included: the most that any team has

  KOKKOS_FUNCTION static int bytes(int capacity) {
    constexpr int loads = Shape::threads > 1 ? Shape::Stars::window * Shape::components : 0;
    return (capacity * star_numbers<typename Shape::Stars>(Shape::components, Shape::threads) + loads) *
           static_cast<int>(sizeof(Scalar));
  }

  /// Where the coordinates of a lane's first neighbour lie.
  /// \param own place of that neighbour among the team's
  KOKKOS_FORCEINLINE_FUNCTION Scalar* coordinates(int own, int lane) const {
    return memory + (own - lane * Shape::spread) * dimension + lane * Shape::spread;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* sums(int own) const { return memory + capacity * dimension + own; }
  /// From one thread's sums to the next one's.
  KOKKOS_FORCEINLINE_FUNCTION int sums_of_thread() const { return blocks * capacity; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* load(int seat_in_team) const {
    return memory + capacity * (dimension + Shape::threads * blocks) + seat_in_team * Shape::components;
  }

  /// A place in units, for elements to count with in 32 bits.
  KOKKOS_FORCEINLINE_FUNCTION unsigned place(const Scalar* at) const {
    return static_cast<unsigned>(at - memory) * Shape::unit;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* at(unsigned place) const {
    if constexpr (Shape::unit == 1)
      return memory + static_cast<int>(place);
    else
      return reinterpret_cast<Scalar*>(reinterpret_cast<char*>(memory) + place);
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
