#pragma once

/// \file
/// Patch: rows of a patch of nodes in team scratch, its elements' entries added there (paper 4, section 4).

#include <tessera/core/double_partition.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/patch/add_patches.hpp>
#include <tessera/strategies/assembly/patch/patch_lists.hpp>
#include <tessera/strategies/assembly/patch/patch_sizes.hpp>
#include <tessera/strategies/assembly/patch/upper_half.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera::assembly {

/// What becomes of elements that have nodes in several patches.
enum class Seams {
  second_array, ///< computed once; what they add to other patches goes to a second array (the paper's)
  recomputed,   ///< computed by the patch of each of their nodes, which adds its own rows alone
};

/// A team takes the nodes of a patch and the elements whose first node is one of them. Coordinates, columns
/// and values of the patch's rows are in scratch; each element matrix is computed in registers and added
/// there, its places found by binary search. What an element adds to rows of other patches goes to a second
/// array, which a second kernel adds to the system; or each patch computes the elements at its border anew
/// and writes all of its rows itself, which is ours: the patches that scratch holds have most of their nodes
/// at their borders.
///
/// No plan holds a place for each entry of an element, and no value is zeroed or read in global memory but
/// those at the seams. It is here to be compared: on an H200 `ElementAtomic` takes two thirds of its time on
/// linear tetrahedra, since searches and additions in scratch cost more than the cache's atomic additions do
/// today. Not deterministic where several threads run: the order of additions varies. Serves the graphs of
/// `upper_half` with symmetric forms, as the paper does, and full ones. A solver's double partition may be
/// reused.
///
/// The paper overwrites the coordinates by the rows, its scratch being 48 KB; here they lie side by side, so
/// that a patch may have more elements than a team has threads. Its second array is as long as the first;
/// here it has the rows at the seams alone.
struct Patch {
  static constexpr const char* name = "Patch";
  static constexpr const char* source = "paper 4, section 4";
  static constexpr bool deterministic = false;

  Seams seams = Seams::second_array;
  /// Scratch of a team, which bounds the patches; 0: chosen for the device.
  long scratch_bytes = 0;
  /// Threads of a team, lanes included; 0: chosen for the device. On the host it is 1.
  int team_size = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// The options that the catalogue compares.
  static std::vector<std::pair<std::string, Patch>> variants() {
    return {{"", {}}, {"/recomputed", {.seams = Seams::recomputed}}};
  }

  /// Partitions the mesh's nodes by what they take of scratch.
  /// \throws ArgumentError if the graph does not fit the space or an option is out of range;
  ///   UnsupportedError with the bytes if scratch does not hold the rows of one node; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, graph, *this};
  }

  /// Takes a partition of the mesh's nodes that there is already, a solver's say.
  /// \throws as above, and UnsupportedError with the bytes if scratch does not hold one of its patches;
  ///   ArgumentError for a partition of another number of nodes
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const DoublePartition<ExecutionSpace>& partition,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
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

  /// \throws UnsupportedError for forms that are not symmetric where the graph holds an upper half
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    if (!Kernel::symmetric && rows_.upper)
      throw UnsupportedError(std::string(name) +
                             ": the upper half of a matrix holds symmetric forms alone; this one is not");
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const detail::SeamKernel<Scalar> seam{reinterpret_cast<Scalar*>(seam_values_.data()),
                                          reinterpret_cast<Scalar*>(seam_loads_.data())};
    detail::AddPatches<Element, ExecutionSpace, Scalar, Kernel>{
        kernel, this->space().mesh().kernel(), lists_, rows_, system, seam, this->status()}
        .run(this->exec(), name, team_size_, lanes, scratch_);
    if (lists_.seam_nodes == 0) return;
    detail::AddSeam<ExecutionSpace, Scalar>{lists_.seam, lists_.seam_begin, rows_, system, seam, 1}.run(
        this->exec(), name, lanes);
  }

  /// Patches, elements and the seam, for tests.
  const detail::PatchLists<Element, ExecutionSpace>& lists() const { return lists_; }
  /// Scratch of a team in bytes, for values in double precision.
  std::size_t scratch() const { return scratch_; }

