// SPDX-License-Identifier: BSD-3-Clause
// 15: an application's own nonlinear solver: NOX, on a Thyra::ModelEvaluator whose residual and matrix
// Tessera fills, over several processes.
//
//   -div(k(u) grad u) = q in a bar, k(u) = 1 + u, u = 0 at its ends: the problem of 03 and 08, whose closed
//   form is u = sqrt(1 + q x (1 - x)) - 1.
//
// The model has the residual and W_op. Linear solver and preconditioner are the application's: here Belos'
// GMRES and Tessera's multigrid of the problem at u = 0. Any other of Thyra's solvers takes the same model.
//
//   mpiexec -n 4 15_model_evaluator

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/box.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include <NOX_Solver_Generic.H>
#include <Teuchos_ParameterList.hpp>
#include <Thyra_BelosLinearOpWithSolveFactory.hpp>
#include <Thyra_DefaultPreconditioner.hpp>
#include <Thyra_NonlinearSolver_NOX.hpp>
#include <Thyra_StateFuncModelEvaluatorBase.hpp>
#include <Thyra_TpetraThyraWrappers.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>

namespace distributed = tessera::distributed;
using ExecutionSpace = Tpetra::Map<>::node_type::execution_space;
using Element = tessera::Quad<2>;
using Mesh = distributed::Mesh<Element, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
using Types = distributed::TpetraTypes<ExecutionSpace>;
using Vector = distributed::TpetraVector<ExecutionSpace>;
using Teuchos::RCP;
using Teuchos::rcp;
using Model = Thyra::StateFuncModelEvaluatorBase<double>;
using LinearSolverFactory = Thyra::LinearOpWithSolveFactoryBase<double>;
using InThyra =
    Thyra::TpetraOperatorVectorExtraction<double, tessera::Ordinal, Types::GlobalNumber, Types::Node>;

constexpr double heat = 12;
const tessera::io::Box bar{{12, 3, 1}, {1.0, 1.0, 1.0}};

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

// Constrained rows stay, so that equations are nodes: theirs are those of the identity, and of f zero.
Space space_of(const tessera::Mesh<Element, ExecutionSpace>& mesh) {
  Space space(mesh, /*components=*/1, tessera::ConstraintTreatment::zeroed);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("xmax"), {0.0});
  return space;
}

// An operator of Tpetra's as Thyra has it.
RCP<Thyra::LinearOpBase<double>> in_thyra(const RCP<Types::Operator>& op) {
  return Thyra::createLinearOp(op, Thyra::createVectorSpace<double>(op->getRangeMap()),
                               Thyra::createVectorSpace<double>(op->getDomainMap()));
}

// f(u) = 0 on a space of all ranks. One matrix is W_op, however often it is created.
class HeatModel final : public Model {
  using Base = Thyra::ModelEvaluatorBase;

public:
  HeatModel(const Mesh& mesh, const Space& space, const RCP<const LinearSolverFactory>& linear_solver)
      : mesh_(mesh), linear_solver_(linear_solver), system_(mesh, space),
        assembly_(tessera::assembly::ElementAtomic().plan(space, system_.local().graph())),
        residual_(tessera::residual::RecomputingResidual().plan(space)),
        ghosts_(ExecutionSpace(), mesh.import(), Conduction::components), u_(system_.make_vector()),
        r_(system_.make_vector()), vectors_(Thyra::createVectorSpace<double>(system_.maps().owned)),
        first_(Thyra::createMember(vectors_)) {
    first_->assign(0.0); // meets the constraints
  }

  RCP<const Thyra::VectorSpaceBase<double>> get_x_space() const override { return vectors_; }
  RCP<const Thyra::VectorSpaceBase<double>> get_f_space() const override { return vectors_; }
  RCP<const LinearSolverFactory> get_W_factory() const override { return linear_solver_; }
  RCP<Thyra::LinearOpBase<double>> create_W_op() const override { return in_thyra(system_.matrix()); }
  Base::InArgs<double> createInArgs() const override {
    Base::InArgsSetup<double> in;
    in.setModelEvalDescription(description());
    in.setSupports(Base::IN_ARG_x);
    return in;
  }
  Base::InArgs<double> getNominalValues() const override {
    auto in = createInArgs();
    in.set_x(first_);
    return in;
  }

private:
  Base::OutArgs<double> createOutArgsImpl() const override {
    Base::OutArgsSetup<double> out;
    out.setModelEvalDescription(description());
    out.setSupports(Base::OUT_ARG_f);
    out.setSupports(Base::OUT_ARG_W_op);
    return out;
  }

