// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How many elements of a mesh are not affine.

#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

template <class Element, class ExecutionSpace>
struct CountBentElements {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& bent) const {
    bent += is_affine(mesh.template cell<double>(e)) ? 0 : 1;
  }
};

} // namespace detail

/// How many elements are not the image of the reference element under an affine map, but for the rounding of
/// their coordinates (`is_affine`). Waits for the answer.
template <class Element, class ExecutionSpace>
Ordinal bent_elements(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  Ordinal bent = 0;
  if constexpr (!Element::affine_simplex)
    Kokkos::parallel_reduce("Tessera::bent_elements",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
                            detail::CountBentElements<Element, ExecutionSpace>{mesh.kernel()}, bent);
  return bent;
}

/// Whether `bent_elements` finds none.
template <class Element, class ExecutionSpace>
bool all_affine(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  return bent_elements(exec, mesh) == 0;
}

} // namespace tessera
