// SPDX-License-Identifier: BSD-3-Clause
#include "measure_problem.hpp"
#include "meshes.hpp"

namespace tessera::tools {

void measure_tet_elasticity(const std::string& problem, Measurement& m) {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = io::generate<Tet<1>, Space>(problem);
  FunctionSpace<Tet<1>, Space> space(mesh, 3);
  space.constrain(mesh.node_set("xmin"), {0.0, 0.0, 0.0});
  measure_problem(problem, "elasticity",
                  LinearElasticity<3>{.young = 210e9, .poisson = 0.3, .body_force = {0, 0, -1e4}}, space, m);
}

} // namespace tessera::tools
