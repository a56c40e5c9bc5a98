// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices and loads side by side in memory, global or team scratch, for a later reduction.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Numbers that name an entry block of one of several elements: the blocks (i, j) of an element's matrix,
/// then its loads i. Paper 1's source indices, without what depends on the form.
template <class Element>
struct ElementSource {
  static constexpr int matrix_blocks = Element::nodes * Element::nodes;
  static constexpr int count = matrix_blocks + Element::nodes; ///< per element
};

/// The numbers of one element in the order in which they are kept: matrix blocks, of a symmetric matrix those
/// with i >= j alone (paper 1, section 4.3.3), then loads. Plans, which know no form, make one at run time.
struct ElementDataOrder {
  int nodes, components;
  bool symmetric;

  /// Place of entry (a, b) of the block of test node i and trial node j.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int matrix(int i, int a, int j, int b) const {
    const bool mirrored = symmetric && i < j;
    const int pair = mirrored ? j * (j + 1) / 2 + i : symmetric ? i * (i + 1) / 2 + j : i * nodes + j;
    return pair * components * components + (mirrored ? b * components + a : a * components + b);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int load(int i, int a) const {
    const int pairs = symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes;
    return (pairs * components + i) * components + a;
  }
};

/// Place of a number of element e where groups of `width` elements lie one after the other.
KOKKOS_FORCEINLINE_FUNCTION constexpr Offset interleaved_place(int width, Offset entries, int entry,
                                                               Offset e) {
  return ((e / static_cast<Offset>(width)) * entries + static_cast<Offset>(entry)) *
             static_cast<Offset>(width) +
         e % static_cast<Offset>(width);
}

/// Arrays of element data. In scratch (`Width` 0) entry k of element e is at k * stride + e; in global memory
/// elements come in groups of `Width`, one group's entries after the other. Either way neighbouring
/// threads, which hold neighbouring elements, write side by side, and to different banks of scratch. Loads
/// have the prescribed values' contribution taken off (paper 1, section 3.3, third treatment).
template <class ElementType, int Components, bool Symmetric, class Scalar, int Width = 0>
struct ElementData {
  using Element = ElementType;
  static constexpr int components = Components;
  static constexpr int nodes = Element::nodes;
  static constexpr int pairs = Symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes;
  static constexpr int matrix_entries = pairs * Components * Components;
  static constexpr int entries = matrix_entries + nodes * Components; ///< numbers per element

  Scalar* data;
  Offset stride;

