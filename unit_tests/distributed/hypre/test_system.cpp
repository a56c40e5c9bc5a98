// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/tools/support/ranks/mpi_calls.hpp>

#include "distributed/heap.hpp"
#include "distributed/hypre/problem.hpp"
#include "support/hooks.hpp"

namespace tessera::test {
namespace distributed_hypre_system {

TEST(HypreSystem, HasTheOwnedRows) {
  for (const auto treatment : {removed, zeroed})
    for (const std::string strategy : {"RowOwner", "ElementAtomic"}) {
      const Problem<Tet<1>> scalar({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, treatment);
      scalar.assemble(strategy);
      expect_hypre_has_owned_rows(scalar, strategy + ", scalar");
      const Problem<Hex<1>> elastic({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, treatment);
      elastic.assemble(strategy);
      expect_hypre_has_owned_rows(elastic, strategy + ", elastic");
    }
}

TEST(HypreSystem, EquationsAreContiguousInBothTreatments) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> problem({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, treatment);
    const auto& equations = problem.system.equations();
    EXPECT_TRUE(equations.contiguous);
    EXPECT_EQ(sum_over_ranks(equations.owned), equations.total);
    for (Ordinal i = 0; i < equations.owned; ++i)
      ASSERT_EQ(equations.numbers(to_size(i)), equations.first + i);
  }
}

TEST(HypreSystem, RefillsWithoutMessagesOrMemory) {
  const Problem<Hex<1>> problem({{5, 4, 3}, {1.0, 2.0, 3.0}}, 3, zeroed);
  const auto& local = problem.system.local();
  const auto plan = make_assembly("RowOwner", problem.space, local.graph());
  for (const double young : {1.0, 4.0, 0.25}) {
    plan->assemble(LinearElasticity<3>{.young = young, .poisson = 0.3}, local);
    tools::MpiCalls calls;
    std::int64_t used = 0, peak = 0;
    const auto events = events_of([&] {
      calls = tools::mpi_calls_of([&] {
        const std::int64_t before = heap().used;
        peak = peak_of([&] { problem.system.refill(); });
        used = heap().used - before;
      });
    });
    EXPECT_EQ(calls.messages + calls.collectives, 0) << calls;
    std::int64_t labels = 0; // the recorder's, and Kokkos' strings
    for (const Event& event : events) {
      EXPECT_NE(event.kind, Event::Kind::allocation) << event;
      labels += 512;
    }
    EXPECT_LE(peak, labels);
    EXPECT_LE(used, labels);
    expect_hypre_has_owned_rows(problem, "Young's modulus " + std::to_string(young));
    const auto x = problem.system.make_vector(); // hypre leaves the places where they are
    distributed::hypre_cg(distributed::BoomerAmg<Space>(problem.system, problem.mesh), x);
  }
}

} // namespace distributed_hypre_system
} // namespace tessera::test
