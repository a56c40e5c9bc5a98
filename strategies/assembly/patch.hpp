// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Patch: rows of a patch of nodes in team scratch, its elements' entries added there (paper 4, section 4).

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/detail/patch/add_pairs.hpp>
#include <tessera/strategies/assembly/detail/patch/add_patches.hpp>
#include <tessera/strategies/assembly/detail/patch/deal_elements.hpp>
#include <tessera/strategies/assembly/detail/patch/pair_lists.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_lists.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_sizes.hpp>
#include <tessera/strategies/assembly/detail/patch/upper_half.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// How the rows of a patch are summed, and what becomes of elements that have nodes in several patches.
enum class PatchMethod {
  /// Rows in scratch, places searched. Elements are computed once; what they add to other patches goes to a
  /// second array (the paper's).
  second_array,
  /// The same, but elements are computed by the patch of each of their nodes, which adds its own rows alone.
  recomputed,
  /// Pairs of nodes in scratch, their places listed by the plan; elements as before. For symmetric forms.
  pairs,
};

/// A team takes the nodes of a patch and the elements whose first node is one of them. Coordinates, columns
/// and values of the patch's rows are in scratch; each element matrix is computed in registers and added
/// there, its places found by binary search. What an element adds to rows of other patches goes to a second
/// array, which a second kernel adds to the system; or each patch computes the elements at its border anew
/// and writes all of its rows itself, which is ours: the patches that scratch holds have most of their nodes
/// at their borders. Ours, too, is to keep in scratch one block for each pair of neighbouring nodes rather
/// than rows: patches are twice as large, an element adds ten entries rather than sixteen (linear tetrahedra)
/// at places that the plan lists, and the rows are written from the blocks.
///
/// No plan holds a place for each entry of an element, and no value is zeroed or read in global memory but
/// those at the seams. On an H200 and linear tetrahedra `ElementAtomic` takes two thirds of the paper's time,
/// since searches and additions in scratch cost more than the cache's atomic additions do today; pairs take
/// little more than half of `ElementAtomic`'s. Not deterministic where several threads run: the order of
/// additions varies. Serves the graphs of `upper_half` with symmetric forms, as the paper does, and full
/// ones.
///
/// The paper overwrites the coordinates by the rows, its scratch being 48 KB; here they lie side by side, so
/// that a patch may have more elements than a team has threads. Its second array is longer: it has all rows.
struct Patch : WithDefaultInstance<Patch> {
  using WithDefaultInstance<Patch>::plan;
  static constexpr const char* name = "Patch";
  static constexpr const char* source = "paper 4, section 4";
  static constexpr bool deterministic = false;

  PatchMethod method = PatchMethod::second_array;
  /// Scratch of a team, which bounds the patches; 0: chosen for the device.
  long scratch_bytes = 0;
  /// Threads of a team, lanes included; 0: chosen for the device. On the host it is 1.
  int team_size = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// The options that the catalogue compares.
  static std::vector<std::pair<std::string, Patch>> variants() {
    return {{"", {}},
            {"/recomputed", {.method = PatchMethod::recomputed}},
            {"/pairs", {.method = PatchMethod::pairs}}};
  }

