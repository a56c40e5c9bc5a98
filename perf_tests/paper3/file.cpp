// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure_rows.hpp"
#include "support/problem/problem.hpp"
#include <filesystem>
#include <tuple>
#include <type_traits>

namespace tessera::paper3 {

namespace {

using ExecutionSpace = Kokkos::DefaultExecutionSpace;

/// In the paper's arrays the coefficients of u lie by cell, and only those of an auxiliary field may lie by
/// node; from nodal vectors both are read by the mesh's numbers.
template <class Scalar, class Element>
void measure_numbering(const Settings& settings, const Mesh<Element, ExecutionSpace>& mesh,
                       const std::string& numbering, std::vector<Row>& rows) {
  const residual::ThreadTransposition strategy{};
  Rows<Element, Scalar, ExecutionSpace> of(settings, mesh, rows);
  of.part = "mesh";
  of.numbering = numbering;
  of.add("Poisson", "constant", strategy, Laplace{});
  of.add("Poisson", "nodal, by cell", strategy, weak_form(VariableLaplace{}, element_field<Scalar>(mesh)),
         sizeof(Scalar) * Element::nodes);
  const Kokkos::View<Scalar*, ExecutionSpace> by_node("Tessera::Paper3::by_node", mesh.num_nodes());
  Kokkos::deep_copy(by_node, Scalar(1.5));
  const NodalField<1, ExecutionSpace, Scalar> field{by_node};
  // Compulsory: each node's value once, each cell's numbers of nodes.
  of.add("Poisson", "nodal, by node", strategy, weak_form(VariableLaplace{}, field),
         sizeof(Ordinal) * Element::nodes + sizeof(Scalar) * double(mesh.num_nodes()) / mesh.num_elements());
  of.add_whole("Poisson", strategy, Laplace{});
}

} // namespace

void measure_file(const Settings& settings, std::vector<Row>& rows) {
  tools::Problem problem;
  (std::filesystem::exists(settings.mesh) ? problem.mesh_file : problem.generate) = settings.mesh;
  const ExecutionSpace exec;
  using Linear = std::tuple<Tri<1>, Tet<1>>;
  tools::with_element<Linear>(tools::default_element(problem),
                              [&]<class Element>(std::type_identity<Element>) {
                                const auto given = tools::make_mesh<Element>(exec, problem);
                                for (const char* const numbering : {"given", "hilbert"}) {
                                  const auto mesh = tools::in_order(exec, given, numbering);
                                  measure_numbering<float>(settings, mesh, numbering, rows);
                                  measure_numbering<double>(settings, mesh, numbering, rows);
                                }
                              });
}

} // namespace tessera::paper3
