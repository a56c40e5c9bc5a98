// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RecomputingResidual: from nodal vector to nodal vector with nothing stored but the mesh.

#include <tessera/strategies/common/parts/element_parts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/element_loops/element_kernels.hpp>
#include <tessera/strategies/element_loops/patch_kernels.hpp>
#include <tessera/strategies/element_loops/result_gather.hpp>
#include <tessera/strategies/residual/detail/element_loop.hpp>
#include <tessera/strategies/residual/detail/fan_loop.hpp>
#include <tessera/strategies/residual/detail/host_loop.hpp>
#include <tessera/strategies/residual/detail/residual_cost.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>
#include <tessera/strategies/residual/detail/residual_threads.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::residual {

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

  /// Whether there are fans of the elements. Triangles around a corner lie in two rows of a mesh: halves of
  /// fans lost to single triangles.
  template <class Element>
  static constexpr bool has_fans = Element::affine_simplex && Element::dimension == 3;
  /// Whether elements are taken by fans.
  template <class Element, class ExecutionSpace>
  bool takes_fans() const {
    return has_fans<Element> && (conflicts == Conflicts::atomics ||
                                 (conflicts == Conflicts::gather && !runs_on_host<ExecutionSpace>));
  }

  /// See `residual_cost`; fans, each of six elements, take the place of connectivity and of element results.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = residual_cost<Element, Form, Scalar>(space, conflicts);
    if constexpr (has_fans<Element>)
      if (takes_fans<Element, ExecutionSpace>()) {
        using Fan = ElementFan<Element>;
        const double elements = space.mesh().num_elements(), fans = elements / Fan::most;
        cost.bytes += (fans * Fan::nodes - elements * Element::nodes) * sizeof(Ordinal) +
                      fans * sizeof(typename Fan::Members);
        if (conflicts == Conflicts::gather)
          cost.bytes += (fans * Fan::nodes - elements * Element::nodes) *
                        (2 * space.components() * sizeof(Scalar) + sizeof(Ordinal) + 1);
      }
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

  static constexpr bool has_fans = RecomputingResidual::has_fans<Element>,
                        on_host = runs_on_host<ExecutionSpace>;
  struct NoFans {
    std::size_t bytes() const { return 0; }
  };
  using Fans = std::conditional_t<has_fans, ElementFans<Element, ExecutionSpace>, NoFans>;

public:
  static constexpr const char* strategy_name = RecomputingResidual::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const RecomputingResidual& strategy)
      : Base(exec, space), by_fans_(strategy.template takes_fans<Element, ExecutionSpace>()),
        by_parts_(on_host && strategy.conflicts == Conflicts::atomics),
        patches_(patches_of(exec, strategy.conflicts)), order_(order_of(exec, strategy.conflicts)),
        fans_(fans_of(exec)), gather_(gather_of(exec, strategy.conflicts)) {
    if constexpr (on_host)
      if (by_parts_) make_parts(exec);
    const Offset results = strategy.conflicts == Conflicts::patches  ? patches_.num_sums
                           : strategy.conflicts == Conflicts::gather ? gather_.elements * cell_nodes()
                                                                     : 0;
    buffer_ = allocate<decltype(buffer_)>(exec, "Tessera::RecomputingResidual::buffer",
                                          results * space.components());
    this->prepared(order_.bytes + gather_.bytes() + patches_.bytes() + fans_.bytes() + parts_.bytes() +
                   bytes_of(buffer_));
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    return (by_fans_ ? "fans of elements" : "elements") + std::string(" by quadrature, results by ") +
           (by_parts_ ? "parts" : to_string(gather_.conflicts));
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& weak, const In<Scalar>& u, const Out<Scalar>& r) const {
    using Residual = detail::ResidualKernel<Kernel, ExecutionSpace>;
    const Residual kernel{weak, this->status()};
    const auto equations =
        detail::all_dofs<ExecutionSpace>(Kernel::components, this->space().mesh().num_nodes());
    const Out<Scalar> buffer(reinterpret_cast<Scalar*>(buffer_.data()), buffer_.extent(0));
    if (gather_.conflicts == Conflicts::patches) {
      by_patches(product(kernel, equations, u), buffer, u, r);
      return;
    }
    if constexpr (on_host)
      if (by_parts_) return this->by_parts(kernel, u, r);
    if (gather_.conflicts != Conflicts::gather) Kokkos::deep_copy(this->exec(), r, Scalar(0));
    const auto sink = gather_.template sink<Kernel::components>(equations, r, buffer, gather_.elements);
    if (!by_fans_)
      by_elements(product(kernel, equations, u), sink, u, r);
    else if constexpr (has_fans && !on_host) {
      using Loop = detail::FanLoop<Element, Kernel, ExecutionSpace, Scalar>;
      Kokkos::parallel_for("Tessera::RecomputingResidual::integrate",
                           typename Loop::Policy(this->exec(), 0, fans_.count()),
                           Loop{weak, this->status(), order_.mesh, fans_, sink, u});
    }
    gather_.template finish<Kernel::components>(this->exec(), sink, u, r);
  }

