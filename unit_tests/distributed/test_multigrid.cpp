// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_multigrid {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;
using Vector = Kokkos::View<double*, Space>;

/// A box that is held at one end, assembled.
template <class Element>
struct Held {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  LinearSystem<double, Space> system;
  distributed::GlobalEquations equations;

  Held(int components, ConstraintTreatment treatment, MPI_Comm ranks = MPI_COMM_WORLD,
       const io::Box& box = {{8, 6, 5}, {1.0, 2.0, 3.0}})
      : mesh(distributed::box_mesh<Element>(Space(), ranks, box)),
        space(held(mesh.local(), components, treatment)), system(space),
        equations(distributed::contiguous_equations(Space(), mesh, space)) {
    const auto plan = make_assembly("RowOwner", space, system.graph());
    if (components == 1)
      plan->assemble(Helmholtz<>{.sigma = 1.5, .lambda = 0.5}, system);
    else
      plan->assemble(LinearElasticity<Element::dimension>{.young = 3.0, .poisson = 0.3}, system);
  }

  static FunctionSpace<Element, Space> held(const tessera::Mesh<Element, Space>& mesh, int components,
                                            ConstraintTreatment treatment) {
    FunctionSpace<Element, Space> space(mesh, components, treatment);
    for (int c = 0; c < components; ++c) space.constrain(mesh.node_set("xmin"), c, 0.0);
    return space;
  }

  distributed::Multigrid<Space> multigrid(const distributed::MultigridOptions& options) const {
    return {Space(), mesh, system, equations, options};
  }
  /// Random entries of owned equations, by their global numbers.
  Vector random(int seed) const {
    const Kokkos::View<double*, Kokkos::HostSpace> values("values", to_size(equations.owned));
    for (Ordinal i = 0; i < equations.owned; ++i)
      values(i) = std::sin(static_cast<double>(seed) * (1.0 + static_cast<double>(equations.first + i)));
    return Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), values);
  }
};

double dot(const Vector& x, const Vector& y, MPI_Comm ranks = MPI_COMM_WORLD) {
  const auto a = on_host(x), b = on_host(y);
  double sum = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i) sum += a(i) * b(i);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks);
  return sum;
}

void expect_same_bits(const Vector& x, const Vector& y) {
  const auto a = on_host(x), b = on_host(y);
  for (std::size_t i = 0; i < a.extent(0); ++i) ASSERT_EQ(a(i), b(i));
}

/// out = A x, x of the local equations, whose ghosts get their owners' values.
template <class Element>
void multiply(const Held<Element>& held, distributed::NodeExchange<double, Space>& exchange, const Vector& x,
              const Vector& out) {
  exchange.begin(Space(), x);
  exchange.end(Space(), x);
  const auto graph = held.system.graph();
  const auto values = held.system.values();
  Kokkos::parallel_for(
      "multiply", Kokkos::RangePolicy<Space>(0, held.equations.owned), KOKKOS_LAMBDA(const Ordinal row) {
        double sum = 0;
        for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k)
          sum += values(k) * x(graph.columns(k));
        out(row) = sum;
      });
}

/// Iterations of conjugate gradients for a random right-hand side, to a relative residual of 1e-8.
template <class Element>
int iterations_of(const Held<Element>& held, const distributed::Multigrid<Space>& multigrid, MPI_Comm ranks) {
  const int components = held.space.components();
  distributed::NodeExchange<double, Space> exchange(Space(), held.mesh.import(), components);
  const Vector with_ghosts("p", to_size(held.mesh.local().num_nodes()) * to_size(components));
  const Vector r = held.random(5), z("z", r.extent(0)), q("q", r.extent(0));
  const Vector p = Kokkos::subview(with_ghosts, std::make_pair(std::size_t(0), r.extent(0)));
  const auto combine = [](const Vector& x, double factor, const Vector& y) { // x = y + factor x
    Kokkos::parallel_for(
        "combine", Kokkos::RangePolicy<Space>(0, x.extent(0)),
        KOKKOS_LAMBDA(const std::size_t i) { x(i) = y(i) + factor * x(i); });
  };
  const double wanted = 1e-16 * dot(r, r, ranks);
  double before = 1;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (dot(r, r, ranks) <= wanted) return iteration;
    multigrid.apply(Space(), r, z);
    const double now = dot(r, z, ranks);
    combine(p, iteration == 0 ? 0 : now / before, z);
    before = now;
    multiply(held, exchange, with_ghosts, q);
    combine(q, -now / dot(p, q, ranks), r);
    Kokkos::deep_copy(r, q);
  }
  return 100;
}

