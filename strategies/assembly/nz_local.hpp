// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// NzLocal: a thread per nonzero, which computes every element that contributes (paper 1, section 4.4).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_array.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_blocks.hpp>
#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/node_blocks.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly {

/// A team prefetches the nodes of a block's elements into scratch; its threads read binned dependency lists,
/// compute each element that an entry (of vector forms: the entries of a pair of nodes) depends on, and keep
/// that entry alone.
///
/// Every element is computed once per node pair of its own: for linear triangles that costs less than
/// coloring does (docs/papers/1.md), for anything else it is here to complete the paper's comparison.
/// Deterministic. The plan holds 4 bytes for each source and 2 for each node of each element.
struct NzLocal : WithDefaultInstance<NzLocal> {
  using WithDefaultInstance<NzLocal>::plan;
  static constexpr const char* name = "NzLocal";
  static constexpr const char* source = "paper 1, section 4.4";
  static constexpr bool deterministic = true;

  /// Entries of symmetric forms are computed once for both of their places; other forms need false.
  bool symmetric = true;
  /// Blocks of nodes.
  Partitioner partitioner = Partitioner::curve;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or an option is out of range; UnsupportedError
  ///   with the bytes if scratch does not hold the nodes around one node; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input and lists read, output written, once each; elements computed for each pair of their nodes (half of
  /// the pairs of symmetric forms) and each load.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    constexpr int nodes = Element::nodes;
    constexpr bool symmetric = decltype(form_kernel(Form{}))::symmetric;
    constexpr int evaluations = (symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes) + nodes;
    Cost cost = detail::listed_cost<Element, Form, Scalar>(space, graph);
    cost.flops += (evaluations - 1) * compulsory_cost<Element, Form, Scalar>(space, graph).flops;
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class NzLocal::Plan : public AssemblyPlan<NzLocal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;
  using LocalNodes = Kokkos::View<std::uint16_t**, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = NzLocal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const NzLocal& options)
      : Base(exec, space, graph), symmetric_(options.symmetric),
        team_size_(team_threads<ExecutionSpace>(name, options.team_size)) {
    const auto connectivity = space.mesh().kernel().connectivity;
    const auto incidence = node_to_element(exec, connectivity, space.mesh().num_nodes());
    pairs_ = detail::node_pairs(exec, space, graph, incidence);
    partition(options);
    rows_ = detail::row_blocks(exec, pairs_, blocks_.nodes.offsets, blocks_.nodes.items);
    Kokkos::View<Ordinal*, ExecutionSpace> place_of_node;
    if (symmetric_) place_of_node = tessera::detail::invert_order(exec, blocks_.nodes.items);
    const auto passes = element_passes(exec, blocks_.elements, std::max(1, blocks_.most_elements));
    lists_ = detail::reduction_array(exec, connectivity, incidence, pairs_, rows_,
                                     ElementOfGroup<ExecutionSpace>{blocks_.elements, passes}, {},
                                     place_of_node, blocks_.nodes.count, team_size_);
    number_nodes();
    this->prepared(blocks_.bytes() + bytes_of(local_nodes_) + pairs_.own_bytes + rows_.bytes() +
                   lists_.bytes());
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    detail::require_symmetric<Kernel>(name, symmetric_);
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if (rows_.count == 0) return;
    const bool adds = this->clear_foreign(this->exec(), system);
    if (!adds) Kokkos::deep_copy(this->exec(), system.rhs, Scalar(0)); // nodes without elements have no list
    const AssembleBlock<Kernel, Scalar> assemble{
        kernel,           this->space().mesh().kernel(), this->status(),
        blocks_.elements, blocks_.surrounding,           local_nodes_,
        lists_,           {rows_, pairs_, system, adds}, most_nodes_};
    Kokkos::parallel_for("Tessera::NzLocal::assemble",
                         team_policy(this->exec(), name, assemble, rows_.count, team_size_,
                                     NodeScratch<Element, ExecutionSpace>::shmem_size(most_nodes_)),
                         assemble);
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AssembleBlock {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    using Data = detail::element_data_t<Element, Kernel, Scalar>;
    using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
    using Nodes = NodeScratch<Element, ExecutionSpace>;
    static constexpr int components = Kernel::components;
    Kernel kernel;
    MeshKernel<Element, ExecutionSpace> mesh;
    Status<ExecutionSpace> status;
    BlockLists<ExecutionSpace> elements, surrounding;
    LocalNodes local_nodes;
    detail::ReductionArray<ExecutionSpace> array;
    detail::ListWriter<ExecutionSpace, Scalar> writer;
    Ordinal most_nodes;

    /// The next sources of a bin, as many as there are lanes, and their elements.
    struct Batch {
      element_system_t<Element, Kernel, Real> system;
      std::uint32_t source[lanes_v<Real>];
      Ordinal element[lanes_v<Real>];
      int next = 0, count = 0;
    };

    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const Ordinal block = member.league_rank();
      const Nodes nodes(member.team_scratch(0), most_nodes);
      const Offset first = surrounding.offsets(block);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, surrounding.size(block)), [&](Ordinal k) {
        const Ordinal node = surrounding.items(first + k);
        for (int d = 0; d < Element::dimension; ++d) nodes(k, d) = mesh.coordinates(node, d);
      });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, array.bins),
                           [&](Ordinal bin) { read_bin(block, bin, nodes); });
    }

    KOKKOS_FUNCTION void read_bin(Ordinal block, Ordinal bin, const Nodes& nodes) const {
      const Offset end = array.offsets(block + 1);
      Scalar sum[components * components] = {};
      bool saved = false;
      Batch batch;
      for (Offset at = array.offsets(block) + bin; at < end; at += array.bins) {
        const std::int32_t code = array.entries(at);
        if (code > 0) {
          for (Scalar& entry : sum)
            if (saved) entry = 0;
          saved = false;
          if (batch.next == batch.count) compute(block, at, end, nodes, batch);
          add_source(batch, sum);
        } else if (code < 0) {
          save(block, -code - 1, saved, sum);
          saved = true;
        }
      }
    }

    /// Computes the elements of the next sources from entry `at` on.
    KOKKOS_FUNCTION void compute(Ordinal block, Offset at, Offset end, const Nodes& nodes,
                                 Batch& batch) const {
      batch.next = batch.count = 0;
      for (; at < end && batch.count < lanes_v<Real>; at += array.bins)
        if (array.entries(at) > 0)
          batch.source[batch.count++] = static_cast<std::uint32_t>(array.entries(at) - 1);
      const Offset first = elements.offsets(block);
      const auto slot = [&](int lane) {
        return first + batch.source[lane < batch.count ? lane : batch.count - 1] /
                           detail::ElementSource<Element>::count;
      };
      Cell<Element, Real> cell;
      for (int lane = 0; lane < lanes_v<Real>; ++lane) {
        batch.element[lane] = cell.element[lane] = elements.items(slot(lane));
        cell.material[lane] = mesh.material(cell.element[lane]);
      }
      gather_coordinates(cell, [&](int lane, int n, int d) { return nodes(local_nodes(slot(lane), n), d); });
      if (!integrate(kernel, cell, batch.system)) status.fail(kernel, cell);
    }

    KOKKOS_FUNCTION void add_source(Batch& batch, Scalar (&sum)[components * components]) const {
      const int lane = batch.next++;
      const int rest = static_cast<int>(batch.source[lane] % detail::ElementSource<Element>::count);
      const auto& equations = writer.system.equations;
      if (rest < detail::ElementSource<Element>::matrix_blocks) {
        const int i = rest / Element::nodes, j = rest % Element::nodes;
        for (int a = 0; a < components; ++a)
          for (int b = 0; b < components; ++b)
            sum[a * components + b] += Scalar(lane_of(batch.system(i, a, j, b), lane));
        return;
      }
      const int i = rest - detail::ElementSource<Element>::matrix_blocks;
      for (int a = 0; a < components; ++a) {
        Scalar load = lane_of(batch.system.load[i](a), lane);
        if (equations.constrained)
          load -= Data::template prescribed_load<Scalar>(batch.system, lane, i, a, equations, [&](int n) {
            return mesh.connectivity(batch.element[lane], n);
          });
        sum[a * components] += load;
      }
    }

    KOKKOS_FUNCTION void save(Ordinal block, Ordinal list, bool transposed,
                              const Scalar (&sum)[components * components]) const {
      const auto target = writer.rows.target(block, list);
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < (target.load ? 1 : components); ++b) {
          if (transposed)
            writer.put(target, b, a, sum[a * components + b]);
          else
            writer.put(target, a, b, sum[a * components + b]);
        }
    }
  };

  struct NumberNodes {
    typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
    BlockLists<ExecutionSpace> elements, surrounding;
    LocalNodes local_nodes;
    KOKKOS_FUNCTION void operator()(Ordinal block) const {
      for (Offset slot = elements.offsets(block); slot < elements.offsets(block + 1); ++slot)
        for (int n = 0; n < Element::nodes; ++n)
          local_nodes(slot, n) =
              static_cast<std::uint16_t>(surrounding.find(block, connectivity(elements.items(slot), n)));
    }
  };

