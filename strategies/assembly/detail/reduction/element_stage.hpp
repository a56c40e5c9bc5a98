// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The element stage of assembly by way of global memory (paper 1, algorithms 3 and 4).

#include <tessera/strategies/assembly/detail/reduction/element_blocks.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace TESSERA_KERNELS::assembly::detail {

/// A team computes the elements of a block from nodes in its scratch and writes their data, coalesced.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ComputeElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Scratch = NodeScratch<Element, ExecutionSpace>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Equations<ExecutionSpace> equations;
  ElementBlocks<ExecutionSpace> elements;
  Status<ExecutionSpace> status;
  global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data;
  Ordinal first_block;
  Ordinal first_slot; ///< the slot whose data is element 0 of `data`

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal block = first_block + member.league_rank();
    const Scratch nodes = prefetch(member, block);
    const Ordinal begin = elements.blocks.offsets(block), end = elements.blocks.offsets(block + 1);
    const Ordinal chunks = (end - begin + lanes_v<Real> - 1) / lanes_v<Real>;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, chunks),
                         [&](Ordinal chunk) { compute(block, nodes, begin + chunk * lanes_v<Real>, end); });
  }

  KOKKOS_FUNCTION Scratch prefetch(const Member& member, Ordinal block) const {
    if (elements.most_prefetched == 0) return Scratch();
    const Scratch nodes(member.team_scratch(0), elements.most_prefetched);
    const Offset first = elements.prefetched.offsets(block);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, elements.prefetched.size(block)), [&](Ordinal k) {
      const Ordinal node = elements.prefetched.items(first + k);
      for (int d = 0; d < Element::dimension; ++d) nodes(k, d) = mesh.coordinates(node, d);
    });
    member.team_barrier();
    return nodes;
  }

  KOKKOS_FUNCTION void compute(Ordinal block, const Scratch& nodes, Ordinal first, Ordinal end) const {
    const auto slot_of = [&](int lane) { return first + lane < end ? first + lane : end - 1; };
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = elements.element(slot_of(lane));
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    gather_coordinates(cell, [&](int lane, int n, int d) {
      const Ordinal code = elements.codes(slot_of(lane), n);
      return code < 0 ? mesh.coordinates(-code - 1, d) : nodes(code, d);
    });
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane)
      data.store(first + lane - first_slot, local, lane, equations,
                 [&](int n) { return elements.node(block, first + lane, n); });
  }
};

/// Options of the element stage, from a strategy's.
struct ElementStageOptions {
  bool symmetric = true;
  bool prefetch = true;
  int team_size = 0;
  long scratch_bytes = 0;
  std::int64_t memory_budget = std::numeric_limits<std::int64_t>::max();
  Partitioner partitioner = Partitioner::curve;
};

/// Blocks of elements, memory for their data, and the passes in which all elements go through that memory.
template <class Element, class ExecutionSpace>
class ElementStage {
public:
  /// Blocks [first_block, end_block) hold the slots [first_slot, end_slot).
  struct Pass {
    Ordinal first_block, end_block, first_slot, end_slot;
  };

  ElementStage() = default;

  /// Partitions the elements such that each block's nodes fit into scratch (paper 1, (8)); several attempts.
  /// \throws ArgumentError for a budget that is not positive; UnsupportedError with the bytes if the budget
  ///   does not hold one element, or scratch not one element's nodes
  ElementStage(const ExecutionSpace& exec, const std::string& who,
               const FunctionSpace<Element, ExecutionSpace>& space,
               const NodeToElement<ExecutionSpace>& incidence, const ElementStageOptions& options)
      : who_(who), symmetric_(options.symmetric),
        team_size_(team_threads<ExecutionSpace>(who, options.team_size)) {
    const auto& mesh = space.mesh();
    const Ordinal elements = mesh.num_elements();
    const Ordinal most = set_element_bytes(space.components(), options.memory_budget);
    const std::size_t scratch = scratch_budget<ExecutionSpace>(who, options.scratch_bytes);
    const Ordinal wanted = std::min<Ordinal>(most, runs_on_host<ExecutionSpace> ? 1024 : 4 * team_size_);
    MeshPartitioner<Element, ExecutionSpace> partitioner(exec, mesh, options.partitioner);
    for (std::int64_t parts = (std::int64_t(elements) + wanted - 1) / wanted;;) {
      const auto blocks = elements == 0 ? cut_into_blocks<ExecutionSpace>(exec, {}, 0)
                                        : partitioner.elements(static_cast<Ordinal>(parts));
      elements_ =
          element_blocks(exec, mesh.connectivity(), mesh.num_nodes(), incidence, blocks, options.prefetch);
      const std::size_t needed = scratch_bytes();
      const Ordinal largest = longest_list(exec, blocks.offsets);
      if (needed <= scratch && largest <= most) break;
      if (parts == elements)
        throw UnsupportedError(who + ": a block of one element needs " + std::to_string(needed) +
                               " bytes of scratch for its nodes, " + std::to_string(scratch) +
                               " are allowed");
      // Fewer elements in proportion, and some for the longer boundary of smaller blocks.
      const double excess = std::max(double(needed) / scratch, double(largest) / most);
      parts = std::min<std::int64_t>(elements,
                                     static_cast<std::int64_t>(parts * std::min(4.0, 1.1 * excess)) + 1);
    }
    cut_into_passes(most);
    memory_ = {exec, who, Element::nodes, space.components(), symmetric_, largest_pass_};
  }

