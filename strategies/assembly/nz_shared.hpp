// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// NzShared: element data in team scratch, then a thread per nonzero (paper 1, section 4.3).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_array.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_blocks.hpp>
#include <tessera/strategies/assembly/detail/reduction/scratch_stage.hpp>
#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// Each team owns the rows of a block of nodes: it scatters the nodes of the elements around them to scratch,
/// computes these elements over them, and reduces their data by binned lists into the rows.
///
/// Nothing but input, lists and output goes through global memory; the elements at the seams of blocks are
/// computed by each of them. Choose it for low orders, where a block holds many elements. Blocks whose
/// elements do not fit into scratch together are computed in several passes, which read and write the entries
/// again that elements of several passes share. Of symmetric forms, an entry between two nodes of one block
/// is summed once and saved twice (section 4.3.3). Deterministic. The plan holds 4 bytes for each source.
struct NzShared : WithDefaultInstance<NzShared> {
  using WithDefaultInstance<NzShared>::plan;
  static constexpr const char* name = "NzShared";
  static constexpr const char* source = "paper 1, section 4.3";
  static constexpr bool deterministic = true;

  /// Scratch is sized for symmetric forms, and their entries summed once; others need false.
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

  /// The options that the catalogue compares.
  static std::vector<std::pair<std::string, NzShared>> variants() {
    return {{"", {}}, {"/metis", {.partitioner = Partitioner::metis}}};
  }

  /// \throws ArgumentError if the graph does not fit the space or an option is out of range; UnsupportedError
  ///   with the bytes if scratch does not hold one element, or a block's where several passes are not
  ///   allowed; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input, reduction and scatter lists read, output written; once each, as if no element were in two blocks.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return detail::listed_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class NzShared::Plan : public AssemblyPlan<NzShared::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = NzShared::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const NzShared& options)
      : Base(exec, space, graph) {
    const auto connectivity = space.mesh().kernel().connectivity;
    const auto incidence = node_to_element(exec, connectivity, space.mesh().num_nodes());
    pairs_ = detail::node_pairs(exec, space, graph, incidence);
    stage_ = detail::ScratchStage<Element, ExecutionSpace>(exec, name, space, incidence, pairs_,
                                                           {options.symmetric, options.several_passes,
                                                            options.partitioner, options.attempts,
                                                            options.team_size, options.scratch_bytes});
    const auto& blocks = stage_.blocks();
    rows_ = detail::row_blocks(exec, pairs_, blocks.nodes.offsets, blocks.nodes.items);
    Kokkos::View<Ordinal*, ExecutionSpace> place_of_node;
    if (options.symmetric) place_of_node = tessera::detail::invert_order(exec, blocks.nodes.items);
    lists_ = detail::reduction_array(exec, connectivity, incidence, pairs_, rows_,
                                     ElementOfGroup<ExecutionSpace>{blocks.elements, stage_.passes()},
                                     stage_.passes().block_of_group, place_of_node, stage_.passes().groups,
                                     stage_.team_size());
    this->prepared(stage_.bytes() + pairs_.own_bytes + rows_.bytes() + lists_.bytes());
  }

  /// Blocks, passes and lists, for tests.
  const detail::ScratchStage<Element, ExecutionSpace>& stage() const { return stage_; }
  const detail::RowBlocks<ExecutionSpace>& rows() const { return rows_; }
  const detail::ReductionArray<ExecutionSpace>& lists() const { return lists_; }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    stage_.template check<Kernel>();
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if (rows_.count == 0) return;
    const AssembleBlock<Kernel, Scalar> assemble{
        stage_.template elements<Kernel, Scalar>(kernel, this->space().mesh().kernel(), system.equations,
                                                 this->status()),
        lists_,
        {rows_, pairs_, system, this->clear_foreign(this->exec(), system)}};
    Kokkos::parallel_for("Tessera::NzShared::assemble",
                         team_policy(this->exec(), name, assemble, rows_.count, stage_.team_size(),
                                     assemble.elements.scratch_bytes()),
                         assemble);
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AssembleBlock {
    static constexpr int components = Kernel::components;
    using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
    detail::ScratchElements<Element, ExecutionSpace, Scalar, Kernel> elements;
    detail::ReductionArray<ExecutionSpace> array;
    detail::ListWriter<ExecutionSpace, Scalar> writer;

    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const Ordinal block = member.league_rank();
      const Ordinal first = elements.passes.first_group(block), end = elements.passes.first_group(block + 1);
      const auto data = elements.data(member);
      detail::ListWriter<ExecutionSpace, Scalar> write = writer;
      write.add = writer.add || end - first > 1;
      if (!writer.add) clear(member, block, write.add);
      for (Ordinal group = first; group < end; ++group) {
        elements.compute(member, group, data);
        for (int a = 0; a < components; ++a) reduce(member, block, group, a, data, write);
        member.team_barrier();
      }
    }

    KOKKOS_FUNCTION void reduce(const Member& member, Ordinal block, Ordinal group, int a,
                                const detail::element_data_t<Element, Kernel, Scalar>& data,
                                const detail::ListWriter<ExecutionSpace, Scalar>& write) const {
      array.template reduce<components, Scalar>(
          member, group,
          [&](std::uint32_t source, Scalar(&sum)[components]) { data.add_source(source, a, sum); },
          [&](Ordinal list, const Scalar(&sum)[components], bool transposed) {
            const auto target = write.rows.target(block, list);
            for (int b = 0; b < components; ++b) {
              if (transposed)
                write.put(target, b, a, sum[b]);
              else
                write.put(target, a, b, sum[b]);
            }
          });
    }

    /// Zeros: the loads of nodes without elements, and all entries that passes will add to.
    KOKKOS_FUNCTION void clear(const Member& member, Ordinal block, bool all) const {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, writer.rows.lists(block)), [&](Ordinal list) {
        const auto target = writer.rows.target(block, list);
        if (!all && !(target.load && target.k == 0)) return;
        for (int a = 0; a < components; ++a)
          for (int b = 0; b < (target.load ? 1 : components); ++b) writer.put(target, a, b, Scalar(0));
      });
      member.team_barrier();
    }
  };

private:
  detail::NodePairs<ExecutionSpace> pairs_;
  detail::ScratchStage<Element, ExecutionSpace> stage_;
  detail::RowBlocks<ExecutionSpace> rows_;
  detail::ReductionArray<ExecutionSpace> lists_;
};

} // namespace TESSERA_KERNELS::assembly
