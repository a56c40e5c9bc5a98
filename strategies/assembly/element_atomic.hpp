#pragma once

/// \file
/// ElementAtomic: a thread per element, atomic additions into the system; the modern baseline.

#include <tessera/strategies/common/assembly_plan.hpp>
#include <tessera/strategies/common/element_loop.hpp>
#include <tessera/strategies/common/traffic.hpp>

namespace tessera::assembly {

/// Each thread computes one element (on the host, one per vector lane) and adds its entries atomically.
///
/// Minimal preprocessing (the offsets of the element's entries) and no restriction on the mesh. Every value
/// is read, modified and written once per element that touches it, and zeroed before: it wins where the
/// values stay in the cache. Not deterministic where several threads run: the order of additions varies.
struct ElementAtomic {
  static constexpr const char* name = "ElementAtomic";
  static constexpr const char* source = "the modern baseline";
  static constexpr bool deterministic = false;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space; UnsupportedError for rows beyond 65535
  ///   entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, graph};
  }

  /// Input once, the offsets of every entry, and read-modify-write of each entry of each element.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return element_wise_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class ElementAtomic::Plan
    : public AssemblyPlan<ElementAtomic::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementAtomic::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph), map_(element_to_values(exec, space, graph)) {
    this->prepared(bytes_of(map_.position));
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Loop = ElementLoop<Element, ExecutionSpace, Scalar, Kernel, AtomicAdd<ExecutionSpace>>;
    Kokkos::deep_copy(this->exec(), system.values, Scalar(0));
    Kokkos::deep_copy(this->exec(), system.rhs, Scalar(0));
    const auto& mesh = this->space().mesh();
    Loop{kernel, mesh.kernel(), map_, system, this->status(), 0, mesh.num_elements(), {}}.run(
        this->exec(), "Tessera::ElementAtomic::assemble");
  }

private:
  ElementToValues<Element, ExecutionSpace> map_;
};

} // namespace tessera::assembly
