// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes, spaces and systems of one element behind the interfaces of problem.hpp.

#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "linearised.hpp"
#include "matrix_free.hpp"
#include "nodal.hpp"

namespace tessera::python {

template <class Element>
class SystemOf final : public AnySystem {
public:
  explicit SystemOf(const FunctionSpace<Element, Exec>& space)
      : exec_(instance()), space_(space), system_(exec_, space) {}

  const LinearSystem<double, Exec>& system() const override { return system_; }

  Report assemble(const Form& form, const std::string& strategy) override {
    if (const auto* const flow = std::get_if<SlowFlow>(&form)) return assemble_flow(*flow, strategy);
    plan(strategy);
    if (const auto* const helmholtz = std::get_if<Helmholtz<>>(&form))
      assembly_->assemble(*helmholtz, system_);
    else
      assembly_->assemble(elasticity_in<Element::dimension>(std::get<Elasticity>(form)), system_);
    return {assembly_->info().name, assembly_->report()};
  }

private:
  /// The catalogue has no plans for this form.
  Report assemble_flow([[maybe_unused]] const SlowFlow& form, const std::string& strategy) {
    if constexpr (Element::order == 2) {
      const char* const only = assembly::ElementAtomic::name;
      if (!same_name(strategy, "Best") && !same_name(strategy, only))
        throw UnsupportedError("Stokes: assembled by " + std::string(only) + " alone, not by " + strategy);
      default_instance<Exec>(); // as below
      if (!flow_) flow_.emplace(assembly::ElementAtomic{}.plan(exec_, space_, system_.graph()));
      flow_->assemble(stokes_in<Element::dimension>(form), system_);
      return {only, flow_->report()};
    } else {
      throw UnsupportedError("Stokes: compiled for elements of second order, not for " +
                             std::string(Element::name));
    }
  }
  /// Keeps the plan while the strategy is the same.
  void plan(const std::string& strategy) {
    default_instance<Exec>(); // refuses after Kokkos' end, where a kept plan would end the process
    if (assembly_ && same_name(assembly_->info().name, strategy)) return;
    assembly_ = make_assembly(exec_, strategy, space_, system_.graph());
  }

  Exec exec_;
  FunctionSpace<Element, Exec> space_;
  LinearSystem<double, Exec> system_;
  std::unique_ptr<AnyAssembly<Element, Exec>> assembly_;
  std::optional<assembly::ElementAtomic::Plan<Element, Exec>> flow_;
};

template <class Element>
class SpaceOf final : public NodalSpace<FunctionSpace<Element, Exec>, Element::dimension> {
  using Base = NodalSpace<FunctionSpace<Element, Exec>, Element::dimension>;
  using Base::space_;
  using typename Base::Sides;

public:
  using Base::Base;

  std::string element() const override { return Element::name; }
  const void* function_space() const override { return &space_; }
  std::shared_ptr<AnySystem> system() const override { return make_kept<SystemOf<Element>>(space_); }
  std::shared_ptr<AnyOperator> make_operator(const Form& form, const std::string& strategy) const override {
    return operator_of(space_, form, strategy);
  }
  std::shared_ptr<AnyResidual> make_residual(const ResidualForm& form,
                                             const std::string& strategy) const override {
    return residual_of(space_, form, strategy);
  }
  std::shared_ptr<AnyLinearised> linearise(const ResidualForm& form, const AnySystem& system) const override {
    return linearised_of(space_, form, system.system());
  }

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

  std::string element() const override { return Element::name; }
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
