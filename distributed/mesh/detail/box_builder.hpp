// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One rank's part of a box, made on the device.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/mesh/detail/box_blocks.hpp>
#include <tessera/distributed/mesh/detail/part.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace tessera::distributed::detail {

/// The kernels. Points of the touched cells have numbers of their own, `lattice.node`, of which `number`
/// makes those of the local mesh: some points of touched cells belong to no element that touches an owned
/// node.
template <class Element, class ExecutionSpace>
struct BoxKernels {
  static constexpr int dimension = Element::dimension;
  static constexpr int parts = io::detail::BoxLattice<Element>::parts;
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  using Lattice = io::detail::BoxLattice<Element>;
  using Ordinals = Kokkos::View<Ordinal*, ExecutionSpace>;
  using GlobalNumbers = Kokkos::View<GlobalOrdinal*, ExecutionSpace>;

  Lattice lattice;                    ///< of the touched cells
  Ordinal origin[dimension];          ///< first touched cell
  GlobalOrdinal all_cells[dimension]; ///< of the whole box
  Region<dimension> own, region;      ///< the rank's points; those that are being numbered
  Ordinal offset = 0;                 ///< local nodes before `region`
  Ordinals number;                    ///< of each point of touched cells
  Ordinals elements;                  ///< among those of the touched cells, ascending; empty while counting
  GlobalNumbers global_nodes, global_elements;
  typename MeshType::Coordinates coordinates;
  typename MeshType::Connectivity connectivity;

  static constexpr Ordinal untouched = -1;

  /// A point of the box among those of the touched cells.
  KOKKOS_FUNCTION Ordinal touched_point(const Ordinal (&at)[dimension]) const {
    Ordinal local[dimension];
    for (int d = 0; d < dimension; ++d) local[d] = at[d] - origin[d] * Element::order;
    return lattice.node(local);
  }
  /// The point of the box where node n of one of the touched cells' elements lies.
  KOKKOS_FUNCTION void element_point(Ordinal element, int n, Ordinal (&at)[dimension]) const {
    lattice.element_point(element, n, at);
    for (int d = 0; d < dimension; ++d) at[d] += origin[d] * Element::order;
  }
  KOKKOS_FUNCTION bool owned(const Ordinal (&at)[dimension]) const {
    for (int d = 0; d < dimension; ++d)
      if (at[d] < own.first[d] || at[d] >= own.first[d] + own.extent[d]) return false;
    return true;
  }

  struct Touch {};
  struct Number {};
  struct Nodes {};
  struct Elements {};

  /// Lists the elements that touch an owned node, and marks their nodes.
  KOKKOS_FUNCTION void operator()(Touch, Ordinal element, Ordinal& count, bool final) const {
    Ordinal at[dimension];
    bool touches = false;
    for (int n = 0; n < Element::nodes && !touches; ++n) {
      element_point(element, n, at);
      touches = owned(at);
    }
    if (!touches) return;
    if (final && elements.extent(0) > 0) {
      elements(count) = element;
      for (int n = 0; n < Element::nodes; ++n) {
        element_point(element, n, at);
        Kokkos::atomic_store(&number(touched_point(at)), Ordinal{0});
      }
    }
    ++count;
  }

  /// Numbers a region's marked points.
  KOKKOS_FUNCTION void operator()(Number, Ordinal index, Ordinal& count, bool final) const {
    Ordinal at[dimension];
    region.point(index, at);
    const Ordinal point = touched_point(at);
    if (number(point) == untouched) return;
    // Numbers are written once, and the first pass of a scan reads no number of the last one.
    if (final) number(point) = offset + count;
    ++count;
  }

  KOKKOS_FUNCTION void operator()(Nodes, Ordinal index) const {
    Ordinal at[dimension];
    region.point(index, at);
    const Ordinal node = number(touched_point(at));
    if (node == untouched) return;
    GlobalOrdinal global = at[dimension - 1];
    for (int d = dimension - 2; d >= 0; --d) global = global * (all_cells[d] * Element::order + 1) + at[d];
    global_nodes(node) = global;
    for (int d = 0; d < dimension; ++d) coordinates(node, d) = at[d] * lattice.spacing[d];
  }

