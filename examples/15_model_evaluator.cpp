// SPDX-License-Identifier: BSD-3-Clause
// 15: an application's own nonlinear solver: NOX, on a Thyra::ModelEvaluator whose residual and matrix
// Tessera fills, over several processes. weak_model.hpp has the model; here are two problems for it.
//
//   -div(k(u) grad u) = q in a bar, k(u) = 1 + u, u = 0 at its ends: the problem of 03 and 08. Belos' GMRES
//   has Tessera's multigrid of the problem at u = 0.
//
//   Navier and Stokes' equations in a channel by Taylor and Hood's pair, pressed from the left and pulled
//   down: two fields, velocities at all nodes and the pressure at corners. GMRES has multigrid for friction,
//   and for the pressure its mass matrix, field after field.
//
//   mpiexec -n 4 15_model_evaluator

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/divide_mesh.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/newton.hpp>

#include "channel_preconditioner.hpp"
#include "weak_model.hpp"
#include <NOX_Solver_Generic.H>
#include <Teuchos_ParameterList.hpp>
#include <Thyra_BelosLinearOpWithSolveFactory.hpp>
#include <Thyra_DefaultPreconditioner.hpp>
#include <Thyra_NonlinearSolver_NOX.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>

namespace distributed = tessera::distributed;
using System = distributed::TpetraSystem<ExecutionSpace>;
using Preconditioner = Thyra::PreconditionerBase<double>;
template <class Element>
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
template <class Element>
using Mesh = distributed::Mesh<Element, ExecutionSpace>;

constexpr auto rows_stay = tessera::ConstraintTreatment::zeroed;
constexpr double heat = 12;
const tessera::io::Box bar{{12, 3, 1}, {1.0, 1.0, 1.0}}, channel{{6, 3, 1}, {2.0, 1.0, 1.0}};

struct Conduction {
  static constexpr int components = 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    return -heat;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

Space<tessera::Quad<2>> space_in(const tessera::Mesh<tessera::Quad<2>, ExecutionSpace>& mesh) {
  Space<tessera::Quad<2>> space(mesh, /*components=*/1, rows_stay);
  for (const char* end : {"xmin", "xmax"}) space.constrain(mesh.node_set(end), {0.0});
  return space;
}

Space<tessera::Tri<2>> space_in(const tessera::Mesh<tessera::Tri<2>, ExecutionSpace>& mesh) {
  Space<tessera::Tri<2>> space(
      mesh, tessera::Unknowns{.components = 3, .linear_components = 1, .treatment = rows_stay});
  for (const char* wall : {"ymin", "ymax"})
    for (const int axis : {0, 1}) space.constrain(mesh.node_set(wall), axis, 0.0);
  space.add_pressure(mesh.side_set("xmin"), 1.0);
  return space;
}

RCP<Preconditioner> preconditioner_of(const RCP<Types::Operator>& op) {
  const auto preconditioner = rcp(new Thyra::DefaultPreconditioner<double>());
  preconditioner->initializeRight(in_thyra(op));
  return preconditioner;
}

// Multigrid of the Jacobian at u = 0, where it is symmetric: made once, for all steps.
RCP<Preconditioner> multigrid(const Mesh<tessera::Quad<2>>& mesh, const Space<tessera::Quad<2>>& space) {
  const System system(mesh, space);
  auto plan = tessera::assembly::ElementAtomic().plan(space, system.local().graph());
  plan.assemble(tessera::jacobian(Conduction(), mesh.local(), system.make_vector().local), system.local());
  return preconditioner_of(rcp(new distributed::TpetraMultigrid<ExecutionSpace>(system, mesh)));
}

RCP<const LinearSolverFactory> gmres() {
  const auto options = Teuchos::parameterList();
  options->set("Solver Type", "Pseudo Block GMRES");
  options->sublist("Solver Types")
      .sublist("Pseudo Block GMRES")
      .set("Maximum Iterations", 60)
      .set("Num Blocks", 60);
  const auto factory = rcp(new Thyra::BelosLinearOpWithSolveFactory<double>());
  factory->setParameterList(options);
  return factory;
}

// Whole steps of Newton's method, each solved to 1e-10, until |f| has fallen by 1e-12.
RCP<Teuchos::ParameterList> nox_options() {
  const auto options = Teuchos::parameterList();
  options->sublist("Line Search").set("Method", "Full Step");
  options->sublist("Direction").sublist("Newton").sublist("Linear Solver").set("Tolerance", 1e-10);
  options->sublist("Printing").set("Output Information", /*errors=*/0);
  auto& tests = options->sublist("Status Tests");
  tests.set("Test Type", "Combo").set("Combo Type", "OR").set("Number of Tests", 2);
  tests.sublist("Test 0").set("Test Type", "RelativeNormF").set("Tolerance", 1e-12);
  tests.sublist("Test 1").set("Test Type", "MaxIters").set("Maximum Iterations", 20);
  return options;
}

// The answer of the library's own Newton, by one process on the whole mesh, which is small enough for each.
template <class Element, class Form>
auto reference(const tessera::Mesh<Element, ExecutionSpace>& mesh, const Form& form) {
  const auto space = space_in(mesh);
  const Kokkos::View<double*, ExecutionSpace> u("App::u", tessera::to_size(space.num_dofs()));
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-12});
  const auto without_preconditioner = [](const auto& exec, const auto& system, const auto& x) {
    const tessera::solvers::CrsOperator<double, ExecutionSpace> matrix(
        exec, system.graph().row_map, system.graph().columns, system.values());
    return tessera::solvers::gmres(exec, matrix,
                                   tessera::solvers::Identity<double, ExecutionSpace>(matrix.rows()),
                                   system.rhs(), x, {.relative_tolerance = 1e-12}, 400);
  };
  if (!newton.solve(form, u, without_preconditioner).converged())
    throw tessera::SolverError("the reference did not converge");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
}

