// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace solvers_cg {

using tessera::ArgumentError;
using tessera::Ordinal;
using tessera::SolverError;
using tessera::solvers::BlockJacobi;
using tessera::solvers::cg;
using tessera::solvers::CgOptions;
using tessera::solvers::CgResult;
using tessera::solvers::CrsOperator;
using tessera::solvers::Jacobi;
using tessera::solvers::StopReason;
using namespace tessera::test;

/// Scales by a number of each row, applied as an operator that CG cannot fuse.
template <class ExecutionSpace>
struct Unfused {
  Jacobi<double, ExecutionSpace> jacobi;
  std::size_t rows() const { return jacobi.rows(); }
  void apply(const ExecutionSpace& exec, const Kokkos::View<const double*, ExecutionSpace>& x,
             const Kokkos::View<double*, ExecutionSpace>& y) const {
    jacobi.apply(exec, x, y);
  }
};

template <class ExecutionSpace>
class Cg : public ::testing::Test {
public:
  template <class Preconditioner, class Scalar>
  static Preconditioner make(const HostMatrix<Scalar>& matrix) {
    return Preconditioner(ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
                          to_device<ExecutionSpace>(matrix.columns),
                          to_device<ExecutionSpace>(matrix.values));
  }

  template <class Scalar>
  static CrsOperator<Scalar, ExecutionSpace> make_operator(const HostMatrix<Scalar>& matrix) {
    return make<CrsOperator<Scalar, ExecutionSpace>>(matrix);
  }

  /// Solves for a known solution and checks everything that the result says.
  template <class Preconditioner>
  static CgResult expect_solution(const HostMatrix<double>& matrix, const Preconditioner& preconditioner) {
    const auto solution = random_vector<double>(matrix.rows());
    const auto b = matrix * solution;
    const auto x = to_device<ExecutionSpace>(random_vector<double>(matrix.rows(), 2));
    const CgResult result = cg(ExecutionSpace{}, make_operator(matrix), preconditioner,
                               to_device<ExecutionSpace>(b), x, {.relative_tolerance = 1e-12});
    EXPECT_EQ(result.reason, StopReason::relative_tolerance);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_EQ(result.history.front(), result.initial_residual);
    EXPECT_EQ(result.history.back(), result.residual);
    EXPECT_LE(result.residual, 1e-12 * norm(b));
    EXPECT_GT(result.history[result.iterations - 1], 1e-12 * norm(b));
    const auto found = to_host(x);
    auto residual = matrix * found;
    for (std::size_t row = 0; row < residual.size(); ++row) residual[row] = b[row] - residual[row];
    EXPECT_NEAR(result.true_residual, norm(residual), 1e-14 * norm(b));
    for (std::size_t row = 0; row < found.size(); ++row)
      EXPECT_NEAR(found[row], solution[row], 1e-9) << "row " << row;
    return result;
  }
};

