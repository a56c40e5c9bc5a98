// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element data of a block in team scratch (paper 1, section 4.3).

#include <tessera/strategies/assembly/common/detail/scatter_array.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/node_blocks.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// What a kernel needs to compute the elements of a group into scratch.
///
/// Node positions are scattered to the column of each element that needs them; its element data then overlays
/// them. All of an element lies in one column, hence in one bank, and is read before it is overwritten by the
/// same thread. In single precision a coordinate is kept as the sum of two numbers.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ScratchElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Data = element_data_t<Element, Kernel, Scalar>;
  using Scratch =
      Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int parts = std::is_same_v<Scalar, double> ? 1 : 2; ///< numbers per coordinate
  static constexpr int node_entries = Element::nodes * Element::dimension * parts;
  static constexpr int column = Data::entries > node_entries ? Data::entries : node_entries;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Equations<ExecutionSpace> equations;
  Status<ExecutionSpace> status;
  BlockLists<ExecutionSpace> elements;
  ElementPasses<ExecutionSpace> passes;
  tessera::detail::ScatterArray<ExecutionSpace> places;

  std::size_t scratch_bytes() const {
    return Scratch::shmem_size(static_cast<std::size_t>(column) * passes.size);
  }

  KOKKOS_FUNCTION Data data(const Member& member) const {
    const Scratch scratch(member.team_scratch(0), static_cast<std::size_t>(column) * passes.size);
    return {scratch.data(), static_cast<Offset>(passes.size)};
  }

  /// Fills `data` with the group's elements; the team meets at a barrier at the end.
  KOKKOS_FUNCTION void compute(const Member& member, Ordinal group, const Data& data) const {
    const Ordinal block = passes.block_of_group(group), begin = passes.begin(group);
    const Ordinal rest = elements.size(block) - begin, count = rest < passes.size ? rest : passes.size;
    places.template scatter<Element::dimension>(
        member, group, mesh.coordinates, [&](Ordinal place, const double (&position)[Element::dimension]) {
          const Ordinal e = place / Element::nodes, n = place % Element::nodes;
          for (int d = 0; d < Element::dimension; ++d) put_coordinate(data, e, n, d, position[d]);
        });
    member.team_barrier();
    const Offset first = elements.offsets(block) + begin;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (count + lanes_v<Real> - 1) / lanes_v<Real>),
                         [&](Ordinal chunk) { compute_chunk(data, first, chunk * lanes_v<Real>, count); });
    member.team_barrier();
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static void put_coordinate(const Data& data, Ordinal e, int n, int d,
                                                         double x) {
    const int entry = (n * Element::dimension + d) * parts;
    data.at(entry, e) = Scalar(x);
    if constexpr (parts == 2) data.at(entry + 1, e) = Scalar(x - double(data.at(entry, e)));
  }
  KOKKOS_FORCEINLINE_FUNCTION static double coordinate(const Data& data, Ordinal e, int n, int d) {
    const int entry = (n * Element::dimension + d) * parts;
    if constexpr (parts == 2)
      return double(data.at(entry, e)) + double(data.at(entry + 1, e));
    else
      return data.at(entry, e);
  }

  KOKKOS_FUNCTION void compute_chunk(const Data& data, Offset first, Ordinal begin, Ordinal count) const {
    const auto number = [&](int lane) { return begin + lane < count ? begin + lane : count - 1; };
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = elements.items(first + number(lane));
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    gather_coordinates(cell, [&](int lane, int n, int d) { return coordinate(data, number(lane), n, d); });
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && begin + lane < count; ++lane)
      data.store(begin + lane, local, lane, equations,
                 [&](int n) { return mesh.connectivity(cell.element[lane], n); });
  }
};

/// Options of the shared stage, from a strategy's.
struct ScratchStageOptions {
  bool symmetric = true;
  bool several_passes = true;
  Partitioner partitioner = Partitioner::curve;
  int attempts = 4;
  int team_size = 0;
  long scratch_bytes = 0;
};

/// Blocks of nodes whose elements' data fits into scratch, in one pass or in several.
template <class Element, class ExecutionSpace>
class ScratchStage {
public:
  ScratchStage() = default;