private:
  ElementPatches<Element, ExecutionSpace> patches_of(const ExecutionSpace& exec, Conflicts chosen) const {
    if (chosen != Conflicts::patches) return {};
    return matrix_free::detail::fitting_patches(exec, this->space().mesh(), this->space().components());
  }
  ElementOrder<Element, ExecutionSpace> order_of(const ExecutionSpace& exec, Conflicts chosen) const {
    if (chosen == Conflicts::patches) return patches_.order;
    if constexpr (on_host)
      if (by_parts_) return compact_order(exec, this->space().mesh());
    return element_order(exec, this->space().mesh(), chosen);
  }
  Fans fans_of(const ExecutionSpace& exec) const {
    if constexpr (has_fans)
      if (by_fans_) return element_fans(exec, order_.mesh);
    return {};
  }
  void make_parts(const ExecutionSpace& exec) {
    const Ordinal nodes = this->space().mesh().num_nodes();
    if constexpr (has_fans)
      parts_ = ordered_parts(exec, fans_.nodes, nodes);
    else
      parts_ = ordered_parts(exec, order_.mesh.connectivity, nodes);
  }
  ResultGather<Element, ExecutionSpace> gather_of(const ExecutionSpace& exec, Conflicts chosen) const {
    const auto& mesh = this->space().mesh();
    if constexpr (has_fans)
      if (by_fans_) return {exec, fans_.nodes, mesh.num_nodes(), chosen};
    return {exec, mesh, chosen};
  }
  int cell_nodes() const {
    if constexpr (has_fans)
      if (by_fans_) return ElementFan<Element>::nodes;
    return Element::nodes;
  }

  template <class Residual, class Scalar>
  auto product(const Residual& kernel, const Equations<ExecutionSpace>& equations,
               const In<Scalar>& u) const {
    return matrix_free::detail::ElementProduct<false, Element, ExecutionSpace, Residual, Scalar>{
        kernel, order_.mesh, {equations}, u};
  }

  template <class Product, class Sink, class Scalar>
  void by_elements(const Product& product, const Sink& sink, const In<Scalar>& u,
                   const Out<Scalar>& r) const {
    constexpr int lanes = lanes_v<typename Product::Real>;
    for (int k = 0; k < order_.ranges(); ++k) {
      const Ordinal begin = order_.offsets[k], end = order_.offsets[k + 1];
      if constexpr (on_host)
        if (gather_.conflicts == Conflicts::colors) {
          by_color(product.kernel, u, r, begin, end);
          continue;
        }
      if constexpr (on_host || element_loops::detail::LanePairs<Element>::supported) {
        Kokkos::parallel_for(
            "Tessera::RecomputingResidual::integrate",
            Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0,
                                                sink.work_items((end - begin + lanes - 1) / lanes)),
            matrix_free::detail::RecomputingLoop<Product, Element>{product, sink, begin, end});
      } else {
        using Loop = detail::ElementLoop<Element, Product>;
        Kokkos::parallel_for("Tessera::RecomputingResidual::integrate",
                             typename Loop::Policy(this->exec(), 0, end - begin),
                             Loop{product.kernel, order_.mesh, sink, u, begin});
      }
    }
  }

  template <class Cells, class Residual, class Scalar>
  using PackLoop = detail::HostLoop<Element, Cells, Residual, ExecutionSpace, Scalar>;
  using SingleElements = detail::SingleElements<Element, ExecutionSpace>;

  template <class Residual, class Scalar>
  void by_color(const Residual& kernel, const In<Scalar>& u, const Out<Scalar>& r, Ordinal begin,
                Ordinal end) const {
    using Loop = PackLoop<SingleElements, Residual, Scalar>;
    Kokkos::parallel_for(
        "Tessera::RecomputingResidual::integrate",
        Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, (end - begin + Loop::lanes - 1) / Loop::lanes),
        detail::PacksOfColor<Loop>{
            {kernel, this->space().mesh().kernel(), SingleElements{order_.mesh}, u, r}, begin, end});
  }

  template <class Residual, class Scalar>
  void by_parts(const Residual& kernel, const In<Scalar>& u, const Out<Scalar>& r) const {
    const auto run = [&]<class Cells>(const Cells& cells) {
      using Loop = PackLoop<Cells, Residual, Scalar>;
      for_each_part("Tessera::RecomputingResidual::integrate", this->exec(), parts_,
                    detail::PacksOfPart<Loop, ExecutionSpace>{
                        {kernel, this->space().mesh().kernel(), cells, u, r}, parts_});
    };
    if constexpr (has_fans)
      run(detail::FannedElements<Element, ExecutionSpace>{order_.mesh, fans_});
    else
      run(SingleElements{order_.mesh});
  }

  template <class Product, class Scalar>
  void by_patches(const Product& product, const Out<Scalar>& sums, const In<Scalar>& u,
                  const Out<Scalar>& r) const {
    using Loop = matrix_free::detail::PatchLoop<Product, Element>;
    const Loop loop{product, patches_, {}, sums, r};
    if (patches_.patches > 0)
      Kokkos::parallel_for("Tessera::RecomputingResidual::integrate_patches", loop.policy(this->exec()),
                           loop);
    using Sum = matrix_free::detail::SumPatches<Product::c, Element, ExecutionSpace, Scalar>;
    Kokkos::parallel_for("Tessera::RecomputingResidual::sum_patches",
                         Sum::policy(this->exec(), patches_.shared_nodes.extent(0)),
                         Sum{patches_, product.node_values, sums, u, r});
  }

  struct NoParts {
    std::size_t bytes() const { return 0; }
  };
  bool by_fans_, by_parts_;
  ElementPatches<Element, ExecutionSpace> patches_;
  ElementOrder<Element, ExecutionSpace> order_;
  Fans fans_;
  ResultGather<Element, ExecutionSpace> gather_;
  std::conditional_t<on_host, OrderedParts<ExecutionSpace>, NoParts> parts_;
  Out<double> buffer_; ///< sums of patches, or results of elements or fans, of either scalar
};

} // namespace TESSERA_KERNELS::residual
