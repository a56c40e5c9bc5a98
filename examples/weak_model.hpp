// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A Thyra::ModelEvaluator of any weak form over several processes, for 15_model_evaluator.cpp: its residual
// and W_op are filled by Tessera; linear solver and preconditioner are the application's.

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include <Thyra_StateFuncModelEvaluatorBase.hpp>
#include <Thyra_TpetraThyraWrappers.hpp>

using ExecutionSpace = Tpetra::Map<>::node_type::execution_space;
using Types = tessera::distributed::TpetraTypes<ExecutionSpace>;
using Vector = tessera::distributed::TpetraVector<ExecutionSpace>;
using Teuchos::RCP;
using Teuchos::rcp;
using LinearSolverFactory = Thyra::LinearOpWithSolveFactoryBase<double>;

// An operator of Tpetra's as Thyra has it.
inline RCP<Thyra::LinearOpBase<double>> in_thyra(const RCP<Types::Operator>& op) {
  return Thyra::createLinearOp(op, Thyra::createVectorSpace<double>(op->getRangeMap()),
                               Thyra::createVectorSpace<double>(op->getDomainMap()));
}

// f(u) = 0 on a space of all ranks, whose constrained rows stay and hold zero, so that equations are degrees
// of freedom. One matrix is W_op, however often it is created.
template <class Element, class Form>
class WeakModel final : public Thyra::StateFuncModelEvaluatorBase<double> {
  using Base = Thyra::ModelEvaluatorBase;
  using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
  using InThyra =
      Thyra::TpetraOperatorVectorExtraction<double, tessera::Ordinal, Types::GlobalNumber, Types::Node>;

public:
  WeakModel(const tessera::distributed::Mesh<Element, ExecutionSpace>& mesh, const Space& space,
            const Form& form, const RCP<const LinearSolverFactory>& linear_solver)
      : space_(space), form_(form), linear_solver_(linear_solver), system_(mesh, space),
        assembly_(tessera::assembly::ElementAtomic().plan(space, system_.local().graph())),
        residual_(tessera::residual::RecomputingResidual().plan(space)),
        ghosts_(ExecutionSpace(), mesh.import(), Form::components), u_(system_.make_vector()),
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
    in.setModelEvalDescription(this->description());
    in.setSupports(Base::IN_ARG_x);
    return in;
  }
  Base::InArgs<double> getNominalValues() const override {
    auto in = createInArgs();
    in.set_x(first_);
    return in;
  }

  // The values of all local nodes, by one exchange of ghosts; pressures between corners follow from these.
  const Vector& state(const RCP<const Thyra::VectorBase<double>>& x) const {
    u_.owned->assign(*InThyra::getConstTpetraVector(x));
    ghosts_.begin(ExecutionSpace(), u_.local);
    ghosts_.end(ExecutionSpace(), u_.local);
    space_.linear().interpolate(ExecutionSpace(), u_.local);
    return u_;
  }

private:
  Base::OutArgs<double> createOutArgsImpl() const override {
    Base::OutArgsSetup<double> out;
    out.setModelEvalDescription(this->description());
    out.setSupports(Base::OUT_ARG_f);
    out.setSupports(Base::OUT_ARG_W_op);
    return out;
  }

  // Residual and matrix of the rank's own nodes are whole without a further message.
  void evalModelImpl(const Base::InArgs<double>& in, const Base::OutArgs<double>& out) const override {
    const auto u = state(in.get_x()).local;
    if (const auto f = out.get_f(); !f.is_null()) {
      residual_.integrate(form_, u, r_.local);
      InThyra::getTpetraVector(f)->assign(*r_.owned);
    }
    if (!out.get_W_op().is_null()) {
      assembly_.assemble(tessera::jacobian(form_, space_.mesh(), u), system_.local());
      system_.matrix(); // tells Tpetra that it is new
    }
  }

  Space space_;
  Form form_;
  RCP<const LinearSolverFactory> linear_solver_;
  tessera::distributed::TpetraSystem<ExecutionSpace> system_;
  // Plans have memory of their own, and Thyra's evaluations are const.
  mutable tessera::assembly::ElementAtomic::Plan<Element, ExecutionSpace> assembly_;
  mutable tessera::residual::RecomputingResidual::Plan<Element, ExecutionSpace> residual_;
  mutable tessera::distributed::NodeExchange<double, ExecutionSpace> ghosts_;
  Vector u_, r_;
  RCP<const Thyra::VectorSpaceBase<double>> vectors_;
  RCP<Thyra::VectorBase<double>> first_;
};
