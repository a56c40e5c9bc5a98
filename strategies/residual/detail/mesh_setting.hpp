#pragma once

/// \file
/// The whole setting of paper 3's strategies: nodal vectors in and out, and what adds element vectors up.

#include <tessera/strategies/matrix_free/common/element_order.hpp>
#include <tessera/strategies/matrix_free/common/result_gather.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>
#include <tessera/strategies/residual/detail/settings.hpp>

#include <cstddef>

namespace tessera::residual {

/// Base of the plans whose kernels take a setting: order of the elements and the sums of
/// `Conflicts::atomics`, `colors` and `gather`. A plan has a member `run(setting, kernel)`.
template <class Plan, class Element, class ExecutionSpace>
class SettingPlan : public ResidualPlan<Plan, Element, ExecutionSpace> {
  using Base = ResidualPlan<Plan, Element, ExecutionSpace>;

public:
  /// `integrate_elements` can be called.
  static constexpr bool has_element_setting = true;

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                  const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    constexpr int c = Kernel::components;
    if (gather_.conflicts != Conflicts::gather) Kokkos::deep_copy(this->exec(), r, Scalar(0));
    const auto equations = tessera::detail::all_dofs<ExecutionSpace>(c, this->space().mesh().num_nodes());
    const Kokkos::View<Scalar*, ExecutionSpace> buffer(reinterpret_cast<Scalar*>(buffer_.data()),
                                                       buffer_.extent(0));
    auto sink = gather_.template sink<c>(equations, r, buffer, this->space().mesh().num_elements());
    for (int k = 0; k < order_.ranges(); ++k)
      plan().run(detail::MeshElements<Element, ExecutionSpace, Scalar, c>{order_.mesh, u, sink,
                                                                          order_.offsets[k],
                                                                          order_.offsets[k + 1]},
                 kernel);
    gather_.template finish<c>(this->exec(), sink, u, r);
  }

  template <class Kernel, class Scalar>
  void accumulate_elements(const Kernel& kernel,
                           const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    constexpr int c = Kernel::components;
    const Ordinal cells = this->space().mesh().num_elements();
    if (Element::affine_simplex || arrays.points == 1)
      plan().run(detail::GivenElements<Element, ExecutionSpace, Scalar, c, true>{arrays, 0, cells}, kernel);
    else if constexpr (!Element::affine_simplex)
      plan().run(detail::GivenElements<Element, ExecutionSpace, Scalar, c, false>{arrays, 0, cells}, kernel);
  }

protected:
  /// \throws UnsupportedError for patches; OutOfMemoryError
  SettingPlan(const ExecutionSpace& exec, const typename Base::Space& space, Conflicts conflicts)
      : Base(exec, space), order_(order(exec, space.mesh(), conflicts)),
        gather_(exec, space.mesh(), conflicts),
        buffer_(gather_.template buffer<double>(exec, Element::nodes * space.components())) {
    this->prepared(order_.bytes + gather_.bytes() + bytes_of(buffer_));
  }

private:
  static auto order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                    Conflicts conflicts) {
    if (conflicts == Conflicts::patches)
      throw UnsupportedError(Base::name() + ": Conflicts::patches: only RecomputingResidual sums by patches");
    return element_order(exec, mesh, conflicts);
  }
  const Plan& plan() const { return *static_cast<const Plan*>(this); }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  Kokkos::View<double*, ExecutionSpace> buffer_; ///< element vectors of either scalar
};

} // namespace tessera::residual
