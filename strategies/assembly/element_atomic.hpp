#pragma once

/// \file
/// ElementAtomic: a thread per element, atomic additions into the system; the modern baseline.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

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

namespace detail {

/// Integrates elements, one in each lane of `Real`, and adds each to the system.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AddElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  ElementToValues<Element, ExecutionSpace> map;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal num_elements;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = chunk * lanes_v<Real>;
    const Cell<Element, Real> cell = mesh.template cell<Real>(first);
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && first + lane < num_elements; ++lane) {
      const Ordinal e = first + lane;
      Ordinal node[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(e, n);
      scatter<Element>(
          local, lane, node, system, [&](int i, int j) { return map.position(e, i, j); },
          AtomicAdd<ExecutionSpace>());
    }
  }
};

} // namespace detail

template <class Element, class ExecutionSpace>
class ElementAtomic::Plan
    : public AssemblyPlan<ElementAtomic::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementAtomic::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph), map_(element_to_values(exec, space, graph)) {
    this->prepared(bytes_of(map_.position));
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    this->clear(this->exec(), system);
    const auto& mesh = this->space().mesh();
    const Ordinal chunks = (mesh.num_elements() + lanes_v<Real> - 1) / lanes_v<Real>;
    using Add = detail::AddElements<Element, ExecutionSpace, Scalar, Kernel>;
    Kokkos::parallel_for("Tessera::ElementAtomic::assemble",
                         by_value<Add>(Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, chunks)),
                         Add{kernel, mesh.kernel(), map_, system, this->status(), mesh.num_elements()});
  }

private:
  ElementToValues<Element, ExecutionSpace> map_;
};

} // namespace tessera::assembly