  KOKKOS_FUNCTION void operator()(Elements, Ordinal e) const {
    const Ordinal element = elements(e);
    Ordinal at[dimension];
    for (int n = 0; n < Element::nodes; ++n) {
      element_point(element, n, at);
      connectivity(e, n) = number(touched_point(at));
    }
    lattice.cell(element / parts, at);
    GlobalOrdinal cell = at[dimension - 1] + origin[dimension - 1];
    for (int d = dimension - 2; d >= 0; --d) cell = cell * all_cells[d] + at[d] + origin[d];
    global_elements(e) = cell * parts + element % parts;
  }
};

/// Picks the local nodes or sides on the plane x_axis = `at` of the lattice, in ascending order.
template <class Element, class ExecutionSpace, class Set>
struct BlockFace {
  BoxKernels<Element, ExecutionSpace> block;
  int axis;
  Ordinal at;
  Set set; ///< empty while counting

  KOKKOS_FUNCTION void operator()(std::int64_t item, Ordinal& count, bool final) const {
    if constexpr (Set::rank() == 1) {
      GlobalOrdinal point = block.global_nodes(item);
      for (int d = 0; d < axis; ++d) point /= block.all_cells[d] * Element::order + 1;
      if (axis < Element::dimension - 1) point %= block.all_cells[axis] * Element::order + 1;
      if (point != at) return;
      if (final && set.extent(0) > 0) set(count) = static_cast<Ordinal>(item);
    } else {
      const auto element = static_cast<Ordinal>(item / Element::sides);
      const auto side = static_cast<int>(item % Element::sides);
      for (int a = 0; a < tessera::detail::SideNodes<Element>::count(side); ++a) {
        Ordinal point[Element::dimension];
        block.element_point(block.elements(element), tessera::detail::SideNodes<Element>::local_node(side, a),
                            point);
        if (point[axis] != at) return;
      }
      if (final && set.extent(0) > 0) {
        set(count, 0) = element;
        set(count, 1) = side;
      }
    }
    ++count;
  }
};

/// Makes one rank's part of the box.
template <class Element, class ExecutionSpace>
class BoxBuilder {
public:
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  using Kernels = BoxKernels<Element, ExecutionSpace>;
  using HostNumbers = Kokkos::View<GlobalOrdinal*, Kokkos::HostSpace>;
  using HostOwners = Kokkos::View<int*, Kokkos::HostSpace>;

  BoxBuilder(const ExecutionSpace& exec, const BoxBlock<Element>& block) : exec_(exec), block_(block) {
    kernels_.lattice = block.lattice;
    for (int d = 0; d < Element::dimension; ++d) {
      kernels_.origin[d] = block.first_cell[d];
      kernels_.all_cells[d] = block.all_cells[d];
    }
    if (block.empty()) return;
    kernels_.own = block.own();
    list_elements();
    number_nodes();
  }

  Part<tessera::Mesh<Element, ExecutionSpace>> part() {
    const auto nodes = static_cast<Ordinal>(owned_ + owners_.extent(0));
    const auto elements = static_cast<Ordinal>(kernels_.elements.extent(0));
    kernels_.coordinates =
        allocate<typename MeshType::Coordinates>(exec_, "Tessera::Box::coordinates", nodes);
    kernels_.connectivity =
        allocate<typename MeshType::Connectivity>(exec_, "Tessera::Box::connectivity", elements);
    kernels_.global_nodes =
        allocate<typename Kernels::GlobalNumbers>(exec_, "Tessera::Box::global_nodes", nodes);
    kernels_.global_elements =
        allocate<typename Kernels::GlobalNumbers>(exec_, "Tessera::Box::global_elements", elements);
    for (const auto& region : block_.regions) {
      kernels_.region = region;
      Kokkos::parallel_for("Tessera::Box::nodes", range<typename Kernels::Nodes>(region.points()), kernels_);
    }
    Kokkos::parallel_for("Tessera::Box::elements", range<typename Kernels::Elements>(elements), kernels_);
    kernels_.number = {};
    MeshType mesh(exec_, kernels_.coordinates, kernels_.connectivity);
    add_sets(mesh);
    return {mesh, to_host("Tessera::Mesh::global_nodes", kernels_.global_nodes), owners_,
            to_host("Tessera::Mesh::global_elements", kernels_.global_elements)};
  }

private:
  template <class Tag>
  Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<Ordinal>> range(Ordinal items) const {
    return {exec_, 0, items};
  }

