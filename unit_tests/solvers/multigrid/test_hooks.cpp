// SPDX-License-Identifier: BSD-3-Clause
// Both multigrid solvers label what they do and do it on the instance that they are given, so that work on
// several instances can overlap.

#include <tessera/solvers/patch_multigrid/patch_multigrid.hpp>

#include <gtest/gtest.h>

#include "support/hooks.hpp"
#include "support/multigrid_test.hpp"
#include <string>

namespace solvers_multigrid_hooks {

using namespace tessera;
using namespace tessera::test;

template <class ExecutionSpace>
class MultigridHooks : public MultigridTest<ExecutionSpace> {
public:
  using typename MultigridTest<ExecutionSpace>::Vector;
  const ExecutionSpace exec = other_instance<ExecutionSpace>();
  const HostMatrix<double> host = laplace<double>(40, 30);
  const Kokkos::View<const Offset*, ExecutionSpace> row_map = to_device<ExecutionSpace>(host.row_map);
  const Kokkos::View<const Ordinal*, ExecutionSpace> columns = to_device<ExecutionSpace>(host.columns);
  const Kokkos::View<const double*, ExecutionSpace> values = to_device<ExecutionSpace>(host.values);

  template <class Preconditioner>
  void expect_annotated_solution(const Preconditioner& preconditioner, const std::string& who) const {
    const solvers::CrsOperator<double, ExecutionSpace> a(exec, row_map, columns, values);
    const Vector b = to_device<ExecutionSpace>(random_vector<double>(host.rows()));
    const Vector x("Tessera::Test::x", host.rows());
    const auto events = events_of([&] { solvers::cg(exec, a, preconditioner, b, x); });
    expect_annotated(exec, events, who + "::solve");
    expect_no_global_fence(events, who + "::solve");
  }
};
TYPED_TEST_SUITE(MultigridHooks, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MultigridHooks, Multigrid) {
  using Multigrid = typename TestFixture::Multigrid;
  const auto nodes = TestFixture::grid(40, 30);
  for (const auto aggregation :
       {Aggregation::runs, Aggregation::independent_sets, Aggregation::matched_pairs}) {
    const std::string who = "Multigrid, aggregation " + std::to_string(static_cast<int>(aggregation));
    const MultigridOptions options{.aggregation = aggregation};
    expect_annotated(this->exec, events_of([&] {
                       Multigrid(this->exec, this->row_map, this->columns, this->values, nodes, options);
                     }),
                     who);
    Multigrid multigrid(this->exec, this->row_map, this->columns, this->values, nodes, options);
    const auto refresh = [&] { multigrid.refresh(this->exec, this->row_map, this->columns, this->values); };
    expect_annotated(this->exec, events_of(refresh), who + "::refresh");
    this->expect_annotated_solution(multigrid, who);
  }
}

TYPED_TEST(MultigridHooks, PatchMultigrid) {
  using Multigrid = solvers::PatchMultigrid<TypeParam>;
  const auto set_up = [&] { return Multigrid(this->exec, this->row_map, this->columns, this->values); };
  expect_annotated(this->exec, events_of(set_up), "PatchMultigrid");
  this->expect_annotated_solution(set_up(), "PatchMultigrid");
}

} // namespace solvers_multigrid_hooks