private:
  /// Lanes of a thread that share a row where rows are copied.
  static constexpr int lanes = runs_on_host<ExecutionSpace> ? 1 : 8;
  static constexpr std::size_t alignment = 128; ///< what a team's views may add
  /// Scratch of each of six teams of 256 threads on a multiprocessor of an H100 or H200, the best of what was
  /// measured (docs/performance/patches.md).
  static constexpr std::size_t six_teams = 36000;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const Patch& options, const DoublePartition<ExecutionSpace>* partition)
      : Base(exec, space, graph), rows_{graph, is_upper_half(exec, graph)},
        team_size_(threads(options.team_size)) {
    const Ordinal nodes = space.mesh().num_nodes();
    if (partition && static_cast<Ordinal>(partition->nodes.new_to_old.extent(0)) != nodes)
      throw ArgumentError(std::string(name) + ": a partition of " +
                          std::to_string(partition->nodes.new_to_old.extent(0)) + " nodes for a mesh of " +
                          std::to_string(nodes));
    lists_ = detail::patch_lists(exec, space.mesh(), rows_,
                                 partition ? *partition : make_partition(options.scratch_bytes),
                                 options.seams == Seams::recomputed);
    scratch_ = detail::largest_patch_bytes(exec, lists_, space.components());
    scratch_budget<ExecutionSpace>(name, static_cast<long>(scratch_));
    make_seam();
    this->prepared(lists_.bytes() + bytes_of(seam_values_) + bytes_of(seam_loads_));
  }

  static int threads(int wanted) {
    if (runs_on_host<ExecutionSpace> && wanted > 1)
      throw UnsupportedError(std::string(name) + ": teams of " + std::to_string(wanted) +
                             " threads; on the host they have 1");
    return wanted == 0 && !runs_on_host<ExecutionSpace> ? 256 : team_threads<ExecutionSpace>(name, wanted);
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

  /// Patches that fit the scratch of a team.
  DoublePartition<ExecutionSpace> make_partition(long wanted) const {
    const auto weights =
        detail::node_bytes(this->exec(), rows_, Element::dimension, this->space().mesh().num_nodes());
    const auto [total, most] = detail::sum_weights(this->exec(), weights);
    const std::size_t least = most + alignment, limit = scratch_limit<ExecutionSpace>();
    const std::size_t share = runs_on_host<ExecutionSpace> ? limit : std::max(least, six_teams);
    const std::size_t budget =
        wanted == 0 ? std::min(share, limit) : scratch_budget<ExecutionSpace>(name, wanted);
    if (least > budget)
      throw UnsupportedError(std::string(name) + ": the rows of one node take " + std::to_string(least) +
                             " bytes of scratch; a team on " + ExecutionSpace::name() + " has " +
                             std::to_string(budget));
    DoublePartitionOptions options;
    options.heaviest_patch =
        static_cast<Ordinal>(std::min<std::size_t>(budget - alignment, std::numeric_limits<Ordinal>::max()));
    options.lightest_patch = std::max(1, options.heaviest_patch / 4);
    // Of linear tetrahedra, patches around aggregates of radius two have some 300 nodes, of radius one 80.
    const double fitting = options.heaviest_patch / std::max(1.0, total / weights.extent(0));
    options.aggregate_radius = fitting < 200 ? 1 : 2;
    options.smallest_aggregate = static_cast<Ordinal>(std::clamp(fitting / 20, 1.0, 9.0));
    return double_partition<ExecutionSpace>(this->exec(), graph_of_nodes(), options, weights);
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

  detail::NodeRows<ExecutionSpace> rows_;
  int team_size_;
  detail::PatchLists<Element, ExecutionSpace> lists_;
  std::size_t scratch_ = 0;
  // Room for double; systems of float use the first half of it.
  Kokkos::View<double*, ExecutionSpace> seam_values_, seam_loads_;
};

} // namespace tessera::assembly
