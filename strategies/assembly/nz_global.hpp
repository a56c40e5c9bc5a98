// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// NzGlobal: element data through global memory, then a thread per nonzero (paper 1, section 4.2).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/nz_global/reduce_rows.hpp>
#include <tessera/strategies/assembly/detail/nz_global/system_sums.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_stage.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_array.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_blocks.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// How `NzGlobal` sums element data.
enum class Reduction {
  binned_lists,   ///< lists of sources dealt to the threads of teams, sums in scratch (algorithms 5 and 6)
  sparse_product, ///< a matrix of zeros and ones times the data, by Kokkos Kernels (section 4.2.4)
};

/// Element stage: teams compute each element once, from nodes that they prefetch into scratch, and write its
/// data to global memory, coalesced. Assembly stage: teams read binned reduction lists, sum the entries of
/// consecutive rows in scratch, and write them coalesced.
///
/// Every element is computed once and every nonzero written once; the element data goes through memory
/// twice. Choose it for high orders, whose arithmetic outweighs that traffic. Deterministic. The plan holds
/// the element data (or `memory_budget` bytes of it, and as many passes as that takes) and 4 bytes for each
/// of an element's node pairs; with a sparse product 5 bytes for each of its entries, and in every pass 8 for
/// each of the system's.
struct NzGlobal : WithDefaultInstance<NzGlobal> {
  using WithDefaultInstance<NzGlobal>::plan;
  static constexpr const char* name = "NzGlobal";
  static constexpr const char* source = "paper 1, section 4.2";
  static constexpr bool deterministic = true;

  /// Memory is sized for symmetric forms; others need false.
  bool symmetric = true;
  /// Nodes of several elements go through scratch (algorithm 4), else all are read from memory (algorithm 3).
  bool prefetch = true;
  /// Blocks of elements.
  Partitioner partitioner = Partitioner::curve;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;
  /// Bytes that element data may take in global memory; more passes where it does not hold all.
  std::int64_t memory_budget = std::numeric_limits<std::int64_t>::max();
  /// The sparse product needs Kokkos Kernels, and `symmetric` to be what the form is.
  Reduction reduction = Reduction::binned_lists;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// The options that the catalogue compares.
  static std::vector<std::pair<std::string, NzGlobal>> variants() {
    std::vector<std::pair<std::string, NzGlobal>> all{
        {"", {}}, {"/no_prefetch", {.prefetch = false}}, {"/metis", {.partitioner = Partitioner::metis}}};
    if (tessera::detail::have_sparse_product)
      all.push_back({"/sparse_product", {.reduction = Reduction::sparse_product}});
    return all;
  }

