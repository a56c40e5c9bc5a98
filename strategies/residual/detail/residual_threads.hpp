// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernels that paper 3's thread transposition is set against, in either setting.

#include <tessera/core/vector_fence.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/residual/detail/cell_data.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::residual::detail {

/// A thread per cell: everything in its registers.
template <class CellData, class Kernel>
struct CellThread {
  using Values = PointValues<CellData, Kernel>;
  using Scalar = typename CellData::Scalar;
  using Element = typename CellData::Element;
  static constexpr int c = Kernel::components, dofs = Element::nodes * c;

  CellData cell_data;
  Kernel kernel;
  Status<typename CellData::Execution> status;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal cell = cell_data.begin + i;
    using Table = typename Values::Table;
    Scalar u[dofs], v[dofs] = {};
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) u[n * c + a] = cell_data.coefficient(cell, n, a);
    bool finite = true;
    TESSERA_UNROLL(1)
    for (int q = 0; q < Table::points; ++q) {
      Values values;
      finite =
          values.evaluate(cell_data, kernel, cell, q, cell_data.template geometry<Values::degree>(cell, q),
                          [&](int n, int a) { return u[n * c + a]; }) &&
          finite;
      for (int n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < c; ++a)
          v[n * c + a] += test<Values>([&](int k) { return values.entry[a * Values::of_component + k]; },
                                       [&] { return Table::template value<Scalar>(q, n); },
                                       [&](int e) { return Table::template gradient<Scalar>(q, n, e); });
    }
    if (!finite) status.fail(cell_data.numbers(cell).element[0]);
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) cell_data.add(cell, n, a, v[n * c + a]);
  }
};

/// A thread per basis function of a cell: for every point it pulls all coefficients and evaluates the form
/// anew.
template <class CellData, class Kernel>
struct BasisThread {
  using Values = PointValues<CellData, Kernel>;
  using Scalar = typename CellData::Scalar;
  using Element = typename CellData::Element;
  static constexpr int c = Kernel::components;

  CellData cell_data;
  Kernel kernel;
  Status<typename CellData::Execution> status;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal cell = cell_data.begin + i / Element::nodes;
    const int n = i % Element::nodes;
    using Table = typename Values::Table;
    Scalar v[c] = {};
    bool finite = true;
    TESSERA_UNROLL(1)
    for (int q = 0; q < Table::points; ++q) {
      Values values;
      finite =
          values.evaluate(cell_data, kernel, cell, q, cell_data.template geometry<Values::degree>(cell, q),
                          [&](int m, int a) { return cell_data.coefficient(cell, m, a); }) &&
          finite;
      for (int a = 0; a < c; ++a)
        v[a] += test<Values>([&](int k) { return values.entry[a * Values::of_component + k]; },
                             [&] { return Table::template value<Scalar>(q, n); },
                             [&](int e) { return Table::template gradient<Scalar>(q, n, e); });
    }
    if (!finite) status.fail(cell_data.numbers(cell).element[0]);
    for (int a = 0; a < c; ++a) cell_data.add(cell, n, a, v[a]);
  }
};

/// A vector of threads per cell, one a point, and a reduction over them for every basis function.
template <class CellData, class Kernel>
struct PointThreads {
  using Values = PointValues<CellData, Kernel>;
  using Scalar = typename CellData::Scalar;
  using Element = typename CellData::Element;
  using Execution = typename CellData::Execution;
  using Member = typename Kokkos::TeamPolicy<Execution>::member_type;
  using Scratch = Kokkos::View<Scalar*, typename Execution::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int c = Kernel::components, points = Values::Table::points;

  CellData cell_data;
  Kernel kernel;
  Status<Execution> status;

  static std::size_t scratch_bytes() { return Scratch::shmem_size(Values::count * points); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal cell = cell_data.begin + team.league_rank() * team.team_size() + team.team_rank();
    if (cell >= cell_data.end) return;
    using Table = typename Values::Table;
    const Scratch of_points(team.thread_scratch(0), Values::count * points);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, points), [&](int q) {
      Values values;
      if (!values.evaluate(cell_data, kernel, cell, q, cell_data.template geometry<Values::degree>(cell, q),
                           [&](int n, int a) { return cell_data.coefficient(cell, n, a); }))
        status.fail(cell_data.numbers(cell).element[0]);
      for (int k = 0; k < Values::count; ++k) of_points(k * points + q) = values.entry[k];
    });
    vector_fence();
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        Scalar total = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, points),
            [&](int q, Scalar& sum) {
              sum +=
                  test<Values>([&](int k) { return of_points((a * Values::of_component + k) * points + q); },
                               [&] { return Table::template value<Scalar>(q, n); },
                               [&](int e) { return Table::template gradient<Scalar>(q, n, e); });
            },
            total);
        Kokkos::single(Kokkos::PerThread(team), [&] { cell_data.add(cell, n, a, total); });
      }
  }
};

} // namespace TESSERA_KERNELS::residual::detail
