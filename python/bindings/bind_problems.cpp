// SPDX-License-Identifier: BSD-3-Clause
// Meshes, spaces, forms and systems for Python.
#include <tessera/io/read.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "module.hpp"
#include "problem.hpp"
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tessera::python {

namespace {

using Ordinals = HostArray<Ordinal, 1>;
using Sides = HostArray<Ordinal, 2>;
using Doubles = HostArray<double, 1>;

template <class Sets>
nb::dict to_dict(const Sets& sets) {
  nb::dict dict;
  for (const auto& [name, array] : sets) dict[name.c_str()] = to_numpy(array);
  return dict;
}

std::shared_ptr<AnyMesh> make_mesh(const std::string& element, const HostArray<double, 2>& points,
                                   const HostArray<Ordinal, 2>& cells,
                                   const std::optional<Ordinals>& materials) {
  if (materials && materials->shape(0) != cells.shape(0))
    throw ArgumentError("Mesh: " + std::to_string(materials->shape(0)) + " materials for " +
                        std::to_string(cells.shape(0)) + " cells");
  return find_element(element).from_arrays({points.data(), points.shape(0), points.shape(1), cells.data(),
                                            cells.shape(0), cells.shape(1),
                                            materials ? materials->data() : nullptr});
}

std::shared_ptr<AnyMesh> read_mesh(const std::string& path, const std::string& element, bool allow_partial) {
  auto data = io::read_mesh_data(path);
  const std::string name = element.empty() ? io::single_type(data).name() : element;
  return find_element(name).from_data(std::move(data), allow_partial);
}

std::shared_ptr<AnyMesh> box_mesh(const std::string& element, const std::vector<Ordinal>& cells,
                                  const std::vector<double>& lengths) {
  const ElementEntry& entry = find_element(element);
  const std::size_t dimension = to_size(entry.dimension);
  if (cells.size() != dimension || lengths.size() != dimension)
    throw ArgumentError("box: " + entry.name + " needs " + std::to_string(dimension) +
                        " numbers of cells and lengths, got " + std::to_string(cells.size()) + " and " +
                        std::to_string(lengths.size()));
  io::Box box;
  std::copy(cells.begin(), cells.end(), box.cells.begin());
  std::copy(lengths.begin(), lengths.end(), box.lengths.begin());
  return entry.box(box);
}

using FormPtr = std::shared_ptr<const Form>;
using FieldPtr = std::shared_ptr<const CellField>;

FieldPtr per_element(const Doubles& values) {
  using Values = Kokkos::View<double*, Exec>;
  return make_kept<const CellField>(CellField::per_element(
      copy_in<Values>("Tessera::python::per_element", values.data(), values.shape(0))));
}

void bind_forms(nb::module_& module) {
  nb::class_<CellField>(module, "CellField");
  module.def("constant", [](double value) -> FieldPtr { return make_kept<const CellField>(value); });
  module.def("per_material", [](const std::vector<double>& values) -> FieldPtr {
    return make_kept<const CellField>(CellField::per_material<Exec>(values));
  });
  module.def("per_element", per_element);
  nb::class_<Form>(module, "Form");
  module.def("helmholtz",
             [](const CellField& sigma, const CellField& lambda, const CellField& source) -> FormPtr {
               return make_kept<const Form>(Helmholtz<>{sigma, lambda, source});
             });
  module.def("elasticity",
             [](const CellField& young, const CellField& poisson, const std::vector<double>& body_force,
                bool plane_stress) -> FormPtr {
               return make_kept<const Form>(
                   Elasticity{young, poisson, body_force, plane_stress ? Plane::stress : Plane::strain});
             });
}

void bind_mesh(nb::module_& module) {
  nb::class_<AnyMesh>(module, "Mesh")
      .def_prop_ro("element", &AnyMesh::element)
      .def_prop_ro("points", [](const AnyMesh& mesh) { return to_numpy(mesh.points()); })
      .def_prop_ro("cells", [](const AnyMesh& mesh) { return to_numpy(mesh.cells()); })
      .def_prop_ro("materials", [](const AnyMesh& mesh) { return to_numpy(mesh.materials()); })
      .def_prop_ro("node_sets", [](const AnyMesh& mesh) { return to_dict(mesh.node_sets()); })
      .def_prop_ro("side_sets", [](const AnyMesh& mesh) { return to_dict(mesh.side_sets()); })
      .def("boundary_sides", [](const AnyMesh& mesh) { return to_numpy(mesh.boundary_sides()); })
      .def_prop_ro("num_materials", &AnyMesh::num_materials)
      .def_prop_ro("material_names", &AnyMesh::material_names)
      .def("add_node_set", [](AnyMesh& mesh, const std::string& name,
                              const Ordinals& nodes) { mesh.add_node_set(name, to_vector(nodes)); })
      .def("add_side_set", [](AnyMesh& mesh, const std::string& name, const Sides& sides) {
        mesh.add_side_set(name, to_vector(sides));
      });
  module.def("make_mesh", make_mesh, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("read_mesh", read_mesh);
  module.def("box_mesh", box_mesh);
  module.def("elements", element_names);
}

void bind_space(nb::module_& module) {
  nb::class_<AnySpace>(module, "Space")
      .def_prop_ro("components", &AnySpace::components)
      .def_prop_ro("num_equations", &AnySpace::num_equations)
      .def("constrain",
           [](AnySpace& space, const Ordinals& nodes, int component, const Doubles& values) {
             space.constrain(to_vector(nodes), component, to_vector(values));
           })
      .def("release", [](AnySpace& space, const Ordinals& nodes,
                         int component) { space.release(to_vector(nodes), component); })
      .def("add_load", [](AnySpace& space, const Sides& sides,
                          const Function& traction) { space.add_load(to_vector(sides), traction); })
      .def("add_pressure", [](AnySpace& space, const Sides& sides,
                              const Function& pressure) { space.add_pressure(to_vector(sides), pressure); })
      .def("add_robin",
           [](AnySpace& space, const Sides& sides, const Function& transfer, const Function& surroundings) {
             space.add_robin(to_vector(sides), transfer, surroundings);
           })
      .def("add_point_load", &AnySpace::add_point_load)
      .def("clear_loads", &AnySpace::clear_loads)
      .def("clear_robin", &AnySpace::clear_robin)
      .def("expand",
           [](const AnySpace& space, const Doubles& x) { return to_numpy(space.expand(to_vector(x))); });
  module.def("make_space", [](const AnyMesh& mesh, int components, bool zeroed) {
    return mesh.space(components, zeroed ? ConstraintTreatment::zeroed : ConstraintTreatment::removed);
  });
}

void bind_system(nb::module_& module) {
  nb::class_<Assembled>(module, "Assembled", "What an assembly was.")
      .def_ro("strategy", &Assembled::strategy, "the strategy's name")
      .def_ro("path", &Assembled::path, "how element data is computed, and what Best took")
      .def_ro("bytes", &Assembled::bytes, "memory of the plan")
      .def("__repr__", [](const Assembled& a) { return "<" + a.strategy + ": " + a.path + ">"; });
  nb::class_<AnySystem>(module, "System")
      .def_prop_ro("row_map", [](const AnySystem& system) { return to_array(system.row_map()); })
      .def_prop_ro("columns", [](const AnySystem& system) { return to_array(system.columns()); })
      .def_prop_ro("values", [](const AnySystem& system) { return to_array(system.values()); })
      .def_prop_ro("rhs", [](const AnySystem& system) { return to_array(system.rhs()); })
      .def("assemble", &AnySystem::assemble);
  module.def("make_system", [](const AnySpace& space) { return space.system(); });
  module.def("strategies", [] {
    std::vector<std::tuple<std::string, std::string, bool>> found;
    for (const StrategyInfo& info : assembly_strategies())
      found.emplace_back(info.name, info.source, info.deterministic);
    return found;
  });
}

} // namespace

void bind_problems(nb::module_& module) {
  bind_mesh(module);
  bind_space(module);
  bind_forms(module);
  bind_system(module);
}

} // namespace tessera::python
