// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/constraints.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>
#include <tessera/tools/support/ranks/mpi_calls.hpp>

#include <gmock/gmock.h>

#include "distributed/tpetra/problem.hpp"
#include "support/hooks.hpp"
#include <cmath>
#include <functional>

namespace tessera::test {
namespace distributed_tpetra_system {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

double entry_of(GlobalOrdinal dof) { return std::cos(0.7 * static_cast<double>(dof)); }

/// Tpetra's product with a vector that is known by degrees of freedom, against the rows of one rank: maps,
/// columns and the import.
template <class Element>
void expect_product(const Problem<Element>& problem, const Rows& whole, const std::string& what) {
  const auto dofs = local_dofs(problem.space, problem.nodes()).first;
  const auto x = problem.system.make_vector(), y = problem.system.make_vector();
  {
    const auto values = x.owned->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < values.extent(0); ++i) values(i, 0) = entry_of(dofs[i]);
  }
  problem.system.matrix()->apply(*x.owned, *y.owned);
  const auto values = y.owned->getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto rhs = problem.system.rhs()->getLocalViewHost(Tpetra::Access::ReadOnly);
  ASSERT_EQ(values.extent(0), rhs.extent(0));
  double worst = 0, scale = 0, worst_load = 0;
  for (std::size_t i = 0; i < values.extent(0); ++i) {
    const Row& row = whole.at(dofs[i]);
    double expected = 0;
    for (const auto& [column, value] : row.entries) expected += value * entry_of(column);
    worst = std::fmax(worst, std::abs(values(i, 0) - expected));
    scale = std::fmax(scale, std::abs(expected));
    worst_load = std::fmax(worst_load, std::abs(rhs(i, 0) - row.load));
  }
  EXPECT_LE(worst, 1e-13 * scale) << what;
  EXPECT_LE(worst_load, 1e-13 * scale) << what;
}

template <class Element>
void expect_views(const Problem<Element>& problem) {
  const auto& local = problem.system.local();
  const auto matrix = problem.system.matrix();
  EXPECT_TRUE(matrix->isFillComplete());
  const auto seen = matrix->getLocalMatrixDevice();
  EXPECT_EQ(static_cast<const void*>(seen.values.data()), local.values().data());
  EXPECT_EQ(static_cast<const void*>(seen.graph.entries.data()), local.graph().columns.data());
  EXPECT_EQ(static_cast<const void*>(seen.graph.row_map.data()), local.graph().row_map.data());
  EXPECT_EQ(
      static_cast<const void*>(problem.system.rhs()->getLocalViewDevice(Tpetra::Access::ReadOnly).data()),
      local.rhs().data());
}

template <class Element>
void expect_system(const io::Box& box, int components) {
  const auto whole = io::box_mesh<Element, Space>(box);
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Element> problem(box, components, treatment);
    const auto& equations = problem.system.equations();
    EXPECT_EQ(sum_over_ranks(equations.owned), equations.total);
    if (equations.owned > 0) expect_views(problem);
    for (const std::string strategy : {"RowOwner", "ElementAtomic"}) {
      const auto what = strategy + (treatment == removed ? ", removed" : ", zeroed");
      const auto expected = all_rows(whole, components, treatment, strategy);
      problem.assemble(strategy);
      expect_rows_of_whole(
          rows_of(problem.space, problem.system.local(), problem.mesh.owned_nodes(), problem.nodes()),
          expected, strategy != "ElementAtomic", what);
      expect_product(problem, expected, what);
    }
  }
}

TEST(TpetraSystem, IsThatOfOneRank) {
  expect_system<Tet<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1);
  expect_system<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3);
  expect_system<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1);
  expect_system<Hex<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3);
}

TEST(TpetraSystem, EquationsAreNumbered) {
  const io::Box box{{4, 3, 3}, {1.0, 2.0, 3.0}};
  const Problem<Tet<1>> kept(box, 3, zeroed), numbered(box, 3, removed);
  const auto dofs = local_dofs(kept.space, kept.nodes()).first;
  for (std::size_t i = 0; i < dofs.size(); ++i) EXPECT_EQ(kept.system.equations().numbers(i), dofs[i]);
  const auto& equations = numbered.system.equations();
  for (Ordinal i = 1; i < equations.owned; ++i)
    EXPECT_EQ(equations.numbers(to_size(i)), equations.numbers(0) + i) << "one after the other";
}

