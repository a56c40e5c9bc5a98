// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowShared: element data in team scratch, then a thread per row (paper 1, Table III).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_lists.hpp>
#include <tessera/strategies/assembly/detail/reduction/scratch_stage.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

namespace TESSERA_KERNELS::assembly {

/// Blocks of nodes and element data in scratch as NzShared has them; then a thread per row adds the rows of
/// the elements around its node.
///
/// Half of NzShared's lists, but the rows are written by one thread each and read again for every element.
/// Choose it over NzShared where rows are long and the memory for lists is short. Deterministic. The plan
/// holds 5 bytes for each node of each element and 2 for each of its node pairs.
struct RowShared : WithDefaultInstance<RowShared> {
  using WithDefaultInstance<RowShared>::plan;
  static constexpr const char* name = "RowShared";
  static constexpr const char* source = "paper 1, Table III";
  static constexpr bool deterministic = true;

  /// Scratch is sized for symmetric forms; others need false.
  bool symmetric = true;
  /// Blocks whose elements do not fit into scratch at once take several passes, else they are an error.
  bool several_passes = true;
  /// Blocks of nodes.
  Partitioner partitioner = Partitioner::curve;
  /// Partitions to try, with more and more blocks, until all fit.
  int attempts = 4;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws as `NzShared::plan`, and UnsupportedError for rows beyond 65535 entries
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input and row lists read, output written; once each, as if no element were in two blocks.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return detail::row_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class RowShared::Plan
    : public AssemblyPlan<RowShared::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RowShared::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const RowShared& options)
      : Base(exec, space, graph) {
    const auto incidence =
        node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes());
    const auto pairs = detail::node_pairs(exec, space, graph, incidence);
    stage_ = detail::ScratchStage<Element, ExecutionSpace>(exec, name, space, incidence, pairs,
                                                           {options.symmetric, options.several_passes,
                                                            options.partitioner, options.attempts,
                                                            options.team_size, options.scratch_bytes});
    lists_ =
        detail::row_lists(exec, space, graph, incidence,
                          PositionInBlock{stage_.blocks().elements, stage_.blocks().nodes.block_of_item});
    this->prepared(stage_.bytes() + lists_.bytes());
  }

  /// Blocks and passes, for tests.
  const detail::ScratchStage<Element, ExecutionSpace>& stage() const { return stage_; }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    stage_.template check<Kernel>();
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto& blocks = stage_.blocks().nodes;
    if (blocks.count == 0) return;
    const auto mesh = this->space().mesh().kernel();
    const AssembleBlock<Kernel, Scalar> assemble{
        stage_.template elements<Kernel, Scalar>(kernel, mesh, system.equations, this->status()),
        {mesh, lists_, system},
        blocks.offsets,
        blocks.items};
    Kokkos::parallel_for("Tessera::RowShared::assemble",
                         team_policy(this->exec(), name, assemble, blocks.count, stage_.team_size(),
                                     assemble.elements.scratch_bytes()),
                         assemble);
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  struct PositionInBlock {
    BlockLists<ExecutionSpace> elements;
    Kokkos::View<const Ordinal*, ExecutionSpace> block_of_node;
    KOKKOS_FUNCTION Ordinal operator()(Ordinal node, Ordinal e) const {
      return elements.find(block_of_node(node), e);
    }
  };

  template <class Kernel, class Scalar>
  struct AssembleBlock {
    static constexpr int components = Kernel::components;
    using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
    detail::ScratchElements<Element, ExecutionSpace, Scalar, Kernel> elements;
    detail::RowWriter<Element, ExecutionSpace, Scalar> rows;
    Kokkos::View<const Ordinal*, ExecutionSpace> offsets, nodes;

    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const Ordinal block = member.league_rank(), begin = offsets(block);
      const Ordinal dofs = (offsets(block + 1) - begin) * components;
      const auto data = elements.data(member);
      for (Ordinal group = elements.passes.first_group(block); group < elements.passes.first_group(block + 1);
           ++group) {
        elements.compute(member, group, data);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, dofs), [&](Ordinal k) {
          add_row(block, group, nodes(begin + k / components), k % components, data);
        });
        member.team_barrier();
      }
    }

    /// Adds the rows of the group's elements to a row of the block.
    KOKKOS_FUNCTION void add_row(Ordinal block, Ordinal group, Ordinal node, int a,
                                 const detail::element_data_t<Element, Kernel, Scalar>& data) const {
      if (!rows.has_row(node, a)) return;
      const Ordinal begin = elements.passes.begin(group);
      if (begin == 0) rows.clear(node, a);
      const Offset first = elements.elements.offsets(block);
      for (Offset p = rows.lists.offsets(node); p < rows.lists.offsets(node + 1); ++p) {
        const Ordinal number = rows.lists.elements(p) - begin;
        if (number < 0 || number >= elements.passes.size) continue;
        const int i = rows.lists.local_nodes(p);
        rows.add(
            node, a, p, elements.elements.items(first + begin + number),
            [&](int j, int b) { return data.matrix(number, i, a, j, b); }, data.load(number, i, a));
      }
    }
  };

private:
  detail::ScratchStage<Element, ExecutionSpace> stage_;
  detail::RowLists<ExecutionSpace> lists_;
};

} // namespace TESSERA_KERNELS::assembly