  /// \throws ArgumentError if the graph does not fit the space or an option is out of range; UnsupportedError
  ///   with the bytes if the budget does not hold one element or scratch not one node's rows, and for a
  ///   sparse product without Kokkos Kernels or of 2^31 rows; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input, element data written and read, reduction lists or the product's matrix read, output written; once
  /// each.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
            const SparsityGraph<ExecutionSpace>& graph) const {
    Cost cost = reduction == Reduction::binned_lists
                    ? detail::listed_cost<Element, Form, Scalar>(space, graph)
                    : detail::sparse_product_cost<Element, Form, Scalar>(space, graph);
    cost.bytes += detail::element_data_bytes<Element, Form, Scalar>(space);
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class NzGlobal::Plan : public AssemblyPlan<NzGlobal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = NzGlobal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const NzGlobal& options)
      : Base(exec, space, graph), team_size_(team_threads<ExecutionSpace>(name, options.team_size)),
        symmetric_(options.symmetric) {
    const auto incidence =
        node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes());
    stage_ = detail::ElementStage<Element, ExecutionSpace>(exec, name, space, incidence,
                                                           {options.symmetric, options.prefetch,
                                                            options.team_size, options.scratch_bytes,
                                                            data_budget(options), options.partitioner});
    this->prepared(stage_.bytes() + (options.reduction == Reduction::binned_lists
                                         ? make_lists(options, incidence)
                                         : make_sums(incidence)));
  }

  /// Number of passes in which the elements go through the memory budget.
  std::size_t passes() const { return stage_.passes().size(); }
  /// The lists of a pass and what they write, for tests.
  const detail::ReductionArray<ExecutionSpace>& lists(std::size_t pass) const { return arrays_[pass]; }
  const detail::RowBlocks<ExecutionSpace>& rows() const { return rows_; }
  const detail::ElementStage<Element, ExecutionSpace>& stage() const { return stage_; }
  /// The matrices of a pass, for tests.
  const detail::SystemSums<ExecutionSpace>& sums(std::size_t pass) const { return sums_[pass]; }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    if (!sums_.empty() && !symmetric_ && Kernel::symmetric)
      throw ArgumentError(
          std::string(name) +
          ": the plan's sparse product was made for forms that are not symmetric and this one "
          "is; set the option symmetric = true");
    stage_.memory().template check<Kernel>();
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto& exec = this->exec();
    const auto data = stage_.memory().template data<Element, Kernel, Scalar>();
    for (std::size_t p = 0; p < passes(); ++p) {
      stage_.template run<Kernel, Scalar>(exec, kernel, this->space().mesh().kernel(), system.equations,
                                          this->status(), stage_.passes()[p], data);
      if (sums_.empty())
        reduce<Kernel>(p, data, system);
      else if constexpr (tessera::detail::have_sparse_product)
        multiply<Kernel>(p, data, system);
    }
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  /// Numbers of the elements of one pass.
  struct ElementsOfPass {
    Kokkos::View<const Ordinal*, ExecutionSpace> slot_of_element;
    Ordinal begin, end;
    KOKKOS_FUNCTION Ordinal operator()(Ordinal, Ordinal e) const {
      const Ordinal slot = slot_of_element(e);
      return slot >= begin && slot < end ? slot - begin : -1;
    }
  };

