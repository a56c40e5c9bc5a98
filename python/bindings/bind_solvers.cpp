// SPDX-License-Identifier: BSD-3-Clause
// Multigrid, conjugate gradients and GMRES for Python.
#include "module.hpp"
#include "problem.hpp"
#include "solvers.hpp"
#include "vectors.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace tessera::python {

namespace {

using Multigrid = solvers::Multigrid<Exec>;
using RowMap = GivenArray<Offset, 1>;
using Columns = GivenArray<Ordinal, 1>;
using Doubles = GivenArray<double, 1>;
using Table = GivenArray<double, 2>;

MatrixArrays matrix_of(const RowMap& row_map, const Columns& columns, const Doubles& values) {
  return {located(row_map), located(columns), located(values)};
}

solvers::MultigridNodes<Exec> nodes_of(int components, const std::optional<Table>& coordinates,
                                       const std::optional<Table>& near_null_space) {
  using Rows = Kokkos::View<const double**, Kokkos::LayoutRight, Exec>;
  const auto copied = [](const char* label, const Table& array) -> Rows {
    const auto view = allocate<Kokkos::View<double**, Kokkos::LayoutRight, Exec>>(
        default_instance<Exec>(), label, array.shape(0), array.shape(1));
    const auto values = readable(located(array));
    Kokkos::deep_copy(view, Rows(values.data(), array.shape(0), array.shape(1)));
    return view;
  };
  solvers::MultigridNodes<Exec> nodes;
  nodes.components = components;
  if (coordinates) nodes.coordinates = copied("Tessera::python::coordinates", *coordinates);
  if (near_null_space) nodes.near_null_space = copied("Tessera::python::near_null_space", *near_null_space);
  return nodes;
}

std::shared_ptr<Multigrid> multigrid(const RowMap& row_map, const Columns& columns, const Doubles& values,
                                     const solvers::MultigridNodes<Exec>& nodes, bool singular) {
  return make_multigrid(matrix_of(row_map, columns, values), nodes, {.singular = singular});
}

solvers::CgResult solve(const RowMap& row_map, const Columns& columns, const Doubles& values,
                        const Multigrid* preconditioner, const Doubles& b, const WritableDoubles& x,
                        std::optional<double> relative, double absolute, int max_iterations,
                        int max_stalled) {
  return cg(matrix_of(row_map, columns, values), preconditioner, located(b), located(x),
            {relative, absolute, max_iterations, max_stalled}, hear_signals);
}

} // namespace

void bind_solvers(nb::module_& extension) {
  using solvers::CgResult;
  nb::class_<CgResult>(extension, "CgResult", "How an iteration went; all norms are Euclidean.")
      .def_prop_ro("converged", &CgResult::converged)
      .def_prop_ro("reason", [](const CgResult& result) { return to_string(result.reason); })
      .def_ro("iterations", &CgResult::iterations)
      .def_ro("true_residual", &CgResult::true_residual, "norm of b - A x of the solution, computed anew")
      .def_ro("rhs_norm", &CgResult::rhs_norm)
      .def_ro("attainable", &CgResult::attainable,
              "what rounding leaves of a residual; 0 where not asked for")
      .def_ro("history", &CgResult::history, "norm of the residual before each iteration and after the last")
      .def_prop_ro("condition", &CgResult::condition, "of the preconditioned matrix");
  using solvers::MultigridReport;
  nb::class_<Multigrid>(extension, "Multigrid")
      .def_prop_ro("rows", &Multigrid::rows)
      .def_prop_ro("level_rows",
                   [](const Multigrid& m) {
                     std::vector<Ordinal> rows;
                     rows.reserve(m.report().levels.size());
                     for (const auto& level : m.report().levels) rows.push_back(level.rows);
                     return rows;
                   })
      .def_prop_ro("operator_complexity", [](const Multigrid& m) { return m.report().operator_complexity; })
      .def_prop_ro("bytes", [](const Multigrid& m) { return m.report().bytes; })
      .def_prop_ro("singular", [](const Multigrid& m) { return m.report().singular; })
      .def("apply", [](const Multigrid& m, const Doubles& x,
                       const WritableDoubles& y) { apply(m, located(x), located(y)); })
      .def("refresh", [](Multigrid& m, const RowMap& row_map, const Columns& columns, const Doubles& values) {
        refresh(m, matrix_of(row_map, columns, values));
      });
  extension.def("multigrid_of_space", [](const RowMap& row_map, const Columns& columns, const Doubles& values,
                                         const AnySpace& space, bool singular) {
    return multigrid(row_map, columns, values, space.multigrid_nodes(), singular);
  });
  extension.def(
      "multigrid_of_nodes",
      [](const RowMap& row_map, const Columns& columns, const Doubles& values, int components,
         const std::optional<Table>& coordinates, const std::optional<Table>& near_null_space,
         bool singular) {
        return multigrid(row_map, columns, values, nodes_of(components, coordinates, near_null_space),
                         singular);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  extension.def("cg", solve, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
                nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  extension.def(
      "solve_flow",
      [](AnySystem& system, const WritableDoubles& x, std::optional<double> relative) {
        return solve_flow(system, located(x), {.relative_tolerance = relative, .max_iterations = 2000},
                          hear_signals);
      },
      nb::arg(), nb::arg(), nb::arg().none());
}

} // namespace tessera::python
