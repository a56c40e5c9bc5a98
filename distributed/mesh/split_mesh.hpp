// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements that can be computed while ghosts' values are under way, and those that cannot.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// Lists the elements that have a ghost, or those that have none, ascending; of those alone that a rank owns
/// where their owners are given.
template <class Element, class ExecutionSpace>
struct ListSide {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Ordinal owned;
  bool border;
  Kokkos::View<const int*, ExecutionSpace> owners; ///< may be empty
  int rank;
  Kokkos::View<Ordinal*, ExecutionSpace> list; ///< empty while counting
  KOKKOS_FUNCTION void operator()(Ordinal element, Ordinal& count, bool final) const {
    bool ghost = false;
    for (int n = 0; n < Element::nodes; ++n) ghost = ghost || connectivity(element, n) >= owned;
    if (ghost != border || (owners.extent(0) > 0 && owners(element) != rank)) return;
    if (final && list.extent(0) > 0) list(count) = element;
    ++count;
  }
};

template <class Element, class ExecutionSpace>
struct CopyElements {
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  Kokkos::View<const Ordinal*, ExecutionSpace> list;
  typename MeshType::Kernel from;
  typename MeshType::Connectivity connectivity;
  typename MeshType::Materials materials;
  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    for (int n = 0; n < Element::nodes; ++n) connectivity(e, n) = from.connectivity(list(e), n);
    if (materials.extent(0) > 0) materials(e) = from.materials(list(e));
  }
};

/// Where each element of a rank stands in a list of some of them.
template <class ExecutionSpace>
struct PlaceInList {
  Kokkos::View<const Ordinal*, ExecutionSpace> list;
  Kokkos::View<Ordinal*, ExecutionSpace> place;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { place(list(i)) = i; }
};

/// Keeps the sides whose elements have a place, in their order.
template <class Element, class ExecutionSpace>
struct KeepSides {
  using SideSet = typename tessera::Mesh<Element, ExecutionSpace>::SideSet;
  Kokkos::View<const Ordinal*, ExecutionSpace> place; ///< of an element; negative: none
  SideSet from;
  SideSet kept; ///< empty while counting
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& count, bool final) const {
    const Ordinal element = place(from(i, 0));
    if (element < 0) return;
    if (final && kept.extent(0) > 0) {
      kept(count, 0) = element;
      kept(count, 1) = from(i, 1);
    }
    ++count;
  }
};

/// Numbers a block's elements among those of all blocks.
template <class ExecutionSpace>
struct NumberOverBlocks {
  Kokkos::View<const Ordinal*, ExecutionSpace> own;
  Ordinal before; ///< elements of the blocks before
  Ordinal begin;  ///< where the block's begin in the list
  Kokkos::View<Ordinal*, ExecutionSpace> all;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { all(begin + i) = before + own(i); }
};

/// Gives a mesh of some elements, of the side sets of the whole one, the sides of these elements.
template <class Element, class ExecutionSpace>
void add_side_sets(const ExecutionSpace& exec, const tessera::Mesh<Element, ExecutionSpace>& whole,
                   const Kokkos::View<Ordinal*, ExecutionSpace>& elements,
                   tessera::Mesh<Element, ExecutionSpace>& part) {
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const auto place = allocate<List>(exec, "Tessera::SplitMesh::place", whole.num_elements());
  Kokkos::deep_copy(exec, place, -1);
  Kokkos::parallel_for("Tessera::SplitMesh::place", Range(exec, 0, static_cast<Ordinal>(elements.extent(0))),
                       PlaceInList<ExecutionSpace>{elements, place});
  for (const auto& [name, sides] : whole.side_sets()) {
    KeepSides<Element, ExecutionSpace> keep{place, sides, {}};
    const Range all(exec, 0, static_cast<Ordinal>(sides.extent(0)));
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::SplitMesh::count_sides", all, keep, count);
    keep.kept = allocate<typename KeepSides<Element, ExecutionSpace>::SideSet>(
        exec, "Tessera::Mesh::side_set", count);
    Kokkos::parallel_scan("Tessera::SplitMesh::keep_sides", all, keep, count);
    part.add_side_set(exec, name, keep.kept);
  }
}

} // namespace detail

/// Some of a rank's elements, with all its nodes, their sides that are in sets, and all node sets.
template <class Cells, class ExecutionSpace>
struct MeshSide {
  Kokkos::View<Ordinal*, ExecutionSpace> elements; ///< among those of the rank, ascending
  typename Mesh<Cells, ExecutionSpace>::Local mesh;
};

/// A rank's elements in two meshes over the same nodes. The sum of operators or residuals of both is that of
/// the rank: the interior needs no ghost's value.
template <class Cells, class ExecutionSpace>
struct SplitMesh {
  MeshSide<Cells, ExecutionSpace> interior; ///< elements without a ghost
  MeshSide<Cells, ExecutionSpace> border;
};

namespace detail {

/// Takes the elements of one side out of what a rank has of a mesh, block after block.
template <class Cells, class ExecutionSpace>
class SideMaker {
  template <class Element>
  using Block = tessera::Mesh<Element, ExecutionSpace>;
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Owners = Kokkos::View<const int*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

public:
  using Local = typename Mesh<Cells, ExecutionSpace>::Local;

  /// \param owners of elements, or empty to take all
  SideMaker(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
            const typename Local::Coordinates& coordinates, const Owners& owners, bool border)
      : exec_(exec), mesh_(mesh), coordinates_(coordinates), owners_(owners), border_(border) {}