private:
  template <class Kernel, class Scalar>
  using Data = detail::global_element_data_t<Element, ExecutionSpace, Kernel, Scalar>;

  /// \return bytes
  std::size_t make_lists(const NzGlobal& options, const NodeToElement<ExecutionSpace>& incidence) {
    const auto& exec = this->exec();
    pairs_ = detail::node_pairs(exec, this->space(), this->graph(), incidence);
    rows_ = detail::row_blocks(exec, pairs_, cut_rows(options), {});
    const auto slots = tessera::detail::invert_order(exec, stage_.elements().blocks.items);
    std::size_t bytes = pairs_.own_bytes + bytes_of(rows_.offsets) + rows_.bytes();
    for (const auto& pass : stage_.passes()) {
      arrays_.push_back(detail::reduction_array(
          exec, this->space().mesh().kernel().connectivity, incidence, pairs_, rows_,
          ElementsOfPass{slots, pass.first_slot, pass.end_slot}, {}, {}, rows_.count, team_size_));
      bytes += arrays_.back().bytes();
    }
    return bytes;
  }

  /// \return bytes
  std::size_t make_sums(const NodeToElement<ExecutionSpace>& incidence) {
    const auto& exec = this->exec();
    const auto map = element_to_values(exec, this->space(), this->graph());
    const auto slots = tessera::detail::invert_order(exec, stage_.elements().blocks.items);
    std::size_t bytes = 0;
    for (const auto& pass : stage_.passes()) {
      sums_.push_back(detail::system_sums(exec, name, this->space(), this->graph(), incidence, map,
                                          ElementsOfPass{slots, pass.first_slot, pass.end_slot},
                                          pass.end_slot - pass.first_slot, symmetric_));
      bytes += sums_.back().bytes();
    }
    return bytes;
  }

  /// What the user allows, but no more numbers than the product's matrix can name.
  std::int64_t data_budget(const NzGlobal& options) const {
    if (options.reduction == Reduction::binned_lists) return options.memory_budget;
    const int components = this->space().components();
    const Offset elements = detail::most_summed_elements<ExecutionSpace>(Element::nodes, components);
    const Offset bytes = elements *
                         detail::element_data_entries(Element::nodes, components, options.symmetric) *
                         sizeof(double);
    return std::min(options.memory_budget, static_cast<std::int64_t>(bytes));
  }

  /// Adds a pass's data to the system by its lists; the first of several finds zeros there, or what the
  /// system is to keep.
  template <class Kernel, class Scalar>
  void reduce(std::size_t pass, const Data<Kernel, Scalar>& data,
              const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const bool adds = passes() > 1 || system.add || !this->graph().own;
    if (adds && pass == 0) this->clear(this->exec(), system);
    if (rows_.count == 0) return;
    using Team = detail::ReduceRows<Element, ExecutionSpace, Scalar, Kernel>;
    const Team team{data, arrays_[pass], {rows_, pairs_, system, adds}};
    Kokkos::parallel_for("Tessera::NzGlobal::reduce",
                         team_policy(this->exec(), name, team, rows_.count, team_size_,
                                     Team::Sums::shmem_size(rows_.most_lists)),
                         team);
  }

  /// Multiplies a pass's data by its matrices.
  template <class Kernel, class Scalar>
  void multiply(std::size_t pass, const Data<Kernel, Scalar>& data,
                const SystemKernel<ExecutionSpace, Scalar>& system) const {
    sums_[pass].matrix.multiply(this->exec(), data.data, system.values, system.add || pass > 0);
    sums_[pass].rhs.multiply(this->exec(), data.data, system.rhs, system.add || pass > 0);
  }

  /// Consecutive nodes whose lists fit into scratch: on devices 16 lists a thread, so that several teams
  /// share a multiprocessor.
  Kokkos::View<Ordinal*, ExecutionSpace> cut_rows(const NzGlobal& options) const {
    const std::size_t list_bytes = sizeof(double) * this->space().components();
    const std::size_t scratch = scratch_budget<ExecutionSpace>(name, options.scratch_bytes);
    // Views in scratch are aligned.
    const auto fit = static_cast<Offset>((scratch - std::min<std::size_t>(scratch, 64)) / list_bytes);
    const Offset most = runs_on_host<ExecutionSpace> ? fit : std::min<Offset>(fit, 16 * team_size_);
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pairs_.offsets);
    const Ordinal nodes = this->space().mesh().num_nodes();
    std::vector<Ordinal> first{0};
    for (Ordinal node = 0; node < nodes; ++node) {
      const Offset end = offsets(node + 1) + node + 1;
      if (end - (offsets(first.back()) + first.back()) > most && node > first.back()) first.push_back(node);
      const Offset lists = end - (offsets(node) + node);
      if (lists > fit)
        throw UnsupportedError(std::string(name) + ": the rows of node " + std::to_string(node) + " need " +
                               std::to_string(lists * list_bytes + 64) + " bytes of scratch, " +
                               std::to_string(scratch) + " are allowed");
    }
    first.push_back(nodes);
    if (nodes == 0) first.pop_back();
    return tessera::detail::to_device(this->exec(), "first_nodes", first);
  }

  int team_size_;
  bool symmetric_;
  detail::ElementStage<Element, ExecutionSpace> stage_;
  detail::NodePairs<ExecutionSpace> pairs_;
  detail::RowBlocks<ExecutionSpace> rows_;
  std::vector<detail::ReductionArray<ExecutionSpace>> arrays_; ///< of each pass, if it is reduced by lists
  std::vector<detail::SystemSums<ExecutionSpace>> sums_; ///< of each pass, if it is reduced by a product
};

} // namespace TESSERA_KERNELS::assembly