  /// \throws ArgumentError for options out of range; UnsupportedError with the bytes if scratch does not hold
  ///   one element, or the elements of a block where several passes are not allowed
  ScratchStage(const ExecutionSpace& exec, const std::string& who,
               const FunctionSpace<Element, ExecutionSpace>& space,
               const NodeToElement<ExecutionSpace>& incidence, const NodePairs<ExecutionSpace>& pairs,
               const ScratchStageOptions& options)
      : who_(who), symmetric_(options.symmetric),
        team_size_(team_threads<ExecutionSpace>(who, options.team_size)) {
    if (options.attempts < 1)
      throw ArgumentError(who + ": attempts must be at least 1, got " + std::to_string(options.attempts));
    const Ordinal capacity = elements_in_scratch(space.components(), options.scratch_bytes);
    // Where but a few elements fit, blocks of several passes compute fewer elements twice.
    const Ordinal wanted = options.several_passes ? std::max(capacity, smallest_block) : capacity;
    blocks_ = node_blocks(exec, space.mesh(), options.partitioner, wanted, options.attempts);
    if (blocks_.most_elements > capacity && !options.several_passes)
      throw UnsupportedError(who + ": after " + std::to_string(options.attempts) + " attempts a block has " +
                             std::to_string(blocks_.most_elements) + " elements, whose data takes " +
                             std::to_string(blocks_.most_elements * element_bytes_) +
                             " bytes; the scratch holds " + std::to_string(capacity * element_bytes_) +
                             "; allow several passes");
    add_surrounding_nodes(exec, pairs, blocks_);
    passes_ = element_passes(exec, blocks_.elements, std::max(1, std::min(capacity, blocks_.most_elements)));
    places_ = tessera::detail::scatter_array(exec, incidence, blocks_, passes_, Element::nodes, team_size_);
    blocks_.surrounding = {};
  }

  const NodeBlocks<ExecutionSpace>& blocks() const { return blocks_; }
  const ElementPasses<ExecutionSpace>& passes() const { return passes_; }
  const tessera::detail::ScatterArray<ExecutionSpace>& places() const { return places_; }
  int team_size() const { return team_size_; }
  std::size_t bytes() const { return blocks_.bytes() + passes_.bytes() + places_.bytes(); }

  /// \throws ArgumentError if the plan was sized for symmetric forms and this one is not
  template <class Kernel>
  void check() const {
    require_symmetric<Kernel>(who_, symmetric_);
  }

  /// The kernel's part, for forms that pass `check`.
  template <class Kernel, class Scalar>
  ScratchElements<Element, ExecutionSpace, Scalar, Kernel>
  elements(const Kernel& kernel, const MeshKernel<Element, ExecutionSpace>& mesh,
           const Equations<ExecutionSpace>& equations, const Status<ExecutionSpace>& status) const {
    return {kernel, mesh, equations, status, blocks_.elements, passes_, places_};
  }

private:
  static constexpr Ordinal smallest_block = 64;

  /// Paper 1, (9), in double precision.
  Ordinal elements_in_scratch(int components, long scratch_bytes) {
    const Offset nodes = static_cast<Offset>(Element::nodes) * Element::dimension;
    element_bytes_ =
        std::max(nodes, element_data_entries(Element::nodes, components, symmetric_)) * sizeof(double);
    constexpr std::size_t alignment = 64; // what views in scratch may add
    const std::size_t scratch =
        scratch_budget<ExecutionSpace>(who_, scratch_bytes, element_bytes_ + alignment);
    if (scratch < element_bytes_ + alignment)
      throw UnsupportedError(who_ + ": the data of one element takes " +
                             std::to_string(element_bytes_ + alignment) + " bytes of scratch, " +
                             std::to_string(scratch) + " are allowed");
    return static_cast<Ordinal>((scratch - alignment) / element_bytes_);
  }

  std::string who_;
  bool symmetric_ = true;
  int team_size_ = 1;
  std::size_t element_bytes_ = 0;
  NodeBlocks<ExecutionSpace> blocks_;
  ElementPasses<ExecutionSpace> passes_;
  tessera::detail::ScatterArray<ExecutionSpace> places_;
};

} // namespace TESSERA_KERNELS::assembly::detail
