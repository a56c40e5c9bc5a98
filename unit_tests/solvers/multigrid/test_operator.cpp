// SPDX-License-Identifier: BSD-3-Clause
// Multigrid with an operator in the place of the finest level's rows.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <type_traits>

namespace solvers_multigrid_operator {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, ExecutionSpace>;

template <class ElementType, class FormType>
struct Case {
  using Element = ElementType;
  using Form = FormType;
};

template <class Case>
class MultigridOperator : public ::testing::Test {
public:
  using Element = typename Case::Element;
  using Form = typename Case::Form;
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// A box, fixed on one side, one component on another, with constrained rows kept or left out.
  static Space make_space(ConstraintTreatment constraints, const char* side = "xmin",
                          const io::Box& box = {{14, 9, 8}, {1.4, 1, 1}}) {
    const auto mesh = io::box_mesh<Element, ExecutionSpace>(box);
    Space space(mesh, Form::components, constraints);
    for (int c = 0; c < Form::components; ++c) space.constrain(mesh.node_set(side), c, 0.1);
    space.constrain(mesh.node_set("ymax"), 0, 0.0);
    return space;
  }

  static Form make_form(double factor = 1) {
    if constexpr (std::is_same_v<Form, Helmholtz<>>)
      return {.sigma = factor, .source = 1.0};
    else
      return {.young = 200e9 * factor, .poisson = 0.3, .body_force = {0, 1e9, 0}};
  }

  template <class Scalar>
  static auto make_operator(const Space& space, double factor = 1) {
    return matrix_free::RecomputingElementByElement{.conflicts = Conflicts::colors}
        .plan(space)
        .template prepare<Scalar>(make_form(factor));
  }

  static void assemble(const Space& space, const LinearSystem<double, ExecutionSpace>& system,
                       double factor = 1) {
    auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
    plan.prepare(make_form(factor));
    plan.assemble(make_form(factor), system);
  }

  template <class A>
  static solvers::CgResult solve(const A& a, const solvers::Multigrid<ExecutionSpace>& multigrid,
                                 const Vector& b, const Vector& x) {
    Kokkos::deep_copy(x, 0.0);
    const auto result = solvers::cg(ExecutionSpace(), a, multigrid, b, x, {.relative_tolerance = 1e-10});
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.true_residual, 1e-10 * result.rhs_norm);
    return result;
  }

  static Vector vector(std::size_t rows) { return Vector("Tessera::Test::vector", rows); }
};

using Cases = ::testing::Types<Case<Tet<1>, Helmholtz<>>, Case<Hex<1>, Helmholtz<>>,
                               Case<Tet<1>, LinearElasticity<3>>, Case<Hex<1>, LinearElasticity<3>>>;
TYPED_TEST_SUITE(MultigridOperator, Cases);

TYPED_TEST(MultigridOperator, SolvesAsTheRowsDo) {
  for (const ConstraintTreatment constraints : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto space = this->make_space(constraints);
    const LinearSystem<double, ExecutionSpace> system(space);
    this->assemble(space, system);
    const auto rows = system.num_rows();
    const auto expected = this->vector(rows), x = this->vector(rows), again = this->vector(rows);
    const auto& graph = system.graph();
    const solvers::CrsOperator<double, ExecutionSpace> matrix(ExecutionSpace(), graph.row_map, graph.columns,
                                                              system.values());
    solvers::Multigrid multigrid(system, space);
    const std::size_t bytes = multigrid.report().bytes;
    const auto stored = this->solve(matrix, multigrid, system.rhs(), expected);

    const auto a = this->template make_operator<double>(space);
    multigrid.replace_rows(a);
    EXPECT_LT(multigrid.report().bytes + 8 * graph.num_entries(), bytes + 4 * 8 * rows);
    const auto free = this->solve(a, multigrid, system.rhs(), x);
    EXPECT_LE(std::abs(free.iterations - stored.iterations), 1);
    EXPECT_LE(relative_deviation(ExecutionSpace(), x, expected), 1e-8);

    const auto repeated = this->solve(a, multigrid, system.rhs(), again);
    EXPECT_EQ(repeated.history, free.history);
    EXPECT_EQ(relative_deviation(ExecutionSpace(), again, x), 0);
  }
}

