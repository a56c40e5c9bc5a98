// SPDX-License-Identifier: BSD-3-Clause
#include "mfem_assembly.hpp"

#include "timing.hpp"
#include <memory>
#include <mfem.hpp>

namespace tessera::tools {

namespace {

mfem::Mesh make_mesh(const PeerProblem& problem) {
  const int nodes = static_cast<int>(problem.coordinates.size() / 3);
  const int elements = static_cast<int>(problem.connectivity.size()) / problem.element_nodes;
  mfem::Mesh mesh(3, nodes, elements);
  for (int n = 0; n < nodes; ++n) mesh.AddVertex(&problem.coordinates[3 * n]);
  for (int e = 0; e < elements; ++e) {
    const int* const node = &problem.connectivity[e * problem.element_nodes];
    if (problem.element_nodes == 4)
      mesh.AddTet(node);
    else
      mesh.AddHex(node);
  }
  mesh.FinalizeTopology();
  mesh.Finalize(/*refine=*/false, /*fix_orientation=*/false); // keep the numbering
  return mesh;
}

} // namespace

PeerResult mfem_assembly(const PeerProblem& problem, int repetitions) {
  mfem::Mesh mesh = make_mesh(problem);
  const mfem::H1_FECollection collection(1, 3);
  mfem::FiniteElementSpace space(&mesh, &collection, problem.elasticity ? 3 : 1, mfem::Ordering::byVDIM);
  const mfem::IntegrationRule& rule =
      mfem::IntRules.Get(problem.element_nodes == 4 ? mfem::Geometry::TETRAHEDRON : mfem::Geometry::CUBE,
                         problem.quadrature_degree);
  mfem::ConstantCoefficient sigma(problem.sigma), lambda(problem.lambda), lame_lambda(problem.lame_lambda),
      lame_mu(problem.lame_mu);

  mfem::BilinearForm form(&space);
  const auto add = [&](mfem::BilinearFormIntegrator* integrator) {
    integrator->SetIntRule(&rule);
    form.AddDomainIntegrator(integrator); // takes ownership
  };
  if (problem.elasticity) {
    add(new mfem::ElasticityIntegrator(lame_lambda, lame_mu));
  } else {
    add(new mfem::DiffusionIntegrator(sigma));
    add(new mfem::MassIntegrator(lambda));
  }
  form.UsePrecomputedSparsity();
  constexpr int keep_zeros = 0;
  PeerResult result;
  result.version = mfem::GetVersionStr();
  result.seconds = median_seconds(repetitions, [&] {
    form = 0.0;
    form.Assemble(keep_zeros);
  });
  form.Finalize(keep_zeros);
  mfem::SparseMatrix& matrix = form.SpMat();
  matrix.SortColumnIndices();
  const int rows = matrix.Height(), entries = matrix.NumNonZeroElems();
  result.matrix = {{matrix.GetI(), matrix.GetI() + rows + 1},
                   {matrix.GetJ(), matrix.GetJ() + entries},
                   {matrix.GetData(), matrix.GetData() + entries}};
  return result;
}

} // namespace tessera::tools