  void list_elements() {
    Ordinal points = 1, elements = Kernels::parts;
    for (int d = 0; d < Element::dimension; ++d) {
      points *= block_.lattice.points(d);
      elements *= block_.lattice.cells[d];
    }
    kernels_.number = allocate<typename Kernels::Ordinals>(exec_, "Tessera::Box::number", points);
    Kokkos::deep_copy(exec_, kernels_.number, Kernels::untouched);
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::Box::count_elements", range<typename Kernels::Touch>(elements), kernels_,
                          count);
    kernels_.elements = allocate<typename Kernels::Ordinals>(exec_, "Tessera::Box::list", count);
    Kokkos::parallel_scan("Tessera::Box::list_elements", range<typename Kernels::Touch>(elements), kernels_,
                          count);
  }

  void number_nodes() {
    std::vector<Ordinal> counts;
    for (const auto& region : block_.regions) {
      kernels_.region = region;
      Ordinal count = 0;
      Kokkos::parallel_scan("Tessera::Box::number_nodes", range<typename Kernels::Number>(region.points()),
                            kernels_, count);
      counts.push_back(count);
      kernels_.offset += count;
    }
    owned_ = counts.front();
    owners_ = HostOwners("Tessera::Mesh::ghost_owners", to_size(kernels_.offset - owned_));
    std::size_t ghost = 0;
    for (std::size_t r = 1; r < counts.size(); ++r)
      for (Ordinal i = 0; i < counts[r]; ++i) owners_(ghost++) = block_.regions[r].rank;
  }

  template <class Set>
  Set face(int axis, bool upper, std::int64_t items) const {
    const auto last = static_cast<Ordinal>(block_.all_cells[axis] * Element::order);
    const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>> all(exec_, 0, items);
    BlockFace<Element, ExecutionSpace, Set> face{kernels_, axis, upper ? last : 0, {}};
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::Box::count_face", all, face, count);
    face.set = allocate<Set>(exec_, "Tessera::Box::face", count);
    Kokkos::parallel_scan("Tessera::Box::fill_face", all, face, count);
    exec_.fence("Tessera::Box::fill_face");
    return face.set;
  }

  void add_sets(MeshType& mesh) const {
    const char axis_names[] = {'x', 'y', 'z'};
    const auto sides = static_cast<std::int64_t>(mesh.num_elements()) * Element::sides;
    for (int axis = 0; axis < Element::dimension; ++axis)
      for (bool upper : {false, true}) {
        const std::string name = std::string(1, axis_names[axis]) + (upper ? "max" : "min");
        mesh.add_node_set(exec_, name, face<typename MeshType::NodeSet>(axis, upper, mesh.num_nodes()));
        mesh.add_side_set(exec_, name, face<typename MeshType::SideSet>(axis, upper, sides));
      }
  }

  HostNumbers to_host(const char* label, const typename Kernels::GlobalNumbers& numbers) const {
    const HostNumbers host(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing),
                           numbers.extent(0));
    Kokkos::deep_copy(exec_, host, numbers);
    exec_.fence(label);
    return host;
  }

  ExecutionSpace exec_;
  const BoxBlock<Element>& block_;
  Kernels kernels_;
  Ordinal owned_ = 0;
  HostOwners owners_;
};

} // namespace tessera::distributed::detail