  const std::vector<Pass>& passes() const { return passes_; }
  const ElementBlocks<ExecutionSpace>& elements() const { return elements_; }
  std::size_t bytes() const { return elements_.bytes() + memory_.bytes(); }

  /// Where the elements of a pass go.
  const ElementDataMemory<ExecutionSpace>& memory() const { return memory_; }

  /// Computes the elements of a pass.
  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Kernel& kernel, const MeshKernel<Element, ExecutionSpace>& mesh,
           const Equations<ExecutionSpace>& equations, const Status<ExecutionSpace>& status, const Pass& pass,
           const global_element_data_t<Element, ExecutionSpace, Kernel, Scalar>& data) const {
    if (pass.end_block == pass.first_block) return;
    const ComputeElements<Element, ExecutionSpace, Scalar, Kernel> compute{
        kernel, mesh, equations, elements_, status, data, pass.first_block, pass.first_slot};
    Kokkos::parallel_for(
        "Tessera::ElementStage::compute",
        team_policy(exec, who_, compute, pass.end_block - pass.first_block, team_size_, scratch_bytes()),
        compute);
  }

private:
  std::size_t scratch_bytes() const {
    return elements_.most_prefetched == 0
               ? 0
               : NodeScratch<Element, ExecutionSpace>::shmem_size(elements_.most_prefetched);
  }

  /// \return how many elements a pass may have: the budget's, and as many as 31 bits can name the sources of
  Ordinal set_element_bytes(int components, std::int64_t budget) {
    if (budget <= 0)
      throw ArgumentError(who_ + ": memory_budget must be positive, got " + std::to_string(budget) +
                          " bytes");
    element_bytes_ = element_data_entries(Element::nodes, components, symmetric_) * sizeof(double);
    if (static_cast<std::uint64_t>(budget) < element_bytes_)
      throw UnsupportedError(who_ + ": memory_budget is " + std::to_string(budget) +
                             " bytes, the data of one element takes " + std::to_string(element_bytes_));
    const std::int64_t nameable = std::numeric_limits<Ordinal>::max() / ElementSource<Element>::count - 1;
    return static_cast<Ordinal>(std::min<std::int64_t>(nameable, budget / element_bytes_));
  }

  void cut_into_passes(Ordinal most) {
    const auto& offsets = elements_.blocks.host_offsets;
    Pass pass{0, 0, 0, 0};
    for (Ordinal block = 0; block < elements_.blocks.count; ++block) {
      if (offsets[block + 1] - pass.first_slot > most) {
        passes_.push_back(pass);
        pass.first_block = block;
        pass.first_slot = offsets[block];
      }
      pass.end_block = block + 1;
      pass.end_slot = offsets[block + 1];
    }
    passes_.push_back(pass);
    for (const Pass& p : passes_) largest_pass_ = std::max(largest_pass_, Offset(p.end_slot - p.first_slot));
  }

  std::string who_;
  bool symmetric_ = true;
  int team_size_ = 1;
  std::size_t element_bytes_ = 0;
  Offset largest_pass_ = 0;
  std::vector<Pass> passes_;
  ElementBlocks<ExecutionSpace> elements_;
  ElementDataMemory<ExecutionSpace> memory_;
};

} // namespace TESSERA_KERNELS::assembly::detail
