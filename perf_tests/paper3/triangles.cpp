#include "measure_rows.hpp"

namespace tessera::paper3 {

std::vector<Row> measure_triangles(const Settings& settings) {
  return measure_family<Tri<1>, Tri<2>>(settings, 131072, {300, 120, 220, 70});
}

std::vector<TableEntry> measure_table(const Settings& settings) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  const auto mesh = box_of<Tri<1>, ExecutionSpace>(131072); // 257 x 257 nodes
  std::vector<TableEntry> entries;
  const auto measure = [&]<class Scalar>(Scalar) {
    const Model model{2, 3, 1, 1};
    for (const int blocks : {16, 20, 24, 28, 32, 36})
      for (const int batches : {4, 8, 12, 16}) {
        const residual::ThreadTransposition strategy{.blocks = blocks, .batches = batches};
        entries.push_back(
            {sizeof(Scalar) == 8 ? "double" : "float", blocks, batches,
             element_seconds<Scalar>(ExecutionSpace(), strategy, Laplace{}, mesh, settings.repetitions),
             model.flops_per_cell() * mesh.num_elements()});
      }
  };
  measure(float());
  measure(double());
  return entries;
}

} // namespace tessera::paper3
