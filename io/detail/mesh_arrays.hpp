// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes as plain arrays on the host, for files and pictures.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/io/detail/cell_type.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::io {

/// Named sets of a mesh on the host.
struct SetArrays {
  std::map<std::string, std::vector<Ordinal>> nodes;
  std::map<std::string, std::vector<Ordinal>> sides; ///< cell and side, one after the other
};

/// A mesh of one cell type as plain arrays on the host. Not owned.
struct MeshArrays {
  CellType type;
  int dimension = 3;
  std::span<const double> coordinates;     ///< node x dimension
  std::span<const Ordinal> connectivity;   ///< cell x type.nodes(), VTK's numbering
  std::span<const Ordinal> materials;      ///< one number per cell; may be empty
  std::span<const MaterialLabel> labels{}; ///< of the materials' numbers; may be empty
  const SetArrays* sets = nullptr;         ///< may be null

  std::size_t nodes() const { return coordinates.size() / static_cast<std::size_t>(dimension); }
  std::size_t cells() const { return connectivity.size() / static_cast<std::size_t>(type.nodes()); }
};

/// Copies of a mesh's views on the host.
template <class Element, class ExecutionSpace>
class HostArrays {
public:
  explicit HostArrays(const Mesh<Element, ExecutionSpace>& mesh)
      : coordinates_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates())),
        materials_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.materials())),
        labels_(mesh.material_labels()) {
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    // A device may keep an element's nodes apart from each other.
    connectivity_.reserve(nodes.size());
    for (std::size_t element = 0; element < nodes.extent(0); ++element)
      for (std::size_t node = 0; node < nodes.extent(1); ++node)
        connectivity_.push_back(nodes(element, node));
    for (const auto& [name, set] : mesh.node_sets()) copy(set, sets_.nodes[name]);
    for (const auto& [name, set] : mesh.side_sets()) copy(set, sets_.sides[name]);
  }

  /// Valid as long as this object.
  MeshArrays arrays() const {
    return {cell_type_of<Element>(),
            Element::dimension,
            {coordinates_.data(), coordinates_.size()},
            connectivity_,
            {materials_.data(), materials_.size()},
            labels_,
            &sets_};
  }
  /// The same as the only block.
  std::array<MeshArrays, 1> blocks() const { return {arrays()}; }

private:
  template <class Set>
  static void copy(const Set& set, std::vector<Ordinal>& entries) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if constexpr (Set::rank() == 1)
        entries.push_back(host(i));
      else
        for (std::size_t j = 0; j < host.extent(1); ++j) entries.push_back(host(i, j));
    }
  }

  typename Mesh<Element, ExecutionSpace>::ConstCoordinates::host_mirror_type::const_type coordinates_;
  typename Mesh<Element, ExecutionSpace>::ConstMaterials::host_mirror_type::const_type materials_;
  std::vector<Ordinal> connectivity_;
  std::vector<MaterialLabel> labels_;
  SetArrays sets_;
};

/// Copies of the views of a mixed mesh's blocks on the host.
template <class List, class ExecutionSpace>
class MixedHostArrays;
template <class... Elements, class ExecutionSpace>
class MixedHostArrays<Blocks<Elements...>, ExecutionSpace> {
public:
  explicit MixedHostArrays(const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh)
      : copies_(HostArrays(mesh.template block<Elements>())...),
        blocks_{std::get<HostArrays<Elements, ExecutionSpace>>(copies_).arrays()...} {}
  MixedHostArrays(const MixedHostArrays&) = delete; // `blocks` look into `copies_`
  MixedHostArrays& operator=(const MixedHostArrays&) = delete;

  /// One for each block, empty ones too. Valid as long as this object.
  std::span<const MeshArrays> blocks() const { return blocks_; }

private:
  std::tuple<HostArrays<Elements, ExecutionSpace>...> copies_;
  std::array<MeshArrays, sizeof...(Elements)> blocks_;
};

/// Copies of a mesh's views as `blocks()`, of one element type or of several.
template <class Element, class ExecutionSpace>
HostArrays<Element, ExecutionSpace> host_blocks(const Mesh<Element, ExecutionSpace>& mesh) {
  return HostArrays<Element, ExecutionSpace>(mesh);
}
template <class List, class ExecutionSpace>
MixedHostArrays<List, ExecutionSpace> host_blocks(const MixedMesh<List, ExecutionSpace>& mesh) {
  return MixedHostArrays<List, ExecutionSpace>(mesh);
}

} // namespace tessera::io
