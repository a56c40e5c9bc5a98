// SPDX-License-Identifier: BSD-3-Clause
// Meshes, spaces, forms and systems for Python.
#include <tessera/io/read.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "matrix_free.hpp"
#include "module.hpp"
#include "problem.hpp"
#include <algorithm>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tessera::python {

namespace {

/// Of properties that are arrays, which have owners of their own.
constexpr auto owned = nb::rv_policy::automatic;

using Ordinals = HostArray<Ordinal, 1>;
using Sides = HostArray<Ordinal, 2>;
using Doubles = HostArray<double, 1>;
using Vector = GivenArray<double, 1>;

template <class Sets>
nb::dict to_dict(const Sets& sets) {
  nb::dict dict;
  for (const auto& [name, array] : sets) dict[name.c_str()] = nb::cast(to_numpy(array));
  return dict;
}

using Cells = GivenArray<Ordinal, 2>;
using Materials = std::optional<GivenArray<Ordinal, 1>>;

/// Of one element type, whose name may be any, or of several.
std::shared_ptr<AnyMesh> make_mesh(const GivenArray<double, 2>& points,
                                   const std::vector<std::tuple<std::string, Cells, Materials>>& blocks) {
  MeshArrays arrays{located(points), points.shape(0), points.shape(1), {}};
  for (const auto& [element, cells, materials] : blocks) {
    if (materials && materials->shape(0) != cells.shape(0))
      throw ArgumentError("Mesh: " + std::to_string(materials->shape(0)) + " materials for " +
                          std::to_string(cells.shape(0)) + " cells");
    arrays.blocks.push_back({element, located(cells), cells.shape(0), cells.shape(1), {}});
    if (materials) arrays.blocks.back().materials = located(*materials);
  }
  if (arrays.blocks.size() == 1) return find_element(arrays.blocks.front().element).from_arrays(arrays);
  return mixed_from_arrays(arrays);
}

/// Whether there are cells of several types, beside those of sides.
bool has_several_types(const io::MeshData& data) {
  return std::count_if(data.blocks.begin(), data.blocks.end(), [&](const io::CellBlock& block) {
           return block.type.dimension() == data.dimension() && block.cells() > 0;
         }) > 1;
}

std::shared_ptr<AnyMesh> read_mesh(const std::string& path, const std::string& element, bool allow_partial) {
  auto data = io::read_mesh_data(path, {.allow_partial = allow_partial});
  if (element.empty() && has_several_types(data)) return mixed_from_data(std::move(data), allow_partial);
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

FieldPtr per_element(const Vector& values) {
  using Values = Kokkos::View<double*, Exec>;
  return make_kept<const CellField>(CellField::per_element(
      copy_in<Values>("Tessera::python::per_element", located(values), values.shape(0))));
}

using ResidualFormPtr = std::shared_ptr<const ResidualForm>;

void bind_forms(nb::module_& extension) {
  nb::class_<CellField>(extension, "CellField");
  extension.def("constant", [](double value) -> FieldPtr { return make_kept<const CellField>(value); });
  extension.def("per_material", [](const std::vector<double>& values) -> FieldPtr {
    return make_kept<const CellField>(CellField::per_material<Exec>(values));
  });
  extension.def("per_element", per_element);
  nb::class_<Form>(extension, "Form");
  extension.def("helmholtz",
                [](const CellField& sigma, const CellField& lambda, const CellField& source) -> FormPtr {
                  return make_kept<const Form>(Helmholtz<>{sigma, lambda, source});
                });
  extension.def("elasticity",
                [](const CellField& young, const CellField& poisson, const std::vector<double>& body_force,
                   bool plane_stress) -> FormPtr {
                  return make_kept<const Form>(
                      Elasticity{young, poisson, body_force, plane_stress ? Plane::stress : Plane::strain});
                });
  extension.def("stokes", [](double viscosity, const std::vector<double>& body_force) -> FormPtr {
    return make_kept<const Form>(SlowFlow{viscosity, body_force});
  });
  nb::class_<ResidualForm>(extension, "ResidualForm");
  extension.def("poisson", [](const CellField& a, const CellField& f) -> ResidualFormPtr {
    return make_kept<const ResidualForm>(weak_form(Poisson{}, a, f));
  });
  extension.def("nonlinear_poisson", [](const CellField& f) -> ResidualFormPtr {
    return make_kept<const ResidualForm>(weak_form(NonlinearPoisson{}, f));
  });
  extension.def("neo_hookean", [](double shear, double lame) -> ResidualFormPtr {
    return make_kept<const ResidualForm>(NeoHookeanSolid{shear, lame});
  });
}

void bind_mesh(nb::module_& extension) {
  nb::class_<AnyMesh>(extension, "Mesh")
      .def_prop_ro("element", &AnyMesh::element)
      .def_prop_ro(
          "points", [](const AnyMesh& mesh) { return to_numpy(mesh.points()); }, owned)
      .def_prop_ro("blocks",
                   [](const AnyMesh& mesh) {
                     nb::list list;
                     for (const auto& [name, cells] : mesh.blocks())
                       list.append(nb::make_tuple(name, nb::cast(to_numpy(cells))));
                     return list;
                   })
      .def_prop_ro(
          "materials", [](const AnyMesh& mesh) { return to_numpy(mesh.materials()); }, owned)
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
  extension.def("make_mesh", make_mesh);
  extension.def("read_mesh", read_mesh);
  extension.def("box_mesh", box_mesh);
  extension.def("elements", element_names);
}

/// Values of nodes as an array of node x component, unless there is one component.
Array<double> by_node(Array<double> values, int components) {
  if (components > 1) {
    values.extents = {values.extents[0] / to_size(components), to_size(components)};
    values.strides = {components, 1};
  }
  return values;
}

void bind_space(nb::module_& extension) {
  nb::class_<AnySpace>(extension, "Space")
      .def_prop_ro("components", &AnySpace::components)
      .def_prop_ro("linear_components", &AnySpace::linear_components)
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
      .def("expand", [](const AnySpace& space, const Vector& x) -> nb::object {
        const auto values = space.expand(located(x));
        const int components = space.components();
        if (located(x).on_device) return nb::cast(to_array(by_node(array_of(values), components)));
        return nb::cast(to_numpy(by_node(host_array_of(values), components)));
      });
  extension.def("make_space", [](const AnyMesh& mesh, int components, int linear_components, bool zeroed) {
    return mesh.space(
        {components, linear_components, zeroed ? ConstraintTreatment::zeroed : ConstraintTreatment::removed});
  });
}

void bind_report(nb::module_& extension) {
  nb::class_<Report>(extension, "Report", "What a strategy did.")
      .def_ro("strategy", &Report::strategy, "the strategy's name")
      .def_prop_ro(
          "path", [](const Report& r) { return r.plan.path; },
          "how element data is computed, and what Best took")
      .def_prop_ro(
          "bytes", [](const Report& r) { return r.plan.bytes; }, "memory of the plan")
      .def_prop_ro(
          "plan_seconds", [](const Report& r) { return r.plan.seconds; }, "of what depends on the mesh")
      .def_prop_ro(
          "prepare_seconds", [](const Report& r) { return r.plan.prepare_seconds; },
          "of what depends on the form, of all forms so far")
      .def("__repr__", [](const Report& r) { return "<" + r.strategy + ": " + r.plan.path + ">"; });
}

nb::list to_list(const std::vector<StrategyInfo>& infos) {
  nb::list list;
  for (const StrategyInfo& info : infos)
    list.append(nb::make_tuple(info.name, info.source, info.deterministic));
  return list;
}

void bind_strategies(nb::module_& extension) {
  extension.def("assembly_strategies", [] { return to_list(assembly_strategies()); });
  extension.def("operator_strategies", [] { return to_list(operator_strategies()); });
  extension.def("residual_strategies", [] { return to_list(residual_strategies()); });
}

void bind_system(nb::module_& extension) {
  using RowMap = Kokkos::View<const Offset*, Exec>;
  using Columns = Kokkos::View<const Ordinal*, Exec>;
  nb::class_<AnySystem>(extension, "System")
      .def_prop_ro(
          "row_map",
          [](const AnySystem& s) { return to_array(array_of(RowMap(s.system().graph().row_map))); }, owned)
      .def_prop_ro(
          "columns",
          [](const AnySystem& s) { return to_array(array_of(Columns(s.system().graph().columns))); }, owned)
      .def_prop_ro(
          "values", [](const AnySystem& s) { return to_array(array_of(s.system().values())); }, owned)
      .def_prop_ro(
          "rhs", [](const AnySystem& s) { return to_array(array_of(s.system().rhs())); }, owned)
      .def_prop_ro("has_flow", &AnySystem::has_flow)
      .def("assemble", &AnySystem::assemble);
  extension.def("make_system", [](const AnySpace& space) { return space.system(); });
}

void bind_matrix_free(nb::module_& extension) {
  nb::class_<Operator>(extension, "Operator")
      .def_prop_ro("report", &Operator::report)
      .def_prop_ro("rows", &Operator::rows)
      .def("apply", [](const Operator& op, const Vector& x,
                       const WritableDoubles& y) { op.apply(located(x), located(y)); })
      .def("load", [](const Operator& op) { return to_array(array_of(op.load())); })
      .def("diagonal", [](const Operator& op) { return to_array(array_of(op.diagonal())); });
  extension.def("make_operator", [](const AnySpace& space, const Form& form, const std::string& strategy) {
    return space.make_operator(form, strategy);
  });
  nb::class_<AnyResidual>(extension, "Residual")
      .def_prop_ro("report", &AnyResidual::report)
      .def_prop_ro("dofs", &AnyResidual::dofs)
      .def("set_form", &AnyResidual::set_form)
      .def("integrate", [](AnyResidual& residual, const GivenDoubles& u, const WritableDoubles& r) {
        residual.integrate(located(u), located(r));
      });
  extension.def("make_residual",
                [](const AnySpace& space, const ResidualForm& form, const std::string& strategy) {
                  return space.make_residual(form, strategy);
                });
}

void bind_linearised(nb::module_& extension) {
  nb::class_<solvers::NewtonResult>(extension, "NewtonResult",
                                    "How Newton's method went; norms are Euclidean.")
      .def_prop_ro("converged", &solvers::NewtonResult::converged)
      .def_prop_ro("iterations", &solvers::NewtonResult::iterations)
      .def_prop_ro(
          "linear_iterations",
          [](const solvers::NewtonResult& result) {
            int sum = 0;
            for (const auto& iteration : result.history) sum += iteration.linear_iterations;
            return sum;
          },
          "of all its linear systems together")
      .def_prop_ro("residual", &solvers::NewtonResult::residual, "norm of r(u) of the last state");
  nb::class_<AnyLinearised>(extension, "Linearised")
      .def("set_form", &AnyLinearised::set_form)
      .def("assemble", [](AnyLinearised& k, const GivenDoubles& u) { k.assemble(located(u)); })
      .def("transposed_product",
           [](AnyLinearised& k, const GivenDoubles& u, const GivenDoubles& lambda,
              const WritableDoubles& result) {
             k.transposed_product(located(u), located(lambda), located(result));
           })
      .def("solve_transposed",
           [](AnyLinearised& k, const GivenDoubles& u, const GivenDoubles& slope,
              const WritableDoubles& lambda, double relative, bool multigrid) {
             k.solve_transposed(located(u), located(slope), located(lambda),
                                {relative, multigrid, hear_signals});
           })
      .def("gradient",
           [](AnyLinearised& k, std::size_t field, const GivenDoubles& u,
              const GivenDoubles& lambda) -> nb::object {
             const auto gradient = k.gradient(field, located(u), located(lambda));
             if (located(u).on_device) return nb::cast(to_array(array_of(gradient)));
             return nb::cast(to_numpy(host_array_of(gradient)));
           })
      .def("newton", [](AnyLinearised& k, const WritableDoubles& u, double relative, int max_iterations,
                        bool multigrid) {
        return k.newton(located(u), {.relative_tolerance = relative, .max_iterations = max_iterations},
                        {1e-10, multigrid, hear_signals});
      });
  extension.def("linearise", [](const AnySpace& space, const ResidualForm& form, const AnySystem& system) {
    return space.linearise(form, system);
  });
}

} // namespace

void bind_problems(nb::module_& extension) {
  bind_mesh(extension);
  bind_space(extension);
  bind_forms(extension);
  bind_report(extension);
  bind_strategies(extension);
  bind_system(extension);
  bind_matrix_free(extension);
  bind_linearised(extension);
}

} // namespace tessera::python
