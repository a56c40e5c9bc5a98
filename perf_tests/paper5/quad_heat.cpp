// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/read_mesh.hpp>

#include "measure_problem.hpp"
#include "meshes.hpp"

namespace tessera::tools {

namespace {

using Space = Kokkos::DefaultExecutionSpace;

void measure_plate(const std::string& problem, const Mesh<Quad<1>, Space>& mesh, const std::string& cold,
                   const std::string& hot, Measurement& m) {
  FunctionSpace<Quad<1>, Space> space(mesh, 1);
  space.constrain(mesh.node_set(cold), {10.0});
  space.constrain(mesh.node_set(hot), {200.0});
  measure_problem(problem, "heat", Heat{}, space, m);
}

} // namespace

void measure_quad_heat(const std::string& problem, const std::string& mesh_file, Measurement& m) {
  if (!mesh_file.empty()) {
    measure_plate(problem + ", holes", io::read_mesh<Quad<1>, Space>(mesh_file), "Gamma_g1", "Gamma_g2", m);
    return;
  }
  const Ordinal side = plate_side(paper_mesh(problem));
  measure_plate(problem, io::box_mesh<Quad<1>, Space>({{side, side, 1}, {1, 1, 1}}), "xmin", "xmax", m);
}

} // namespace tessera::tools