/// Levels of which few are small enough for the first to be gathered.
const distributed::MultigridOptions many_levels{.levels = {.coarsest_rows = 8}, .gathered_rows = 1};

std::string failure_of(const Held<Hex<1>>& held) {
  try {
    held.multigrid(many_levels);
  } catch (const SolverError& error) {
    return error.what();
  }
  return "no failure";
}

template <class Element>
void expect_symmetric_and_positive(int components, ConstraintTreatment treatment) {
  const Held<Element> held(components, treatment);
  for (const auto& options : {distributed::MultigridOptions(), many_levels}) {
    const auto multigrid = held.multigrid(options);
    const auto x = held.random(1), y = held.random(2);
    const Vector mx("mx", x.extent(0)), my("my", y.extent(0));
    multigrid.apply(Space(), x, mx);
    multigrid.apply(Space(), y, my);
    const double scale = std::sqrt(dot(mx, x) * dot(my, y));
    EXPECT_GT(dot(mx, x), 0);
    EXPECT_GT(dot(my, y), 0);
    EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-5 * scale);
    if (size_of_world() > 1 && options.gathered_rows) EXPECT_GT(multigrid.report().rows.size(), 1u);
  }
}

TEST(DistributedMultigrid, IsSymmetricAndPositive) {
  for (const auto treatment : {removed, zeroed}) {
    expect_symmetric_and_positive<Tet<1>>(1, treatment);
    expect_symmetric_and_positive<Hex<1>>(3, treatment);
  }
}

TEST(DistributedMultigrid, IsThatOfOneRankOnOne) {
  const Held<Hex<1>> held(3, removed, MPI_COMM_SELF);
  const auto x = held.random(3);
  const Vector y("y", x.extent(0)), expected("expected", x.extent(0));
  held.multigrid({}).apply(Space(), x, y);
  solvers::Multigrid<Space>(held.system, held.space).apply(Space(), x, expected);
  expect_same_bits(y, expected);
}

/// Iterations on one rank and on all for the same box, printed.
/// \param more  on all, at most
template <class Element>
void expect_few_more_iterations(const std::string& name, int components, const std::array<int, 3>& cells,
                                int more) {
  const io::Box box{cells, {1.0, 1.0, 1.0}};
  const Held<Element> whole(components, zeroed, MPI_COMM_SELF, box),
      parts(components, zeroed, MPI_COMM_WORLD, box);
  const int alone = iterations_of(whole, whole.multigrid({}), MPI_COMM_SELF);
  for (const auto& [levels, options] :
       {std::pair("one level", distributed::MultigridOptions()), std::pair("all levels", many_levels)}) {
    const int together = iterations_of(parts, parts.multigrid(options), MPI_COMM_WORLD);
    if (rank_of_world() == 0)
      std::printf("%s, %s over all ranks: %d iterations on 1 rank, %d on %d\n", name.c_str(), levels, alone,
                  together, size_of_world());
    EXPECT_LE(together, alone + more);
  }
}

TEST(DistributedMultigrid, TakesFewMoreIterationsOnMoreRanks) {
  expect_few_more_iterations<Hex<1>>("elasticity", 3, {12, 10, 8}, 1);
  expect_few_more_iterations<Tet<1>>("Helmholtz", 1, {16, 14, 12}, 2);
}

TEST(DistributedMultigrid, GivesTheSameBitsAfterARefresh) {
  const Held<Tet<1>> held(1, removed);
  const auto multigrid = held.multigrid(many_levels);
  const auto x = held.random(4);
  const Vector first("first", x.extent(0)), again("again", x.extent(0));
  multigrid.apply(Space(), x, first);
  multigrid.refresh(Space());
  multigrid.apply(Space(), x, again);
  expect_same_bits(first, again);
}

