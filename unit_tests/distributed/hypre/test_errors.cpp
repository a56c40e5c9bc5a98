// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/distributed/hypre/multigrid.hpp>

#include <gmock/gmock.h>

#include "distributed/hypre/problem.hpp"
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::test {
namespace distributed_hypre_errors {

/// The message of the error that every rank throws, which must be the same.
template <class Failure, class Action>
std::string message_of_all(const Action& action) {
  std::string message = "no error";
  try {
    action();
  } catch (const Failure& e) {
    message = e.what();
  }
  std::string first = message;
  first.resize(512);
  MPI_Bcast(first.data(), 512, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(message, first.c_str());
  return message;
}

TEST(HypreErrors, NameTheRowOnEveryRank) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> problem({{4, 4, 4}, {1.0, 1.0, 1.0}}, 3, treatment);
    const auto& local = problem.system.local();
    const auto make = [&] { distributed::BoomerAmg<Space>(problem.system, problem.mesh); };
    const int last = size_of_world() - 1;
    const auto zero_row = message_of_all<SolverError>(make); // not assembled, so that rank 0 is the first
    EXPECT_THAT(zero_row, ::testing::StartsWith("rank 0: the row of component "));
    EXPECT_THAT(zero_row, ::testing::HasSubstr("is zero: no element has the node, or the system was not"));

    // The last free degree of freedom of the last rank.
    problem.assemble();
    const Ordinal row = problem.system.equations().owned - 1;
    const auto dof = local_dofs(problem.space, problem.nodes()).first[to_size(row)];
    std::string name = "component " + std::to_string(dof % 3) + " of node " + std::to_string(dof / 3);
    name.resize(64);
    MPI_Bcast(name.data(), 64, MPI_CHAR, last, MPI_COMM_WORLD);
    const std::string who = "rank " + std::to_string(last) + ": the ", what = name.c_str();
    const auto spoil = [&](const Kokkos::View<double*, Space>& values, Offset begin, Offset end, double by) {
      if (rank_of_world() == last) Kokkos::deep_copy(Kokkos::subview(values, std::pair(begin, end)), by);
      problem.system.refill();
    };
    const auto row_map = on_host(local.graph().row_map);
    const Offset begin = row_map(row), end = row_map(row + 1);
    const distributed::BoomerAmg<Space> amg(problem.system, problem.mesh);
    const auto x = problem.system.make_vector();
    const auto solve = [&] { distributed::hypre_cg(amg, x); };
    spoil(local.values(), begin, end, 0.0);
    EXPECT_THAT(message_of_all<SolverError>(make),
                ::testing::StartsWith(who + "row of " + what + " is zero"));
    EXPECT_THAT(message_of_all<SolverError>(solve), ::testing::HasSubstr(" is zero"));
    spoil(local.values(), end - 1, end, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(message_of_all<SolverError>(make), who + "row of " + what + " has values that are not finite");
    problem.assemble();
    spoil(local.rhs(), to_size(row), to_size(row) + 1, std::numeric_limits<double>::infinity());
    EXPECT_EQ(message_of_all<SolverError>(solve), who + "right-hand side of " + what + " is not finite");
    problem.assemble();
    spoil(x, to_size(row), to_size(row) + 1, std::numeric_limits<double>::infinity());
    EXPECT_EQ(message_of_all<ArgumentError>(solve),
              "rank " + std::to_string(last) + ": hypre_cg: the first guess of " + what + " is not finite");
  }
}

TEST(HypreErrors, OptionsAreChecked) {
  const Problem<Tet<1>> parts({{3, 4, 3}, {1.0, 2.0, 3.0}}, 3, removed);
  parts.assemble();
  const auto message = [&]<class Failure>(std::type_identity<Failure>,
                                          const distributed::BoomerAmgOptions& options) {
    return message_of_all<Failure>([&] { distributed::BoomerAmg<Space>(parts.system, parts.mesh, options); });
  };
  const std::type_identity<ArgumentError> argument;
  const std::type_identity<UnsupportedError> unsupported;
  EXPECT_THAT(message(argument, {.strong_threshold = 1.5}), ::testing::HasSubstr("strong threshold is 1.5"));
  EXPECT_THAT(message(argument, {.aggressive_levels = -1}), ::testing::HasSubstr("-1 aggressive levels"));
  EXPECT_THAT(message(argument, {.interpolation_variant = 1}), ::testing::HasSubstr("variant is 1"));
  for (const auto kind : {distributed::AmgComponents::nodal, distributed::AmgComponents::rotations})
    EXPECT_THAT(message(unsupported, {.components = kind}), ::testing::HasSubstr("AmgComponents::apart"));
  const auto other = distributed::box_mesh<Tet<1>>(Space(), MPI_COMM_WORLD, {{3, 4, 3}, {1.0, 2.0, 3.0}});
  EXPECT_EQ(message_of_all<ArgumentError>([&] { distributed::BoomerAmg<Space>(parts.system, other); }),
            "rank 0: BoomerAMG: the mesh is not that of the system");
  EXPECT_EQ(message_of_all<ArgumentError>([&] { distributed::HypreMultigrid<Space>(parts.system, other); }),
            "rank 0: HypreMultigrid: the mesh is not that of the system");
  EXPECT_EQ(message_of_all<ArgumentError>([&] {
              distributed::HypreMultigrid<Space>(parts.system, parts.mesh,
                                                 {.levels = {}, .gathered_rows = 0});
            }),
            "rank 0: Multigrid: gathered_rows must be at least 1, got 0");
  // hypre's own words; its error is gone then, as is one that the application has left.
  EXPECT_THAT(message(std::type_identity<SolverError>{}, {.relaxation = -1}),
              ::testing::HasSubstr("hypre, BoomerAMG's options: [Error in argument 2]"));
  HYPRE_BoomerAMGSetTol(nullptr, 0.0);
  EXPECT_NE(HYPRE_GetError(), 0);
  const auto x = parts.system.make_vector();
  EXPECT_TRUE(distributed::hypre_cg(distributed::BoomerAmg<Space>(parts.system, parts.mesh), x).converged);
  EXPECT_EQ(message_of_all<ArgumentError>([&] {
              const Kokkos::View<double*, Space> other("other", x.extent(0) + 1);
              distributed::hypre_cg(distributed::BoomerAmg<Space>(parts.system, parts.mesh), other);
            }).find("rank 0: hypre_cg: x has "),
            0u);
}

TEST(HypreErrors, SayThatHypreCannotCountTheEquations) {
  if (sizeof(HYPRE_BigInt) > 4) GTEST_SKIP() << "this hypre counts in 64 bits";
  const Problem<Hex<1>> problem({{2, 3, 2}, {1.0, 1.0, 1.0}}, 1, zeroed);
  auto equations = problem.system.equations();
  equations.total = GlobalOrdinal{1} << 31;
  EXPECT_EQ(
      message_of_all<UnsupportedError>([&] {
        distributed::detail::HypreRows<Space>(Space(), problem.system.ranks(), problem.system.local(),
                                              equations);
      }),
      "rank 0: hypre counts equations in 32 bits, up to 2147483647; the mesh has 2147483648: build hypre "
      "with --enable-mixedint");
}

} // namespace distributed_hypre_errors
} // namespace tessera::test
