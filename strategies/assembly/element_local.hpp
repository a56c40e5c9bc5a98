#pragma once

/// \file
/// ElementLocal: a thread per element, one color of elements after the other (paper 1, section 4.1).

#include <tessera/core/coloring.hpp>
#include <tessera/strategies/common/assembly_plan.hpp>
#include <tessera/strategies/common/gather.hpp>
#include <tessera/strategies/common/interleaved_elements.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <string>

namespace tessera::assembly {

/// Elements of one color share no node: each thread computes an element in its registers and adds it to the
/// system without atomics; colors run one after the other.
///
/// Node numbers and positions are sorted by color, interleaved by blocks of threads (figure 4) and padded to
/// whole blocks, so that their reads coalesce. Deterministic at the price of locality: neighbouring elements
/// have different colors, so that every value is read and written once per color that touches it. Choose it
/// for determinism where the values stay in the cache, or for elements with so much arithmetic that traffic
/// does not matter. The plan holds 4 bytes a node and 2 bytes a node pair of each element, and 4 an element.
struct ElementLocal {
  static constexpr const char* name = "ElementLocal";
  static constexpr const char* source = "paper 1, section 4.1";
  static constexpr bool deterministic = true;

  /// At least this many colors (figure 3 varies it); 0: as few as the coloring finds.
  Ordinal colors = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space, or `colors` is negative or exceeds the number
  ///   of elements; UnsupportedError for rows beyond 65535 entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, graph, *this};
  }

  /// As if every value went through the memory once per element that touches it: read and written.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return colored_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class ElementLocal::Plan
    : public AssemblyPlan<ElementLocal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementLocal::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const ElementLocal& options)
      : Base(exec, space, graph), elements_(interleave_by_color(exec, space, graph, options.colors)) {
    this->prepared(elements_.bytes());
  }

  /// The elements in the plan's order, for tests.
  const InterleavedElements<Element, ExecutionSpace>& elements() const { return elements_; }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    Kokkos::deep_copy(this->exec(), system.values, Scalar(0));
    Kokkos::deep_copy(this->exec(), system.rhs, Scalar(0));
    const auto mesh = this->space().mesh().kernel();
    AddColor<Kernel, Scalar> add{kernel, mesh, elements_, system, this->status(), 0, 0};
    for (Ordinal color = 0; color < elements_.colors(); ++color) {
      add.begin = elements_.first_slot[color];
      add.end = add.begin + elements_.sizes[color];
      constexpr int lanes = lanes_v<element_real_t<ExecutionSpace, Scalar>>;
      const auto chunks = static_cast<Ordinal>((add.end - add.begin + lanes - 1) / lanes);
      Kokkos::parallel_for("Tessera::ElementLocal::add_color",
                           Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, chunks), add);
    }
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AddColor {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    Kernel kernel;
    MeshKernel<Element, ExecutionSpace> mesh;
    InterleavedElements<Element, ExecutionSpace> elements;
    SystemKernel<ExecutionSpace, Scalar> system;
    Status<ExecutionSpace> status;
    Offset begin, end; ///< slots of the color

    KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
      const Offset first = begin + static_cast<Offset>(chunk) * lanes_v<Real>;
      const Cell<Element, Real> cell = elements.template cell<Real>(mesh, first);
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane) {
        const Offset slot = first + lane;
        Ordinal node[Element::nodes];
        for (int n = 0; n < Element::nodes; ++n) node[n] = elements.node(slot, n);
        scatter<Element>(
            local, lane, node, system, [&](int i, int j) { return elements.position(slot, i, j); },
            PlainAdd());
      }
    }
  };

private:
  InterleavedElements<Element, ExecutionSpace> elements_;
};

} // namespace tessera::assembly
