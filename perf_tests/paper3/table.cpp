// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure.hpp"
#include "model.hpp"
#include "rows.hpp"

namespace tessera::paper3 {

void measure_table(const Settings& settings, std::vector<Row>& rows) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  const auto mesh = box_of<Tri<1>, ExecutionSpace>(settings.small_cells); // the paper: 257 x 257 nodes
  const auto measure = [&]<class Scalar>(Scalar) {
    const Model model{2, 3, 1, 1, 1, int(sizeof(Scalar))};
    for (const int blocks : {16, 20, 24, 28, 32, 36})
      for (const int batches : {4, 8, 12, 16}) {
        const residual::ThreadTransposition strategy{.blocks = blocks, .batches = batches};
        rows.push_back({.part = "table",
                        .problem = "Poisson",
                        .element = Tri<1>::name,
                        .scalar = sizeof(Scalar) == 8 ? "double" : "float",
                        .coefficient = "constant",
                        .strategy = residual::ThreadTransposition::name,
                        .points = 1,
                        .blocks = blocks,
                        .batches = batches,
                        .cells = double(mesh.num_elements()),
                        .seconds = element_seconds<Scalar>(ExecutionSpace(), strategy, Laplace{}, mesh,
                                                           settings.repetitions),
                        .flops = model.flops_per_cell() * mesh.num_elements(),
                        .nodes = double(mesh.num_nodes())});
      }
  };
  measure(float());
  measure(double());
}

} // namespace tessera::paper3