  MeshSide<Cells, ExecutionSpace> side() {
    Local part = made(mesh_.local());
    for (const auto& [name, nodes] : mesh_.local().node_sets()) part.add_node_set(exec_, name, nodes);
    return {elements(), part};
  }

private:
  template <class Element>
  Block<Element> made(const Block<Element>& local) {
    return block(local, coordinates_);
  }
  template <class First, class... Others>
  Local made(const MixedMesh<Blocks<First, Others...>, ExecutionSpace>& local) {
    const auto first = block(local.template block<First>(), coordinates_);
    // Braces: one after the other.
    const std::tuple<Block<Others>...> others{block(local.template block<Others>(), first)...};
    return std::apply([&](const auto&... other) { return Local(first, other...); }, others);
  }

  /// The side's elements of a block. \param nodes coordinates, or a block over them
  template <class Element, class Nodes>
  Block<Element> block(const Block<Element>& local, const Nodes& nodes) {
    const List list = listed(local);
    const auto count = static_cast<Ordinal>(list.extent(0));
    const CopyElements<Element, ExecutionSpace> copy{
        list, local.kernel(),
        allocate<typename Block<Element>::Connectivity>(exec_, "Tessera::Mesh::connectivity", count),
        allocate<typename Block<Element>::Materials>(exec_, "Tessera::Mesh::materials",
                                                     local.materials().extent(0) > 0 ? count : 0)};
    Kokkos::parallel_for("Tessera::SplitMesh::copy", Range(exec_, 0, count), copy);
    Block<Element> part(exec_, nodes, copy.connectivity, copy.materials);
    add_side_sets(exec_, local, list, part);
    lists_.push_back({list, before_});
    before_ += local.num_elements();
    return part;
  }

  template <class Element>
  List listed(const Block<Element>& local) const {
    const auto own = std::make_pair(before_, before_ + local.num_elements());
    ListSide<Element, ExecutionSpace> pick{local.connectivity(),
                                           mesh_.owned_nodes(),
                                           border_,
                                           owners_.extent(0) > 0 ? Owners(Kokkos::subview(owners_, own))
                                                                 : owners_,
                                           mesh_.ranks().rank(),
                                           {}};
    const Range all(exec_, 0, local.num_elements());
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::SplitMesh::count", all, pick, count);
    pick.list = allocate<List>(exec_, "Tessera::SplitMesh::elements", count);
    Kokkos::parallel_scan("Tessera::SplitMesh::list", all, pick, count);
    return pick.list;
  }

  /// Of all blocks, numbered as the rank numbers them.
  List elements() const {
    if (lists_.size() == 1) return lists_.front().list;
    std::size_t count = 0;
    for (const BlockList& block : lists_) count += block.list.extent(0);
    const auto all = allocate<List>(exec_, "Tessera::SplitMesh::elements", count);
    Ordinal begin = 0;
    for (const BlockList& block : lists_) {
      const auto own = static_cast<Ordinal>(block.list.extent(0));
      Kokkos::parallel_for("Tessera::SplitMesh::number", Range(exec_, 0, own),
                           NumberOverBlocks<ExecutionSpace>{block.list, block.before, begin, all});
      begin += own;
    }
    exec_.fence("Tessera::SplitMesh::number");
    return all;
  }

  struct BlockList {
    List list;      ///< of the side's elements, by their numbers in the block
    Ordinal before; ///< the rank's elements in the blocks before
  };

  ExecutionSpace exec_;
  const Mesh<Cells, ExecutionSpace>& mesh_;
  typename Local::Coordinates coordinates_;
  Owners owners_;
  bool border_;
  Ordinal before_ = 0;
  std::vector<BlockList> lists_;
};

/// \param owners of elements, or empty to take all
template <class Cells, class ExecutionSpace>
SplitMesh<Cells, ExecutionSpace> split_elements(const ExecutionSpace& exec,
                                                const Mesh<Cells, ExecutionSpace>& mesh,
                                                const Kokkos::View<const int*, ExecutionSpace>& owners) {
  using Maker = SideMaker<Cells, ExecutionSpace>;
  const auto coordinates = allocate<typename Maker::Local::Coordinates>(exec, "Tessera::Mesh::coordinates",
                                                                        mesh.local().num_nodes());
  Kokkos::deep_copy(exec, coordinates, mesh.local().coordinates());
  return {Maker(exec, mesh, coordinates, owners, false).side(),
          Maker(exec, mesh, coordinates, owners, true).side()};
}

} // namespace detail

/// Splits what a rank has of a mesh. Coordinates are copied once, for both; coefficients by element must be
/// taken by the lists of elements, of several element types those of one block after those of the one before.
/// \throws OutOfMemoryError
template <class Cells, class ExecutionSpace>
SplitMesh<Cells, ExecutionSpace> split_mesh(const ExecutionSpace& exec,
                                            const Mesh<Cells, ExecutionSpace>& mesh) {
  return detail::split_elements(exec, mesh, {});
}

/// The same of the elements that the rank owns, so that each is on one rank: for `RowExport`.
template <class Cells, class ExecutionSpace>
SplitMesh<Cells, ExecutionSpace> own_elements(const ExecutionSpace& exec,
                                              const Mesh<Cells, ExecutionSpace>& mesh) {
  return detail::split_elements<Cells, ExecutionSpace>(exec, mesh, mesh.element_owners());
}

} // namespace tessera::distributed
