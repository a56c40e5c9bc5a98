// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RecomputingResidual: from nodal vector to nodal vector with nothing stored but the mesh.

#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/element_loops/element_sweep.hpp>
#include <tessera/strategies/residual/detail/residual_cost.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::residual {

namespace detail {

/// A weak form's residual in an element, as loops over elements take it (`ElementWork`).
template <class WeakKernel, class ExecutionSpace>
struct ResidualAction {
  WeakKernel weak;
  Status<ExecutionSpace> status;
  static constexpr int components = WeakKernel::components;
  static constexpr bool all_free = true, reports = true;
  template <class Element>
  static constexpr bool by_rows = true;
  template <class Element, class Real>
  static constexpr bool asks_for_nodes = true;

  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void act(const Cell<Element, Real>& cell,
                                       const Real (&u)[Element::nodes * components],
                                       Real (&v)[Element::nodes * components]) const {
    element_residual(weak, cell, u, v);
  }
  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void report(const Cell<Element, Real>& cell,
                                          const Real (&v)[Element::nodes * components]) const {
    Real size = v[0] * v[0]; // residuals of a constant field add up to zero, their squares do not
    TESSERA_UNROLL((Element::nodes * components <= 32 ? Element::nodes * components : 1))
    for (int i = 1; i < Element::nodes * components; ++i) size += v[i] * v[i];
    value_type_t<Real> all = lane_of(size, 0);
    for (int lane = 1; lane < lanes_v<Real>; ++lane) all += lane_of(size, lane);
    if (!Kokkos::isfinite(all))
      for (int lane = 0; lane < lanes_v<Real>; ++lane)
        if (!Kokkos::isfinite(lane_of(size, lane))) status.fail(cell.element[lane]);
  }
};

} // namespace detail

/// Each thread computes residuals from coordinates and nodal values, as the operator
/// `RecomputingElementByElement` computes products: on straight linear simplices with one gradient, f1 summed
/// over the points before it meets the test functions. What elements share is added by atomics (on hosts by
/// parts of neighbouring elements, in a fixed order), colors, gathering, or by patches in scratch memory
/// (paper 3 assembles nothing and reads geometry from memory: six times the bytes). Where atomics add, and on
/// devices where results are gathered, linear tetrahedra are taken by fans (`ElementFan`): each node is read
/// and added to once for up to six. On hosts the lanes of a vector have an element or a fan each.
///
/// Deterministic but for atomics on devices. Memory of the plan as `RecomputingElementByElement`; fans, 8
/// bytes a tetrahedron, and 12 for each component where they are gathered from.
struct RecomputingResidual : WithDefaultInstance<RecomputingResidual> {
  using WithDefaultInstance<RecomputingResidual>::plan;
  static constexpr const char* name = "RecomputingResidual";
  static constexpr const char* source = "ours, after paper 5, section 1";

  Conflicts conflicts = Conflicts::atomics;

  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space, *this};
  }

  /// See `sweep_cost`.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = element_loops::sweep_cost<Element, Form, Scalar>(space, conflicts);
    cost.flops = residual_flops<Form>(space);
    return cost;
  }

  static std::vector<std::pair<std::string, RecomputingResidual>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}},
            {"/patches", {.conflicts = Conflicts::patches}}};
  }
};

template <class Element, class ExecutionSpace>
class RecomputingResidual::Plan
    : public ResidualPlan<RecomputingResidual::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = ResidualPlan<Plan, Element, ExecutionSpace>;
  template <class Scalar>
  using In = Kokkos::View<const Scalar*, ExecutionSpace>;
  template <class Scalar>
  using Out = Kokkos::View<Scalar*, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingResidual::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const RecomputingResidual& strategy)
      : Base(exec, space), sweep_(exec, space, strategy.conflicts),
        buffer_(sweep_.template buffer<double>(exec, space.components())) {
    this->prepared(sweep_.bytes() + bytes_of(buffer_));
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    return sweep_.cells() + std::string(" by quadrature, results by ") + sweep_.results_by();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& weak, const In<Scalar>& u, const Out<Scalar>& r) const {
    const auto equations =
        detail::all_dofs<ExecutionSpace>(Kernel::components, this->space().mesh().num_nodes());
    const Out<Scalar> buffer(reinterpret_cast<Scalar*>(buffer_.data()), buffer_.extent(0));
    sweep_.run("Tessera::RecomputingResidual::integrate", this->exec(),
               detail::ResidualAction<Kernel, ExecutionSpace>{weak, this->status()}, equations, u, r, buffer,
               {});
  }

private:
  element_loops::ElementSweep<Element, ExecutionSpace> sweep_;
  Out<double> buffer_; ///< of either scalar
};

} // namespace TESSERA_KERNELS::residual