TEST(TpetraSystem, FollowsAnAssemblyWithoutMessagesOrMemory) {
  const Problem<Tet<1>> problem({{5, 4, 3}, {1.0, 2.0, 3.0}}, 3, removed);
  const auto& local = problem.system.local();
  for (const auto* strategy : {"RowOwner", "ElementAtomic"}) {
    const auto plan = make_assembly(strategy, problem.space, local.graph());
    plan->assemble(LinearElasticity<3>{.young = 1.0, .poisson = 0.3}, local);
    const auto first = problem.system.matrix()->getLocalMatrixHost().values;
    const std::vector<double> before(first.data(), first.data() + first.extent(0));
    tools::MpiCalls calls;
    const auto events = events_of([&] {
      calls = tools::mpi_calls_of(
          [&] { plan->assemble(LinearElasticity<3>{.young = 4.0, .poisson = 0.3}, local); });
    });
    EXPECT_EQ(calls.messages + calls.collectives, 0) << strategy << ": " << calls;
    for (const Event& event : events)
      EXPECT_NE(event.kind, Event::Kind::allocation) << strategy << ": " << event;
    const auto second = problem.system.matrix()->getLocalMatrixHost().values;
    std::size_t changed = 0;
    for (std::size_t k = 0; k < before.size(); ++k) changed += second(k) != before[k] ? 1 : 0;
    EXPECT_GT(changed, before.size() / 2) << strategy << ": Tpetra sees the old values";
  }
}

struct Diffusion {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    return 0.0;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return 1.5 * p.grad_u;
  }
};

TEST(TpetraSystem, ResidualsOfOwnedNodesNeedNoMessages) {
  const auto mesh = distributed::box_mesh<Tet<1>>(Space(), MPI_COMM_WORLD, {{5, 4, 3}, {1.0, 2.0, 3.0}});
  const FunctionSpace<Tet<1>, Space> space(mesh.local(), 1, zeroed);
  const distributed::TpetraSystem<Space> system(mesh, space);
  make_assembly("RowOwner", space, system.local().graph())
      ->assemble(Helmholtz<>{.sigma = 1.5, .lambda = 0.0, .source = 0.0}, system.local());
  const auto u = system.make_vector(), r = system.make_vector(), product = system.make_vector();
  u.owned->randomize();
  system.matrix()->apply(*u.owned, *product.owned);
  auto residual = residual::RecomputingResidual().plan(Space(), space);
  const auto weak = as_weak_form(Diffusion());
  distributed::NodeExchange<double, Space> ghosts(Space(), mesh.import(), 1);
  for (int time = 0; time < 2; ++time) {
    ghosts.begin(Space(), u.local);
    ghosts.end(Space(), u.local);
    const auto calls = tools::mpi_calls_of([&] { residual.integrate(weak, u.local, r.local); });
    EXPECT_EQ(calls.messages + calls.collectives, 0) << calls;
  }
  r.owned->update(-1.0, *product.owned, 1.0);
  EXPECT_LE(r.owned->normInf(), 1e-13 * product.owned->normInf());
}

