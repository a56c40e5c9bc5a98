// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes and spaces of one element behind the interfaces of problem.hpp.

#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/io/read_mesh.hpp>

#include "nodal.hpp"

namespace tessera::python {

template <class Element>
class SpaceOf final : public NodalSpace<FunctionSpace<Element, Exec>> {
  using Base = NodalSpace<FunctionSpace<Element, Exec>>;
  using typename Base::Sides;

public:
  using Base::Base;

private:
  Sides sides_of(const std::vector<Ordinal>& sides) const override {
    return copy_in<Sides>("Tessera::python::sides", sides.data(), sides.size() / 2);
  }
};

template <class Element>
class MeshOf final : public NodalMesh<Mesh<Element, Exec>> {
  using MeshType = Mesh<Element, Exec>;
  using NodalMesh<MeshType>::mesh_;

public:
  using NodalMesh<MeshType>::NodalMesh;

  std::vector<std::pair<std::string, Array<const Ordinal>>> blocks() const override {
    return {{Element::name, host_array_of(mesh_.connectivity())}};
  }
  Array<const Ordinal> materials() const override { return host_array_of(mesh_.materials()); }
  AnyMesh::Sets side_sets() const override {
    AnyMesh::Sets found;
    for (const auto& [name, set] : mesh_.side_sets()) found.emplace(name, host_array_of(ConstSides(set)));
    return found;
  }
  Array<const Ordinal> boundary_sides() const override {
    return host_array_of(ConstSides(tessera::boundary_sides(mesh_)));
  }
  void show(const std::function<void(std::span<const io::MeshArrays>, const std::vector<io::DrawnSet>&)>& use)
      const override {
    use(io::HostArrays(mesh_).blocks(), io::drawn_sets(mesh_));
  }
  void add_side_set(const std::string& name, const std::vector<Ordinal>& sides) override {
    mesh_.add_side_set(
        name, copy_in<typename MeshType::SideSet>("Tessera::Mesh::side_set", sides.data(), sides.size() / 2));
  }
  std::shared_ptr<AnySpace> space(const Unknowns& unknowns) const override {
    return make_kept<SpaceOf<Element>>(FunctionSpace<Element, Exec>(mesh_, unknowns));
  }

private:
  using ConstSides = Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, Exec>;
};

template <class Element>
std::shared_ptr<AnyMesh> mesh_of_arrays(const MeshArrays& arrays) {
  using MeshType = Mesh<Element, Exec>;
  check_columns("points", arrays.dimension, Element::dimension, Element::name);
  const auto connectivity = connectivity_of<MeshType>(arrays.blocks.front());
  return make_kept<MeshOf<Element>>(MeshType(default_instance<Exec>(), coordinates_of<MeshType>(arrays),
                                             connectivity, materials_of<MeshType>(arrays.blocks.front())));
}

template <class Element>
ElementEntry entry_of() {
  return {Element::name, Element::dimension, mesh_of_arrays<Element>,
          [](io::MeshData data, bool allow_partial) -> std::shared_ptr<AnyMesh> {
            return make_kept<MeshOf<Element>>(
                io::to_mesh<Element>(default_instance<Exec>(), std::move(data), allow_partial));
          },
          [](const io::Box& box) -> std::shared_ptr<AnyMesh> {
            return make_kept<MeshOf<Element>>(io::box_mesh<Element>(default_instance<Exec>(), box));
          }};
}

} // namespace tessera::python