  /// Partitions the mesh's nodes by what they take of scratch.
  /// \throws ArgumentError if the graph does not fit the space or an option is out of range;
  ///   UnsupportedError with the bytes if scratch does not hold the rows of one node; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Takes a partition of the mesh's nodes that there is already, a solver's say.
  /// \throws as above, and UnsupportedError with the bytes if scratch does not hold one of its patches;
  ///   ArgumentError for a partition of another number of nodes
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace>
  plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
       const SparsityGraph<ExecutionSpace>& graph, const DoublePartition<ExecutionSpace>& partition) const {
    return {exec, space, graph, *this, partition};
  }

  /// Coordinates, lists, columns and beginnings of rows read, values written; once each, as if no element
  /// were at a seam.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
    const double nodes = space.mesh().num_nodes(), elements = space.mesh().num_elements();
    const double per_node = sizeof(Ordinal) + 2 * sizeof(Offset);
    constexpr double entries = Element::nodes * Form::components * (Element::nodes * Form::components + 1.0);
    cost.bytes += elements * sizeof(Ordinal) + nodes * per_node + bytes_of(graph.row_map) +
                  static_cast<double>(bytes_of(graph.columns)) / Form::components;
    cost.flops += elements * entries;
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class Patch::Plan : public AssemblyPlan<Patch::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = Patch::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const Patch& options)
      : Plan(exec, space, graph, options, nullptr) {}
  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const Patch& options, const DoublePartition<ExecutionSpace>& partition)
      : Plan(exec, space, graph, options, &partition) {}

  /// \throws UnsupportedError for forms that are not symmetric where the graph holds an upper half, or
  ///   scratch holds pairs
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    if (!Kernel::symmetric && (rows_.upper || paired_))
      throw UnsupportedError(std::string(name) + ": " +
                             (rows_.upper ? "the upper half of a matrix holds" : "pairs of nodes hold") +
                             " symmetric forms alone; this one is not");
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if constexpr (Kernel::symmetric)
      if (paired_)
        return detail::AddPairs<Element, ExecutionSpace, Scalar, Kernel>{
            kernel, this->space().mesh().kernel(), pairs_, rows_, system, this->status()}
            .run(this->exec(), name, team_size_, scratch_);
    const detail::SeamKernel<Scalar> seam{reinterpret_cast<Scalar*>(seam_values_.data()),
                                          reinterpret_cast<Scalar*>(seam_loads_.data())};
    detail::AddPatches<Element, ExecutionSpace, Scalar, Kernel>{
        kernel, this->space().mesh().kernel(), lists_, rows_, system, seam, this->status()}
        .run(this->exec(), name, team_size_, lanes, scratch_);
    if (lists_.seam_nodes == 0) return;
    detail::AddSeam<ExecutionSpace, Scalar>{lists_.seam, lists_.seam_begin, rows_, system, seam, 1}.run(
        this->exec(), name, lanes);
  }

  /// Patches, elements and the seam, for tests; empty where pairs are summed.
  const detail::PatchLists<Element, ExecutionSpace>& lists() const { return lists_; }
  /// Patches, elements and places of pairs, for tests; empty where rows are summed.
  const detail::PatchPairs<Element, ExecutionSpace>& pairs() const { return pairs_; }
  /// Scratch of a team in bytes, for values in double precision.
  std::size_t scratch() const { return scratch_; }

