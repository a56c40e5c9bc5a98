// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop over elements and over fans of them on hosts.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/parts/ordered_parts.hpp>
#include <tessera/strategies/element_loops/element_fans.hpp>
#include <tessera/strategies/element_loops/element_work.hpp>

#include <Kokkos_Core.hpp>

#include <cstring>

namespace TESSERA_KERNELS::element_loops::detail {

/// Elements one by one, as `RowPacks` takes them.
template <class Element, class ExecutionSpace>
struct SingleElements {
  static constexpr int nodes = Element::nodes, elements = 1;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node_of(int, int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal cell, int n) const { return connectivity(cell, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal member(Ordinal cell, int) const { return cell; }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(const Ordinal (&)[nodes], int) { return true; }
};

/// Fans of simplices, as `RowPacks` takes them.
template <class Element, class ExecutionSpace>
struct FannedElements {
  using Fan = ElementFan<Element>;
  static constexpr int nodes = Fan::nodes, elements = Fan::most;
  ElementFans<Element, ExecutionSpace> fans;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node_of(int i, int n) { return Fan::node(i, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal cell, int n) const { return fans.nodes(cell, n); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal member(Ordinal cell, int i) const { return fans.elements(cell)(i); }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(const Ordinal (&node)[nodes], int i) {
    return Fan::has(node, i);
  }
};

/// Results of packs of cells: of single elements or of fans. Coordinates and values are copied number by
/// number into rows of one number per lane, which are loaded as packs: nodes are read where they lie, once a
/// cell.
template <class WorkType, class Cells>
struct RowPacks {
  using Work = WorkType;
  using Element = typename Work::Element;
  using Execution = typename Work::Execution;
  using Scalar = typename Work::Scalar;
  using Real = element_real_t<Execution, Scalar>;
  static constexpr int lanes = lanes_v<Real>, nodes = Cells::nodes, d = Work::d, c = Work::c;

  Work work; ///< its mesh in the order whose numbers the cells have
  Cells cells;
  typename Work::Sink sink; ///< of cells

  /// A pack of cells.
  struct Rows {
    alignas(64) Scalar x[nodes][d][lanes]; ///< relative to the first node
    alignas(64) Scalar u[nodes * c][lanes];
    alignas(64) Scalar origin[d][lanes];
    Ordinal node[lanes][nodes];
  };

  /// Adds the results of a pack of cells. No other thread adds to their nodes meanwhile.
  /// \param end cells from here on are left out
  void add_pack(Ordinal first, Ordinal end) const {
    const int active = end - first < lanes ? end - first : lanes;
    Rows rows;
    for (int lane = 0; lane < lanes; ++lane) read(first + (lane < active ? lane : 0), lane, rows);
    bool whole = true; // every cell has all of its elements
    for (int lane = 0; lane < lanes; ++lane)
      whole = whole && Cells::has(rows.node[lane], Cells::elements - 1);
    Real v[nodes * c];
    for (int i = 0; i < nodes * c; ++i) v[i] = Real(Scalar(0));
    for (int i = 0; i < Cells::elements; ++i) add_element(i, first, active, whole, rows, v);
    if constexpr (Work::Action::reports)
      if (!are_finite(v)) report(first, active, rows);
    add(active, v, rows);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void read(Ordinal cell, int lane, Rows& rows) const {
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < nodes; ++n) rows.node[lane][n] = cells.node(cell, n);
    const double* const corner = work.mesh.position(rows.node[lane][0]);
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int n = 0; n < nodes; ++n) {
      const double* const position = work.mesh.position(rows.node[lane][n]);
      Scalar value[c];
      work.values.read(work.x, rows.node[lane][n], value);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < d; ++a) rows.x[n][a][lane] = static_cast<Scalar>(position[a] - corner[a]);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int a = 0; a < c; ++a) rows.u[n * c + a][lane] = value[a];
    }
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int a = 0; a < d; ++a) rows.origin[a][lane] = static_cast<Scalar>(corner[a]);
  }

  /// \param rows whose values are not needed any more
  KOKKOS_FORCEINLINE_FUNCTION void add(int active, const Real (&v)[nodes * c], Rows& rows) const {
    for (int i = 0; i < nodes * c; ++i) std::memcpy(rows.u[i], &v[i], sizeof(Real));
    for (int lane = 0; lane < active; ++lane)
      for (int n = 0; n < nodes; ++n) {
        Scalar value[c];
        for (int a = 0; a < c; ++a) value[a] = rows.u[n * c + a][lane];
        work.values.write(sink.y, rows.node[lane][n], value, PlainAdd());
      }
  }

