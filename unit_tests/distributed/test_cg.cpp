// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/cg.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/distributed/peers/detail/rank_sum.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/solve.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include "distributed/transfers.hpp"
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_cg {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;
using Vector = Kokkos::View<double*, Space>;
const io::Box box{{6, 5, 4}, {1.0, 2.0, 3.0}};

/// The solution of one rank, for all degrees of freedom.
template <class Element>
std::vector<double> solution_of_one(int components, ConstraintTreatment treatment) {
  const auto space = loaded_space(io::box_mesh<Element, Space>(box), components, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_loaded("RowOwner", space, system);
  const Vector x("x", to_size(system.num_rows()));
  EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-12}).converged());
  const auto dofs = on_host(space.expand(x));
  return {dofs.data(), dofs.data() + dofs.extent(0)};
}

/// A loaded box over all ranks, assembled.
template <class Element>
struct Loaded {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  LinearSystem<double, Space> system;
  distributed::GlobalEquations equations;

  Loaded(int components, ConstraintTreatment treatment)
      : mesh(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box)),
        space(loaded_space(mesh.local(), components, treatment)), system(space),
        equations(distributed::global_equations(Space(), mesh, space)) {
    assemble_loaded("RowOwner", space, system);
  }

  distributed::CrsOperator<Space> matrix(distributed::Transfer transfer) const {
    return {Space(), mesh, system, equations, transfer};
  }
  distributed::Multigrid<Space> multigrid(distributed::Transfer transfer) const {
    return {Space(),
            mesh,
            system,
            distributed::contiguous_equations(Space(), mesh, space),
            {.levels = {.coarsest_rows = 10}, .gathered_rows = 60, .transfer = transfer}};
  }
  Vector make_vector() const { return Vector("x", to_size(system.num_rows())); }
};

template <class Element>
void expect_solution(const Loaded<Element>& loaded, const Vector& x, const std::vector<double>& expected,
                     const std::string& what) {
  const auto dofs = on_host(distributed::expand(Space(), loaded.mesh, loaded.space, x));
  const auto components = to_size(loaded.space.components());
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i) {
    const double value =
        expected[to_size(loaded.mesh.global_nodes()(i / components)) * components + i % components];
    worst = std::fmax(worst, std::abs(dofs(i) - value));
    scale = std::fmax(scale, std::abs(value));
  }
  EXPECT_LE(worst, 1e-8 * scale) << what;
}

/// By all transfers, which give the same bits.
template <class Element>
void expect_solution_of_one(int components, ConstraintTreatment treatment, const std::string& what) {
  const Loaded<Element> loaded(components, treatment);
  const auto expected = solution_of_one<Element>(components, treatment);
  std::vector<Vector> solutions;
  for (const auto transfer : transfers()) {
    const auto x = loaded.make_vector();
    const auto result = distributed::cg(Space(), loaded.matrix(transfer), loaded.multigrid(transfer),
                                        loaded.system.rhs(), x, {.relative_tolerance = 1e-11});
    EXPECT_TRUE(result.converged()) << what;
    EXPECT_LE(result.true_residual, 1e-11 * result.rhs_norm) << what;
    EXPECT_LE(result.iterations, 30) << what;
    expect_solution(loaded, x, expected, what);
    solutions.push_back(x);
  }
  const auto first = on_host(solutions.front()), last = on_host(solutions.back());
  for (Ordinal i = 0; i < loaded.equations.owned; ++i) ASSERT_EQ(first(i), last(i)) << what;
}

TEST(DistributedCg, GivesTheSolutionOfOneRank) {
  for (const auto treatment : {removed, zeroed}) {
    expect_solution_of_one<Tet<1>>(1, treatment, "scalar");
    expect_solution_of_one<Hex<1>>(3, treatment, "elastic");
  }
}

TEST(DistributedCg, SoDoTheOtherIterations) {
  const Loaded<Tet<1>> loaded(1, removed);
  const auto expected = solution_of_one<Tet<1>>(1, removed);
  const auto owned = std::make_pair(std::size_t(0), to_size(loaded.equations.owned));
  const auto b = Kokkos::subview(loaded.system.rhs(), owned);
  for (const auto transfer : transfers()) {
    const auto a = loaded.matrix(transfer);
    const auto m = loaded.multigrid(transfer);
    const solvers::CgOptions options{.relative_tolerance = 1e-11};
    const auto by_gmres = loaded.make_vector(), by_bicgstab = loaded.make_vector();
    const Vector of_gmres = Kokkos::subview(by_gmres, owned),
                 of_bicgstab = Kokkos::subview(by_bicgstab, owned);
    EXPECT_TRUE(solvers::gmres(Space(), a, m, b, of_gmres, options).converged());
    EXPECT_TRUE(solvers::bicgstab(Space(), a, m, b, of_bicgstab, options).converged());
    expect_solution(loaded, by_gmres, expected, "gmres");
    expect_solution(loaded, by_bicgstab, expected, "bicgstab");
  }
}

TEST(DistributedCg, AWrongLengthOnOneRankIsThrownOnAll) {
  const Loaded<Tet<1>> loaded(1, zeroed);
  const auto a = loaded.matrix(distributed::Transfer::host);
  const auto m = loaded.multigrid(distributed::Transfer::host);
  const int last = size_of_world() - 1;
  const Vector x("x", to_size(loaded.system.num_rows()) + (rank_of_world() == last ? 1 : 0));
  try {
    distributed::cg(Space(), a, m, loaded.system.rhs(), x);
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("rank " + std::to_string(last) + ": distributed::cg: b has"));
  }
}

TEST(RankSum, AddsInTheOrderOfRanks) {
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  const auto value = [](int rank, int call) { return std::sin(1.0 + 7.0 * rank + 0.3 * call); };
  for (const auto transfer : transfers()) {
    distributed::detail::RankSum<Space> sum(Space(), ranks, transfer);
    const Vector numbers("numbers", 2);
    for (int call = 0; call < 5; ++call) {
      const auto host = Kokkos::create_mirror_view(numbers);
      host(0) = value(ranks.rank(), call);
      host(1) = ranks.rank();
      Kokkos::deep_copy(numbers, host);
      sum(Space(), numbers);
      const auto found = on_host(numbers);
      double first = 0, second = 0;
      for (int rank = 0; rank < ranks.size(); ++rank) {
        first += value(rank, call);
        second += rank;
      }
      EXPECT_EQ(found(0), first);
      EXPECT_EQ(found(1), second);
    }
  }
}

TEST(PeerMemory, IsRefusedOnDevicesThatRanksShare) {
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  if (distributed::detail::are_peers(ranks, true)) return; // each has its own
  EXPECT_THROW(distributed::detail::PeerMemory(ranks, 100, true), UnsupportedError);
}

} // namespace distributed_cg
} // namespace tessera::test
