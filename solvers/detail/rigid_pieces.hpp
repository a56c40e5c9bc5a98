// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements that move together as one rigid piece, and where pieces hang together.

#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/host_mesh.hpp>
#include <tessera/solvers/detail/null_space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace tessera::solvers::detail {

/// Sets that are united step by step (R. E. Tarjan 1975).
class UnitedSets {
public:
  explicit UnitedSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  Ordinal find(Ordinal i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The lower number represents both.
  void unite(Ordinal a, Ordinal b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// Item: the number of its set, in the order of the sets' lowest items.
  std::vector<Ordinal> numbers() {
    std::vector<Ordinal> number(parent_.size());
    Ordinal count = 0;
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const Ordinal representative = find(static_cast<Ordinal>(i));
      number[i] = representative == static_cast<Ordinal>(i) ? count++ : number[representative];
    }
    return number;
  }

private:
  std::vector<Ordinal> parent_;
};

/// Element: its part, all whose nodes hang together.
inline std::vector<Ordinal> parts_of(const HostMesh& mesh) {
  UnitedSets sets(mesh.elements());
  std::vector<Ordinal> first(mesh.nodes(), -1);
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (const Ordinal node : mesh.nodes_of(e)) {
      Ordinal& other = first[node];
      if (other < 0) other = static_cast<Ordinal>(e);
      sets.unite(other, static_cast<Ordinal>(e));
    }
  return sets.numbers();
}

/// Element: its piece, all whose elements hang together by sides. As many nodes of a side as there are
/// dimensions say which it is.
inline std::vector<Ordinal> pieces_of(const HostMesh& mesh) {
  struct Side {
    std::array<Ordinal, 3> nodes;
    Ordinal element;
    bool operator<(const Side& other) const { return nodes < other.nodes; }
  };
  std::vector<Side> sides;
  sides.reserve(mesh.elements() * mesh.blocks.front().side_corners.size());
  std::vector<Ordinal> corners;
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (const auto& side : mesh.block_of(e).side_corners) {
      corners.clear();
      for (const int corner : side) corners.push_back(mesh.nodes_of(e)[to_size(corner)]);
      std::sort(corners.begin(), corners.end());
      Side& key = sides.emplace_back(Side{.nodes = {0, 0, 0}, .element = static_cast<Ordinal>(e)});
      std::copy_n(corners.begin(), mesh.dimension, key.nodes.begin());
    }
  std::sort(sides.begin(), sides.end());
  UnitedSets sets(mesh.elements());
  for (std::size_t i = 1; i < sides.size(); ++i)
    if (sides[i].nodes == sides[i - 1].nodes) sets.unite(sides[i].element, sides[i - 1].element);
  return sets.numbers();
}

/// What each rigid motion moves along an axis at the end of an arm: translations, then turns (one in the
/// plane).
inline std::array<double, 6> rigid_factors(int dimension, const std::array<double, 3>& arm, int axis) {
  std::array<double, 6> factor{};
  factor[axis] = 1;
  if (dimension == 2) {
    factor[2] = axis == 0 ? -arm[1] : arm[0];
  } else { // turn × arm
    factor[3 + (axis + 1) % 3] = arm[(axis + 2) % 3];
    factor[3 + (axis + 2) % 3] = -arm[(axis + 1) % 3];
  }
  return factor;
}

/// Below it a constraint on motions about a centre, lengths relative to a radius, is rounding.
inline double rigid_tolerance(const std::array<double, 3>& centre, double radius) {
  double farthest = 0;
  for (const double c : centre) farthest = std::max(farthest, std::abs(c));
  return 1e-9 + 8 * std::numeric_limits<double>::epsilon() * farthest / radius;
}

/// A piece, and its rigid motions that are still free. Motion: translations, then turns (one in the plane)
/// about the centre, lengths relative to the radius.
struct RigidPiece {
  Ordinal first_element = -1, elements = 0;
  std::array<double, 3> centre{};
  double radius = 0;
  NullSpace free;
  std::vector<std::size_t> joints; ///< where it hangs together with others
};

/// A node of several pieces.
struct Joint {
  Ordinal node;
  std::vector<Ordinal> pieces;
};

/// All pieces of a mesh.
struct RigidPieces {
  const HostMesh& mesh;
  std::vector<RigidPiece> pieces;
  std::vector<Ordinal> piece_of_node; ///< one of them; −1 for a node without elements
  std::vector<Joint> joints;

