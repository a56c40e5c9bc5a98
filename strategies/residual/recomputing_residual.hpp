#pragma once

/// \file
/// RecomputingResidual: from nodal vector to nodal vector with nothing stored but the mesh.

#include <tessera/strategies/matrix_free/common/result_gather.hpp>
#include <tessera/strategies/matrix_free/patches/patch_kernels.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element/kernels.hpp>
#include <tessera/strategies/residual/detail/host_loop.hpp>
#include <tessera/strategies/residual/detail/kernels.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::residual {

/// Each thread (on the host, each lane of a vector) computes an element's residual from coordinates and nodal
/// values, as the operator `RecomputingElementByElement` computes products: on straight linear simplices with
/// one gradient, f1 summed over the points before it meets the test functions. What elements share is added
/// by atomics, colors, gathering, or, the fastest and the default, by patches in scratch memory (paper 3
/// assembles nothing and reads geometry from memory: six times the bytes).
///
/// Deterministic but for atomics. Memory of the plan as `RecomputingElementByElement`.
struct RecomputingResidual {
  static constexpr const char* name = "RecomputingResidual";
  static constexpr const char* source = "ours, after paper 5, section 1";

  Conflicts conflicts = Conflicts::patches;

  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, *this};
  }

  static std::vector<std::pair<std::string, RecomputingResidual>> variants() {
    return {{"", {}},
            {"/atomics", {.conflicts = Conflicts::atomics}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}}};
  }
};

template <class Element, class ExecutionSpace>
class RecomputingResidual::Plan
    : public ResidualPlan<RecomputingResidual::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = ResidualPlan<Plan, Element, ExecutionSpace>;
  using Patches = ElementPatches<Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingResidual::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const RecomputingResidual& strategy)
      : Base(exec, space), gather_(exec, space.mesh(), strategy.conflicts) {
    Offset numbers = 0;
    if (strategy.conflicts == Conflicts::patches) {
      for (int size = Patches::most_cells;; size /= 2) { // until it fits
        patches_ = element_patches(exec, space.mesh(), size);
        const std::size_t scratch = matrix_free::detail::patch_scratch<Element, ExecutionSpace>(
            size, patches_.most_nodes, space.components());
        if ((scratch <= scratch_limit<ExecutionSpace>() && patches_.most_nodes <= patches_.node_limit) ||
            size == 1)
          break;
      }
      order_ = patches_.order;
      numbers = static_cast<Offset>(patches_.num_sums) * space.components();
    } else {
      order_ = element_order(exec, space.mesh(), strategy.conflicts);
      if (strategy.conflicts == Conflicts::gather)
        numbers = static_cast<Offset>(space.mesh().num_elements()) * Element::nodes * space.components();
    }
    buffer_ = allocate<decltype(buffer_)>(exec, "Tessera::RecomputingResidual::buffer", numbers);
    this->prepared(order_.bytes + gather_.bytes() + patches_.bytes() + bytes_of(buffer_));
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& weak, const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                  const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    using Residual = detail::ResidualKernel<Kernel, ExecutionSpace>;
    using Product = matrix_free::detail::ElementProduct<false, Element, ExecutionSpace, Residual, Scalar>;
    const auto equations =
        tessera::detail::all_dofs<ExecutionSpace>(Kernel::components, this->space().mesh().num_nodes());
    const Product product{Residual{weak, this->status()}, order_.mesh, {equations}, u};
    const Kokkos::View<Scalar*, ExecutionSpace> buffer(reinterpret_cast<Scalar*>(buffer_.data()),
                                                       buffer_.extent(0));
    if (gather_.conflicts == Conflicts::patches)
      by_patches(product, buffer, u, r);
    else
      by_elements(product, equations, buffer, u, r);
  }

private:
  template <class Product, class Scalar>
  void by_elements(const Product& product, const Equations<ExecutionSpace>& equations,
                   const Kokkos::View<Scalar*, ExecutionSpace>& buffer,
                   const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                   const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    constexpr int lanes = lanes_v<typename Product::Real>;
    if (gather_.conflicts != Conflicts::gather) Kokkos::deep_copy(this->exec(), r, Scalar(0));
    const auto sink =
        gather_.template sink<Product::c>(equations, r, buffer, this->space().mesh().num_elements());
    for (int k = 0; k < order_.ranges(); ++k) {
      const Ordinal begin = order_.offsets[k], end = order_.offsets[k + 1];
      if constexpr (runs_on_host<ExecutionSpace>)
        if (gather_.conflicts != Conflicts::gather) {
          using Loop = detail::HostLoop<Element, typename Product::Kernel, ExecutionSpace, Scalar>;
          Kokkos::parallel_for(
              "Tessera::RecomputingResidual::integrate",
              Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, (end - begin + lanes - 1) / lanes),
              Loop{product.kernel, order_.mesh, u, r, begin, end, gather_.conflicts == Conflicts::colors});
          continue;
        }
      Kokkos::parallel_for("Tessera::RecomputingResidual::integrate",
                           Kokkos::RangePolicy<ExecutionSpace>(
                               this->exec(), 0, sink.work_items((end - begin + lanes - 1) / lanes)),
                           matrix_free::detail::RecomputingLoop<Product, Element>{product, sink, begin, end});
    }
    gather_.template finish<Product::c>(this->exec(), sink, u, r);
  }

  template <class Product, class Scalar>
  void by_patches(const Product& product, const Kokkos::View<Scalar*, ExecutionSpace>& sums,
                  const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                  const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    using Loop = matrix_free::detail::PatchLoop<Product, Element>;
    const Loop loop{product, patches_, {}, sums, r};
    if (patches_.patches > 0)
      Kokkos::parallel_for("Tessera::RecomputingResidual::integrate_patches", loop.policy(this->exec()),
                           loop);
    Kokkos::parallel_for(
        "Tessera::RecomputingResidual::sum_patches",
        Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, patches_.shared_nodes.extent(0)),
        matrix_free::detail::SumPatches<Product::c, Element, ExecutionSpace, Scalar>{
            patches_, product.node_values, sums, u, r});
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  Patches patches_;
  Kokkos::View<double*, ExecutionSpace> buffer_; ///< sums of patches, or element vectors, of either scalar
};

} // namespace tessera::residual
