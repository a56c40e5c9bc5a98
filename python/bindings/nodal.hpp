// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What meshes and spaces of one element type and of several have in common, behind the interfaces of
// problem.hpp.

#include <tessera/solvers/multigrid/multigrid.hpp>

#include "by_block.hpp"
#include "linearised.hpp"
#include "matrix_free.hpp"
#include "problem.hpp"
#include "streams.hpp"
#include "system.hpp"
#include "vectors.hpp"

namespace tessera::python {

/// A space of either kind.
template <class Space>
class NodalSpace : public AnySpace {
  static constexpr int dimension = ElementsOf<Space>::dimension;

public:
  using Nodes = Kokkos::View<Ordinal*, Exec>;
  using Sides = typename Space::MeshType::SideSet;
  using Position = Vector<double, dimension>;

  explicit NodalSpace(const Space& space) : space_(space) {}

  std::string element() const override { return names_of(space_.mesh()); }
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
  std::shared_ptr<AnySystem> system() const override { return make_kept<SystemOf<Space>>(space_); }
  std::shared_ptr<Operator> make_operator(const Form& form, const std::string& strategy) const override {
    return operator_of(space_, form, strategy);
  }
  std::shared_ptr<AnyResidual> make_residual(const ResidualForm& form,
                                             const std::string& strategy) const override {
    return residual_of(space_, form, strategy);
  }
  std::shared_ptr<AnyLinearised> linearise(const ResidualForm& form, const AnySystem& system) const override {
    return linearised_of(space_, form, system.system());
  }

protected:
  Space space_;

private:
  /// Sides are pairs of element and number of the side.
  virtual Sides sides_of(const std::vector<Ordinal>& sides) const = 0;

  static Nodes nodes_of(const std::vector<Ordinal>& nodes) {
    return copy_in<Nodes>("Tessera::python::nodes", nodes);
  }
  static std::vector<double> position(const Position& x) {
    std::vector<double> position(dimension);
    for (int d = 0; d < dimension; ++d) position[d] = x(d);
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
};

/// A mesh of either kind.
template <class MeshType>
class NodalMesh : public AnyMesh {
public:
  explicit NodalMesh(const MeshType& mesh) : mesh_(mesh) {}

  std::string element() const override { return names_of(mesh_); }
  Array<const double> points() const override { return host_array_of(mesh_.coordinates()); }
  Sets node_sets() const override {
    Sets found;
    for (const auto& [name, set] : mesh_.node_sets())
      found.emplace(name, host_array_of(Kokkos::View<const Ordinal*, Exec>(set)));
    return found;
  }
  Ordinal num_materials() const override { return mesh_.num_materials(); }
  std::vector<std::string> material_names() const override {
    std::vector<std::string> names;
    names.reserve(mesh_.material_labels().size());
    for (const MaterialLabel& label : mesh_.material_labels()) names.push_back(label.name);
    return names;
  }
  void add_node_set(const std::string& name, const std::vector<Ordinal>& nodes) override {
    mesh_.add_node_set(name, copy_in<typename MeshType::NodeSet>("Tessera::Mesh::node_set", nodes));
  }

protected:
  MeshType mesh_;
};

/// \throws ArgumentError that names the element unless as many columns as it needs are found
inline void check_columns(const char* what, std::size_t found, std::size_t wanted,
                          const std::string& element) {
  if (found != wanted)
    throw ArgumentError("Mesh: " + std::string(what) + " have " + std::to_string(found) + " columns; " +
                        element + " needs " + std::to_string(wanted));
}

/// \name Views of what Python hands over, copied.
///@{
template <class MeshType>
typename MeshType::Coordinates coordinates_of(const MeshArrays& arrays) {
  return copy_in<typename MeshType::Coordinates>("Tessera::Mesh::coordinates", arrays.points, arrays.nodes);
}
template <class MeshType>
typename MeshType::Connectivity connectivity_of(const BlockArrays& block) {
  check_columns("cells", block.nodes_per_element, MeshType::Element::nodes, MeshType::Element::name);
  return copy_in<typename MeshType::Connectivity>("Tessera::Mesh::connectivity", block.cells, block.elements);
}
template <class MeshType>
typename MeshType::Materials materials_of(const BlockArrays& block) {
  if (!block.materials) return {};
  return copy_in<typename MeshType::Materials>("Tessera::Mesh::materials", *block.materials, block.elements);
}
///@}

} // namespace tessera::python
