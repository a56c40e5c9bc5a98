#pragma once

// The element loop of RecomputingResidual on hosts.

#include <tessera/core/mesh.hpp>
#include <tessera/core/real.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/common/conflicts.hpp>

#include <Kokkos_Core.hpp>

#include <cstring>

namespace tessera::residual::detail {

/// Residuals of packs of elements. Coordinates and values are copied number by number into rows of one number
/// per lane, which are loaded as packs: nodes are read where they lie, once an element, and addresses are
/// counted up, which the general way through views and masks of constraints does not do.
template <class Element, class Kernel, class ExecutionSpace, class Scalar>
struct HostLoop {
  using Real = NativePack<Scalar>;
  static constexpr int lanes = lanes_v<Real>, nodes = Element::nodes, d = Element::dimension,
                       c = Kernel::components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<Scalar*, ExecutionSpace> r;
  Ordinal begin, end;
  bool alone; ///< no other thread adds to the same nodes meanwhile

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = begin + chunk * lanes;
    const int active = end - first < lanes ? end - first : lanes;
    alignas(64) Scalar x[nodes][d][lanes], values[nodes * c][lanes], origin[d][lanes];
    Ordinal node[lanes][nodes];
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes; ++lane) {
      cell.element[lane] = first + (lane < active ? lane : 0);
      cell.material[lane] = 0;
    }
    if (mesh.materials.extent(0) > 0)
      for (int lane = 0; lane < lanes; ++lane) cell.material[lane] = mesh.materials(cell.element[lane]);
    for (int lane = 0; lane < lanes; ++lane) {
      const Ordinal e = first + (lane < active ? lane : 0);
      TESSERA_UNROLL_ON_HOST_TOO(4)
      for (int n = 0; n < nodes; ++n) node[lane][n] = mesh.connectivity(e, n);
      const double* const corner = mesh.position(node[lane][0]);
      TESSERA_UNROLL_ON_HOST_TOO(4)
      for (int n = 0; n < nodes; ++n) {
        const double* const position = mesh.position(node[lane][n]);
        const Scalar* const from = u.data() + static_cast<std::size_t>(node[lane][n]) * c;
        for (int a = 0; a < d; ++a) x[n][a][lane] = static_cast<Scalar>(position[a] - corner[a]);
        for (int a = 0; a < c; ++a) values[n * c + a][lane] = from[a];
      }
      for (int a = 0; a < d; ++a) origin[a][lane] = static_cast<Scalar>(corner[a]);
    }
    if (mesh.numbers.extent(0) > 0)
      for (int lane = 0; lane < lanes; ++lane) cell.element[lane] = mesh.numbers(cell.element[lane]);
    Real element_u[nodes * c], v[nodes * c];
    for (int n = 0; n < nodes; ++n)
      for (int a = 0; a < d; ++a) load(cell.coordinates[n][a], x[n][a]);
    for (int a = 0; a < d; ++a) load(cell.origin[a], origin[a]);
    for (int i = 0; i < nodes * c; ++i) load(element_u[i], values[i]);
    kernel.act_on(cell, element_u, v);
    for (int i = 0; i < nodes * c; ++i) std::memcpy(values[i], &v[i], sizeof(Real));
    for (int lane = 0; lane < active; ++lane) TESSERA_UNROLL_ON_HOST_TOO(4)
    for (int n = 0; n < nodes; ++n) {
      Scalar* const to = r.data() + static_cast<std::size_t>(node[lane][n]) * c;
      for (int a = 0; a < c; ++a)
        if (alone)
          to[a] += values[n * c + a][lane];
        else
          AtomicAdd<ExecutionSpace>()(to[a], values[n * c + a][lane]);
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static void load(Real& real, const Scalar (&entry)[lanes]) {
    std::memcpy(&real, entry, sizeof(Real));
  }
};

} // namespace tessera::residual::detail