TEST(DistributedMultigrid, TakesNewValuesByARefresh) {
  Held<Tet<1>> held(1, zeroed);
  const auto refreshed = held.multigrid(many_levels);
  const int before = iterations_of(held, refreshed, MPI_COMM_WORLD);
  make_assembly("RowOwner", held.space, held.system.graph())
      ->assemble(Helmholtz<>{.sigma = 0.01, .lambda = 20.0}, held.system);
  EXPECT_GT(iterations_of(held, refreshed, MPI_COMM_WORLD), before + 2);
  refreshed.refresh(Space());
  EXPECT_LE(iterations_of(held, refreshed, MPI_COMM_WORLD),
            iterations_of(held, held.multigrid(many_levels), MPI_COMM_WORLD) + 1);
}

TEST(DistributedMultigrid, FindsThatTheConstantIsANullVector) {
  const Held<Tet<1>> held(1, removed);
  EXPECT_FALSE(held.multigrid(many_levels).report().gathered.singular);
  const FunctionSpace<Tet<1>, Space> space(held.mesh.local(), 1);
  const LinearSystem<double, Space> system(space);
  make_assembly("RowOwner", space, system.graph())
      ->assemble(Helmholtz<>{.sigma = 1.5, .lambda = 0.0}, system);
  const auto equations = distributed::contiguous_equations(Space(), held.mesh, space);
  EXPECT_TRUE(distributed::Multigrid<Space>(Space(), held.mesh, system, equations, many_levels)
                  .report()
                  .gathered.singular);
}

TEST(DistributedMultigrid, AFailureOnOneRankIsThrownOnAll) {
  const Held<Hex<1>> held(1, zeroed);
  const int last = size_of_world() - 1;
  // An entry of the last rank's rows that has no equal: found while the other ranks wait where levels meet.
  if (rank_of_world() == last) {
    const auto row_map = on_host(held.system.graph().row_map);
    const auto columns = on_host(held.system.graph().columns);
    const auto values = on_host(held.system.values());
    for (Ordinal row = 0; row < held.equations.owned; ++row)
      for (Offset k = row_map(row); k < row_map(row + 1); ++k)
        if (columns(k) > row && columns(k) < held.equations.owned) values(k) += 5 + row % 3;
    Kokkos::deep_copy(held.system.values(), values);
  }
  EXPECT_EQ(failure_of(held), "rank " + std::to_string(last) + ": Multigrid: the matrix is not symmetric");
}

TEST(DistributedMultigrid, NamesARowThatIsNotFinite) {
  const Held<Hex<1>> held(1, zeroed);
  // The last entry of the first rank's first row that couples it with another rank; on one rank that of its
  // first.
  Ordinal bad = 0;
  if (rank_of_world() == 0) {
    const auto row_map = on_host(held.system.graph().row_map);
    const auto columns = on_host(held.system.graph().columns);
    const auto values = on_host(held.system.values());
    const auto last_entry = [&](Ordinal row) { return row_map(row + 1) - 1; };
    while (size_of_world() > 1 && columns(last_entry(bad)) < held.equations.owned) ++bad;
    values(last_entry(bad)) = std::nan("");
    Kokkos::deep_copy(held.system.values(), values);
  }
  MPI_Bcast(&bad, 1, MPI_INT32_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(failure_of(held), "rank 0: Multigrid: row " + std::to_string(bad) +
                                  " of the matrix has an entry that is not finite");
}

TEST(DistributedMultigrid, WithoutEquationsItDoesNothing) {
  const Held<Tet<1>> held(1, removed);
  FunctionSpace<Tet<1>, Space> space(held.mesh.local(), 1, removed);
  std::vector<Ordinal> all(to_size(held.mesh.local().num_nodes()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Ordinal>(i);
  const auto nodes = Kokkos::create_mirror_view_and_copy(
      typename Space::memory_space(),
      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()));
  space.constrain(nodes, 0, 0.0);
  const LinearSystem<double, Space> system(space);
  const auto equations = distributed::contiguous_equations(Space(), held.mesh, space);
  ASSERT_EQ(equations.owned, 0);
  const distributed::Multigrid<Space> multigrid(Space(), held.mesh, system, equations);
  multigrid.apply(Space(), Vector("x", 0), Vector("y", 0));
  multigrid.refresh(Space());
  EXPECT_EQ(multigrid.report().rows, std::vector<GlobalOrdinal>{0});
}

} // namespace distributed_multigrid
} // namespace tessera::test
