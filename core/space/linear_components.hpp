// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Components in the linear functions of a mesh of higher order, as pressures and temperatures beside
/// quadratic displacements: their unknowns are at the elements' corners, and their values at other nodes
/// follow.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/identity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/detail/copy_of.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// Rows of nodes and weights.
struct WeightedLists {
  std::vector<Ordinal> rows; ///< nodes that the lists are of, ascending
  std::vector<Ordinal> offsets{0};
  std::vector<Ordinal> nodes;
  std::vector<double> weights;

  void add_row(Ordinal row, const std::vector<std::pair<Ordinal, double>>& list) {
    rows.push_back(row);
    for (const auto& [node, weight] : list) {
      nodes.push_back(node);
      weights.push_back(weight);
    }
    offsets.push_back(static_cast<Ordinal>(nodes.size()));
  }
};

/// The same on the device.
template <class ExecutionSpace>
struct DeviceWeightedLists {
  Kokkos::View<Ordinal*, ExecutionSpace> rows, offsets, nodes;
  Kokkos::View<double*, ExecutionSpace> weights;

  static DeviceWeightedLists of(const ExecutionSpace& exec, const WeightedLists& lists) {
    return {copy_of(exec, "Tessera::LinearComponents::rows", lists.rows),
            copy_of(exec, "Tessera::LinearComponents::offsets", lists.offsets),
            copy_of(exec, "Tessera::LinearComponents::nodes", lists.nodes),
            copy_of(exec, "Tessera::LinearComponents::weights", lists.weights)};
  }
};

/// Components from `first` on of the lists' rows: the sums of their nodes' times the weights, instead of what
/// is there or added to it.
template <class ExecutionSpace, class Scalar>
struct SumWeightedLists {
  DeviceWeightedLists<ExecutionSpace> lists;
  int first, components;
  bool add;
  Kokkos::View<Scalar*, ExecutionSpace> u;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int c = first; c < components; ++c) {
      double sum = 0;
      for (Ordinal k = lists.offsets(i); k < lists.offsets(i + 1); ++k)
        sum += lists.weights(k) * static_cast<double>(u(lists.nodes(k) * components + c));
      Scalar& target = u(lists.rows(i) * components + c);
      target = static_cast<Scalar>(add ? static_cast<double>(target) + sum : sum);
    }
  }
};

/// Components from `first` on of the lists' rows become zero.
template <class ExecutionSpace, class Scalar>
struct ClearWeightedRows {
  DeviceWeightedLists<ExecutionSpace> lists;
  int first, components;
  Kokkos::View<Scalar*, ExecutionSpace> u;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int c = first; c < components; ++c) u(lists.rows(i) * components + c) = Scalar(0);
  }
};

} // namespace detail

/// Which nodes are no corners of their elements, and how the linear components there follow from the corners.
template <class ExecutionSpace>
class LinearComponents {
public:
  LinearComponents() = default;

  /// \param first      linear components are those from this on,
  /// \param components of a node
  /// \param meshes     all blocks over the nodes
  /// \throws MeshError naming a node that is a corner of one element and not of another
  template <class... Elements>
  LinearComponents(int first, int components, const Mesh<Elements, ExecutionSpace>&... meshes)
      : first_(first), components_(components), meshes_{meshes.id()...} {
    Corners corners;
    corners.of.resize(to_size(std::get<0>(std::tie(meshes...)).num_nodes()));
    corners.is_corner.resize(corners.of.size(), false);
    (note_corners(meshes, corners), ...);
    (check_corners(meshes, corners), ...);
    place_.resize(corners.of.size(), -1);
    std::vector<Weights> followers(place_.size());
    for (std::size_t node = 0; node < place_.size(); ++node) {
      if (corners.of[node].empty()) continue;
      const auto number = static_cast<Ordinal>(node);
      for (const auto& [corner, weight] : corners.of[node])
        followers[to_size(corner)].emplace_back(number, weight);
      place_[node] = static_cast<Ordinal>(corners_.rows.size());
      corners_.add_row(number, corners.of[node]);
    }
    detail::WeightedLists of_corners;
    for (std::size_t node = 0; node < place_.size(); ++node)
      if (!followers[node].empty()) of_corners.add_row(static_cast<Ordinal>(node), followers[node]);
    const ExecutionSpace exec = default_instance<ExecutionSpace>();
    if (!any()) return;
    std::vector<std::uint8_t> masks(place_.size());
    for (std::size_t node = 0; node < place_.size(); ++node) masks[node] = mask(static_cast<Ordinal>(node));
    device_mask_ = detail::copy_of(exec, "Tessera::LinearComponents::mask", masks);
    revision_ = unique_number();
    interpolation_ = detail::DeviceWeightedLists<ExecutionSpace>::of(exec, corners_);
    folding_ = detail::DeviceWeightedLists<ExecutionSpace>::of(exec, of_corners);
  }