private:
  /// Lanes of a thread that share a row where rows are copied.
  static constexpr int lanes = runs_on_host<ExecutionSpace> ? 1 : 8;
  static constexpr std::size_t alignment = 128; ///< what a team's views may add
  /// Scratch of each of six teams of 256 threads on a multiprocessor of an H100 or H200, the best of what was
  /// measured (docs/performance/experiments.md).
  static constexpr std::size_t six_teams = 36000;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const Patch& options, const DoublePartition<ExecutionSpace>* partition)
      : Base(exec, space, graph), paired_(options.method == PatchMethod::pairs),
        rows_{graph, is_upper_half(exec, graph)}, team_size_(threads(options.team_size)) {
    const Ordinal nodes = space.mesh().num_nodes();
    if (partition && static_cast<Ordinal>(partition->nodes.new_to_old.extent(0)) != nodes)
      throw ArgumentError(std::string(name) + ": a partition of " +
                          std::to_string(partition->nodes.new_to_old.extent(0)) + " nodes for a mesh of " +
                          std::to_string(nodes));
    if (paired_)
      make_pairs(options, partition);
    else
      make_rows(options, partition);
    scratch_budget<ExecutionSpace>(name, static_cast<long>(scratch_), 0, limit());
    this->prepared(lists_.bytes() + pairs_.bytes(graph) + bytes_of(seam_values_) + bytes_of(seam_loads_));
  }

  void make_rows(const Patch& options, const DoublePartition<ExecutionSpace>* partition) {
    const auto made = [&] {
      const auto weights = detail::node_bytes(this->exec(), rows_, Element::dimension, nodes());
      const auto sums = detail::sum_weights(this->exec(), weights);
      const std::size_t least = sums.most + alignment, budget = budget_for(options, least);
      if (least > budget) fail_one_node(least, budget);
      return make_partition(graph_of_nodes(), weights, sums, budget - alignment);
    };
    lists_ = detail::patch_lists(this->exec(), this->space().mesh(), rows_, partition ? *partition : made(),
                                 options.method == PatchMethod::recomputed, order_of_elements());
    scratch_ = detail::largest_patch_bytes(this->exec(), lists_, this->space().components());
    make_seam();
  }

  /// What a patch's halo takes is known when the patch is: too large ones are made once more, smaller.
  void make_pairs(const Patch& options, const DoublePartition<ExecutionSpace>* partition) {
    const auto graph = graph_of_nodes();
    const auto order = order_of_elements();
    const auto number = [&](const DoublePartition<ExecutionSpace>& partition) {
      auto lists = detail::patch_lists(this->exec(), this->space().mesh(), rows_, partition,
                                       /*recomputed=*/true, order);
      if (!runs_on_host<ExecutionSpace>) lists = detail::deal_elements(this->exec(), lists);
      pairs_ = detail::patch_pairs(this->exec(), lists, graph, partition);
      scratch_ = detail::largest_patch_bytes(this->exec(), pairs_, this->space().components());
    };
    if (partition) return number(*partition);
    const auto weights =
        detail::pair_bytes(this->exec(), graph, Element::dimension, this->space().components());
    const auto sums = detail::sum_weights(this->exec(), weights);
    const std::size_t budget = budget_for(options, sums.most + alignment);
    for (auto heaviest = static_cast<double>(budget);; heaviest *= 0.95 * budget / scratch_) {
      number(make_partition(graph, weights, sums, static_cast<std::size_t>(heaviest)));
      if (scratch_ <= budget) return;
      if (pairs_.patches == nodes()) fail_one_node(scratch_, budget);
    }
  }

  Ordinal nodes() const { return this->space().mesh().num_nodes(); }

  static int threads(int wanted) {
    if (runs_on_host<ExecutionSpace> && wanted > 1)
      throw UnsupportedError(std::string(name) + ": teams of " + std::to_string(wanted) +
                             " threads; on the host they have 1");
    return wanted == 0 && !runs_on_host<ExecutionSpace> ? 256 : team_threads<ExecutionSpace>(name, wanted);
  }

  /// On devices elements of one color follow each other, so that the lanes of a warp seldom add to one place.
  Kokkos::View<const Ordinal*, ExecutionSpace> order_of_elements() const {
    if (runs_on_host<ExecutionSpace>) return {};
    return color_elements(this->exec(), this->space().mesh().connectivity(), nodes()).elements;
  }

  /// Neighbours of each node, whatever equations the space has.
  NodeGraph<ExecutionSpace> graph_of_nodes() const {
    const auto& equations = this->graph().equations;
    if (equations.components == 1 && !equations.removed && !rows_.upper)
      return {this->graph().row_map, this->graph().columns};
    const auto graph =
        sparsity_graph(this->exec(), FunctionSpace<Element, ExecutionSpace>(this->space().mesh(), 1));
    return {graph.row_map, graph.columns};
  }

  [[noreturn]] static void fail_one_node(std::size_t bytes, std::size_t budget) {
    throw UnsupportedError(std::string(name) + ": the rows of one node take " + std::to_string(bytes) +
                           " bytes of scratch; a team on " + ExecutionSpace::name() + " has " +
                           std::to_string(budget));
  }

  /// Scratch for a patch: what the user wants, else a share of the multiprocessor's that has room for
  /// `least`.
  std::size_t budget_for(const Patch& options, std::size_t least) const {
    const std::size_t wanted = scratch_budget<ExecutionSpace>(name, options.scratch_bytes, 0, limit());
    if (options.scratch_bytes > 0) return wanted;
    const std::size_t share =
        paired_ || runs_on_host<ExecutionSpace> ? scratch_limit<ExecutionSpace>() : six_teams;
    return std::min(limit(), std::max(least, share));
  }
  /// Bytes of scratch that a team can have, and 16 bits number the places of.
  std::size_t limit() const {
    constexpr std::size_t numbered =
        detail::PatchPairs<Element, ExecutionSpace>::most_places * sizeof(double);
    return paired_ ? std::min(large_scratch_limit(this->exec()), numbered) : scratch_limit<ExecutionSpace>();
  }

  /// Patches of nodes that weigh `heaviest` bytes at most.
  DoublePartition<ExecutionSpace> make_partition(const NodeGraph<ExecutionSpace>& graph,
                                                 const Kokkos::View<Ordinal*, ExecutionSpace>& weights,
                                                 const detail::WeightSums& sums, std::size_t heaviest) const {
    const auto options = detail::partition_options(heaviest, sums.total / weights.extent(0));
    return double_partition<ExecutionSpace>(this->exec(), graph, options, weights);
  }

  void make_seam() {
    Offset values = 0;
    Kokkos::deep_copy(this->exec(), values, Kokkos::subview(lists_.seam_begin, lists_.seam_nodes));
    this->exec().fence("Tessera::Patch::make_seam");
    seam_values_ =
        allocate_zeroed<decltype(seam_values_)>(this->exec(), "Tessera::Patch::seam_values", values);
    seam_loads_ = allocate_zeroed<decltype(seam_loads_)>(this->exec(), "Tessera::Patch::seam_loads",
                                                         static_cast<std::size_t>(lists_.seam_nodes) *
                                                             this->space().components());
  }

  bool paired_;
  detail::PatchRows<ExecutionSpace> rows_;
  int team_size_;
  detail::PatchLists<Element, ExecutionSpace> lists_;
  detail::PatchPairs<Element, ExecutionSpace> pairs_;
  std::size_t scratch_ = 0;
  // Room for double; systems of float use the first half of it.
  Kokkos::View<double*, ExecutionSpace> seam_values_, seam_loads_;
};

} // namespace TESSERA_KERNELS::assembly
