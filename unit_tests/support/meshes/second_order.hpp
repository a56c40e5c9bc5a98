// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Mixed meshes of second order over linear ones.

#include <tessera/core/blocks/mixed_mesh.hpp>

#include <Kokkos_Core.hpp>

#include "support/meshes/mixed_box.hpp"
#include "support/on_host.hpp"
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera::test {

template <class List>
struct SecondOrder;
template <class... Elements>
struct SecondOrder<Blocks<Elements...>> {
  /// The cells of a straight mesh as elements of a list, whose nodes at one place are one, and then moved.
  /// Types of cells that no element of the list has are left out.
  template <class Linear, class ExecutionSpace>
  static MixedMesh<Blocks<Elements...>, ExecutionSpace>
  over(const MixedMesh<Linear, ExecutionSpace>& straight, Moved moved) {
    using Mixed = MixedMesh<Blocks<Elements...>, ExecutionSpace>;
    const auto x = on_host(straight.coordinates());
    std::map<std::array<long, 3>, Ordinal> number;
    std::vector<std::array<double, 3>> places;
    const auto node_at = [&](const std::array<double, 3>& place) {
      std::array<long, 3> key{};
      for (std::size_t d = 0; d < 3; ++d) key[d] = std::lround(1e6 * place[d]);
      const auto [found, is_new] = number.try_emplace(key, static_cast<Ordinal>(places.size()));
      if (is_new) places.push_back(moved(place[0], place[1], place[2]));
      return found->second;
    };
    const auto cells_of = [&]<class Element>(std::type_identity<Element>) {
      using Corners = typename Element::template of_order<1>;
      const auto& block = straight.template block<Corners>();
      const auto corners = on_host(block.connectivity());
      const auto reference = Element::node_coordinates();
      using Connectivity = typename Mesh<Element, ExecutionSpace>::Connectivity;
      const auto connectivity = filled_on_host<Connectivity>(
          "Tessera::Test::connectivity", corners.extent(0), [&](const auto& nodes) {
            for (std::size_t e = 0; e < corners.extent(0); ++e)
              for (std::size_t n = 0; n < reference.size(); ++n) {
                const auto weights = Corners::values(reference[n]);
                std::array<double, 3> place{};
                for (std::size_t v = 0; v < weights.size(); ++v)
                  for (std::size_t d = 0; d < x.extent(1); ++d) place[d] += weights[v] * x(corners(e, v), d);
                nodes(e, n) = node_at(place);
              }
          });
      const typename Mesh<Element, ExecutionSpace>::Materials materials("Tessera::Test::materials",
                                                                        block.materials().extent(0));
      Kokkos::deep_copy(materials, block.materials());
      return typename Mixed::template Cells<Element>{connectivity, materials};
    };
    // Braces: one after the other.
    const std::tuple<typename Mixed::template Cells<Elements>...> cells{
        cells_of(std::type_identity<Elements>())...};
    const auto coordinates = filled_on_host<typename Mixed::Coordinates>(
        "Tessera::Test::coordinates", places.size(), [&](const auto& view) {
          for (std::size_t n = 0; n < places.size(); ++n)
            for (std::size_t d = 0; d < view.extent(1); ++d) view(n, d) = places[n][d];
        });
    return std::apply([&](const auto&... of_block) { return Mixed(coordinates, of_block...); }, cells);
  }
};

} // namespace tessera::test