  /// Whether a mesh is among the blocks that they were made for.
  template <class Element>
  bool know(const Mesh<Element, ExecutionSpace>& mesh) const {
    return std::find(meshes_.begin(), meshes_.end(), mesh.id()) != meshes_.end();
  }
  /// Whether there is anything to follow: not on elements of first order.
  bool any() const { return !corners_.rows.empty(); }
  /// Names the set of degrees of freedom that follow; 0 without any.
  std::size_t revision() const { return revision_; }
  /// Of all nodes, on the device.
  const Kokkos::View<std::uint8_t*, ExecutionSpace>& device_mask() const { return device_mask_; }
  /// Bits of the components at a node that follow from its element's corners.
  std::uint8_t mask(Ordinal node) const {
    if (!any() || place_[to_size(node)] < 0) return 0;
    return static_cast<std::uint8_t>((1u << components_) - (1u << first_));
  }
  /// Calls `use(corner, weight)` for the corners that a component at a node follows from, or `use(node, 1)`.
  template <class Use>
  void for_each_corner(Ordinal node, int component, const Use& use) const {
    if (((mask(node) >> component) & 1) == 0) return use(node, 1.0);
    const auto place = to_size(place_[to_size(node)]);
    for (auto k = to_size(corners_.offsets[place]); k < to_size(corners_.offsets[place + 1]); ++k)
      use(corners_.nodes[k], corners_.weights[k]);
  }

  /// Fills a vector over all degrees of freedom where it follows from the corners, without waiting for it.
  template <class Scalar>
  void interpolate(const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& u) const {
    if (!any()) return;
    Kokkos::parallel_for(
        "Tessera::LinearComponents::interpolate", range(exec, interpolation_),
        detail::SumWeightedLists<ExecutionSpace, Scalar>{interpolation_, first_, components_, false, u});
  }
  /// The transpose: adds what stands at the other nodes of a vector over all degrees of freedom to the
  /// corners, and leaves zero there; in a fixed order, without waiting for it.
  template <class Scalar>
  void fold(const ExecutionSpace& exec, const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    if (!any()) return;
    Kokkos::parallel_for(
        "Tessera::LinearComponents::fold", range(exec, folding_),
        detail::SumWeightedLists<ExecutionSpace, Scalar>{folding_, first_, components_, true, r});
    Kokkos::parallel_for(
        "Tessera::LinearComponents::clear", range(exec, interpolation_),
        detail::ClearWeightedRows<ExecutionSpace, Scalar>{interpolation_, first_, components_, r});
  }

private:
  using Lists = detail::DeviceWeightedLists<ExecutionSpace>;
  using Weights = std::vector<std::pair<Ordinal, double>>;

  /// What elements say of their nodes.
  struct Corners {
    std::vector<bool> is_corner;
    std::vector<Weights> of; ///< the corners that a node is between, in the first element that says so
  };
  template <class Element>
  static void note_corners(const Mesh<Element, ExecutionSpace>& mesh, Corners& corners) {
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int n = 0; n < Element::nodes; ++n) {
        const auto node = to_size(nodes(e, n));
        if (n < Element::vertices)
          corners.is_corner[node] = true;
        else if (corners.of[node].empty())
          for (int v = 0; v < Element::vertices; ++v)
            if (const double weight = LinearBasis<Element>::weight(v, n); weight != 0)
              corners.of[node].emplace_back(nodes(e, v), weight);
      }
  }
  template <class Element>
  static void check_corners(const Mesh<Element, ExecutionSpace>& mesh, const Corners& corners) {
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int n = Element::vertices; n < Element::nodes; ++n)
        if (corners.is_corner[to_size(nodes(e, n))])
          throw MeshError("LinearComponents: node " + std::to_string(nodes(e, n)) + " is no corner of " +
                          mesh.element_name(e) + ", but one of another element");
  }
  static Kokkos::RangePolicy<ExecutionSpace> range(const ExecutionSpace& exec, const Lists& lists) {
    return {exec, 0, static_cast<Ordinal>(lists.rows.extent(0))};
  }

  int first_ = 0, components_ = 0;
  std::vector<std::size_t> meshes_; // their ids
  std::size_t revision_ = 0;
  std::vector<Ordinal> place_; // of a node in corners_, or negative
  detail::WeightedLists corners_;
  Lists interpolation_, folding_;
  Kokkos::View<std::uint8_t*, ExecutionSpace> device_mask_;
};

} // namespace tessera
