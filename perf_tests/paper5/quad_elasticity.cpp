// SPDX-License-Identifier: BSD-3-Clause
#include "measure_problem.hpp"
#include "meshes.hpp"

namespace tessera::tools {

void measure_quad_elasticity(const std::string& problem, Measurement& m) {
  using Space = Kokkos::DefaultExecutionSpace;
  const LinearElasticity<2> form{.young = 210e9, .poisson = 0.3, .plane = Plane::stress};
  const auto run = [&](const Mesh<Quad<1>, Space>& mesh, const char* clamped, Ordinal loaded) {
    FunctionSpace<Quad<1>, Space> space(mesh, 2);
    space.constrain(mesh.node_set(clamped), {0.0, 0.0});
    space.add_point_load(loaded, 1, -1e3);
    measure_problem(problem, "elasticity", form, space, m);
  };
  if (problem[0] == 'L') {
    const auto [side, gap] = l_shape_size(paper_mesh(problem));
    const auto mesh = l_shape<Space>(side, gap);
    Ordinal tip;
    Kokkos::deep_copy(tip, Kokkos::subview(mesh.node_set("loaded"), 0));
    run(mesh, "clamped", tip);
  } else {
    const auto mesh = io::generate<Quad<1>, Space>(box_name(problem));
    run(mesh, "xmin", mesh.num_nodes() - 1);
  }
}

} // namespace tessera::tools