  /// Element i of each lane's cell.
  struct Elements {
    Cell<Element, Real> cell;
    Real u[Work::dofs];
    Ordinal node[Element::nodes * lanes];
  };
  KOKKOS_FORCEINLINE_FUNCTION void get(int i, Ordinal first, int active, const Rows& rows,
                                       Elements& elements) const {
    auto& cell = elements.cell;
    for (int lane = 0; lane < lanes; ++lane) {
      const Ordinal member = cells.member(first + (lane < active ? lane : 0), i);
      cell.element[lane] = work.mesh.number(member);
      cell.material[lane] = work.mesh.material(member);
    }
    if constexpr (Cells::elements > 1 && Work::Action::template asks_for_nodes<Element, Real>) {
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int n = 0; n < Element::nodes; ++n) // an order of its own
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

  /// Adds the results of element i of each lane's cell, where it has one.
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int i, Ordinal first, int active, bool whole, const Rows& rows,
                                               Real (&v)[nodes * c]) const {
    Elements elements;
    Real element_v[Work::dofs];
    get(i, first, active, rows, elements);
    work.action.act(elements.cell, elements.u, element_v);
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

  KOKKOS_FORCEINLINE_FUNCTION static bool are_finite(const Real (&v)[nodes * c]) {
    Real size = Real(Scalar(0));
    for (int i = 0; i < nodes * c; ++i) size += v[i] * v[i];
    Scalar all = lane_of(size, 0);
    for (int lane = 1; lane < lanes; ++lane) all += lane_of(size, lane);
    return Kokkos::isfinite(all);
  }

  /// Looks for the elements whose results are not finite.
  KOKKOS_FUNCTION void report(Ordinal first, int active, const Rows& rows) const {
    Elements elements;
    Real v[Work::dofs];
    for (int i = 0; i < Cells::elements; ++i) {
      get(i, first, active, rows, elements);
      work.action.act(elements.cell, elements.u, v);
      work.action.report(elements.cell, v);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(Real& real, const Scalar (&entry)[lanes]) {
    std::memcpy(&real, entry, sizeof(Real));
  }
};

/// Packs of neighbouring elements, one per lane.
template <class WorkType>
struct ElementPacks {
  using Work = WorkType;
  using Element = typename Work::Element;
  using Scalar = typename Work::Scalar;
  using Real = element_real_t<typename Work::Execution, Scalar>;
  static constexpr int lanes = lanes_v<Real>, nodes = Work::nodes, c = Work::c;

  Work work;
  typename Work::Sink sink;

  /// Adds the results of a pack. No other thread adds to its nodes meanwhile.
  /// \param end elements from here on are left out
  KOKKOS_FORCEINLINE_FUNCTION void add_pack(Ordinal first, Ordinal end) const {
    const int active = end - first < lanes ? end - first : lanes;
    const Cell<Element, Real> cell = work.mesh.template cell<Real>(first);
    Real u[Work::dofs], v[Work::dofs];
    for (int lane = 0; lane < lanes; ++lane)
      for (int n = 0; n < nodes; ++n) {
        Scalar value[c];
        work.values.read(work.x, work.mesh.connectivity(first + (lane < active ? lane : 0), n), value);
        for (int a = 0; a < c; ++a) u[n * c + a].set(lane, value[a]);
      }
    work.action.act(cell, u, v);
    if constexpr (Work::Action::reports) work.action.report(cell, v);
    sink.add_all(work.mesh, first, active, v);
  }
};

/// The loop over a range of cells: packs for all threads.
template <class Loop>
struct PacksOfRange {
  Loop loop;
  Ordinal begin, end;

  Ordinal packs() const { return (end - begin + Loop::lanes - 1) / Loop::lanes; }
  KOKKOS_FUNCTION void operator()(Ordinal pack) const { loop.add_pack(begin + pack * Loop::lanes, end); }
};

/// The loop over a part's cells, after the rows of the nodes that it is the first to have are cleared.
template <class Loop>
struct PacksOfPart {
  using Work = typename Loop::Work;
  Loop loop;
  OrderedParts<typename Work::Execution> parts;

  void operator()(Ordinal place) const {
    const ClearResult<typename Work::Execution, typename Work::Scalar> clear{loop.work.values.equations,
                                                                             loop.work.x, loop.sink.y};
    parts.for_first_nodes(place, [&](Ordinal first, Ordinal last) { clear.rows_of(first, last); });
    const Ordinal end = parts.end(place);
    for (Ordinal cell = parts.begin(place); cell < end; cell += Loop::lanes) loop.add_pack(cell, end);
  }
};

} // namespace TESSERA_KERNELS::element_loops::detail
