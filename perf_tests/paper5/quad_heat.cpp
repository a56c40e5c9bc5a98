#include "measure.hpp"
#include "meshes.hpp"

namespace tessera::tools {

void measure_quad_heat(const std::string& problem, Measurement& m) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Ordinal side = plate_side(problem);
  const auto mesh = io::box_mesh<Quad<1>, Space>({{side, side, 1}, {1, 1, 1}});
  FunctionSpace<Quad<1>, Space> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {10.0});
  space.constrain(mesh.node_set("xmax"), {200.0});
  measure_problem(problem, "heat", Heat{}, space, m);
}

} // namespace tessera::tools
