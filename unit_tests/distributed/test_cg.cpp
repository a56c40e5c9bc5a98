// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/cg.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/distributed/peers/detail/rank_sum.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/gmres.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include "distributed/solutions.hpp"
#include "distributed/transfers.hpp"
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_cg {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;
using Vector = Kokkos::View<double*, Space>;
const io::Box box{{6, 5, 4}, {1.0, 2.0, 3.0}};

/// A loaded box over all ranks, assembled.
template <class Element>
struct Loaded {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  LinearSystem<double, Space> system;
  distributed::GlobalEquations equations;

  Loaded(int components, ConstraintTreatment treatment, const io::Box& cells = box,
         distributed::BoxBlocks blocks = {0, 0, 0})
      : mesh(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, cells, blocks)),
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

/// By all transfers, which give the same bits.
template <class Element>
void expect_solution_of_one(int components, ConstraintTreatment treatment, const std::string& what) {
  const Loaded<Element> loaded(components, treatment);
  const auto expected = solution_of_one<Element>(box, components, treatment);
  std::vector<Vector> solutions;
  for (const auto transfer : transfers()) {
    const auto x = loaded.make_vector();
    const auto result = distributed::cg(Space(), loaded.matrix(transfer), loaded.multigrid(transfer),
                                        loaded.system.rhs(), x, {.relative_tolerance = 1e-11});
    EXPECT_TRUE(result.converged()) << what;
    EXPECT_LE(result.true_residual, 1e-11 * result.rhs_norm) << what;
    EXPECT_LE(result.iterations, 30) << what;
    expect_solution(loaded.mesh, loaded.space, x, expected, what);
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
  const auto expected = solution_of_one<Tet<1>>(box, 1, removed);
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
    expect_solution(loaded.mesh, loaded.space, by_gmres, expected, "gmres");
    expect_solution(loaded.mesh, loaded.space, by_bicgstab, expected, "bicgstab");
  }
}

TEST(DistributedCg, RanksMayBeWithoutEquations) {
  const io::Box few{{1, 2, 1}, {1.0, 2.0, 3.0}};
  for (const auto treatment : {removed, zeroed}) {
    const Loaded<Hex<1>> loaded(3, treatment, few, {1, size_of_world(), 1});
    const auto expected = solution_of_one<Hex<1>>(few, 3, treatment);
    for (const auto transfer : transfers()) {
      const auto x = loaded.make_vector();
      EXPECT_TRUE(distributed::cg(Space(), loaded.matrix(transfer), loaded.multigrid(transfer),
                                  loaded.system.rhs(), x, {.relative_tolerance = 1e-11})
                      .converged());
      expect_solution(loaded.mesh, loaded.space, x, expected, "few");
    }
  }
}

TEST(DistributedCg, WithoutALoadTheSolutionIsZero) {
  const Loaded<Tet<1>> loaded(1, zeroed);
  for (const auto transfer : transfers()) {
    const auto b = loaded.make_vector(), x = loaded.make_vector();
    Kokkos::deep_copy(x, 1.0);
    EXPECT_TRUE(
        distributed::cg(Space(), loaded.matrix(transfer), loaded.multigrid(transfer), b, x).converged());
    const auto found = on_host(x);
    for (Ordinal i = 0; i < loaded.equations.owned; ++i) ASSERT_NEAR(found(i), 0, 1e-6);
  }
}

/// What a solution throws whose operator and preconditioner go with the exception.
std::string failure_of(const Loaded<Tet<1>>& loaded, distributed::Transfer transfer, const Vector& b) {
  try {
    const auto a = loaded.matrix(transfer);
    const auto m = loaded.multigrid(transfer);
    distributed::cg(Space(), a, m, b, loaded.make_vector());
  } catch (const SolverError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(DistributedCg, ALoadThatIsNotFiniteOnOneRankIsThrownOnAll) {
  const Loaded<Tet<1>> loaded(1, zeroed);
  const auto b = loaded.make_vector();
  if (rank_of_world() == size_of_world() - 1)
    Kokkos::deep_copy(Kokkos::subview(b, 0), std::numeric_limits<double>::quiet_NaN());
  for (const auto transfer : transfers())
    for (int again = 0; again < 2; ++again) // peers whose memory was left in place do not stand in the way
      EXPECT_THAT(failure_of(loaded, transfer, b),
                  ::testing::HasSubstr("|b| = nan: the right-hand side is not finite"));
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