TYPED_TEST_SUITE(Cg, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(Cg, SolvesLaplaceWithEveryPreconditioner) {
  using JacobiType = Jacobi<double, TypeParam>;
  const auto matrix = badly_scaled(laplace<double>(30, 20), 100);
  const auto plain =
      this->expect_solution(laplace<double>(30, 20), tessera::solvers::Identity<double, TypeParam>(600));
  const auto jacobi = this->template make<JacobiType>(matrix);
  const auto fused = this->expect_solution(matrix, jacobi);
  const auto unfused = this->expect_solution(matrix, Unfused<TypeParam>{jacobi});
  const auto blocks =
      this->expect_solution(matrix, this->template make<BlockJacobi<1, double, TypeParam>>(matrix));
  // The scaling is all that is bad about the matrix: Jacobi takes it out; fused or not, the iteration is the
  // same.
  EXPECT_NEAR(fused.iterations, plain.iterations, 10);
  EXPECT_NEAR(unfused.iterations, fused.iterations, 1);
  EXPECT_NEAR(blocks.iterations, fused.iterations, 1);
  EXPECT_NEAR(unfused.history[20], fused.history[20], 1e-6 * fused.history[20]);
}

TYPED_TEST(Cg, BlockJacobiTakesOutTheCouplingOfComponents) {
  const auto matrix =
      times_block<double>(laplace<double>(15, 15), {{1, 0.99, 0}, {0.99, 1, 0.1}, {0, 0.1, 5}});
  const auto jacobi = this->expect_solution(matrix, this->template make<Jacobi<double, TypeParam>>(matrix));
  const auto block =
      this->expect_solution(matrix, this->template make<BlockJacobi<3, double, TypeParam>>(matrix));
  EXPECT_LT(2 * block.iterations, jacobi.iterations);
}

TYPED_TEST(Cg, EndsAfterAsManyStepsAsThereAreEigenvalues) {
  // Without rounding: 2 distinct eigenvalues, 2 iterations.
  HostMatrix<double> matrix;
  for (Ordinal row = 0; row < 50; ++row) matrix.add_row({{row, row % 2 == 0 ? 1.0 : 3.0}});
  const auto x = to_device<TypeParam>(std::vector<double>(50));
  const auto b = to_device<TypeParam>(random_vector<double>(50));
  EXPECT_EQ(cg(TypeParam{}, this->make_operator(matrix), b, x).iterations, 2);
  const auto jacobi = this->template make<Jacobi<double, TypeParam>>(matrix);
  Kokkos::deep_copy(x, 0.0);
  EXPECT_EQ(cg(TypeParam{}, this->make_operator(matrix), jacobi, b, x).iterations, 1);
}

TYPED_TEST(Cg, SolvesInSinglePrecision) {
  const auto matrix = laplace<float>(20, 20);
  const auto solution = random_vector<float>(400);
  const auto x = to_device<TypeParam>(std::vector<float>(400));
  const auto result =
      cg(TypeParam{}, this->make_operator(matrix), this->template make<Jacobi<float, TypeParam>>(matrix),
         to_device<TypeParam>(matrix * solution), x, {.relative_tolerance = 1e-6});
  EXPECT_TRUE(result.converged());
  const auto found = to_host(x);
  for (std::size_t row = 0; row < found.size(); ++row) EXPECT_NEAR(found[row], solution[row], 1e-3);
}

TYPED_TEST(Cg, StopsForTheReasonGiven) {
  const auto matrix = laplace<double>(40, 1);
  const auto a = this->make_operator(matrix);
  const auto b = to_device<TypeParam>(std::vector<double>(40, 1.0));
  const auto x = to_device<TypeParam>(std::vector<double>(40));
  const auto few = cg(TypeParam{}, a, b, x, {.max_iterations = 3});
  EXPECT_EQ(few.reason, StopReason::max_iterations);
  EXPECT_FALSE(few.converged());
  EXPECT_EQ(few.iterations, 3);
  EXPECT_NE(to_host(x)[20], 0.0); // the best so far is returned
  EXPECT_EQ(to_string(few.reason), "maximum number of iterations reached");
  const auto absolute = cg(TypeParam{}, a, b, x, {.relative_tolerance = 0, .absolute_tolerance = 1e-3});
  EXPECT_EQ(absolute.reason, StopReason::absolute_tolerance);
  EXPECT_LE(absolute.residual, 1e-3);
  const auto again = cg(TypeParam{}, a, b, x, {.relative_tolerance = 1e-2});
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.reason, StopReason::relative_tolerance);
  EXPECT_EQ(again.true_residual, again.initial_residual);
}

TYPED_TEST(Cg, SolvesTrivialSystems) {
  const auto none = to_device<TypeParam>(std::vector<double>{});
  const auto empty = cg(TypeParam{}, this->make_operator(HostMatrix<double>{}), none, none);
  EXPECT_TRUE(empty.converged());
  EXPECT_EQ(empty.iterations, 0);
  // b = 0 from a guess that is not: relative to the first residual.
  const auto x = to_device<TypeParam>(random_vector<double>(64));
  const auto zero = cg(TypeParam{}, this->make_operator(laplace<double>(8, 8)),
                       to_device<TypeParam>(std::vector<double>(64)), x, {.relative_tolerance = 1e-10});
  EXPECT_TRUE(zero.converged());
  for (const double value : to_host(x)) EXPECT_NEAR(value, 0, 1e-9);
}