  explicit RigidPieces(const HostMesh& host) : mesh(host), piece_of_node(host.nodes(), -1) {
    const std::vector<Ordinal> number = pieces_of(mesh);
    const Ordinal count = number.empty() ? 0 : *std::max_element(number.begin(), number.end()) + 1;
    pieces.resize(count);
    for (RigidPiece& piece : pieces) piece.free = NullSpace(motions());
    for (std::size_t e = 0; e < mesh.elements(); ++e) {
      RigidPiece& piece = pieces[number[e]];
      if (piece.elements++ == 0) piece.first_element = static_cast<Ordinal>(e);
    }
    find_joints(number);
    measure(number);
  }

  int motions() const { return mesh.dimension * (mesh.dimension + 1) / 2; }

  /// What a motion of a piece moves at a node along an axis: a factor for each motion.
  std::array<double, 6> displacement(const RigidPiece& piece, Ordinal node, int axis) const {
    std::array<double, 3> arm{};
    for (int d = 0; d < mesh.dimension; ++d)
      arm[d] = (mesh.coordinates[static_cast<std::size_t>(node) * mesh.dimension + d] - piece.centre[d]) /
               piece.radius;
    return rigid_factors(mesh.dimension, arm, axis);
  }

  /// Below it a constraint on a piece's motions is rounding.
  double tolerance(const RigidPiece& piece) const { return rigid_tolerance(piece.centre, piece.radius); }

private:
  void find_joints(const std::vector<Ordinal>& number) {
    std::vector<std::pair<Ordinal, Ordinal>> others; // node, piece beside the first
    for (std::size_t e = 0; e < mesh.elements(); ++e)
      for (const Ordinal node : mesh.nodes_of(e)) {
        Ordinal& first = piece_of_node[node];
        if (first < 0) first = number[e];
        if (first != number[e]) others.emplace_back(node, number[e]);
      }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const auto& [node, piece] : others) {
      if (joints.empty() || joints.back().node != node) {
        pieces[piece_of_node[node]].joints.push_back(joints.size());
        joints.push_back({node, {piece_of_node[node]}});
      }
      pieces[piece].joints.push_back(joints.size() - 1);
      joints.back().pieces.push_back(piece);
    }
  }

  void measure(const std::vector<Ordinal>& number) {
    const auto for_all_nodes = [&](const auto& visit) {
      for (std::size_t e = 0; e < mesh.elements(); ++e)
        for (const Ordinal node : mesh.nodes_of(e))
          visit(pieces[number[e]], mesh.coordinates.data() + static_cast<std::size_t>(node) * mesh.dimension,
                mesh.nodes_of(e).size());
    };
    for_all_nodes(
        [&](RigidPiece& piece, const double* x, std::size_t nodes) { // the mean of elements' middles
          const double share = 1.0 / (static_cast<double>(piece.elements) * static_cast<double>(nodes));
          for (int d = 0; d < mesh.dimension; ++d) piece.centre[d] += share * x[d];
        });
    for_all_nodes([&](RigidPiece& piece, const double* x, std::size_t) {
      double square = 0;
      for (int d = 0; d < mesh.dimension; ++d) square += std::pow(x[d] - piece.centre[d], 2);
      piece.radius = std::max(piece.radius, std::sqrt(square));
    });
  }
};

} // namespace tessera::solvers::detail
