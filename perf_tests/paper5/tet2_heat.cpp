// SPDX-License-Identifier: BSD-3-Clause
#include "measure_problem.hpp"
#include "meshes.hpp"

namespace tessera::tools {

void measure_tet2_heat(const std::string& problem, Measurement& m) {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = io::generate<Tet<2>, Space>(problem);
  FunctionSpace<Tet<2>, Space> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  measure_problem(problem, "heat", Heat{.source = 1.0}, space, m);
}

} // namespace tessera::tools
