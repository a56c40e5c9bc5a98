// SPDX-License-Identifier: BSD-3-Clause
// tessera-peers: assembly on one core beside MFEM's, on the same mesh with the same quadrature. The matrices
// must be equal to rounding.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

#include "mfem_assembly.hpp"
#include "support/options/options.hpp"
#include "support/run_tool.hpp"
#include "timing.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::tools;
using ExecutionSpace = Kokkos::DefaultHostExecutionSpace;

struct Settings {
  std::vector<std::string> strategies;
  int cells = 32, repetitions = 11;
};

/// A cube under a smooth map, so that no entry is right by symmetry.
template <class Element>
Mesh<Element, ExecutionSpace> bent_cube(Ordinal cells) {
  auto mesh = io::box_mesh<Element, ExecutionSpace>({{cells, cells, cells}, {1, 1, 1}});
  const typename Mesh<Element, ExecutionSpace>::Coordinates x("Tessera::tools::bent", mesh.num_nodes());
  Kokkos::deep_copy(x, mesh.coordinates());
  Kokkos::parallel_for("Tessera::tools::bend", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
                       [=](Ordinal n) {
                         const double p[3] = {x(n, 0), x(n, 1), x(n, 2)};
                         x(n, 0) += 0.2 * p[1] + 0.05 * std::sin(3 * p[1] + p[2]);
                         x(n, 1) += 0.05 * std::cos(3 * p[0]);
                         x(n, 2) += 0.1 * p[0] + 0.05 * std::sin(p[0] + 2 * p[1]);
                       });
  mesh.move(x);
  return mesh;
}

/// Largest difference of the values relative to the largest entry of their row; infinity if the patterns
/// differ.
double difference(const LinearSystem<double, ExecutionSpace>& system, const PeerMatrix& peer) {
  const auto& graph = system.graph();
  if (static_cast<std::size_t>(graph.num_rows()) + 1 != peer.row_map.size() ||
      graph.num_entries() != peer.values.size())
    return INFINITY;
  double worst = 0;
  for (Ordinal row = 0; row < graph.num_rows(); ++row) {
    if (graph.row_map(row + 1) != static_cast<Offset>(peer.row_map[row + 1])) return INFINITY;
    double scale = 0, largest = 0;
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
      if (graph.columns(k) != peer.columns[k]) return INFINITY;
      scale = std::max(scale, std::abs(peer.values[k]));
      largest = std::max(largest, std::abs(system.values()(k) - peer.values[k]));
    }
    if (!(largest <= 1e300)) return INFINITY;
    worst = std::max(worst, scale > 0 ? largest / scale : largest);
  }
  return worst;
}

/// Compares on one problem. \return whether all matrices agree
template <class Element, class Form>
bool compare(const Settings& settings, const std::string& title, const Form& form, PeerProblem problem) {
  constexpr double tolerance = 1e-12;
  const auto mesh = bent_cube<Element>(settings.cells);
  const auto connectivity = mesh.connectivity();
  problem.coordinates.assign(mesh.coordinates().data(),
                             mesh.coordinates().data() + mesh.coordinates().size());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int n = 0; n < Element::nodes; ++n) problem.connectivity.push_back(connectivity(e, n));
  problem.element_nodes = Element::nodes;
  problem.quadrature_degree = decltype(form.kernel())::template degree<Element>;
  const PeerResult peer = mfem_assembly(problem, std::max(3, settings.repetitions / 3));

  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const LinearSystem<double, ExecutionSpace> system(space);
  const double per_element = 1e9 / mesh.num_elements();
  std::printf("\n%s, %d elements, %d unknowns\n", title.c_str(), mesh.num_elements(), system.num_rows());
  std::printf("  %-40s %12s %10s %12s\n", "", "ns/element", "x faster", "difference");
  std::printf("  %-40s %12.1f\n", peer.version.c_str(), peer.seconds * per_element);
  bool agree = true;
  for (const std::string& name : settings.strategies) {
    const auto plan = make_assembly(name, space, system.graph());
    const double seconds = median_seconds(settings.repetitions, [&] { plan->assemble(form, system); });
    const double error = difference(system, peer.matrix);
    agree = agree && error <= tolerance;
    std::printf("  %-40s %12.1f %10.1f %12.1e%s\n", name.c_str(), seconds * per_element,
                peer.seconds / seconds, error, error <= tolerance ? "" : " WRONG");
    std::fflush(stdout); // a line as soon as it is known
  }
  return agree;
}

int run(int argc, char** argv) {
  Settings settings;
  settings.strategies.emplace_back("ElementAtomic");
  bool help = false;
  Options options(
      "tessera-peers: assembly on one core, ours (matrix and right-hand side) and MFEM's (matrix; the "
      "pattern is kept).\nTimes are the thread's processor time, medians.");
  options.list("--strategies", settings.strategies, "names of the catalogue, or all");
  options.count("--cells", settings.cells, 1, "cells along each edge of the cube");
  options.count("--repetitions", settings.repetitions, 1, "timed assemblies");
  options.flag("--help", help, "print this");
  options.parse(argc, argv);
  if (help) return std::cout << options.help(), 0;
  if (settings.strategies.size() == 1 && settings.strategies.front() == "all") {
    settings.strategies.clear();
    for (const StrategyInfo& info : assembly_strategies()) settings.strategies.push_back(info.name);
  }
  PeerProblem helmholtz, elasticity;
  helmholtz.sigma = 1.5;
  helmholtz.lambda = 0.7;
  elasticity.elasticity = true;
  const double young = 2.6, poisson = 0.3;
  elasticity.lame_mu = young / (2 * (1 + poisson));
  elasticity.lame_lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const Helmholtz<> scalar_form{.sigma = helmholtz.sigma, .lambda = helmholtz.lambda, .source = 1.0};
  const LinearElasticity<3> vector_form{.young = young, .poisson = poisson};
  bool agree = compare<Tet<1>>(settings, "Tet1 Helmholtz", scalar_form, helmholtz);
  agree = compare<Hex<1>>(settings, "Hex1 Helmholtz", scalar_form, helmholtz) && agree;
  agree = compare<Hex<1>>(settings, "Hex1 elasticity", vector_form, elasticity) && agree;
  return agree ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  // One core, whatever Kokkos would take.
  return tessera::tools::run_tool("tessera-peers", run, argc, argv,
                                  Kokkos::InitializationSettings().set_num_threads(1));
}
