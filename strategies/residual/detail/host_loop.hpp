// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop of RecomputingResidual on hosts.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/common/parts/ordered_parts.hpp>
#include <tessera/strategies/element_loops/element_fans.hpp>

#include <Kokkos_Core.hpp>

#include <cstring>

namespace TESSERA_KERNELS::residual::detail {

/// Elements one by one, as `HostLoop` takes them.
template <class Element, class ExecutionSpace>
struct SingleElements {
  static constexpr int nodes = Element::nodes, elements = 1;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in a strategy's order

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node_of(int, int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal cell, int n) const { return mesh.connectivity(cell, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal number(Ordinal cell, int) const { return mesh.number(cell); }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(const Ordinal (&)[nodes], int) { return true; }
};

/// Fans of simplices, as `HostLoop` takes them.
template <class Element, class ExecutionSpace>
struct FannedElements {
  using Fan = ElementFan<Element>;
  static constexpr int nodes = Fan::nodes, elements = Fan::most;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in the order whose numbers the fans have
  ElementFans<Element, ExecutionSpace> fans;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node_of(int i, int n) { return Fan::node(i, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal cell, int n) const { return fans.nodes(cell, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal number(Ordinal cell, int i) const {
    return mesh.number(fans.elements(cell)(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(const Ordinal (&node)[nodes], int i) {
    return Fan::has(node, i);
  }
};

/// Residuals of packs of cells: of single elements or of fans. Coordinates and values are copied number by
/// number into rows of one number per lane, which are loaded as packs: nodes are read where they lie, once a
/// cell, and addresses are counted up, which the general way through views and masks of constraints does not
/// do.
template <class Element, class Cells, class Kernel, class ExecutionSpace, class Scalar>
struct HostLoop {
  using Real = NativePack<Scalar>;
  static constexpr int lanes = lanes_v<Real>, nodes = Cells::nodes, d = Element::dimension,
                       c = Kernel::components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in its own order
  Cells cells;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<Scalar*, ExecutionSpace> r;

  /// A pack of cells.
  struct Rows {
    alignas(64) Scalar x[nodes][d][lanes]; ///< relative to the first node
    alignas(64) Scalar u[nodes * c][lanes];
    alignas(64) Scalar origin[d][lanes];
    Ordinal node[lanes][nodes];
  };

  /// Adds the residuals of a pack of cells. No other thread adds to their nodes meanwhile.
  /// \param end cells from here on are left out
  KOKKOS_FUNCTION void add_pack(Ordinal first, Ordinal end) const {
    const int active = end - first < lanes ? end - first : lanes;
    Rows rows;
    for (int lane = 0; lane < lanes; ++lane) read(first + (lane < active ? lane : 0), lane, rows);
    bool whole = true; // every cell has all of its elements
    for (int lane = 0; lane < lanes; ++lane)
      whole = whole && Cells::has(rows.node[lane], Cells::elements - 1);
    Real v[nodes * c], size = Real(Scalar(0));
    for (int i = 0; i < nodes * c; ++i) v[i] = Real(Scalar(0));
    for (int i = 0; i < Cells::elements; ++i) add_element(i, first, active, whole, rows, v);
    for (int i = 0; i < nodes * c; ++i) size += v[i] * v[i];
    Scalar all = lane_of(size, 0);
    for (int lane = 1; lane < lanes; ++lane) all += lane_of(size, lane);
    if (!Kokkos::isfinite(all)) report(first, active, rows);
    for (int i = 0; i < nodes * c; ++i) std::memcpy(rows.u[i], &v[i], sizeof(Real));
    for (int lane = 0; lane < active; ++lane)
      for (int n = 0; n < nodes; ++n) {
        Scalar* const to = r.data() + static_cast<std::size_t>(rows.node[lane][n]) * c;
        for (int a = 0; a < c; ++a) to[a] += rows.u[n * c + a][lane];
      }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void read(Ordinal cell, int lane, Rows& rows) const {
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < nodes; ++n) rows.node[lane][n] = cells.node(cell, n);
    const double* const corner = mesh.position(rows.node[lane][0]);
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < nodes; ++n) {
      const double* const position = mesh.position(rows.node[lane][n]);
      const Scalar* const from = u.data() + static_cast<std::size_t>(rows.node[lane][n]) * c;
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < d; ++a) rows.x[n][a][lane] = static_cast<Scalar>(position[a] - corner[a]);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < c; ++a) rows.u[n * c + a][lane] = from[a];
    }
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int a = 0; a < d; ++a) rows.origin[a][lane] = static_cast<Scalar>(corner[a]);
  }

  /// Element i of each lane's cell.
  struct Elements {
    Cell<Element, Real> cell;
    Real u[Element::nodes * c];
    Ordinal node[Element::nodes * lanes];
  };
  KOKKOS_FORCEINLINE_FUNCTION void get(int i, Ordinal first, int active, const Rows& rows,
                                       Elements& elements) const {
    auto& cell = elements.cell;
    for (int lane = 0; lane < lanes; ++lane) {
      cell.element[lane] = cells.number(first + (lane < active ? lane : 0), i);
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    if constexpr (Cells::elements > 1) { // an order of its own
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int n = 0; n < Element::nodes; ++n)
        for (int lane = 0; lane < lanes; ++lane)
          elements.node[n * lanes + lane] = rows.node[lane][Cells::node_of(i, n)];
      cell.nodes = elements.node;
    }
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < Element::nodes; ++n) {
      const int m = Cells::node_of(i, n);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < d; ++a) load(cell.coordinates[n][a], rows.x[m][a]);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < c; ++a) load(elements.u[n * c + a], rows.u[m * c + a]);
    }
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int a = 0; a < d; ++a) load(cell.origin[a], rows.origin[a]);
  }

