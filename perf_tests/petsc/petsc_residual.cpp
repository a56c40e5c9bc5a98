// SPDX-License-Identifier: BSD-3-Clause
#include "petsc_residual.hpp"

#include "peers/timing.hpp"
#include <map>
#include <petscdmplex.h>
#include <petscds.h>
#include <petscfe.h>
#include <petscsnes.h>
#include <stdexcept>
#include <utility>

namespace tessera::tools {

namespace {

void check(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) throw std::runtime_error("PETSc: error " + std::to_string(code));
}

/// f1 of PETSc's signature.
void variable_laplace(PetscInt dimension, PetscInt, PetscInt, const PetscInt*, const PetscInt*,
                      const PetscScalar*, const PetscScalar*, const PetscScalar* u_x, const PetscInt*,
                      const PetscInt*, const PetscScalar*, const PetscScalar*, const PetscScalar*, PetscReal,
                      const PetscReal* x, PetscInt, const PetscScalar*, PetscScalar* f1) {
  const PetscReal kappa = 1 + x[0] + 0.5 * x[1] * x[1];
  for (PetscInt d = 0; d < dimension; ++d) f1[d] = kappa * u_x[d];
}

/// PETSc's tetrahedra have their first vertices in the other order.
int corner(int dimension, int vertex) { return dimension == 3 && vertex < 2 ? 1 - vertex : vertex; }

/// Our rule on PETSc's reference simplex, which reaches from -1 to 1.
PetscQuadrature quadrature(const PetscProblem& p) {
  const int d = p.dimension, points = static_cast<int>(p.weights.size());
  PetscReal *x = nullptr, *w = nullptr;
  check(PetscMalloc1(points * d, &x));
  check(PetscMalloc1(points, &w));
  for (int q = 0; q < points; ++q) {
    // Barycentric coordinates of our corners; in three dimensions PETSc's reference vertices 1 and 2 lie
    // along y and x.
    std::vector<double> weight(d + 1, 1.0);
    for (int e = 0; e < d; ++e) {
      weight[e + 1] = p.points[q * d + e];
      weight[0] -= p.points[q * d + e];
    }
    for (int e = 0; e < d; ++e) x[q * d + e] = -1;
    for (int vertex = 1; vertex <= d; ++vertex) {
      const int axis = d == 3 && vertex <= 2 ? 2 - vertex : vertex - 1;
      x[q * d + axis] += 2 * weight[corner(d, vertex)];
    }
    w[q] = p.weights[q] * (1 << d);
  }
  PetscQuadrature rule = nullptr;
  check(PetscQuadratureCreate(PETSC_COMM_SELF, &rule));
  check(PetscQuadratureSetData(rule, d, 1, points, x, w));
  return rule;
}

/// PETSc's local degree of freedom of every node.
std::vector<PetscInt> node_offsets(const PetscProblem& p, DM mesh) {
  const int corners = p.dimension + 1, nodes = static_cast<int>(p.u.size());
  const int vertices = static_cast<int>(p.coordinates.size()) / p.dimension;
  PetscInt first_vertex = 0, first_edge = 0, end_edge = 0;
  check(DMPlexGetDepthStratum(mesh, 0, &first_vertex, nullptr));
  check(DMPlexGetDepthStratum(mesh, 1, &first_edge, &end_edge));
  PetscSection section = nullptr;
  check(DMGetLocalSection(mesh, &section));
  std::vector<PetscInt> offset(nodes, -1);
  for (int v = 0; v < vertices; ++v) check(PetscSectionGetOffset(section, first_vertex + v, &offset[v]));
  if (p.order == 1) return offset;
  std::map<std::pair<int, int>, int> middle; // of an edge's vertices
  const int edges = corners * (corners - 1) / 2, per_element = corners + edges;
  static constexpr int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}; // VTK's order
  for (std::size_t e = 0; e < p.vertices.size() / corners; ++e)
    for (int k = 0; k < edges; ++k) {
      const int a = p.vertices[e * corners + ends[k][0]], b = p.vertices[e * corners + ends[k][1]];
      middle[std::minmax(a, b)] = p.nodes[e * per_element + corners + k];
    }
  for (PetscInt edge = first_edge; edge < end_edge; ++edge) {
    const PetscInt* cone = nullptr;
    check(DMPlexGetCone(mesh, edge, &cone));
    const int a = static_cast<int>(cone[0] - first_vertex), b = static_cast<int>(cone[1] - first_vertex);
    check(PetscSectionGetOffset(section, edge, &offset[middle.at(std::minmax(a, b))]));
  }
  return offset;
}

} // namespace

PetscResult petsc_residual(const PetscProblem& p, int repetitions) {
  const int d = p.dimension, corners = d + 1;
  const auto elements = static_cast<PetscInt>(p.vertices.size()) / corners;
  std::vector<PetscInt> cells(p.vertices.size());
  for (PetscInt e = 0; e < elements; ++e)
    for (int v = 0; v < corners; ++v) cells[e * corners + v] = p.vertices[e * corners + corner(d, v)];
  DM mesh = nullptr;
  check(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, d, elements,
                                      static_cast<PetscInt>(p.coordinates.size()) / d, corners, PETSC_TRUE,
                                      cells.data(), d, p.coordinates.data(), &mesh));
  check(PetscOptionsSetValue(nullptr, "-petscspace_degree", std::to_string(p.order).c_str()));
  PetscFE fe = nullptr;
  check(PetscFECreateDefault(PETSC_COMM_SELF, d, 1, PETSC_TRUE, nullptr, PETSC_DETERMINE, &fe));
  PetscQuadrature rule = quadrature(p);
  check(PetscFESetQuadrature(fe, rule));
  check(DMSetField(mesh, 0, nullptr, reinterpret_cast<PetscObject>(fe)));
  check(DMCreateDS(mesh));
  PetscDS system = nullptr;
  check(DMGetDS(mesh, &system));
  check(PetscDSSetResidual(system, 0, nullptr, variable_laplace));

  const std::vector<PetscInt> offset = node_offsets(p, mesh);
  Vec u = nullptr, f = nullptr;
  check(DMCreateLocalVector(mesh, &u));
  check(VecDuplicate(u, &f));
  PetscScalar* values = nullptr;
  check(VecGetArray(u, &values));
  for (std::size_t n = 0; n < p.u.size(); ++n) values[offset[n]] = p.u[n];
  check(VecRestoreArray(u, &values));

  PetscResult result;
  char version[256];
  check(PetscGetVersion(version, sizeof version));
  result.version = version;
  result.seconds = median_seconds(repetitions, [&] {
    check(VecSet(f, 0));
    check(DMPlexSNESComputeResidualFEM(mesh, u, f, nullptr));
  });
  check(VecGetArray(f, &values));
  result.residual.resize(p.u.size());
  for (std::size_t n = 0; n < p.u.size(); ++n) result.residual[n] = values[offset[n]];
  check(VecRestoreArray(f, &values));
  check(VecDestroy(&u));
  check(VecDestroy(&f));
  check(PetscQuadratureDestroy(&rule));
  check(PetscFEDestroy(&fe));
  check(DMDestroy(&mesh));
  return result;
}

} // namespace tessera::tools
