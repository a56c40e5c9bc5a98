// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The matrix and load of one element as one thread keeps them.

#include <tessera/core/arithmetic/real_functions.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Element matrix and load of an element with `Element::nodes` nodes and `Components` unknowns per node.
///
/// The matrix is kept as `Components` x `Components` blocks of node pairs; of a symmetric one only the pairs
/// i >= j, stored at pair(i, j) = i (i + 1) / 2 + j.
template <class Element, int Components, class Real, bool Symmetric>
struct ElementSystem {
  static constexpr int nodes = Element::nodes;
  static constexpr int components = Components;
  static constexpr bool symmetric = Symmetric;
  static constexpr int pairs = Symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes;

  /// Whether a GPU's thread has registers for all entries beside what it computes them of.
  static constexpr bool in_registers = pairs * Components * Components <= 66;
  /// Copies of loops over the nodes that add the entries one by one, on hosts and on GPUs, and there of those
  /// for elements with constrained nodes: long code that few elements run.
  static constexpr int unrolled = unroll_up_to_8<nodes>;
  static constexpr int unrolled_on_gpus = in_registers ? nodes : unrolled,
                       unrolled_if_constrained = in_registers ? nodes : 1;

  Matrix<Real, Components> block[pairs];
  Vector<Real, Components> load[nodes];

  /// Position of the stored block of nodes i and j; for a symmetric matrix i >= j.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pair(int i, int j) {
    return Symmetric ? i * (i + 1) / 2 + j : i * nodes + j;
  }

  /// Entry of test node i, component a, and trial node j, component b.
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(int i, int a, int j, int b) const {
    if constexpr (Symmetric)
      return i >= j ? block[pair(i, j)](a, b) : block[pair(j, i)](b, a);
    else
      return block[pair(i, j)](a, b);
  }

  /// The entries (a, b) of test node i and trial node j.
  KOKKOS_FORCEINLINE_FUNCTION auto entries(int i, int j) const {
    return [this, i, j](int a, int b) { return (*this)(i, a, j, b); };
  }
  KOKKOS_FORCEINLINE_FUNCTION const Vector<Real, Components>& load_of(int i) const { return load[i]; }
};

/// The element system type of a form's kernel.
template <class Element, class Kernel, class Real>
using element_system_t = ElementSystem<Element, Kernel::components, Real, Kernel::symmetric>;

namespace detail {

/// Calls `visit(i, j)` for every stored pair of a system: with constants where a GPU then has the system in
/// registers.
template <class System, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(const Visit& visit) {
  KOKKOS_IF_ON_DEVICE((if constexpr (System::in_registers) {
    for_constants<System::nodes>([&](auto i) TESSERA_INLINED {
      for_constants<(System::symmetric ? i + 1 : System::nodes)>([&](auto j)
                                                                     TESSERA_INLINED { visit(i, j); });
    });
    return;
  }))
  TESSERA_UNROLL(unroll_up_to_8<System::nodes>)
  for (int i = 0; i < System::nodes; ++i) {
    TESSERA_UNROLL(unroll_up_to_8<System::nodes>)
    for (int j = 0; j < (System::symmetric ? i + 1 : System::nodes); ++j) visit(i, j);
  }
}

/// Calls `visit(i)` for every node, as `for_each_pair`.
template <class System, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_each_row(const Visit& visit) {
  KOKKOS_IF_ON_DEVICE((if constexpr (System::in_registers) {
    for_constants<System::nodes>([&](auto i) TESSERA_INLINED { visit(i); });
    return;
  }))
  TESSERA_UNROLL(unroll_up_to_8<System::nodes>)
  for (int i = 0; i < System::nodes; ++i) visit(i);
}

/// Zeros, where sums over points are registers of a GPU.
template <class System>
KOKKOS_FORCEINLINE_FUNCTION void begin_sums([[maybe_unused]] System& system) {
  KOKKOS_IF_ON_DEVICE((if constexpr (System::in_registers) system = System();))
}

/// Adds what point q has to a sum of a system. In memory the first point's replaces what was there.
template <class System, class Real>
KOKKOS_FORCEINLINE_FUNCTION void add_of_point(Real& sum, const Real& part, int q) {
  KOKKOS_IF_ON_DEVICE((if constexpr (System::in_registers) {
    sum += part;
    return;
  }))
  sum = q == 0 ? part : sum + part;
}

/// What a sum over points was before point q's part: multiply-adds go on from it.
template <class System, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real sum_before(const Real& sum, int q) {
  KOKKOS_IF_ON_DEVICE((if constexpr (System::in_registers) return sum;))
  return q == 0 ? number<Real>(0) : sum;
}

} // namespace detail
} // namespace tessera