TYPED_TEST(MultigridOperator, ACycleIsThatOfTheRows) {
  const auto space = this->make_space(ConstraintTreatment::removed);
  const LinearSystem<double, ExecutionSpace> system(space);
  this->assemble(space, system);
  const auto expected = this->vector(system.num_rows()), y = this->vector(system.num_rows());
  for (const int levels : {1, 20}) {
    solvers::Multigrid multigrid(system, space,
                                 {.storage = solvers::MultigridStorage::single, .max_levels = levels});
    multigrid.apply(ExecutionSpace(), system.rhs(), expected);
    multigrid.replace_rows(this->template make_operator<double>(space));
    multigrid.apply(ExecutionSpace(), system.rhs(), y);
    EXPECT_LE(relative_deviation(ExecutionSpace(), y, expected), 1e-5) << levels << " levels";
  }
}

TYPED_TEST(MultigridOperator, LevelsSolvedDirectlyKeepTheirInverse) {
  const auto space = this->make_space(ConstraintTreatment::removed, "xmin", {{3, 2, 2}, {1, 1, 1}});
  const LinearSystem<double, ExecutionSpace> system(space);
  this->assemble(space, system);
  solvers::Multigrid multigrid(system, space);
  ASSERT_EQ(multigrid.report().levels.size(), 1u);
  const auto expected = this->vector(system.num_rows()), y = this->vector(system.num_rows());
  multigrid.apply(ExecutionSpace(), system.rhs(), expected);
  multigrid.replace_rows(this->template make_operator<double>(space));
  multigrid.apply(ExecutionSpace(), system.rhs(), y);
  EXPECT_EQ(relative_deviation(ExecutionSpace(), y, expected), 0);
}

TYPED_TEST(MultigridOperator, RefreshStoresTheRowsAgain) {
  const auto space = this->make_space(ConstraintTreatment::removed);
  const LinearSystem<double, ExecutionSpace> system(space);
  this->assemble(space, system);
  const auto x = this->vector(system.num_rows());
  solvers::Multigrid multigrid(system, space);
  multigrid.refresh(system); // on devices the first takes memory that it keeps
  const std::size_t bytes = multigrid.report().bytes;
  multigrid.replace_rows(this->template make_operator<double>(space));
  EXPECT_THROW(multigrid.replace_rows(this->template make_operator<double>(space)), ArgumentError);

  this->assemble(space, system, 3);
  multigrid.refresh(system);
  EXPECT_EQ(multigrid.report().bytes, bytes);
  const auto a = this->template make_operator<double>(space, 3);
  const auto stored = this->solve(a, multigrid, system.rhs(), x);
  multigrid.replace_rows(this->template make_operator<float>(space, 3));
  const auto free = this->solve(a, multigrid, system.rhs(), x);
  EXPECT_LE(std::abs(free.iterations - stored.iterations), 1);
}

TYPED_TEST(MultigridOperator, RefusesOperatorsOfOtherMatrices) {
  const auto space = this->make_space(ConstraintTreatment::zeroed);
  const LinearSystem<double, ExecutionSpace> system(space);
  this->assemble(space, system);
  const auto rows = static_cast<std::size_t>(system.num_rows());
  const auto x = this->vector(rows), expected = this->vector(rows);
  solvers::Multigrid multigrid(system, space);
  const auto a = this->template make_operator<double>(space);
  const auto before = this->solve(a, multigrid, system.rhs(), expected);
  const auto expect_refused = [&](const auto& other, const std::string& what) {
    try {
      multigrid.replace_rows(other);
      ADD_FAILURE() << "no exception: " << what;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  expect_refused(solvers::Identity<double, ExecutionSpace>(rows + 1),
                 "an operator of " + std::to_string(rows + 1) + " rows for a matrix of " +
                     std::to_string(rows));
  const std::string other = "the operator is not the matrix";
  expect_refused(this->template make_operator<double>(space, 1.01), other);
  expect_refused(this->template make_operator<double>(this->make_space(ConstraintTreatment::zeroed, "xmax")),
                 other);
  auto one_more = this->make_space(ConstraintTreatment::zeroed);
  one_more.constrain(static_cast<Ordinal>(rows / TestFixture::Form::components / 2 + 7), 0, 0.0);
  expect_refused(this->template make_operator<double>(one_more), other);
  EXPECT_EQ(this->solve(a, multigrid, system.rhs(), x).history, before.history);
}

} // namespace solvers_multigrid_operator
