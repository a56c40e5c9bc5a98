// SPDX-License-Identifier: BSD-3-Clause
// tessera-messages: what each rank has of a mesh, what it sends in each phase, and how long the slowest
// takes.
//
//   mpiexec -n 4 tessera-messages [helmholtz|elasticity [tet1|hex1 [cells of a rank along each axis
//   [strategy]]]]

#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "problem.hpp"
#include "support/ranks/mpi_calls.hpp"
#include "support/ranks/phases.hpp"
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <sys/resource.h>

namespace tessera::tools::messages {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

namespace {

/// Seconds, messages, their bytes, collective calls, their bytes.
using Costs = std::array<double, 5>;

/// The most of the ranks, on all of them.
Costs costs_of(const std::function<void()>& action) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Kokkos::Timer timer;
  const MpiCalls calls = mpi_calls_of(action);
  Kokkos::fence("Tessera::tools::measure");
  const Costs mine{timer.seconds(), static_cast<double>(calls.messages),
                   static_cast<double>(calls.message_bytes), static_cast<double>(calls.collectives),
                   static_cast<double>(calls.collective_bytes)};
  Costs most{};
  MPI_Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

} // namespace

void measure(const std::string& name, const std::function<void()>& action, int runs) {
  Costs least = costs_of(action);
  for (int run = 1; run < runs; ++run) least = std::min(least, costs_of(action));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  const double peak = extremes(MPI_COMM_WORLD, mebibytes).most;
  if (rank_of_world() == 0)
    std::printf(
        "%-28s %9.4f s, messages %5.0f, bytes %10.0f, collectives %5.0f, bytes %10.0f, peak %6.0f MiB\n",
        name.c_str(), least[0], least[1], least[2], least[3], least[4], peak);
}

/// What ranks have, and what they assemble in vain.
template <class Element>
void print_parts(const distributed::Mesh<Element, Space>& mesh) {
  const double mine[4] = {double(mesh.owned_nodes()), double(mesh.ghost_nodes()),
                          double(mesh.owned_elements()),
                          double(mesh.local().num_elements() - mesh.owned_elements())};
  double most[4] = {};
  MPI_Reduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank_of_world() == 0)
    std::printf("%d ranks, most of a rank: %.0f owned nodes, %.0f ghosts; %.0f owned elements, %.0f others\n",
                mesh.ranks().size(), most[0], most[1], most[2], most[3]);
}

template <class Element>
Problem<Element> make_problem(const Settings& settings, const io::Box& box,
                              const distributed::BoxBlocks& blocks) {
  std::optional<distributed::Mesh<Element, Space>> mesh;
  measure("mesh", [&] { mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks); });
  const int components = settings.problem == "elasticity" ? 3 : 1;
  FunctionSpace<Element, Space> space(mesh->local(), components, ConstraintTreatment::zeroed);
  space.constrain(mesh->local().node_set("xmin"), std::vector<double>(to_size(components), 0.0));
  print_parts(*mesh);
  return {*mesh, space, settings.strategy};
}

template <class Element>
void assemble(const Problem<Element>& problem, const LinearSystem<double, Space>& system) {
  std::unique_ptr<AnyAssembly<Element, Space>> plan;
  measure("plan", [&] { plan = make_assembly(problem.strategy, problem.space, system.graph()); });
  const auto once = [&] {
    if (problem.space.components() == 1)
      plan->assemble(Helmholtz<>{.sigma = 1.0, .lambda = 0.0, .source = 1.0}, system);
    else
      plan->assemble(LinearElasticity<3>{.young = 1.0, .poisson = 0.3, .body_force = {0, 0, -1}}, system);
  };
  measure("assembly, first", once);
  measure("assembly, again", once);
}

template <class Element>
void run(const Settings& settings) {
  distributed::BoxBlocks blocks{1, 1, 1};
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (std::size_t axis = 0, rest = to_size(ranks); rest > 1; axis = (axis + 1) % 3) {
    if (rest % 2 != 0) throw ArgumentError("tessera-messages: the number of ranks must be a power of two");
    blocks[axis] *= 2;
    rest /= 2;
  }
  io::Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.cells[d] = settings.cells * blocks[d];
    box.lengths[d] = blocks[d];
  }
  const auto problem = make_problem<Element>(settings, box, blocks);
  measure("equations", [&] { distributed::global_equations(Space(), problem.mesh, problem.space); });
  {
    std::optional<LinearSystem<double, Space>> system;
    measure("graph", [&] { system.emplace(problem.space); });
    assemble(problem, *system);
  }
  distributed::NodeExchange<double, Space> exchange(Space(), problem.mesh.import(),
                                                    problem.space.components());
  const Kokkos::View<double*, Space> values("Tessera::tools::values", to_size(problem.space.num_dofs()));
  measure("exchange of ghosts", [&] {
    exchange.begin(Space(), values);
    exchange.end(Space(), values);
  });
  solve(problem);
  assemble_again<Element>({problem.mesh,
                           {problem.mesh.local(), problem.space.components(), ConstraintTreatment::zeroed},
                           settings.strategy});
}

} // namespace tessera::tools::messages

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      tessera::tools::messages::Settings settings;
      if (argc > 1) settings.problem = argv[1];
      const std::string element = argc > 2 ? argv[2] : "hex1";
      if (argc > 3) settings.cells = std::stoi(argv[3]);
      if (argc > 4) settings.strategy = argv[4];
      if (settings.problem != "elasticity" && settings.problem != "helmholtz")
        throw tessera::ArgumentError("there is no problem '" + settings.problem + "': helmholtz, elasticity");
      if (element == "tet1")
        tessera::tools::messages::run<tessera::Tet<1>>(settings);
      else if (element == "hex1")
        tessera::tools::messages::run<tessera::Hex<1>>(settings);
      else
        throw tessera::ArgumentError("there is no element '" + element + "' here: tet1, hex1");
    } catch (const std::exception& error) {
      std::fprintf(stderr, "tessera-messages: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  MPI_Finalize();
}