/// What every rank throws; the same on all.
std::string message_of_all(const std::function<void()>& action) {
  std::string message = "nothing";
  try {
    action();
  } catch (const Error& error) {
    message = error.what();
  }
  char first[512] = {};
  message.copy(first, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(message, first) << "rank " << rank_of_world();
  return message;
}

/// The nodes of a set that the rank owns.
Kokkos::View<Ordinal*, Space> owned_part(const Kokkos::View<Ordinal*, Space>& set, Ordinal owned) {
  const auto host = on_host(set);
  std::vector<Ordinal> kept;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if (host(i) < owned) kept.push_back(host(i));
  const Kokkos::View<Ordinal*, Space> view("nodes", kept.size());
  Kokkos::deep_copy(view, Kokkos::View<const Ordinal*, Kokkos::HostSpace>(kept.data(), kept.size()));
  return view;
}

TEST(TpetraSystem, GhostsWithoutTheirConstraintsAreFoundAndCompleted) {
  const io::Box box{{4, 6, 3}, {1.0, 2.0, 3.0}};
  const distributed::BoxBlocks blocks{1, size_of_world(), 1};
  const auto mesh = distributed::box_mesh<Tet<1>>(Space(), MPI_COMM_WORLD, box, blocks);
  const auto whole = io::box_mesh<Tet<1>, Space>(box);
  for (const auto treatment : {removed, zeroed}) {
    auto space = loaded_space(mesh.local(), 3, treatment);
    const auto complete = loaded_space(mesh.local(), 3, treatment);
    space.clear_constraints();
    const auto values = [](const auto& x) { return 0.25 + x(1); };
    space.prescribe(owned_part(mesh.local().node_set("xmin"), mesh.owned_nodes()), 0, values);
    space.constrain(owned_part(mesh.local().node_set("ymin"), mesh.owned_nodes()), 1, 0.0);
    const auto message = message_of_all([&] { distributed::TpetraSystem<Space>(mesh, space); });
    if (size_of_world() == 1)
      EXPECT_EQ(message, "nothing");
    else
      EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr(" is free as a ghost and constrained to "),
                                            ::testing::HasSubstr("share_constraints")));
    space.constrain(mesh.local().node_set("zmin"), 2, 1.0);
    space.release(owned_part(mesh.local().node_set("zmin"), mesh.owned_nodes()), 2);
    distributed::share_constraints(mesh, space);
    const distributed::TpetraSystem<Space> system(mesh, space);
    assemble_loaded("RowOwner", space, system.local());
    const auto& numbers = mesh.global_nodes();
    expect_rows_of_whole(rows_of(space, system.local(), mesh.owned_nodes(),
                                 {numbers.data(), numbers.data() + numbers.extent(0)}),
                         all_rows(whole, 3, treatment, "RowOwner"), true, "completed");
    const auto revision = space.revision();
    distributed::share_constraints(mesh, space);
    EXPECT_EQ(space.revision(), revision) << "nothing is missing: graphs still fit";
  }
}

TEST(TpetraSystem, OtherValuesOfGhostsAreFound) {
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{3, 4, 3}, {1.0, 1.0, 1.0}});
  FunctionSpace<Hex<1>, Space> space(mesh.local(), 1);
  space.constrain(mesh.local().node_set("xmin"), 0, 1.0 + rank_of_world());
  const auto message = message_of_all([&] { distributed::check_constraints(Space(), mesh, space); });
  if (size_of_world() > 1) EXPECT_THAT(message, ::testing::HasSubstr("constrained to"));
}

TEST(TpetraSystem, RefusesWhatDoesNotFitOnEveryRank) {
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{3, 4, 3}, {1.0, 1.0, 1.0}});
  const auto other = io::box_mesh<Hex<1>, Space>({{2, 2, 2}, {1.0, 1.0, 1.0}});
  const auto build = [&](const FunctionSpace<Hex<1>, Space>& space) {
    return message_of_all([&] { distributed::TpetraSystem<Space>(mesh, space); });
  };
  const bool last = rank_of_world() == size_of_world() - 1;
  const FunctionSpace<Hex<1>, Space> foreign(other, 1), own(mesh.local(), 1);
  EXPECT_THAT(build(last ? foreign : own), ::testing::HasSubstr("is not of the distributed mesh"));
  if (size_of_world() > 1) {
    EXPECT_THAT(build(FunctionSpace<Hex<1>, Space>(mesh.local(), last ? 3 : 1)),
                ::testing::HasSubstr("the number of components is 3"));
    EXPECT_THAT(build(FunctionSpace<Hex<1>, Space>(mesh.local(), 1, last ? zeroed : removed)),
                ::testing::HasSubstr("the treatment of constraints"));
  }
}

TEST(TpetraSystem, SaysThatTpetraCannotCountTheEquations) {
  if (sizeof(Types::GlobalNumber) > 4) GTEST_SKIP() << "this Tpetra counts in 64 bits";
  distributed::GlobalEquations equations;
  equations.total = GlobalOrdinal{1} << 31;
  EXPECT_EQ(
      message_of_all(
          [&] { distributed::tpetra_maps<Space>(distributed::Communicator(MPI_COMM_WORLD), equations); }),
      "Tpetra counts equations in 32 bits, up to 2147483647; the mesh has 2147483648: build Trilinos with "
      "Tpetra_INST_INT_LONG_LONG=ON");
}

} // namespace distributed_tpetra_system
} // namespace tessera::test
