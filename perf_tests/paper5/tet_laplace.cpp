// SPDX-License-Identifier: BSD-3-Clause
#include "measure_problem.hpp"
#include "meshes.hpp"

namespace tessera::tools {

void measure_tet_laplace(const std::string& problem, Measurement& m) {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = io::generate<Tet<1>, Space>(problem);
  FunctionSpace<Tet<1>, Space> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  measure_problem(problem, "laplace", Heat{.source = 1.0}, space, m);
}

} // namespace tessera::tools