private:
  /// Smaller and smaller blocks until the nodes of each fit into scratch.
  void partition(const NzLocal& options) {
    const std::size_t scratch = scratch_budget<ExecutionSpace>(name, options.scratch_bytes);
    const auto& mesh = this->space().mesh();
    for (Ordinal most = runs_on_host<ExecutionSpace> ? 256 : 4 * team_size_;; most = std::max(1, most / 2)) {
      blocks_ = node_blocks(this->exec(), mesh, options.partitioner, most, 2);
      detail::add_surrounding_nodes(this->exec(), pairs_, blocks_);
      most_nodes_ = longest_list(this->exec(), blocks_.surrounding.offsets);
      const std::size_t needed = NodeScratch<Element, ExecutionSpace>::shmem_size(most_nodes_);
      if (needed <= scratch) return;
      if (most == 1)
        throw UnsupportedError(std::string(name) + ": the nodes around a block of one node take " +
                               std::to_string(needed) + " bytes of scratch, " + std::to_string(scratch) +
                               " are allowed");
    }
  }

  void number_nodes() {
    local_nodes_ = allocate<LocalNodes>(this->exec(), "Tessera::NzLocal::local_nodes",
                                        blocks_.elements.items.extent(0), Element::nodes);
    Kokkos::parallel_for("Tessera::NzLocal::number_nodes",
                         Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, blocks_.nodes.count),
                         NumberNodes{this->space().mesh().connectivity(), blocks_.elements,
                                     blocks_.surrounding, local_nodes_});
  }

  bool symmetric_;
  int team_size_;
  Ordinal most_nodes_ = 0;
  detail::NodePairs<ExecutionSpace> pairs_;
  NodeBlocks<ExecutionSpace> blocks_;
  LocalNodes local_nodes_;
  detail::RowBlocks<ExecutionSpace> rows_;
  detail::ReductionArray<ExecutionSpace> lists_;
};

} // namespace TESSERA_KERNELS::assembly
