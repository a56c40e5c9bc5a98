// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What sides must not be, if loads on them are to mean one thing.

#include <tessera/core/elements/shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/side_sets.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The corners of a set's sides, in the order of each; -1 after those of sides that have fewer than others.
template <class Element>
using CornersOfSides = std::vector<std::array<Ordinal, SidesOf<Element>::most_corners>>;

/// Enters the corners of the sides of one kind, at their places in the set.
/// \param node side × node
template <int corner_count, class Corners, class SideNodes>
void enter_corners(Corners& corners, const std::vector<std::size_t>& places, const SideNodes& node) {
  for (std::size_t s = 0; s < places.size(); ++s) {
    auto& side = corners[places[s]];
    side.fill(-1);
    for (int n = 0; n < corner_count; ++n) side[n] = node(s, n);
  }
}

template <std::size_t count>
std::string described(const std::array<Ordinal, count>& corners) {
  std::string list;
  for (const Ordinal node : corners)
    if (node >= 0) list += ' ' + std::to_string(node);
  return "(nodes" + list + ")";
}

/// \throws ArgumentError, which begins with `who`, if a face stands twice among sides, of one element or of
/// two
template <std::size_t count>
void check_faces_differ(const std::string& who, std::vector<std::array<Ordinal, count>> corners) {
  std::vector<std::pair<std::array<Ordinal, count>, std::size_t>> faces;
  for (std::size_t s = 0; s < corners.size(); ++s) {
    std::sort(corners[s].begin(), corners[s].end());
    faces.emplace_back(corners[s], s);
  }
  std::sort(faces.begin(), faces.end());
  const auto twice = std::adjacent_find(faces.begin(), faces.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != faces.end())
    throw ArgumentError(who + "sides " + std::to_string(twice->second) + " and " +
                        std::to_string((twice + 1)->second) + " of the set are the same face " +
                        described(twice->first) + ", which would be loaded twice");
}

/// Pairs of sides whose normals point to opposite sides of the surface that they are of together: those that
/// alone have an edge (in two dimensions a node) and go along it in the same direction.
template <std::size_t count>
std::vector<std::pair<std::size_t, std::size_t>>
opposite_neighbors(const std::vector<std::array<Ordinal, count>>& corners) {
  struct Ridge {
    Ordinal low, high;
    bool ascending;
    std::size_t side;
    bool of_same(const Ridge& other) const { return low == other.low && high == other.high; }
  };
  std::vector<Ridge> ridges;
  for (std::size_t s = 0; s < corners.size(); ++s)
    for (std::size_t n = 0, own = without_fill(corners[s]).size(); n < own; ++n) {
      const Ordinal from = corners[s][n], to = corners[s][(n + 1) % own];
      if constexpr (count == 2)
        ridges.push_back({from, from, n == 0, s});
      else
        ridges.push_back({std::min(from, to), std::max(from, to), from < to, s});
    }
  std::sort(ridges.begin(), ridges.end(), [](const Ridge& a, const Ridge& b) {
    return std::tie(a.low, a.high, a.side) < std::tie(b.low, b.high, b.side);
  });
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (auto first = ridges.begin(); first != ridges.end();) {
    const auto last = std::find_if(first, ridges.end(), [&](const Ridge& r) { return !r.of_same(*first); });
    if (last - first == 2 && first->ascending == (first + 1)->ascending)
      pairs.emplace_back(first->side, (first + 1)->side);
    first = last;
  }
  return pairs;
}

/// \throws ArgumentError, which begins with `who`, for neighbours that a pressure would push in opposite
///   directions because one of them lies between two elements
template <class MeshType, std::size_t count>
void check_turned_alike(const std::string& who, const MeshType& mesh,
                        const std::vector<std::array<Ordinal, count>>& corners) {
  const auto pairs = opposite_neighbors(corners);
  if (pairs.empty()) return; // always on the boundary of a body, but where parts of it touch at an edge
  const auto sides = sides_by_corners(mesh);
  const auto within = [&](std::size_t s) {
    SideByCorners<static_cast<int>(count)> face{corners[s], 0, 0, 0};
    std::sort(face.corners.begin(), face.corners.end());
    const auto [first, last] = std::equal_range(sides.begin(), sides.end(), face);
    return last - first > 1;
  };
  for (const auto& [a, b] : pairs)
    if (within(a) || within(b))
      throw ArgumentError(who + "sides " + std::to_string(a) + " " + described(corners[a]) + " and " +
                          std::to_string(b) + " " + described(corners[b]) +
                          " of the set are neighbours inside the mesh, and the pressure would push them in "
                          "opposite directions; take the sides of the elements at one side of the surface");
}

} // namespace tessera::detail
