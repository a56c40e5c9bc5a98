// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How element matrices are cut into tiles.

#include <tessera/core/types.hpp>

#include <limits>

namespace TESSERA_KERNELS::assembly::detail {

/// How a matrix of `nodes` x `nodes` is cut into tiles of `rows` x `columns`: the cheapest way among those
/// whose sums, and the products of a row's functions, a thread has registers for.
struct TileShape {
  int rows, columns;

  /// Multiply-adds at a point for all tiles of a component pair, and as many again for what a tile reads:
  /// coefficients, which no two lanes share, cost two, functions of the basis, of which all lanes read one,
  /// four.
  static constexpr int work(int nodes, int functions, bool symmetric, TileShape shape) {
    int sum = 0;
    for (int i = 0; i < nodes; i += shape.rows)
      for (int j = 0; j < nodes && (!symmetric || j < i + shape.rows); j += shape.columns)
        sum += shape.rows * functions * (functions + shape.columns) + 2 * functions * functions +
               4 * (shape.rows + shape.columns);
    return sum;
  }
  static constexpr TileShape choose(int nodes, int functions, bool symmetric) {
    constexpr int most_sums = 50, most_numbers = 72;
    TileShape best{1, 1};
    int least = std::numeric_limits<int>::max();
    for (int rows = 1; rows <= nodes; ++rows)
      for (int columns = 1; columns <= nodes; ++columns) {
        const int needed = work(nodes, functions, symmetric, {rows, columns});
        if (rows * columns > most_sums || rows * (columns + functions) > most_numbers || needed >= least)
          continue;
        best = {rows, columns};
        least = needed;
      }
    return best;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
