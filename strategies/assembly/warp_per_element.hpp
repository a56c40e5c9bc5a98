// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// WarpPerElement: the lanes of a warp share one element (paper 2, sections 4.1 to 4.3).

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/lane_options.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/lanes/colored_elements.hpp>
#include <tessera/strategies/assembly/detail/lanes/warp_kernel.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// A team of vector lanes computes one element: geometry by all lanes, each lane its own blocks of the
/// element matrix in registers, then the lanes together add the matrix to the system.
///
/// On devices the lanes are those of a warp, or of a part of it for elements with fewer than 32 pairs of
/// blocks; on the host one lane does a pack of elements. Elements are taken colour by colour from copies of
/// their coordinates, nodes and value offsets that lie in that order. Deterministic with colours, not with
/// atomics.
///
/// Memory of the plan for 8 nodes in three dimensions: 356 bytes an element. It wins over a thread per
/// element where that one's matrix does not fit the registers (elasticity, quadratic elements), and loses to
/// it on small scalar elements.
struct WarpPerElement : WithDefaultInstance<WarpPerElement> {
  using WithDefaultInstance<WarpPerElement>::plan;
  /// Lanes side by side over the 8 columns of a hexahedron's node: 4 (a lane has 1 x 2 blocks, section 4.1)
  /// or 8 (2 x 1 blocks, section 4.2). Other elements: blocks side by side, or one above the other.
  int threads_per_row = 4;
  Integration integration = Integration::partial_parallel;
  JacobianSum jacobian = JacobianSum::scratch;
  Conflicts conflicts = Conflicts::colors;
  Scatter scatter = Scatter::rows;
  /// Point by point integration is always pointwise.
  Integrand integrand = Integrand::moments;
  ColorLaunches color_launches = ColorLaunches::automatic;

  static constexpr const char* name = "WarpPerElement";
  static constexpr const char* source = "paper 2, sections 4.1-4.3";

  /// Bitwise equal from run to run, whatever the backend.
  bool deterministic() const { return conflicts == Conflicts::colors; }

  /// The default, the fastest, and the paper's variants: see docs/papers/2.md.
  static std::vector<std::pair<std::string, WarpPerElement>> variants() {
    WarpPerElement point4{.threads_per_row = 4,
                          .integration = Integration::per_point,
                          .jacobian = JacobianSum::shuffle,
                          .scatter = Scatter::lanes,
                          .integrand = Integrand::pointwise};
    WarpPerElement point8 = point4, ppni4 = point4, ppni8 = point4;
    point8.threads_per_row = ppni8.threads_per_row = 8;
    ppni4.integration = ppni8.integration = Integration::partial_parallel;
    return {{"", {}},
            {"/separate", {.color_launches = ColorLaunches::separate}},
            {"/atomics", {.conflicts = Conflicts::atomics}},
            {"/4/per_point", point4},
            {"/8/per_point", point8},
            {"/4/partial_parallel", ppni4},
            {"/8/partial_parallel", ppni8}};
  }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError for threads_per_row other than 4 or 8, or a graph that does not fit the space;
  ///   UnsupportedError for rows beyond 65535 entries, or a graph of launches where there is none;
  ///   OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    if (threads_per_row != 4 && threads_per_row != 8)
      throw ArgumentError("WarpPerElement: threads_per_row must be 4 or 8, got " +
                          std::to_string(threads_per_row));
    require_offered(name, conflicts, {Conflicts::atomics, Conflicts::colors});
    return {exec, space, graph, *this};
  }

  /// Element-wise input once; zeros written, and each value of each element read and written (colours),
  /// or additions as if they met in a cache (atomics).
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
            const SparsityGraph<ExecutionSpace>& graph) const {
    return detail::lane_cost<Element, Form, Scalar>(space, graph, conflicts);
  }
};

template <class Element, class ExecutionSpace>
class WarpPerElement::Plan
    : public AssemblyPlan<WarpPerElement::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = WarpPerElement::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const WarpPerElement& options)
      : Base(exec, space, graph), options_(options),
        color_graph_(strategy_name, options.color_launches, options.conflicts == Conflicts::colors),
        elements_(exec, space, graph, options.conflicts, position_order(options)) {
    this->prepared(elements_.input.bytes());
  }

  /// The elements' order and their colours, for tests and drivers.
  const detail::ColoredElements<Element, ExecutionSpace>& elements() const { return elements_; }

  /// \throws UnsupportedError if the scratch of a team does not hold an element, or a graph a form's kernel
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) {
    return visit_path<Kernel, Scalar>([&]<class Assembly>(const char* path) {
      Assembly::elements_per_team();
      return path + color_graph_.template prepare<Assembly>(this->exec());
    });
  }

  void take_coordinates() { detail::copy_coordinates(this->exec(), this->space().mesh(), elements_.input); }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    visit_path<Kernel, Scalar>([&]<class Assembly>(const char*) { launch<Assembly>(kernel, system); });
  }

private:
  static detail::PositionOrder position_order(const WarpPerElement& options) {
    if (options.scatter == Scatter::rows) return detail::PositionOrder::rows;
    return options.threads_per_row == 4 ? detail::PositionOrder::wide_tiles
                                        : detail::PositionOrder::tall_tiles;
  }

  /// Calls `visit` with the type of the kernel that the options choose, and its name for reports.
  template <class Kernel, class Scalar, class Visit>
  auto visit_path(const Visit& visit) const {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    if (options_.integration == Integration::per_point)
      return visit.template operator()<Assembly<Kernel, Scalar, true, false>>("elements point by point");
    if constexpr (tessera::detail::HasMoments<Element, Kernel, Real>)
      if (options_.integrand == Integrand::moments)
        return visit.template operator()<Assembly<Kernel, Scalar, false, true>>(
            "elements by moments, geometry first");
    return visit.template operator()<Assembly<Kernel, Scalar, false, false>>(
        "elements by quadrature, geometry first");
  }

  template <class Kernel, class Scalar, bool PerPoint, bool Moments>
  using Assembly = detail::WarpPerElementAssembly<Element, ExecutionSpace, Scalar, Kernel, PerPoint, Moments>;

  template <class Assembly, class Kernel, class Scalar>
  void launch(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    Assembly assembly{kernel,
                      elements_.input,
                      system,
                      this->status(),
                      options_.jacobian,
                      options_.threads_per_row == 4,
                      options_.scatter == Scatter::rows,
                      options_.conflicts == Conflicts::atomics,
                      0,
                      0};
    const auto launch = [&](const ExecutionSpace& exec) {
      this->clear(exec, system);
      elements_.for_each_color([&](Ordinal begin, Ordinal end) {
        assembly.begin = begin;
        assembly.end = end;
        assembly.run(exec);
      });
    };
    color_graph_.template run<Assembly>(this->exec(), launch, kernel, system.addresses(), system.add);
  }

  WarpPerElement options_;
  ColorGraph<ExecutionSpace> color_graph_;
  detail::ColoredElements<Element, ExecutionSpace> elements_;
};

} // namespace TESSERA_KERNELS::assembly
