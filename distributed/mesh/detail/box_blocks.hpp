// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks divide a box: blocks of cells, and the lattice points of each.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/types.hpp>
#include <tessera/io/generate/box.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

using Triple = std::array<int, 3>;

/// \throws ArgumentError for cells or lengths that are not positive
inline void check_cells(const io::Box& box, int dimension) {
  for (std::size_t d = 0; d < to_size(dimension); ++d)
    if (box.cells[d] < 1 || !(box.lengths[d] > 0))
      throw ArgumentError("box: cells and lengths along each axis must be positive");
}

/// The division with the least area between blocks, of those with a cell for every block along each axis
/// where there is one; the last axis is cut first.
inline Triple choose_blocks(const io::Box& box, int dimension, int ranks) {
  Triple best{1, 1, 1};
  best[to_size(dimension - 1)] = ranks;
  double least = std::numeric_limits<double>::infinity();
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
      if (ranks / x % y != 0 || (dimension == 2 && x * y != ranks)) continue;
      const Triple blocks{x, y, ranks / x / y};
      double volume = 1, area = 0;
      bool fits = true;
      for (int d = 0; d < dimension; ++d) volume *= box.cells[to_size(d)];
      for (int d = 0; d < dimension; ++d) {
        fits = fits && blocks[to_size(d)] <= box.cells[to_size(d)];
        area += (blocks[to_size(d)] - 1) * (volume / box.cells[to_size(d)]);
      }
      if (fits && area < least) {
        least = area;
        best = blocks;
      }
    }
  return best;
}

/// Points first ... end - 1 of one axis' lattice, all in the block with the given number along that axis.
struct Segment {
  Ordinal first, end;
  int block;
};

/// One axis of the division: `blocks` blocks of `cells` cells, which differ by one at most; the last may be
/// empty.
struct BoxAxis {
  std::int64_t cells, blocks, order;

  Ordinal first_cell(std::int64_t block) const {
    return static_cast<Ordinal>((cells * block + blocks - 1) / blocks);
  }
  int block_of_cell(std::int64_t cell) const { return static_cast<int>(cell * blocks / cells); }
  /// The lower block has the points on the plane between two.
  Ordinal first_point(std::int64_t block) const {
    const Ordinal cell = first_cell(block);
    return cell == 0 ? 0 : static_cast<Ordinal>(cell * order + 1);
  }
  Ordinal end_point(std::int64_t block) const {
    return static_cast<Ordinal>(first_cell(block + 1) * order + 1);
  }
  bool empty(std::int64_t block) const { return first_cell(block) == first_cell(block + 1); }
  /// One beyond the cells with points of the block.
  Ordinal end_cell(std::int64_t block) const {
    return static_cast<Ordinal>(std::min<std::int64_t>(first_cell(block + 1) + 1, cells));
  }

  /// The points of the cells that a block touches: its own first, then those below and above.
  std::vector<Segment> segments(int block) const {
    std::vector<Segment> all{{first_point(block), end_point(block), block}};
    const Ordinal lower = first_cell(block), upper = first_cell(block + 1);
    if (lower > 0)
      all.push_back({static_cast<Ordinal>(lower * order), static_cast<Ordinal>(lower * order + 1),
                     block_of_cell(lower - 1)});
    if (upper < cells)
      all.push_back({static_cast<Ordinal>(upper * order + 1), static_cast<Ordinal>((upper + 1) * order + 1),
                     block_of_cell(upper)});
    return all;
  }
};

/// Lattice points of a block of the box that belong to one rank.
template <int dimension>
struct Region {
  Ordinal first[dimension];
  Ordinal extent[dimension];
  int rank;

  Ordinal points() const {
    Ordinal product = 1;
    for (const Ordinal e : extent) product *= e;
    return product;
  }
  KOKKOS_FUNCTION void point(Ordinal index, Ordinal (&at)[dimension]) const {
    for (int d = 0; d < dimension; ++d) {
      at[d] = first[d] + index % extent[d];
      index /= extent[d];
    }
  }
};

/// One rank's block of the box: the cells that it touches, as a box of their own, and whose their points are.
template <class Element>
struct BoxBlock {
  static constexpr int dimension = Element::dimension;
  using Lattice = io::detail::BoxLattice<Element>;

  Lattice lattice;                    ///< of the cells that the block touches
  Ordinal first_cell[dimension];      ///< of those
  GlobalOrdinal all_cells[dimension]; ///< of the whole box
  /// The rank's own points first; others by rank. Empty where the rank has no cells.
  std::vector<Region<dimension>> regions;

  /// \throws ArgumentError for what `io::box_mesh` refuses, and a block that one process cannot hold
  BoxBlock(const io::Box& box, const Triple& blocks, int rank) {
    BoxAxis axes[dimension];
    int at[dimension];
    bool empty = false;
    io::Box touched = box;
    for (int d = 0; d < dimension; ++d) {
      axes[d] = {box.cells[to_size(d)], blocks[to_size(d)], Element::order};
      at[d] = rank % blocks[to_size(d)];
      rank /= blocks[to_size(d)];
      empty = empty || axes[d].empty(at[d]);
      first_cell[d] = axes[d].first_cell(at[d]);
      lattice.first_cell[d] = first_cell[d];
      all_cells[d] = box.cells[to_size(d)];
      lattice.cells[d] = axes[d].end_cell(at[d]) - first_cell[d];
      lattice.spacing[d] =
          box.lengths[to_size(d)] / (static_cast<double>(box.cells[to_size(d)]) * Element::order);
      touched.cells[to_size(d)] = std::max(lattice.cells[d], Ordinal{1});
    }
    const io::detail::BoxCounts<Element> counts(touched);
    if (!empty) find_regions(axes, at, blocks);
  }

  bool empty() const { return regions.empty(); }
  const Region<dimension>& own() const { return regions.front(); }

private:
  void find_regions(const BoxAxis (&axes)[dimension], const int (&block)[dimension], const Triple& blocks) {
    std::vector<Region<dimension>> found(1);
    found.front().rank = 0;
    int stride = 1;
    for (int d = 0; d < dimension; ++d) {
      std::vector<Region<dimension>> longer;
      for (const Region<dimension>& region : found)
        for (const Segment& segment : axes[d].segments(block[d])) {
          Region<dimension>& next = longer.emplace_back(region);
          next.first[d] = segment.first;
          next.extent[d] = segment.end - segment.first;
          next.rank += stride * segment.block;
        }
      found = std::move(longer);
      stride *= blocks[to_size(d)];
    }
    // The first of each axis' segments is the block's own.
    std::sort(found.begin() + 1, found.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    regions = std::move(found);
  }
};

} // namespace tessera::distributed::detail
