#pragma once

/// \file
/// Whether a mesh has affine elements alone.

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

/// Whether every element is the image of the reference element under an affine map, but for the rounding of
/// its coordinates (`is_affine`). Waits for the answer.
template <class Element, class ExecutionSpace>
bool all_affine(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  if constexpr (Element::affine_simplex) {
    return true;
  } else {
    Ordinal bent = 0;
    Kokkos::parallel_reduce("Tessera::all_affine::count_bent",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
                            detail::CountBentElements<Element, ExecutionSpace>{mesh.kernel()}, bent);
    return bent == 0;
  }
}

} // namespace tessera
