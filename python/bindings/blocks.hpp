// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes, spaces and systems of several element types behind the interfaces of problem.hpp.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/read_mixed_mesh.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include "nodal.hpp"

namespace tessera::python {

/// Where the elements of each block begin in a numbering over all blocks; the last entry is their count.
template <class MixedMesh>
std::vector<Ordinal> first_elements(const MixedMesh& mesh) {
  std::vector<Ordinal> first{0};
  mesh.for_each_block([&](const auto& block) { first.push_back(first.back() + block.num_elements()); });
  return first;
}

/// The block's own part of a coefficient, whose memory is that of the whole.
inline CellField part_of(const CellField& field, const char* name, Ordinal first, Ordinal count,
                         Ordinal all) {
  if (field.kind() != CellField::Kind::per_element) return field;
  if (field.size() != to_size(all))
    throw ArgumentError(std::string(name) + ": " + std::to_string(field.size()) +
                        " values given, the mesh has " + std::to_string(all) + " elements");
  return CellField::per_element(Kokkos::View<const double*, Exec>(field.data() + first, to_size(count)));
}

[[noreturn]] inline void refuse_blocks(const std::string& what) {
  throw UnsupportedError(what + ": for meshes of one element type, this one has several");
}

template <class List>
class MixedSystemOf;
template <class... Elements>
class MixedSystemOf<Blocks<Elements...>> final : public AnySystem {
  using List = Blocks<Elements...>;
  using Space = MixedSpace<List, Exec>;

public:
  explicit MixedSystemOf(const Space& space)
      : exec_(instance()), space_(space), first_(first_elements(space.mesh())), system_(exec_, space) {}

  const LinearSystem<double, Exec>& system() const override { return system_; }

  Report assemble(const Form& form, const std::string& strategy) override {
    if (std::holds_alternative<SlowFlow>(form)) refuse_blocks("Stokes");
    default_instance<Exec>(); // refuses after Kokkos' end, where a kept plan would end the process
    if (!assembly_ || !same_name(strategy_, strategy)) {
      assembly_.emplace(make_assembly(exec_, strategy, space_, system_.graph()));
      strategy_ = strategy;
    }
    form_ = form;
    if (std::holds_alternative<Helmholtz<>>(form_))
      assembly_->assemble(by_block([&]<class Element>(const Mesh<Element, Exec>&) {
                            const auto& whole = std::get<Helmholtz<>>(form_);
                            return Helmholtz<>{part<Element>(whole.sigma, "Helmholtz: sigma"),
                                               part<Element>(whole.lambda, "Helmholtz: lambda"),
                                               part<Element>(whole.source, "Helmholtz: source")};
                          }),
                          system_);
    else
      assembly_->assemble(by_block([&]<class Element>(const Mesh<Element, Exec>&) {
                            auto own = std::get<Elasticity>(form_);
                            own.young = part<Element>(own.young, "LinearElasticity: young");
                            own.poisson = part<Element>(own.poisson, "LinearElasticity: poisson");
                            return elasticity_in<List::dimension>(own);
                          }),
                          system_);
    return {strategy_, assembly_->report()};
  }

private:
  template <class Element>
  CellField part(const CellField& field, const char* name) const {
    constexpr std::size_t number = List::template number<Element>;
    return part_of(field, name, first_[number], first_[number + 1] - first_[number], first_.back());
  }

  Exec exec_;
  Space space_;
  std::vector<Ordinal> first_;
  LinearSystem<double, Exec> system_;
  Form form_; // has the memory of the blocks' forms
  std::string strategy_;
  std::optional<decltype(make_assembly(std::declval<const Exec&>(), std::string(),
                                       std::declval<const Space&>(),
                                       std::declval<const SparsityGraph<Exec>&>()))>
      assembly_;
};

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

/// "quad1+tri1", of the blocks with elements.
template <class MixedMesh>
std::string names_of(const MixedMesh& mesh) {
  std::string names;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, Exec>& block) {
    if (block.num_elements() > 0) names += (names.empty() ? "" : "+") + std::string(Element::name);
  });
  return names;
}

template <class List>
class MixedSpaceOf final : public NodalSpace<MixedSpace<List, Exec>, List::dimension> {
  using Base = NodalSpace<MixedSpace<List, Exec>, List::dimension>;
  using Base::space_;
  using typename Base::Sides;

public:
  using Base::Base;

  std::string element() const override { return names_of(space_.mesh()); }
  const void* function_space() const override { return &space_; }
  std::shared_ptr<AnySystem> system() const override { return make_kept<MixedSystemOf<List>>(space_); }
  std::shared_ptr<AnyOperator> make_operator(const Form&, const std::string&) const override {
    refuse_blocks("Operator");
  }
  std::shared_ptr<AnyResidual> make_residual(const ResidualForm&, const std::string&) const override {
    refuse_blocks("Residual");
  }
  std::shared_ptr<AnyLinearised> linearise(const ResidualForm&, const AnySystem&) const override {
    refuse_blocks("Residual");
  }

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

  std::string element() const override { return names_of(mesh_); }
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
    if (unknowns.linear_components > 0) refuse_blocks("Space: linear_components");
    return make_kept<MixedSpaceOf<List>>(
        MixedSpace<List, Exec>(mesh_, unknowns.components, unknowns.treatment));
  }
};

} // namespace tessera::python