TYPED_TEST(Cg, NamesBreakdownsAndLeavesTheGuess) {
  const auto expect_failure = [](const HostMatrix<double>& matrix, const auto& preconditioner,
                                 const std::vector<double>& b, const std::string& message) {
    const auto guess = random_vector<double>(matrix.rows(), 3);
    const auto x = to_device<TypeParam>(guess);
    expect_throw_with<SolverError>(
        [&] {
          cg(TypeParam{}, TestFixture::make_operator(matrix), preconditioner, to_device<TypeParam>(b), x);
        },
        message);
    EXPECT_EQ(to_host(x), guess);
  };
  const tessera::solvers::Identity<double, TypeParam> identity(16);
  const std::vector<double> b = random_vector<double>(16);
  const double nan = std::numeric_limits<double>::quiet_NaN();

  auto indefinite = laplace<double>(16, 1);
  for (double& value : indefinite.values) value = -value;
  expect_failure(indefinite, identity, b, "iteration 1: p·Ap = -");
  indefinite = laplace<double>(16, 1);
  indefinite.values[indefinite.row_map[8] + 1] = -5; // one negative diagonal entry
  expect_failure(indefinite, identity, b, "the matrix is not symmetric positive definite");

  auto singular =
      laplace<double>(16, 1); // pure traction: constants in the null space, b not orthogonal to them
  singular.values.front() = singular.values.back() = 1;
  expect_failure(singular, identity, std::vector<double>(16, 1.0), "enough essential constraints?");

  auto bad = laplace<double>(16, 1);
  bad.values[20] = nan;
  expect_failure(bad, identity, b, "iteration 0: |b - Ax| = ");
  std::vector<double> bad_b = b;
  bad_b[3] = std::numeric_limits<double>::infinity();
  expect_failure(laplace<double>(16, 1), identity, bad_b, "the right-hand side is not finite");

  const auto negative = to_device<TypeParam>(std::vector<double>(16, -1.0));
  const Jacobi<double, TypeParam> minus(TypeParam{}, negative);
  expect_failure(laplace<double>(16, 1), minus, b, "iteration 0: r·M⁻¹r = -");
  expect_failure(laplace<double>(16, 1), Unfused<TypeParam>{minus}, b,
                 "the preconditioner is not symmetric positive definite");
}

TYPED_TEST(Cg, TellsSingularFromIllConditioned) {
  const auto jacobi = [](const auto& matrix) {
    return TestFixture::template make<Jacobi<double, TypeParam>>(matrix);
  };
  // Natural boundary values all around: constants are in the null space, and no right-hand side here is
  // balanced.
  auto singular = laplace<double>(40, 40);
  for (std::size_t row = 0; row < singular.rows(); ++row) {
    double& diagonal = *std::find_if(singular.values.begin() + singular.row_map[row], singular.values.end(),
                                     [](double value) { return value > 0; });
    diagonal = static_cast<double>(singular.row_map[row + 1] - singular.row_map[row] - 1);
  }
  for (unsigned seed = 1; seed <= 4; ++seed)
    expect_throw_with<SolverError>(
        [&] {
          cg(TypeParam{}, TestFixture::make_operator(singular), jacobi(singular),
             to_device<TypeParam>(random_vector<double>(1600, seed)),
             to_device<TypeParam>(random_vector<double>(1600, seed + 100)));
        },
        "enough essential constraints?");
  // Condition numbers of 10^8 and, without a preconditioner, 10^11 are solved or given up, not called
  // singular.
  const auto path = laplace<double>(20000, 1);
  const auto b = to_device<TypeParam>(random_vector<double>(20000));
  const auto x = to_device<TypeParam>(std::vector<double>(20000));
  EXPECT_NO_THROW(cg(TypeParam{}, this->make_operator(path), jacobi(path), b, x, {.max_iterations = 100}));
  const auto scaled = badly_scaled(laplace<double>(40, 40), 1e4);
  const auto y = to_device<TypeParam>(std::vector<double>(1600));
  EXPECT_NO_THROW(cg(TypeParam{}, this->make_operator(scaled),
                     to_device<TypeParam>(random_vector<double>(1600)), y, {.max_iterations = 500}));
}

