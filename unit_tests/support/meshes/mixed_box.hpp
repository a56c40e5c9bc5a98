// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Hexahedra, wedges, pyramids and tetrahedra over shared nodes, which are numbered at random.

#include <tessera/core/blocks/mixed_mesh.hpp>

#include <Kokkos_Core.hpp>

#include "support/on_host.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::test {

using Solids = Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>;

/// Where a node of the straight box goes.
using Moved = std::array<double, 3> (*)(double x, double y, double z);

inline std::array<double, 3> straight(double x, double y, double z) { return {x, y, z}; }
/// Sheared and curved.
inline std::array<double, 3> bent(double x, double y, double z) {
  return {x + 0.3 * y + 0.05 * std::sin(2 * y + z), y + 0.2 * z + 0.04 * std::cos(3 * x),
          z + 0.1 * x + 0.03 * std::sin(x + 2 * y)};
}

/// Four unit cubes of n³ cells each: hexahedra, beside them in x wedges, on these in z tetrahedra, and on the
/// hexahedra pyramids around the middles of cells, with two tetrahedra in place of one where those others
/// are. Hexahedra share quadrilaterals with wedges and pyramids, tetrahedra triangles with wedges and
/// pyramids.
class MixedBox {
public:
  explicit MixedBox(int n, Moved moved = bent)
      : n_(n), number_(to_size((2 * n + 1) * (n + 1) * (2 * n + 1)), -1) {
    for (int i = 0; i < 2 * n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < 2 * n; ++k) add_cell(i, j, k);
    std::mt19937 random(20261121);
    std::vector<Ordinal> order(corners_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (auto* list : {&hexes_, &wedges_, &pyramids_, &tets_})
      for (Ordinal& node : *list) node = order[to_size(node)];
    coordinates_.resize(3 * corners_.size());
    for (std::size_t c = 0; c < corners_.size(); ++c) {
      const auto x = moved(corners_[c][0], corners_[c][1], corners_[c][2]);
      std::copy(x.begin(), x.end(), coordinates_.begin() + 3 * order[c]);
    }
  }

  Ordinal num_nodes() const { return static_cast<Ordinal>(corners_.size()); }

  template <class ExecutionSpace>
  typename MixedMesh<Solids, ExecutionSpace>::Coordinates coordinates() const {
    using View = typename MixedMesh<Solids, ExecutionSpace>::Coordinates;
    return filled_on_host<View>("Tessera::Test::coordinates", corners_.size(), [&](const auto& x) {
      for (std::size_t i = 0; i < coordinates_.size(); ++i) x(i / 3, i % 3) = coordinates_[i];
    });
  }
  /// The elements of a type, with materials 0 and 1 by turns.
  template <class Element, class Mixed>
  typename Mixed::template Cells<Element> cells() const {
    const auto& list = std::is_same_v<Element, Hex<1>>       ? hexes_
                       : std::is_same_v<Element, Wedge<1>>   ? wedges_
                       : std::is_same_v<Element, Pyramid<1>> ? pyramids_
                                                             : tets_;
    using Block = Mesh<Element, typename Mixed::execution_space>;
    const std::size_t count = list.size() / Element::nodes;
    return {filled_on_host<typename Block::Connectivity>("Tessera::Test::connectivity", count,
                                                         [&](const auto& nodes) {
                                                           for (std::size_t i = 0; i < list.size(); ++i)
                                                             nodes(i / Element::nodes, i % Element::nodes) =
                                                                 list[i];
                                                         }),
            filled_on_host<typename Block::Materials>("Tessera::Test::materials", count, [&](const auto& m) {
              for (std::size_t e = 0; e < count; ++e) m(e) = static_cast<Ordinal>(e % 2);
            })};
  }
  template <class ExecutionSpace>
  MixedMesh<Solids, ExecutionSpace> mesh() const {
    using Mixed = MixedMesh<Solids, ExecutionSpace>;
    return Mixed(coordinates<ExecutionSpace>(), cells<Hex<1>, Mixed>(), cells<Wedge<1>, Mixed>(),
                 cells<Pyramid<1>, Mixed>(), cells<Tet<1>, Mixed>());
  }

private:
  void add_cell(int i, int j, int k) {
    std::array<Ordinal, 8> c{};
    for (int v = 0; v < 8; ++v) {
      static constexpr int at[8][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}};
      c[to_size(v)] = node(i + at[v][0], j + at[v][1], k + v / 4);
    }
    const auto add = [&](std::vector<Ordinal>& list, std::initializer_list<int> corners) {
      for (const int v : corners) list.push_back(c[to_size(v)]);
    };
    if (i < n_ && k >= n_)
      add_around_middle(c, {(i + 0.5) / n_, (j + 0.5) / n_, (k + 0.5) / n_}, i == n_ - 1);
    else if (i < n_)
      add(hexes_, {0, 1, 2, 3, 4, 5, 6, 7});
    else if (k < n_)
      for (const auto& w : {std::array{0, 1, 2, 4, 5, 6}, std::array{0, 2, 3, 4, 6, 7}})
        add(wedges_, {w[0], w[1], w[2], w[3], w[4], w[5]});
    else
      for (const auto& t : {std::array{0, 1, 2, 6}, std::array{0, 2, 3, 6}, std::array{0, 3, 7, 6},
                            std::array{0, 7, 4, 6}, std::array{0, 4, 5, 6}, std::array{0, 5, 1, 6}})
        add(tets_, {t[0], t[1], t[2], t[3]});
  }
  /// \param tets whether two tetrahedra take the place of the pyramid towards +x
  void add_around_middle(const std::array<Ordinal, 8>& c, const std::array<double, 3>& x, bool tets) {
    const auto middle = static_cast<Ordinal>(corners_.size());
    corners_.push_back(x);
    const auto add = [&](std::vector<Ordinal>& list, std::initializer_list<int> corners) {
      for (const int v : corners) list.push_back(c[to_size(v)]);
      list.push_back(middle);
    };
    for (const auto& p : {std::array{0, 1, 2, 3}, std::array{4, 7, 6, 5}, std::array{0, 3, 7, 4},
                          std::array{0, 4, 5, 1}, std::array{3, 2, 6, 7}})
      add(pyramids_, {p[0], p[1], p[2], p[3]});
    if (!tets) return add(pyramids_, {1, 5, 6, 2});
    add(tets_, {1, 6, 2});
    add(tets_, {1, 5, 6});
  }
  Ordinal node(int i, int j, int k) {
    Ordinal& number = number_[to_size((i * (n_ + 1) + j) * (2 * n_ + 1) + k)];
    if (number < 0) {
      number = static_cast<Ordinal>(corners_.size());
      corners_.push_back({double(i) / n_, double(j) / n_, double(k) / n_});
    }
    return number;
  }

  int n_;
  std::vector<Ordinal> number_; ///< of a lattice point, or negative
  std::vector<std::array<double, 3>> corners_;
  std::vector<double> coordinates_;
  std::vector<Ordinal> hexes_, wedges_, pyramids_, tets_; ///< element × node
};

} // namespace tessera::test
