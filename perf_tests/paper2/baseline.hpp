// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What paper 2 counts its speed-ups over (section 3.4): `ElementLocal` with that paper's choices of memory.

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/interleaved_elements.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>

#include "local_memory.hpp"
#include <string>

namespace tessera::tools {

/// A thread per element, whatever the form: the whole matrix in local memory, summed up there point by point;
/// coordinates copied element by element and read at each point; derivatives of the basis in team scratch.
/// For comparisons alone: `ElementLocal` is faster. The plan holds 8 bytes a coordinate of each element
/// besides what `ElementLocal`'s does.
struct Baseline : WithDefaultInstance<Baseline> {
  using WithDefaultInstance<Baseline>::plan;
  static constexpr const char* name = "ElementLocal/paper2";
  static constexpr const char* source = "paper 2, section 3.4";
  static constexpr bool deterministic = true;

  ColorLaunches color_launches = ColorLaunches::automatic;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws as `ElementLocal`
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// ElementLocal's, but for coordinates, which are read element by element; local memory is not counted.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = colored_cost<Element, Form, Scalar>(space, graph);
    cost.bytes += space.mesh().num_elements() * (Element::nodes * Element::dimension * 8.0) -
                  static_cast<double>(bytes_of(space.mesh().coordinates()));
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class Baseline::Plan : public AssemblyPlan<Baseline::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = Baseline::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const Baseline& options)
      : Base(exec, space, graph), color_graph_(strategy_name, options.color_launches),
        elements_(interleave_by_color(exec, space, graph, 0)) {
    coordinates_.allocate_for(exec, elements_);
    take_coordinates();
    this->prepared(elements_.bytes() + bytes_of(coordinates_.entries));
  }

  /// The elements in the plan's order, for tests.
  const InterleavedElements<Element, ExecutionSpace>& elements() const { return elements_; }

  /// \throws UnsupportedError if the basis' derivatives do not fit into the scratch of a team, or a form's
  ///   kernel not into a graph
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) {
    AddColor<Kernel, Scalar>::check_scratch();
    return "elements by quadrature, in local memory" +
           color_graph_.template prepare<AddColor<Kernel, Scalar>>(this->exec());
  }

  void take_coordinates() {
    interleave_coordinates(this->exec(), this->space().mesh(), elements_, coordinates_);
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Add = AddColor<Kernel, Scalar>;
    const Add all{kernel, this->space().mesh().kernel(), elements_, coordinates_, system, this->status(), 0,
                  0};
    const auto launch = [&](const ExecutionSpace& exec) {
      this->clear(exec, system);
      for (Ordinal color = 0; color < elements_.colors(); ++color) {
        Add add = all;
        add.begin = elements_.first_slot[color];
        add.end = add.begin + elements_.sizes[color];
        add.run(exec);
      }
    };
    color_graph_.template run<Add>(this->exec(), launch, kernel, system.addresses(), system.add);
  }

private:
  template <class Kernel, class Scalar>
  using AddColor = AddColorThroughLocalMemory<Element, ExecutionSpace, Scalar, Kernel>;

  ColorGraph<ExecutionSpace> color_graph_;
  InterleavedElements<Element, ExecutionSpace> elements_;
  InterleavedCoordinates<Element, ExecutionSpace> coordinates_;
};

} // namespace tessera::tools
