// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementGlobal: element data through global memory, then a thread per element (paper 1, Table III).

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/interleaved_elements.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <algorithm>

namespace TESSERA_KERNELS::assembly {

/// One kernel computes all elements and writes their data to global memory, coalesced; then, color by color,
/// a thread per element reads it and adds it to the system.
///
/// What ElementLocal does, with the element data going through memory in between: it lets the arithmetic run
/// over all elements at once, with no color too small to fill the device, and keeps the registers of the
/// adding kernel few. Deterministic. The plan holds the element data besides ElementLocal's lists.
struct ElementGlobal : WithDefaultInstance<ElementGlobal> {
  using WithDefaultInstance<ElementGlobal>::plan;
  static constexpr const char* name = "ElementGlobal";
  static constexpr const char* source = "paper 1, Table III";
  static constexpr bool deterministic = true;

  /// Memory is sized for symmetric forms; others need false.
  bool symmetric = true;
  /// At least this many colors; 0: as few as the coloring finds.
  Ordinal colors = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space, or `colors` is negative or exceeds the number
  ///   of elements; UnsupportedError for rows beyond 65535 entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// ElementLocal's traffic, and the element data written and read.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = colored_cost<Element, Form, Scalar>(space, graph);
    cost.bytes += detail::element_data_bytes<Element, Form, Scalar>(space);
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class ElementGlobal::Plan
    : public AssemblyPlan<ElementGlobal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementGlobal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const ElementGlobal& options)
      : Base(exec, space, graph), elements_(interleave_by_color(exec, space, graph, options.colors)),
        memory_(exec, ElementGlobal::name, Element::nodes, space.components(), options.symmetric,
                elements_.numbers.extent(0)) {
    this->prepared(elements_.bytes() + memory_.bytes());
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    memory_.template check<Kernel>();
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Range = Kokkos::RangePolicy<ExecutionSpace>;
    const auto& exec = this->exec();
    this->clear(this->exec(), system);
    const auto data = memory_.template data<Element, Kernel, Scalar>();
    // Slots that pad a color repeat an element; blocks of slots are a multiple of any number of lanes.
    constexpr int lanes = lanes_v<element_real_t<ExecutionSpace, Scalar>>;
    Kokkos::parallel_for("Tessera::ElementGlobal::compute",
                         by_value<Compute<Kernel, Scalar>>(
                             Range(exec, 0, static_cast<Ordinal>(elements_.numbers.extent(0) / lanes))),
                         Compute<Kernel, Scalar>{kernel, this->space().mesh().kernel(), elements_,
                                                 system.equations, this->status(), data});
    AddColor<Kernel, Scalar> add{data, elements_, system, 0};
    for (Ordinal color = 0; color < elements_.colors(); ++color) {
      add.begin = elements_.first_slot[color];
      Kokkos::parallel_for("Tessera::ElementGlobal::add_color",
                           by_value<AddColor<Kernel, Scalar>>(Range(exec, 0, elements_.sizes[color])), add);
    }
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct Compute {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    Kernel kernel;
    MeshKernel<Element, ExecutionSpace> mesh;
    InterleavedSlots<Element, ExecutionSpace> elements;
    Equations<ExecutionSpace> equations;
    Status<ExecutionSpace> status;
    detail::global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data;

    KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
      const Offset first = static_cast<Offset>(chunk) * lanes_v<Real>;
      const Cell<Element, Real> cell = elements.template cell<Real>(mesh, first);
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real>; ++lane)
        data.store(first + lane, local, lane, equations,
                   [&](int n) { return elements.node(first + lane, n); });
    }
  };

  template <class Kernel, class Scalar>
  struct AddColor {
    detail::global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data;
    InterleavedSlots<Element, ExecutionSpace> elements;
    SystemKernel<ExecutionSpace, Scalar> system;
    Offset begin; ///< first slot of the color

    KOKKOS_FUNCTION void operator()(Ordinal k) const {
      const Offset slot = begin + k;
      for (int i = 0; i < Element::nodes; ++i)
        for (int a = 0; a < Kernel::components; ++a) elements.add_row(system, slot, i, a, data, slot);
    }
  };

private:
  InterleavedElements<Element, ExecutionSpace> elements_;
  detail::ElementDataMemory<ExecutionSpace> memory_;
};

} // namespace TESSERA_KERNELS::assembly