  /// Adds the residuals of element i of each lane's cell, where it has one.
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int i, Ordinal first, int active, bool whole, const Rows& rows,
                                               Real (&v)[nodes * c]) const {
    Elements elements;
    Real element_v[Element::nodes * c];
    get(i, first, active, rows, elements);
    element_residual(kernel.weak, elements.cell, elements.u, element_v);
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < Element::nodes; ++n) {
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < c; ++a) {
        Real& value = element_v[n * c + a];
        for (int lane = 0; !whole && lane < lanes; ++lane)
          if (!Cells::has(rows.node[lane], i)) value.set(lane, Scalar(0));
        v[Cells::node_of(i, n) * c + a] += value;
      }
    }
  }

  /// Looks for the elements whose residual is not finite.
  KOKKOS_FUNCTION void report(Ordinal first, int active, const Rows& rows) const {
    Elements elements;
    Real v[Element::nodes * c];
    for (int i = 0; i < Cells::elements; ++i) {
      get(i, first, active, rows, elements);
      kernel.act_on(elements.cell, elements.u, v);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(Real& real, const Scalar (&entry)[lanes]) {
    std::memcpy(&real, entry, sizeof(Real));
  }
};

/// The loop over a color's cells: packs for all threads.
template <class Loop>
struct PacksOfColor {
  Loop loop;
  Ordinal begin, end; ///< cells

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const { loop.add_pack(begin + chunk * Loop::lanes, end); }
};

/// The loop over a part's cells, after the entries that it is the first to have are cleared.
template <class Loop, class ExecutionSpace>
struct PacksOfPart {
  Loop loop;
  OrderedParts<ExecutionSpace> parts;

  void operator()(Ordinal place) const {
    auto* const r = loop.r.data();
    parts.for_first_nodes(place, [&](Ordinal first, Ordinal last) {
      std::memset(r + to_size(first) * Loop::c, 0, to_size(last + 1 - first) * Loop::c * sizeof(*r));
    });
    const Ordinal end = parts.end(place);
    for (Ordinal cell = parts.begin(place); cell < end; cell += Loop::lanes) loop.add_pack(cell, end);
  }
};

} // namespace TESSERA_KERNELS::residual::detail
