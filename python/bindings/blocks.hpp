// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes and spaces of several element types behind the interfaces of problem.hpp.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/io/read_mixed_mesh.hpp>

#include "nodal.hpp"

namespace tessera::python {

/// Sides of all blocks whose elements are numbered over all of them. Those of elements that do not exist go
/// to the first or last block, for the library to refuse.
template <class... Elements>
MixedSides<Blocks<Elements...>, Exec> to_mixed_sides(const MixedMesh<Blocks<Elements...>, Exec>& mesh,
                                                     const std::vector<Ordinal>& sides) {
  const auto first = first_elements(mesh);
  std::vector<std::vector<Ordinal>> own(sizeof...(Elements));
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    std::size_t block = 0;
    while (block + 1 < own.size() && sides[i] >= first[block + 1]) ++block;
    own[block].push_back(sides[i] - first[block]);
    own[block].push_back(sides[i + 1]);
  }
  MixedSides<Blocks<Elements...>, Exec> result;
  std::size_t block = 0;
  ((result.template block<Elements>() = copy_in<typename Mesh<Elements, Exec>::SideSet>(
        "Tessera::python::sides", own[block].data(), own[block].size() / 2),
    ++block),
   ...);
  return result;
}

/// An array on the host that owns its entries.
inline Array<const Ordinal> array_of_rows(std::vector<Ordinal> entries, std::size_t columns) {
  const auto owner = std::make_shared<const std::vector<Ordinal>>(std::move(entries));
  const std::size_t rows = owner->size() / columns;
  Array<const Ordinal> array{owner->data(), {rows}, {static_cast<std::int64_t>(columns)}, owner};
  if (columns > 1) {
    array.extents.push_back(columns);
    array.strides.push_back(1);
  }
  return array;
}

/// The other way round.
template <class... Elements>
Array<const Ordinal> from_mixed_sides(const MixedMesh<Blocks<Elements...>, Exec>& mesh,
                                      const MixedSides<Blocks<Elements...>, Exec>& sides) {
  const auto first = first_elements(mesh);
  std::vector<Ordinal> entries;
  std::size_t block = 0;
  const auto append = [&](const auto& set) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      entries.push_back(first[block] + host(i, 0));
      entries.push_back(host(i, 1));
    }
    ++block;
  };
  (append(sides.template block<Elements>()), ...);
  return array_of_rows(std::move(entries), 2);
}

template <class List>
class MixedSpaceOf final : public NodalSpace<MixedSpace<List, Exec>> {
  using Base = NodalSpace<MixedSpace<List, Exec>>;
  using Base::space_;
  using typename Base::Sides;

public:
  using Base::Base;

private:
  Sides sides_of(const std::vector<Ordinal>& sides) const override {
    return to_mixed_sides(space_.mesh(), sides);
  }
};

template <class List>
class MixedMeshOf final : public NodalMesh<MixedMesh<List, Exec>> {
  using MeshType = MixedMesh<List, Exec>;
  using NodalMesh<MeshType>::mesh_;

public:
  using NodalMesh<MeshType>::NodalMesh;

  std::vector<std::pair<std::string, Array<const Ordinal>>> blocks() const override {
    std::vector<std::pair<std::string, Array<const Ordinal>>> blocks;
    mesh_.for_each_block([&]<class Element>(const Mesh<Element, Exec>& block) {
      if (block.num_elements() > 0) blocks.emplace_back(Element::name, host_array_of(block.connectivity()));
    });
    return blocks;
  }
  Array<const Ordinal> materials() const override {
    std::vector<Ordinal> all;
    if (mesh_.num_materials() > 1)
      mesh_.for_each_block([&](const auto& block) {
        const auto own = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block.materials());
        for (Ordinal e = 0; e < block.num_elements(); ++e) all.push_back(own.extent(0) > 0 ? own(e) : 0);
      });
    return array_of_rows(std::move(all), 1);
  }
  AnyMesh::Sets side_sets() const override {
    AnyMesh::Sets found;
    mesh_.for_each_block([&](const auto& block) {
      for (const auto& [name, set] : block.side_sets())
        if (!found.contains(name)) found.emplace(name, from_mixed_sides(mesh_, mesh_.side_set(name)));
    });
    return found;
  }
  Array<const Ordinal> boundary_sides() const override {
    return from_mixed_sides(mesh_, tessera::boundary_sides(mesh_));
  }
  void show(const std::function<void(std::span<const io::MeshArrays>, const std::vector<io::DrawnSet>&)>& use)
      const override {
    use(io::MixedHostArrays<List, Exec>(mesh_).blocks(), io::drawn_sets(mesh_));
  }
  void add_side_set(const std::string& name, const std::vector<Ordinal>& sides) override {
    mesh_.add_side_set(name, to_mixed_sides(mesh_, sides));
  }
  std::shared_ptr<AnySpace> space(const Unknowns& unknowns) const override {
    return make_kept<MixedSpaceOf<List>>(MixedSpace<List, Exec>(mesh_, unknowns));
  }
};

} // namespace tessera::python
