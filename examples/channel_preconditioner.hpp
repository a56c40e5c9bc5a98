// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A preconditioner of the two fields of a channel's flow over several processes, for 15_model_evaluator.cpp.

#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include "weak_model.hpp"

// Friction and the pressure's weights, of which the channel's preconditioner is made.
struct Friction {
  static constexpr int components = 2;
  static constexpr bool symmetric = true;
  double viscosity;

  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return viscosity * p.grad_u;
  }
};
struct PressureWeights {
  static constexpr int components = 3, linear_components = 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = 0.0 * p.u;
    f(2) += 1.0;
    return f;
  }
};

// -viscosity M^-1 at corners, the identity elsewhere, where nothing is to be solved.
inline void to_factors(const Kokkos::View<double*, ExecutionSpace>& weights, double viscosity) {
  Kokkos::parallel_for(
      "App::factors", Kokkos::RangePolicy<ExecutionSpace>(0, weights.extent(0) / 3), KOKKOS_LAMBDA(int n) {
        const double weight = weights(3 * n + 2);
        weights(3 * n + 2) = weight > 0 ? -viscosity / weight : 1;
      });
}

// p = -viscosity M^-1 x_p with the lumped mass matrix M of the pressure, then A v = x_v - B' p by multigrid,
// where A is friction and B' what a pressure does to the velocities: block-triangular (H. Elman, D. Silvester
// and A. Wathen, "Finite Elements and Fast Iterative Solvers", chapter 4).
class FieldAfterField final : public Types::Operator {
  using Element = tessera::Tri<2>;
  using MultiVector = Types::MultiVector;
  using Mesh = tessera::distributed::Mesh<Element, ExecutionSpace>;
  using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
  using System = tessera::distributed::TpetraSystem<ExecutionSpace>;

public:
  FieldAfterField(const Mesh& mesh, const Space& space, double viscosity)
      : velocity_space_(velocities_in(mesh.local())), both_(mesh, space), friction_(mesh, velocity_space_),
        weights_(both_.make_vector()), velocities_(friction_.make_vector()), right_(friction_.make_vector()),
        work_(both_.make_vector()) {
    assemble(both_, space, tessera::Stokes<2>{.viscosity = viscosity});
    assemble(friction_, velocity_space_,
             tessera::jacobian(Friction{viscosity}, mesh.local(), velocities_.local));
    multigrid_ = rcp(new tessera::distributed::TpetraMultigrid<ExecutionSpace>(friction_, mesh));
    tessera::residual::RecomputingResidual().plan(space).integrate(PressureWeights(), work_.local,
                                                                   weights_.local);
    to_factors(weights_.local, viscosity);
  }

  RCP<const Types::Map> getDomainMap() const override { return both_.maps().owned; }
  RCP<const Types::Map> getRangeMap() const override { return both_.maps().owned; }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp = Teuchos::NO_TRANS, double = 1,
             double = 0) const override {
    for (std::size_t column = 0; column < x.getNumVectors(); ++column)
      apply_to(*x.getVector(column), *y.getVectorNonConst(column));
  }
  void apply_to(const Types::Vector& x, Types::Vector& y) const {
    const auto weights = weights_.local, right = right_.local, velocities = velocities_.local;
    const int nodes = static_cast<int>(x.getLocalLength() / 3);
    const auto each_node = Kokkos::RangePolicy<ExecutionSpace>(0, nodes);
    {
      const auto from = x.getLocalViewDevice(Tpetra::Access::ReadOnly);
      const auto to = y.getLocalViewDevice(Tpetra::Access::OverwriteAll);
      Kokkos::parallel_for(
          "App::pressure", each_node, KOKKOS_LAMBDA(int n) {
            for (int a = 0; a < 2; ++a) to(3 * n + a, 0) = 0;
            to(3 * n + 2, 0) = weights(3 * n + 2) * from(3 * n + 2, 0);
          });
    }
    both_.matrix()->apply(y, *work_.owned);
    {
      const auto from = x.getLocalViewDevice(Tpetra::Access::ReadOnly);
      const auto pushed = work_.owned->getLocalViewDevice(Tpetra::Access::ReadOnly);
      Kokkos::parallel_for(
          "App::velocities", each_node, KOKKOS_LAMBDA(int n) {
            for (int a = 0; a < 2; ++a) right(2 * n + a) = from(3 * n + a, 0) - pushed(3 * n + a, 0);
          });
    }
    multigrid_->apply(*right_.owned, *velocities_.owned);
    const auto to = y.getLocalViewDevice(Tpetra::Access::ReadWrite);
    Kokkos::parallel_for(
        "App::result", each_node, KOKKOS_LAMBDA(int n) {
          for (int a = 0; a < 2; ++a) to(3 * n + a, 0) = velocities(2 * n + a);
        });
  }

private:
  static Space velocities_in(const tessera::Mesh<Element, ExecutionSpace>& mesh) {
    Space space(mesh, /*components=*/2, tessera::ConstraintTreatment::zeroed);
    for (const char* wall : {"ymin", "ymax"}) space.constrain(mesh.node_set(wall), {0.0, 0.0});
    return space;
  }
  template <class Form>
  static void assemble(const System& system, const Space& space, const Form& form) {
    tessera::assembly::ElementAtomic().plan(space, system.local().graph()).assemble(form, system.local());
  }

  Space velocity_space_;
  System both_, friction_;
  RCP<tessera::distributed::TpetraMultigrid<ExecutionSpace>> multigrid_;
  Vector weights_, velocities_, right_, work_;
};
