// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes, spaces and systems of one element behind the interfaces of problem.hpp.

#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "linearised.hpp"
#include "matrix_free.hpp"
#include "problem.hpp"
#include "streams.hpp"
#include "vectors.hpp"

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
class SpaceOf final : public AnySpace {
public:
  using Space = FunctionSpace<Element, Exec>;
  using Nodes = Kokkos::View<Ordinal*, Exec>;
  using Sides = typename Mesh<Element, Exec>::SideSet;
  using Position = typename Space::Position;

  explicit SpaceOf(const Space& space) : space_(space) {}

  std::string element() const override { return Element::name; }
  const void* function_space() const override { return &space_; }
  int components() const override { return space_.components(); }
  int linear_components() const override { return space_.linear_components(); }
  Ordinal num_equations() const override { return space_.equations(default_instance<Exec>()).count; }

  void constrain(const std::vector<Ordinal>& nodes, int component,
                 const std::vector<double>& values) override {
    space_.prescribe(nodes_of(nodes), component,
                     Kokkos::View<const double*, Kokkos::HostSpace>(values.data(), values.size()));
  }
  void release(const std::vector<Ordinal>& nodes, int component) override {
    space_.release(nodes_of(nodes), component);
  }
  void add_load(const std::vector<Ordinal>& sides, const Function& traction) override {
    space_.add_load(sides_of(sides), [&](const Position& x) { return traction(position(x)); });
  }
  void add_pressure(const std::vector<Ordinal>& sides, const Function& pressure) override {
    space_.add_pressure(sides_of(sides), number("Space.add_pressure: pressure", pressure));
  }
  void add_robin(const std::vector<Ordinal>& sides, const Function& transfer,
                 const Function& surroundings) override {
    const auto by_component = [&](const Function& function) {
      return [&function, components = space_.components()](const Position& x) {
        auto values = function(position(x));
        if (values.size() == 1) values.resize(components, values.front());
        return values;
      };
    };
    space_.add_robin(sides_of(sides), by_component(transfer), by_component(surroundings));
  }
  void add_point_load(Ordinal node, int component, double value) override {
    space_.add_point_load(node, component, value);
  }
  void clear_loads() override { space_.clear_loads(); }
  void clear_robin() override { space_.clear_robin(); }

  Kokkos::View<double*, Exec> expand(const Located<const double>& solution) const override {
    return space_.expand(instance(), readable(solution));
  }
  solvers::MultigridNodes<Exec> multigrid_nodes() const override {
    const auto exec = default_instance<Exec>();
    return solvers::Multigrid<Exec>::nodes_of(exec, space_.equations(exec), space_.mesh().coordinates());
  }
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
  static Nodes nodes_of(const std::vector<Ordinal>& nodes) {
    return copy_in<Nodes>("Tessera::python::nodes", nodes);
  }
  static Sides sides_of(const std::vector<Ordinal>& sides) {
    return copy_in<Sides>("Tessera::python::sides", sides.data(), sides.size() / 2);
  }
  static std::vector<double> position(const Position& x) {
    std::vector<double> position(Element::dimension);
    for (int d = 0; d < Element::dimension; ++d) position[d] = x(d);
    return position;
  }
  /// A function that gives a number.
  static auto number(const char* what, const Function& function) {
    return [what, &function](const Position& x) {
      const auto values = function(position(x));
      if (values.size() != 1)
        throw ArgumentError(std::string(what) + ": a number is needed, got " + std::to_string(values.size()) +
                            " values");
      return values.front();
    };
  }

  Space space_;
};

template <class Element>
class MeshOf final : public AnyMesh {
public:
  using MeshType = Mesh<Element, Exec>;

  explicit MeshOf(const MeshType& mesh) : mesh_(mesh) {}

  std::string element() const override { return Element::name; }
  Array<const double> points() const override { return host_array_of(mesh_.coordinates()); }
  Array<const Ordinal> cells() const override { return host_array_of(mesh_.connectivity()); }
  Array<const Ordinal> materials() const override { return host_array_of(mesh_.materials()); }
  Sets node_sets() const override { return arrays<Kokkos::View<const Ordinal*, Exec>>(mesh_.node_sets()); }
  Sets side_sets() const override { return arrays<ConstSides>(mesh_.side_sets()); }
  Array<const Ordinal> boundary_sides() const override {
    return host_array_of(ConstSides(tessera::boundary_sides(mesh_)));
  }
  Ordinal num_materials() const override { return mesh_.num_materials(); }
  std::vector<std::string> material_names() const override {
    std::vector<std::string> names;
    names.reserve(mesh_.material_labels().size());
    for (const MaterialLabel& label : mesh_.material_labels()) names.push_back(label.name);
    return names;
  }
  void show(const std::function<void(const io::MeshArrays&, const std::vector<io::DrawnSet>&)>& use)
      const override {
    use(io::HostArrays(mesh_).arrays(), io::drawn_sets(mesh_));
  }
  void add_node_set(const std::string& name, const std::vector<Ordinal>& nodes) override {
    mesh_.add_node_set(name, copy_in<typename MeshType::NodeSet>("Tessera::Mesh::node_set", nodes));
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

  template <class View, class Map>
  static Sets arrays(const Map& sets) {
    Sets found;
    for (const auto& [name, set] : sets) found.emplace(name, host_array_of(View(set)));
    return found;
  }

  MeshType mesh_;
};

template <class Element>
std::shared_ptr<AnyMesh> mesh_of_arrays(const MeshArrays& arrays) {
  using MeshType = Mesh<Element, Exec>;
  const auto check = [](const char* what, std::size_t found, std::size_t wanted) {
    if (found != wanted)
      throw ArgumentError("Mesh: " + std::string(what) + " have " + std::to_string(found) + " columns; " +
                          Element::name + " needs " + std::to_string(wanted));
  };
  check("points", arrays.dimension, Element::dimension);
  check("cells", arrays.nodes_per_element, Element::nodes);
  typename MeshType::Materials materials;
  if (arrays.materials)
    materials =
        copy_in<typename MeshType::Materials>("Tessera::Mesh::materials", *arrays.materials, arrays.elements);
  return make_kept<MeshOf<Element>>(MeshType(
      default_instance<Exec>(),
      copy_in<typename MeshType::Coordinates>("Tessera::Mesh::coordinates", arrays.points, arrays.nodes),
      copy_in<typename MeshType::Connectivity>("Tessera::Mesh::connectivity", arrays.cells, arrays.elements),
      materials));
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