  // One exchange of ghosts; residual and matrix of the rank's own nodes are whole then.
  void evalModelImpl(const Base::InArgs<double>& in, const Base::OutArgs<double>& out) const override {
    u_.owned->assign(*InThyra::getConstTpetraVector(in.get_x()));
    ghosts_.begin(ExecutionSpace(), u_.local);
    ghosts_.end(ExecutionSpace(), u_.local);
    if (const auto f = out.get_f(); !f.is_null()) {
      residual_.integrate(Conduction(), u_.local, r_.local);
      InThyra::getTpetraVector(f)->assign(*r_.owned);
    }
    if (!out.get_W_op().is_null()) {
      assembly_.assemble(tessera::jacobian(Conduction(), mesh_.local(), u_.local), system_.local());
      system_.matrix(); // tells Tpetra that it is new
    }
  }

  Mesh mesh_;
  RCP<const LinearSolverFactory> linear_solver_;
  distributed::TpetraSystem<ExecutionSpace> system_;
  // Plans have memory of their own, and Thyra's evaluations are const.
  mutable tessera::assembly::ElementAtomic::Plan<Element, ExecutionSpace> assembly_;
  mutable tessera::residual::RecomputingResidual::Plan<Element, ExecutionSpace> residual_;
  mutable distributed::NodeExchange<double, ExecutionSpace> ghosts_;
  Vector u_, r_;
  RCP<const Thyra::VectorSpaceBase<double>> vectors_;
  RCP<Thyra::VectorBase<double>> first_;
};

// Multigrid of the Jacobian at u = 0, where it is symmetric: made once, for all steps.
RCP<Thyra::PreconditionerBase<double>> multigrid(const Mesh& mesh, const Space& space) {
  const distributed::TpetraSystem<ExecutionSpace> system(mesh, space);
  auto plan = tessera::assembly::ElementAtomic().plan(space, system.local().graph());
  plan.assemble(tessera::jacobian(Conduction(), mesh.local(), system.make_vector().local), system.local());
  const auto preconditioner = rcp(new Thyra::DefaultPreconditioner<double>());
  preconditioner->initializeRight(
      in_thyra(rcp(new distributed::TpetraMultigrid<ExecutionSpace>(system, mesh))));
  return preconditioner;
}

RCP<const LinearSolverFactory> gmres() {
  const auto options = Teuchos::parameterList();
  options->set("Solver Type", "Pseudo Block GMRES");
  options->sublist("Solver Types").sublist("Pseudo Block GMRES").set("Maximum Iterations", 200);
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

// The answer of the library's own Newton, by one process on the whole mesh.
Kokkos::View<double*, Kokkos::HostSpace> reference() {
  const auto space = space_of(tessera::io::box_mesh<Element, ExecutionSpace>(bar));
  const Kokkos::View<double*, ExecutionSpace> u("App::u", space.num_dofs());
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-12});
  if (!newton.solve(Conduction(), u).converged())
    throw tessera::SolverError("the reference did not converge");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
}

// Largest difference from what `expected` says of each global number, over all ranks.
template <class Expected>
double difference(const Types::Vector& x, const Expected& expected) {
  const auto values = x.getLocalViewHost(Tpetra::Access::ReadOnly);
  double largest = 0, of_all = 0;
  for (std::size_t i = 0; i < values.extent(0); ++i)
    largest = tessera::worse_of(largest, std::abs(values(i, 0) - expected(i)));
  MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return of_all;
}

bool run() {
  const auto mesh = distributed::box_mesh<Element, ExecutionSpace>(MPI_COMM_WORLD, bar);
  const auto space = space_of(mesh.local());
  const auto model = rcp(new HeatModel(mesh, space, gmres()));
  Thyra::NOXNonlinearSolver nox;
  nox.setParameterList(nox_options());
  nox.setModel(model);
  nox.setPrecOp(multigrid(mesh, space), Teuchos::null, /*updatePreconditioner=*/false);
  const auto u = model->getNominalValues().get_x()->clone_v();
  const bool converged = nox.solve(u.get()).solveStatus == Thyra::SOLVE_STATUS_CONVERGED;

  const auto solution = InThyra::getConstTpetraVector(u);
  const auto newton = reference(); // small enough for every rank
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.local().coordinates());
  const double from_newton = difference(*solution, [&](std::size_t i) {
    return newton(solution->getMap()->getGlobalElement(static_cast<tessera::Ordinal>(i)));
  });
  const double error =
      difference(*solution, [&](std::size_t i) { return std::sqrt(1 + heat * x(i, 0) * (1 - x(i, 0))) - 1; });
  if (mesh.ranks().rank() == 0)
    std::printf("%d ranks, NOX %s in %d steps, differs from Tessera's Newton by %.1e, error %.1e\n",
                mesh.ranks().size(), converged ? "converged" : "failed",
                nox.getNOXSolver()->getNumIterations(), from_newton, error);
  return converged && from_newton < 1e-8 && error < 1e-4;
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) { // the other ranks must not wait for this one
    std::cerr << "15_model_evaluator: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