  KOKKOS_FORCEINLINE_FUNCTION Scalar& at(int entry, Offset e) const {
    if constexpr (Width == 0)
      return data[entry * stride + e];
    else
      return data[interleaved_place(Width, entries, entry, e)];
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar matrix(Offset e, int i, int a, int j, int b) const {
    return at(
        ElementDataOrder{.nodes = nodes, .components = Components, .symmetric = Symmetric}.matrix(i, a, j, b),
        e);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar load(Offset e, int i, int a) const {
    return at(ElementDataOrder{.nodes = nodes, .components = Components, .symmetric = Symmetric}.load(i, a),
              e);
  }

  /// Adds row a of a source (see `ElementSource`) of several elements: `Components` entries of a matrix
  /// block, or one of a load.
  KOKKOS_FORCEINLINE_FUNCTION void add_source(std::uint32_t source, int a, Scalar (&sum)[Components]) const {
    using Source = ElementSource<Element>;
    const std::uint32_t e = source / Source::count;
    const int rest = static_cast<int>(source % Source::count);
    if (rest < Source::matrix_blocks) {
      const int i = rest / nodes, j = rest % nodes;
      for (int b = 0; b < Components; ++b) sum[b] += matrix(e, i, a, j, b);
    } else {
      sum[0] += load(e, rest - Source::matrix_blocks, a);
    }
  }

  /// Keeps one lane of an element system as element e.
  /// \param node `node(n)`: the mesh's number of the element's node n
  template <class Local, class ExecutionSpace, class NodeOf>
  KOKKOS_FORCEINLINE_FUNCTION void store(Offset e, const Local& local, int lane,
                                         const Equations<ExecutionSpace>& equations,
                                         const NodeOf& node) const {
    constexpr int block = Components * Components;
    TESSERA_UNROLL_EACH((Local::in_registers ? pairs : unroll_up_to_8<nodes>), unroll_up_to_8<nodes>)
    for (int pair = 0; pair < pairs; ++pair)
      for (int ab = 0; ab < block; ++ab)
        at(pair * block + ab, e) = Scalar(lane_of(local.block[pair].entry[ab], lane));
    TESSERA_UNROLL_EACH((Local::in_registers ? nodes : unroll_up_to_8<nodes>), unroll_up_to_8<nodes>)
    for (int i = 0; i < nodes; ++i)
      for (int a = 0; a < Components; ++a) {
        Scalar load = lane_of(local.load[i](a), lane);
        if (equations.constrained) load -= prescribed_load<Scalar>(local, lane, i, a, equations, node);
        at(matrix_entries + i * Components + a, e) = load;
      }
  }

  /// Sum over the constrained degrees of freedom of entry times prescribed value.
  template <class Real, class Local, class ExecutionSpace, class NodeOf>
  KOKKOS_FORCEINLINE_FUNCTION static Real prescribed_load(const Local& local, int lane, int i, int a,
                                                          const Equations<ExecutionSpace>& equations,
                                                          const NodeOf& node) {
    Real sum = 0;
    tessera::detail::for_indices<(Local::in_registers ? nodes : 0), nodes>([&](int j) TESSERA_INLINED {
      for (int b = 0; b < Components; ++b)
        if (equations.is_constrained(node(j), b))
          sum +=
              Real(lane_of(local(i, a, j, b), lane)) * Real(equations.prescribed(node(j) * Components + b));
    });
    return sum;
  }
};

/// The element data that a form's kernel fills, in scratch.
template <class Element, class Kernel, class Scalar>
using element_data_t = ElementData<Element, Kernel::components, Kernel::symmetric, Scalar>;

/// Elements in a group of element data in global memory: a vector register's or a warp's.
template <class ExecutionSpace>
inline constexpr int interleave_width = runs_on_host<ExecutionSpace> ? 8 : warp_lanes;

/// The element data that a form's kernel fills, in global memory.
template <class Element, class ExecutionSpace, class Kernel, class Scalar>
using global_element_data_t =
    ElementData<Element, Kernel::components, Kernel::symmetric, Scalar, interleave_width<ExecutionSpace>>;

/// \throws ArgumentError if a plan was made for symmetric forms and this form's kernel is not
template <class Kernel>
void require_symmetric(const std::string& who, bool symmetric) {
  if (symmetric && !Kernel::symmetric)
    throw ArgumentError(who + ": the plan was made for symmetric forms and this one is not; set the option "
                              "symmetric = false");
}

/// Numbers per element of `ElementData`, for plans, which know no form.
constexpr Offset element_data_entries(int nodes, int components, bool symmetric) {
  const Offset pairs = static_cast<Offset>(symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes);
  return pairs * static_cast<Offset>(components) * static_cast<Offset>(components) +
         static_cast<Offset>(nodes) * static_cast<Offset>(components);
}

/// Memory for the data of elements in double precision, which holds that in single precision as well.
template <class ExecutionSpace>
class ElementDataMemory {
public:
  ElementDataMemory() = default;
  /// \throws OutOfMemoryError with the bytes wanted
  ElementDataMemory(const ExecutionSpace& exec, const std::string& who, int nodes, int components,
                    bool symmetric, Offset elements)
      : who_(who), symmetric_(symmetric) {
    constexpr Offset width = interleave_width<ExecutionSpace>;
    memory_ = allocate<decltype(memory_)>(exec, "Tessera::ElementDataMemory::memory",
                                          (elements + width - 1) / width * width *
                                              element_data_entries(nodes, components, symmetric));
  }

  std::size_t bytes() const { return bytes_of(memory_); }

  /// \throws ArgumentError if the memory was sized for symmetric forms and this one is not
  template <class Kernel>
  void check() const {
    require_symmetric<Kernel>(who_, symmetric_);
  }

  /// The memory as the kernel of a form that passes `check` uses it.
  template <class Element, class Kernel, class Scalar>
  global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data() const {
    return {reinterpret_cast<Scalar*>(memory_.data()), 0};
  }

private:
  std::string who_;
  bool symmetric_ = true;
  Kokkos::View<double*, ExecutionSpace> memory_;
};

} // namespace TESSERA_KERNELS::assembly::detail
