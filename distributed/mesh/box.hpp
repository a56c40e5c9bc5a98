// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A structured box over many ranks: each makes its own part, of whatever size the whole has.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/box_blocks.hpp>
#include <tessera/distributed/mesh/detail/box_builder.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/io/generate/box.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::distributed {

/// Blocks of a box along each axis, as many as ranks in all; rank (x, y, z) is x + blocks_x (y + blocks_y z).
using BoxBlocks = std::array<int, 3>;

namespace detail {

/// Collective: what all ranks must have been given; chooses blocks where they are zeros. \throws as box_mesh
inline BoxBlocks checked_blocks(const Communicator& ranks, const io::Box& box, BoxBlocks blocks,
                                int dimension) {
  std::vector<Named> numbers;
  for (std::size_t d = 0; d < to_size(dimension); ++d) {
    const std::string axis(1, "xyz"[d]);
    numbers.push_back({"box: the number of cells along " + axis, static_cast<double>(box.cells[d])});
    numbers.push_back({"box: the length along " + axis, box.lengths[d]});
    numbers.push_back({"box: the number of blocks along " + axis, static_cast<double>(blocks[d])});
  }
  check_same(ranks, numbers);
  return agree(ranks, [&] {
    check_cells(box, dimension);
    if (blocks == BoxBlocks{0, 0, 0}) return choose_blocks(box, dimension, ranks.size());
    std::int64_t product = 1;
    std::string text;
    for (std::size_t d = 0; d < to_size(dimension); ++d) {
      product *= blocks[d];
      text += (d == 0 ? "" : " x ") + std::to_string(blocks[d]);
      if (blocks[d] < 1) product = 0;
      if (product <= 0) break;
    }
    if (product != ranks.size())
      throw ArgumentError("box: " + text + " blocks for " + std::to_string(ranks.size()) + " ranks");
    return blocks;
  });
}

} // namespace detail

/// Collective: the box of `io::box_mesh` with its numbers, divided into blocks of cells that differ by one
/// cell along each axis; a rank may be left without cells. Nodes between two blocks belong to the lower one.
/// Ghosts follow from the numbers of a block's neighbors; the whole box may have more nodes and elements than
/// an Ordinal counts. Node and side sets as `io::box_mesh`.
///
/// \param blocks zeros: the division with the least area between blocks
/// \throws ArgumentError on every rank for cells or lengths that are not positive, blocks that are not as
/// many as
///   ranks or not the same on all ranks, or a block that one process cannot hold; OutOfMemoryError
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(const ExecutionSpace& exec, MPI_Comm communicator, const io::Box& box,
                                       BoxBlocks blocks = {0, 0, 0}) {
  static_assert(!io::detail::BoxLattice<Element>::edges_alone,
                "distributed::box_mesh: every point of the box's lattice has a node; elevate a box of linear "
                "elements");
  const Communicator ranks(communicator);
  blocks = detail::checked_blocks(ranks, box, blocks, Element::dimension);
  const auto part = agree(ranks, [&] {
    const detail::BoxBlock<Element> block(box, blocks, ranks.rank());
    return detail::BoxBuilder<Element, ExecutionSpace>(exec, block).part();
  });
  return {exec, ranks, part.mesh, part.global_nodes, part.ghost_owners, part.global_elements};
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(MPI_Comm communicator, const io::Box& box,
                                       BoxBlocks blocks = {0, 0, 0}) {
  return box_mesh<Element>(default_instance<ExecutionSpace>(), communicator, box, blocks);
}

} // namespace tessera::distributed
