// SPDX-License-Identifier: BSD-3-Clause
// tessera-petsc: residuals on one core beside PETSc's, on the same mesh with the same quadrature. They must
// be equal to rounding.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include <Kokkos_Core.hpp>

#include "peers/timing.hpp"
#include "petsc_residual.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <petscsys.h>
#include <string>

namespace {

using namespace tessera;
using namespace tessera::tools;
using ExecutionSpace = Kokkos::DefaultHostExecutionSpace;

struct Kappa {
  template <class Position>
  KOKKOS_FUNCTION double operator()(const Position& x) const {
    return 1 + x(0) + 0.5 * x(1) * x(1);
  }
};

/// A unit square or cube under a smooth map, its sides straight.
template <class Linear>
Mesh<Linear, ExecutionSpace> bent_box(int cells) {
  auto mesh = [&] {
    if constexpr (Linear::dimension == 2)
      return io::box_mesh<Linear, ExecutionSpace>({{cells, cells}, {1.0, 1.0}});
    else
      return io::box_mesh<Linear, ExecutionSpace>({{cells, cells, cells}, {1.0, 1.0, 1.0}});
  }();
  const typename Mesh<Linear, ExecutionSpace>::Coordinates x("Tessera::tools::bent", mesh.num_nodes());
  Kokkos::deep_copy(x, mesh.coordinates());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    const double a = x(n, 0), b = x(n, 1);
    x(n, 0) += 0.2 * b + 0.05 * std::sin(3 * b);
    x(n, 1) += 0.05 * std::cos(3 * a);
  }
  mesh.move(x);
  return mesh;
}

/// \return whether the residuals agree
template <class Linear, class Element>
bool compare(int cells, int repetitions) {
  constexpr int d = Element::dimension;
  const auto linear = bent_box<Linear>(cells);
  const auto mesh = elevated<Element>(linear);
  const auto form = weak_form(VariableLaplace{}, Kappa{});
  constexpr int degree = decltype(form.kernel(mesh.kernel()))::template degree<Element>;
  using Rule = Quadrature<Element::shape, degree>;

  PetscProblem p{.dimension = d, .order = Element::order};
  const auto x = linear.coordinates();
  for (Ordinal n = 0; n < linear.num_nodes(); ++n)
    for (int a = 0; a < d; ++a) p.coordinates.push_back(x(n, a));
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    for (int n = 0; n < Linear::nodes; ++n) p.vertices.push_back(linear.connectivity()(e, n));
    for (int n = 0; n < Element::nodes; ++n) p.nodes.push_back(mesh.connectivity()(e, n));
  }
  for (int q = 0; q < Rule::points; ++q) {
    p.weights.push_back(Rule::weights[q]);
    for (int a = 0; a < d; ++a) p.points.push_back(Rule::coordinates[q][a]);
  }
  const Kokkos::View<double*, ExecutionSpace> u("u", mesh.num_nodes()), r("r", mesh.num_nodes());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    u(n) = std::sin(2.0 * mesh.coordinates()(n, 0)) + mesh.coordinates()(n, 1) * 0.3 * (n % 7);
    p.u.push_back(u(n));
  }
  const PetscResult peer = petsc_residual(p, std::max(1, repetitions / 3));

  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  const double per_element = 1e9 / mesh.num_elements();
  std::printf("\n%s, %d elements, %d unknowns, %d points\n", Element::name, mesh.num_elements(),
              space.num_dofs(), Rule::points);
  std::printf("  %-40s %12s %10s %12s\n", "", "ns/element", "x faster", "difference");
  std::printf("  %-40s %12.1f\n", peer.version.substr(0, 40).c_str(), peer.seconds * per_element);
  bool agree = true;
  const auto measure = [&](const std::string& name, const auto& strategy) {
    auto plan = strategy.plan(space);
    const double seconds = median_seconds(repetitions, [&] { plan.integrate(form, u, r); });
    double scale = 0, difference = 0;
    for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
      scale = std::max(scale, std::abs(peer.residual[n]));
      difference = std::max(difference, std::abs(peer.residual[n] - r(n)));
    }
    const bool equal = difference <= 1e-13 * scale;
    agree = agree && equal;
    std::printf("  %-40s %12.1f %10.1f %12.1e%s\n", name.c_str(), seconds * per_element,
                peer.seconds / seconds, difference / scale, equal ? "" : " WRONG");
    std::fflush(stdout);
  };
  for (const auto& [suffix, strategy] : residual::RecomputingResidual::variants())
    measure("RecomputingResidual" + suffix, strategy);
  measure("ThreadTransposition", residual::ThreadTransposition{});
  return agree;
}

int run(int argc, char** argv) {
  int cells = 48, repetitions = 9;
  for (int i = 1; i < argc; i += 2) {
    const bool value = i + 1 < argc && std::atoi(argv[i + 1]) > 0;
    if (value && std::strcmp(argv[i], "--cells") == 0)
      cells = std::atoi(argv[i + 1]);
    else if (value && std::strcmp(argv[i], "--repetitions") == 0)
      repetitions = std::atoi(argv[i + 1]);
    else {
      std::printf(
          "tessera-petsc [--cells along each edge of the cube] [--repetitions evaluations]: residuals of "
          "-div(kappa(x) grad u) on one core, PETSc's and ours; processor time, medians\n");
      return 2;
    }
  }
  const int squares = static_cast<int>(std::lround(std::pow(3.0 * cells * cells * cells, 0.5)));
  bool agree = compare<Tri<1>, Tri<1>>(squares, repetitions);
  agree = compare<Tri<1>, Tri<2>>(squares / 2, repetitions) && agree;
  agree = compare<Tet<1>, Tet<1>>(cells, repetitions) && agree;
  agree = compare<Tet<1>, Tet<2>>(std::max(1, cells / 2), repetitions) && agree;
  if (agree) std::printf("\nall residuals agree\n");
  return agree ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitializeNoArguments() != PETSC_SUCCESS) return 1;
  int status = 1;
  try {
    const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_num_threads(1));
    status = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-petsc: %s\n", error.what());
  }
  return PetscFinalize() == PETSC_SUCCESS ? status : 1;
}
