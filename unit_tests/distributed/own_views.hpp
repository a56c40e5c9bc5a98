// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an application has on a rank of a mesh that the test knows whole.

#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/mesh/make_mesh.hpp>
#include <tessera/io/generate/box.hpp>

#include "distributed/rows.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::test {

/// A rank's elements of a mesh that every rank has whole, and their nodes in an order of the rank's own.
template <class Element>
struct OwnViews {
  using MeshType = tessera::Mesh<Element, Space>;
  std::vector<GlobalOrdinal> nodes, elements;
  std::vector<int> owners;
  std::vector<double> shift; ///< added to each node's x
  const MeshType& whole;

  /// \param rank_of the rank that has an element
  OwnViews(const MeshType& mesh, const std::function<int(Ordinal)>& rank_of) : whole(mesh) {
    const auto all = on_host(mesh.connectivity());
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      if (rank_of(e) == rank_of_world()) {
        elements.push_back(e);
        for (int n = 0; n < Element::nodes; ++n) nodes.push_back(all(e, n));
      }
    std::sort(nodes.begin(), nodes.end(), [](auto a, auto b) { // no ascending order
      return std::pair(a % 7, a) < std::pair(b % 7, b);
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    shift.assign(nodes.size(), 0.0);
  }

  Ordinal local(GlobalOrdinal node) const {
    return static_cast<Ordinal>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  }

  MeshType piece() const {
    const auto all = on_host(whole.connectivity());
    const auto x = on_host(whole.coordinates());
    const auto coordinates =
        filled_on_host<typename MeshType::Coordinates>("App::coordinates", nodes.size(), [&](const auto& to) {
          for (std::size_t i = 0; i < nodes.size(); ++i)
            for (int d = 0; d < Element::dimension; ++d)
              to(i, d) = x(nodes[i], d) + (d == 0 ? shift[i] : 0.0);
        });
    const auto connectivity = filled_on_host<typename MeshType::Connectivity>(
        "App::connectivity", elements.size(), [&](const auto& to) {
          for (std::size_t e = 0; e < elements.size(); ++e)
            for (int n = 0; n < Element::nodes; ++n) to(e, n) = local(all(elements[e], n));
        });
    const auto materials =
        filled_on_host<typename MeshType::Materials>("App::materials", elements.size(), [&](const auto& to) {
          for (std::size_t e = 0; e < elements.size(); ++e) to(e) = static_cast<Ordinal>(elements[e] % 3);
        });
    MeshType mesh(coordinates, connectivity, materials);
    add_sets(mesh);
    return mesh;
  }

  void add_sets(MeshType& mesh) const {
    for (const auto& [name, device_set] : whole.node_sets()) {
      const auto set = on_host(device_set);
      std::vector<Ordinal> mine;
      for (std::size_t i = 0; i < set.extent(0); ++i)
        if (const Ordinal node = local(set(i)); node < mesh.num_nodes()) mine.push_back(node);
      const auto view = filled_on_host<typename MeshType::NodeSet>(
          "App::set", mine.size(), [&](const auto& to) { std::copy(mine.begin(), mine.end(), to.data()); });
      if (!mine.empty()) mesh.add_node_set(name, view); // a rank may not know a set
    }
    for (const auto& [name, device_set] : whole.side_sets()) {
      const auto set = on_host(device_set);
      std::vector<std::pair<Ordinal, Ordinal>> mine;
      for (std::size_t i = 0; i < set.extent(0); ++i)
        if (const auto e = std::lower_bound(elements.begin(), elements.end(), set(i, 0));
            e != elements.end() && *e == set(i, 0))
          mine.emplace_back(static_cast<Ordinal>(e - elements.begin()), set(i, 1));
      const auto view =
          filled_on_host<typename MeshType::SideSet>("App::sides", mine.size(), [&](const auto& to) {
            for (std::size_t i = 0; i < mine.size(); ++i) std::tie(to(i, 0), to(i, 1)) = mine[i];
          });
      mesh.add_side_set(name, view);
    }
  }

  template <class T>
  static Kokkos::View<const T*, Kokkos::HostSpace> view_of(const std::vector<T>& list) {
    return Kokkos::View<const T*, Kokkos::HostSpace>(list.data(), list.size());
  }
  distributed::Mesh<Element, Space> mesh() const {
    return distributed::make_mesh(Space(), MPI_COMM_WORLD, piece(), view_of(nodes), view_of(elements),
                                  view_of(owners));
  }
};

template <class Element>
tessera::Mesh<Element, Space> whole_box(const io::Box& box) {
  auto mesh = io::box_mesh<Element, Space>(box);
  const auto materials = filled_on_host<typename tessera::Mesh<Element, Space>::Materials>(
      "App::materials", to_size(mesh.num_elements()), [&](const auto& to) {
        for (Ordinal e = 0; e < mesh.num_elements(); ++e) to(e) = e % 3;
      });
  const typename tessera::Mesh<Element, Space>::Coordinates coordinates("App::coordinates", mesh.num_nodes());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  tessera::Mesh<Element, Space> with_materials(coordinates, mesh.connectivity(), materials);
  for (const auto& [name, set] : mesh.node_sets()) with_materials.add_node_set(name, set);
  for (const auto& [name, set] : mesh.side_sets()) with_materials.add_side_set(name, set);
  return with_materials;
}

inline int block_of(Ordinal element, Ordinal elements) {
  return static_cast<int>(static_cast<std::int64_t>(element) * size_of_world() / elements);
}

} // namespace tessera::test
