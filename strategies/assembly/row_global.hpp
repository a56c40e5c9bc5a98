// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowGlobal: element data through global memory, then a thread per row (paper 1, Table III).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_stage.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_lists.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <cstdint>
#include <limits>

namespace TESSERA_KERNELS::assembly {

/// The element stage of NzGlobal; then a thread per row adds the rows of the elements around its node.
///
/// Simpler and with shorter lists than NzGlobal (the rows of an element share one entry), but each thread
/// writes a row of its own, so that neither reads nor writes coalesce. Choose it on the host, where a
/// thread's row stays in its cache. Deterministic. The plan holds the element data (or `memory_budget` bytes
/// of it, and as many passes as that takes) and 2 bytes for each of an element's node pairs.
struct RowGlobal : WithDefaultInstance<RowGlobal> {
  using WithDefaultInstance<RowGlobal>::plan;
  static constexpr const char* name = "RowGlobal";
  static constexpr const char* source = "paper 1, Table III";
  static constexpr bool deterministic = true;

  /// Memory is sized for symmetric forms; others need false.
  bool symmetric = true;
  /// Blocks of elements of the element stage.
  Partitioner partitioner = Partitioner::curve;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;
  /// Bytes that element data may take in global memory; more passes where it does not hold all.
  std::int64_t memory_budget = std::numeric_limits<std::int64_t>::max();

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or an option is out of range; UnsupportedError
  ///   with the bytes if the budget does not hold one element, or for rows beyond 65535 entries;
  ///   OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input, element data written and read, row lists read, output written; once each.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = detail::row_cost<Element, Form, Scalar>(space, graph);
    cost.bytes += detail::element_data_bytes<Element, Form, Scalar>(space);
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class RowGlobal::Plan
    : public AssemblyPlan<RowGlobal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RowGlobal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const RowGlobal& options)
      : Base(exec, space, graph) {
    const auto incidence =
        node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes());
    stage_ = detail::ElementStage<Element, ExecutionSpace>(exec, name, space, incidence,
                                                           {options.symmetric, true, options.team_size,
                                                            options.scratch_bytes, options.memory_budget,
                                                            options.partitioner});
    lists_ =
        detail::row_lists(exec, space, graph, incidence,
                          SlotOfElement{tessera::detail::invert_order(exec, stage_.elements().blocks.items)});
    this->prepared(stage_.bytes() + lists_.bytes());
  }

  /// Number of passes in which the elements go through the memory budget.
  std::size_t passes() const { return stage_.passes().size(); }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    stage_.memory().template check<Kernel>();
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto mesh = this->space().mesh().kernel();
    const auto data = stage_.memory().template data<Element, Kernel, Scalar>();
    bool first = true;
    for (const auto& pass : stage_.passes()) {
      stage_.template run<Kernel, Scalar>(this->exec(), kernel, mesh, system.equations, this->status(), pass,
                                          data);
      Kokkos::parallel_for("Tessera::RowGlobal::add_rows",
                           by_value<AddRows<Kernel, Scalar>>(Kokkos::RangePolicy<ExecutionSpace>(
                               this->exec(), 0, this->space().num_dofs())),
                           AddRows<Kernel, Scalar>{data,
                                                   stage_.elements().blocks.items,
                                                   {mesh, lists_, system},
                                                   pass.first_slot,
                                                   pass.end_slot,
                                                   first});
      first = false;
    }
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  struct SlotOfElement {
    Kokkos::View<const Ordinal*, ExecutionSpace> slots;
    KOKKOS_FUNCTION Ordinal operator()(Ordinal, Ordinal e) const { return slots(e); }
  };

  template <class Kernel, class Scalar>
  struct AddRows {
    detail::global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data;
    Kokkos::View<const Ordinal*, ExecutionSpace> element_of_slot;
    detail::RowWriter<Element, ExecutionSpace, Scalar> rows;
    Ordinal begin, end; ///< slots of the pass
    bool first;         ///< pass

    KOKKOS_FUNCTION void operator()(Ordinal dof) const {
      const Ordinal node = dof / Kernel::components;
      const int a = dof % Kernel::components;
      if (!rows.has_row(node, a)) return;
      if (first) rows.clear(node, a);
      for (Offset p = rows.lists.offsets(node); p < rows.lists.offsets(node + 1); ++p) {
        const Ordinal slot = rows.lists.elements(p);
        if (slot < begin || slot >= end) continue;
        const Offset number = slot - begin;
        const int i = rows.lists.local_nodes(p);
        rows.add(
            node, a, p, element_of_slot(slot), [&](int j, int b) { return data.matrix(number, i, a, j, b); },
            data.load(number, i, a));
      }
    }
  };

private:
  detail::ElementStage<Element, ExecutionSpace> stage_;
  detail::RowLists<ExecutionSpace> lists_;
};

} // namespace TESSERA_KERNELS::assembly