// Solves by NOX and says how far the answer is from that of Newton.
template <class Element, class Form>
bool solve(const char* name, const Mesh<Element>& mesh, const Form& form,
           const RCP<Preconditioner>& preconditioner, const tessera::Mesh<Element, ExecutionSpace>& whole) {
  constexpr int components = Form::components;
  const auto model = rcp(new WeakModel<Element, Form>(mesh, space_in(mesh.local()), form, gmres()));
  Thyra::NOXNonlinearSolver nox;
  nox.setParameterList(nox_options());
  nox.setModel(model);
  nox.setPrecOp(preconditioner, Teuchos::null, /*updatePreconditioner=*/false);
  const auto x = model->getNominalValues().get_x()->clone_v();
  const bool converged = nox.solve(x.get()).solveStatus == Thyra::SOLVE_STATUS_CONVERGED;

  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), model->state(x).local);
  const auto newton = reference(whole, form);
  double own = 0, difference = 0, size = 0;
  for (std::size_t i = 0; i < newton.extent(0); ++i) size = std::max(size, std::abs(newton(i)));
  for (tessera::Ordinal node = 0; node < mesh.owned_nodes(); ++node)
    for (int c = 0; c < components; ++c)
      own = tessera::worse_of(
          own, std::abs(u(node * components + c) - newton(mesh.global_nodes()(node) * components + c)));
  MPI_Allreduce(&own, &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int steps = nox.getNOXSolver()->getNumIterations();
  if (mesh.ranks().rank() == 0)
    std::printf("%s on %d ranks: NOX %s in %d steps, differs from Tessera's Newton by %.1e of %.2f\n", name,
                mesh.ranks().size(), converged ? "converged" : "failed", steps, difference, size);
  // Steps that GMRES does not finish are more.
  return converged && steps <= 7 && difference < 1e-8 * size;
}

bool bar_conducts() {
  using Element = tessera::Quad<2>;
  const auto mesh = distributed::box_mesh<Element, ExecutionSpace>(MPI_COMM_WORLD, bar);
  return solve("bar", mesh, Conduction(), multigrid(mesh, space_in(mesh.local())),
               tessera::io::box_mesh<Element, ExecutionSpace>(bar));
}

bool channel_flows() {
  using Element = tessera::Tri<2>;
  const auto make = []<class Memory>(const Memory&) {
    return tessera::elevated<Element>(tessera::io::box_mesh<tessera::Tri<1>, Memory>(channel));
  };
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  const auto whole =
      distributed::on_rank_0<Element>(ranks, [&] { return make(Kokkos::DefaultHostExecutionSpace()); });
  const auto mesh = distributed::divide_mesh<Element>(ExecutionSpace(), ranks, whole,
                                                      distributed::divide_elements(whole, ranks.size()));
  constexpr double viscosity = 0.1;
  return solve("channel", mesh, tessera::NavierStokes<2>{.viscosity = viscosity, .body_force = {0, -1}},
               preconditioner_of(rcp(new FieldAfterField(mesh, space_in(mesh.local()), viscosity))),
               make(ExecutionSpace()));
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    const bool conducts = bar_conducts(), flows = channel_flows();
    return conducts && flows ? 0 : 1;
  } catch (const std::exception& error) { // the other ranks must not wait for this one
    std::cerr << "15_model_evaluator: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
