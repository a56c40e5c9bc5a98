// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementLocal: a thread per element, one color of elements after the other (paper 1, section 4.1; paper 2,
/// section 3.4).

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/interleaved_elements.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// Elements of one color share no node: each thread computes an element in its registers and adds it to the
/// system without atomics; colors run one after the other. Coordinates are read once, of a symmetric matrix
/// one half is kept.
///
/// Node numbers and positions are sorted by color, interleaved by blocks of threads (figure 4) and padded to
/// whole blocks, so that their reads coalesce. Deterministic at the price of locality: neighbouring elements
/// have different colors, so that every value is read and written once per color that touches it. Choose it
/// for determinism where the values stay in the cache, or for elements with so much arithmetic that traffic
/// does not matter. The plan holds 4 bytes a node and 2 bytes a node pair of each element, and 4 an element.
struct ElementLocal : WithDefaultInstance<ElementLocal> {
  using WithDefaultInstance<ElementLocal>::plan;
  static constexpr const char* name = "ElementLocal";
  static constexpr const char* source = "paper 1, section 4.1; paper 2, section 3.4";
  static constexpr bool deterministic = true;

  /// At least this many colors (figure 3 varies it); 0: as few as the coloring finds.
  Ordinal colors = 0;
  ColorLaunches color_launches = ColorLaunches::automatic;

  /// The default, and the same without a CUDA graph.
  static std::vector<std::pair<std::string, ElementLocal>> variants() {
    return {{"", {}}, {"/separate", {.color_launches = ColorLaunches::separate}}};
  }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space, or `colors` is negative or exceeds the number
  ///   of elements; UnsupportedError for rows beyond 65535 entries, or a graph of launches where there is
  ///   none; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// As if every value went through the memory once per element that touches it: read and written.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
            const SparsityGraph<ExecutionSpace>& graph) const {
    return colored_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class ElementLocal::Plan
    : public AssemblyPlan<ElementLocal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementLocal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const ElementLocal& options)
      : Base(exec, space, graph), color_graph_(strategy_name, options.color_launches),
        elements_(interleave_by_color(exec, space, graph, options.colors)) {
    this->prepared(elements_.bytes());
  }

  /// The elements in the plan's order, for tests.
  const InterleavedElements<Element, ExecutionSpace>& elements() const { return elements_; }

  /// \throws UnsupportedError if a form's kernel does not fit into a graph
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) {
    return integration_path<Element, Kernel, Scalar>() +
           color_graph_.template prepare<AddColor<Kernel, Scalar>>(this->exec());
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Add = AddColor<Kernel, Scalar>;
    const Add all{kernel, this->space().mesh().kernel(), elements_, system, this->status(), 0, 0};
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

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AddColor {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    Kernel kernel;
    MeshKernel<Element, ExecutionSpace> mesh;
    InterleavedSlots<Element, ExecutionSpace> elements;
    SystemKernel<ExecutionSpace, Scalar> system;
    Status<ExecutionSpace> status;
    Offset begin, end; ///< slots of the color

    void run(const ExecutionSpace& exec) const {
      const auto chunks = static_cast<Ordinal>((end - begin + lanes_v<Real> - 1) / lanes_v<Real>);
      Kokkos::parallel_for("Tessera::ElementLocal::add_color",
                           by_value<AddColor>(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks)), *this);
    }

    KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
      const Offset first = begin + static_cast<Offset>(chunk) * lanes_v<Real>;
      const Cell<Element, Real> cell = elements.template cell<Real>(mesh, first);
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane) {
        const Offset slot = first + lane;
        Ordinal node[Element::nodes];
        for (int n = 0; n < Element::nodes; ++n) node[n] = elements.node(slot, n);
        scatter<Element, Kernel>(
            local, lane, node, system, [&](int i, int j) { return elements.position(slot, i, j); },
            PlainAdd());
      }
    }
  };

private:
  ColorGraph<ExecutionSpace> color_graph_;
  InterleavedElements<Element, ExecutionSpace> elements_;
};

} // namespace TESSERA_KERNELS::assembly
