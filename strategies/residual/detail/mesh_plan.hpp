// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What paper 3's strategies share: options, the plan (nodal vectors in and out), and what
/// adds element vectors up.

#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/element_loops/result_gather.hpp>
#include <tessera/strategies/residual/detail/cell_data.hpp>
#include <tessera/strategies/residual/detail/residual_cost.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::residual {

/// The plan of a strategy whose kernels take `CellData`: order of the elements and the sums of
/// `Conflicts::atomics`, `colors` and `gather`. The strategy has a member `run(exec, cell_data, kernel,
/// status)`.
template <class Strategy, class Element, class ExecutionSpace>
class MeshPlan : public ResidualPlan<MeshPlan<Strategy, Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = ResidualPlan<MeshPlan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = Strategy::name;
  /// `integrate_elements` can be called.
  static constexpr bool has_element_data = true;

  /// \throws UnsupportedError for patches; OutOfMemoryError
  MeshPlan(const ExecutionSpace& exec, const typename Base::Space& space, const Strategy& strategy)
      : Base(exec, space), strategy_(strategy), order_(order(exec, space.mesh(), strategy.conflicts)),
        gather_(exec, space.mesh(), strategy.conflicts),
        buffer_(gather_.template buffer<double>(exec, Element::nodes * space.components())) {
    this->prepared(order_.bytes + gather_.bytes() + bytes_of(buffer_));
  }

  /// \throws UnsupportedError with the numbers where the options ask for more than a team can have
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel& kernel) const {
    using CellData = detail::MeshElements<Element, ExecutionSpace, Scalar, Kernel::components>;
    strategy_.validate(this->exec(), CellData(), kernel, this->status());
    return std::string("elements by quadrature, results by ") + to_string(gather_.conflicts);
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                  const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    constexpr int c = Kernel::components;
    if (gather_.conflicts != Conflicts::gather) Kokkos::deep_copy(this->exec(), r, Scalar(0));
    const auto equations = detail::all_dofs<ExecutionSpace>(c, this->space().mesh().num_nodes());
    const Kokkos::View<Scalar*, ExecutionSpace> buffer(reinterpret_cast<Scalar*>(buffer_.data()),
                                                       buffer_.extent(0));
    auto sink = gather_.template sink<c>(equations, r, buffer, this->space().mesh().num_elements());
    for (int k = 0; k < order_.ranges(); ++k)
      strategy_.run(this->exec(),
                    detail::MeshElements<Element, ExecutionSpace, Scalar, c>{
                        order_.mesh, u, sink, order_.offsets[k], order_.offsets[k + 1]},
                    kernel, this->status());
    gather_.template finish<c>(this->exec(), sink, u, r);
  }

  template <class Kernel, class Scalar>
  void accumulate_elements(const Kernel& kernel,
                           const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    constexpr int c = Kernel::components;
    const Ordinal cells = this->space().mesh().num_elements();
    if (Element::affine_simplex || arrays.points == 1)
      strategy_.run(this->exec(),
                    detail::GivenElements<Element, ExecutionSpace, Scalar, c, true>{arrays, 0, cells}, kernel,
                    this->status());
    else if constexpr (!Element::affine_simplex)
      strategy_.run(this->exec(),
                    detail::GivenElements<Element, ExecutionSpace, Scalar, c, false>{arrays, 0, cells},
                    kernel, this->status());
  }

private:
  static auto order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                    Conflicts conflicts) {
    if (conflicts == Conflicts::patches)
      throw UnsupportedError(Base::name() + ": Conflicts::patches: only RecomputingResidual sums by patches");
    return element_order(exec, mesh, conflicts);
  }

  Strategy strategy_;
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  Kokkos::View<double*, ExecutionSpace> buffer_; ///< element vectors of either scalar
};

/// Base of paper 3's strategies, which have a member `Conflicts conflicts`: deterministic with colors and
/// with gathered results, which keep a number per element and degree of freedom.
template <class Strategy>
struct MeshStrategy : WithDefaultInstance<Strategy> {
  using WithDefaultInstance<Strategy>::plan;

  bool deterministic() const { return self().conflicts != Conflicts::atomics; }

  /// \throws UnsupportedError for `Conflicts::patches`; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  MeshPlan<Strategy, Element, ExecutionSpace>
  plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space, self()};
  }

  /// See `residual_cost`.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    return residual_cost<Element, Form, Scalar>(space, self().conflicts);
  }

  static std::vector<std::pair<std::string, Strategy>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}}};
  }

  /// Strategies whose options may not fit a form hide it.
  template <class ExecutionSpace, class CellData, class Kernel>
  void validate(const ExecutionSpace&, const CellData&, const Kernel&, const Status<ExecutionSpace>&) const {}

private:
  const Strategy& self() const { return *static_cast<const Strategy*>(this); }
};

} // namespace TESSERA_KERNELS::residual