TYPED_TEST(Cg, RefusesBadArguments) {
  const auto a = this->make_operator(laplace<double>(8, 1));
  const auto b = to_device<TypeParam>(std::vector<double>(8));
  const auto shorter = to_device<TypeParam>(std::vector<double>(7));
  const auto solve = [&](const CgOptions& options) {
    return [&, options] { cg(TypeParam{}, a, b, b, options); };
  };
  expect_throw_with<ArgumentError>([&] { cg(TypeParam{}, a, shorter, b); },
                                   "the right-hand side 7 and the solution 8");
  expect_throw_with<ArgumentError>([&] { cg(TypeParam{}, a, b, shorter); }, "the solution 7");
  expect_throw_with<ArgumentError>(
      [&] { cg(TypeParam{}, a, tessera::solvers::Identity<double, TypeParam>(3), b, b); },
      "the preconditioner has 3");
  expect_throw_with<ArgumentError>(solve({.relative_tolerance = -1}), "relative_tolerance must be finite");
  expect_throw_with<ArgumentError>(solve({.absolute_tolerance = std::nan("")}),
                                   "absolute_tolerance must be finite");
  expect_throw_with<ArgumentError>(solve({.max_iterations = -1}), "max_iterations");
}

TYPED_TEST(Cg, PreconditionersNameBadRows) {
  using JacobiType = Jacobi<double, TypeParam>;
  using Block = BlockJacobi<2, double, TypeParam>;
  auto matrix = laplace<double>(8, 1);
  matrix.values[matrix.row_map[5] + 1] = 0;
  expect_throw_with<SolverError>([&] { TestFixture::template make<JacobiType>(matrix); },
                                 "Jacobi: the diagonal entry of row 5 is 0");
  matrix.values[matrix.row_map[2] + 1] = std::nan("");
  expect_throw_with<SolverError>([&] { TestFixture::template make<JacobiType>(matrix); }, "row 2 is nan");
  expect_throw_with<SolverError>([&] { TestFixture::template make<Block>(matrix); },
                                 "rows 2 to 3 is singular");
  HostMatrix<double> missing;
  missing.add_row({{0, 1.0}});
  missing.add_row({{0, 1.0}});
  expect_throw_with<SolverError>([&] { TestFixture::template make<JacobiType>(missing); }, "row 1 is 0");
  expect_throw_with<SolverError>([&] { TestFixture::template make<Block>(missing); },
                                 "rows 0 to 1 is singular");
  expect_throw_with<ArgumentError>([&] { TestFixture::template make<Block>(laplace<double>(7, 1)); },
                                   "7 rows are no multiple of the block's 2");
  matrix = laplace<double>(8, 1);
  matrix.columns[3] = 8;
  expect_throw_with<ArgumentError>([&] { TestFixture::template make<JacobiType>(matrix); },
                                   "Jacobi: row 1 of 8");
}

TYPED_TEST(Cg, BlockJacobiInvertsBlocksThatNeedPivots) {
  HostMatrix<double> matrix;
  matrix.add_row({{0, 0.0}, {1, 2.0}, {2, 1.0}});
  matrix.add_row({{0, 1.0}, {1, 0.0}, {2, 3.0}});
  matrix.add_row({{0, 4.0}, {1, -3.0}, {2, 8.0}});
  const auto solution = random_vector<double>(3);
  const auto y = to_device<TypeParam>(std::vector<double>(3));
  this->template make<BlockJacobi<3, double, TypeParam>>(matrix).apply(
      TypeParam{}, to_device<TypeParam>(matrix * solution), y);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(to_host(y)[i], solution[i], 1e-13);
}

} // namespace solvers_cg
