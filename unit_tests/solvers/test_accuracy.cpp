// SPDX-License-Identifier: BSD-3-Clause
// What conjugate gradients and BiCGStab say of a solution's accuracy: the residual that rounding allows, the
// spectrum, the error; and that they give the best of their iterates.

#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/bicgstab.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/systems.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace solvers_accuracy {

using namespace tessera;
using namespace tessera::test;
using solvers::CgOptions;
using solvers::CgResult;
using solvers::StopReason;

template <class ExecutionSpace>
class Accuracy : public ::testing::Test {
protected:
  /// A system and its solutions.
  template <class Scalar>
  struct System : DeviceSystem<Scalar, ExecutionSpace> {
    using Base = DeviceSystem<Scalar, ExecutionSpace>;
    using Base::Base;

    CgResult cg(const CgOptions& options = {}) const {
      return solvers::cg(ExecutionSpace(), this->a, this->jacobi, this->b, this->x, options);
    }
    CgResult bicgstab(const CgOptions& options = {}) const {
      return solvers::bicgstab(ExecutionSpace(), this->a, this->jacobi, this->b, this->x, options);
    }
  };
};
TYPED_TEST_SUITE(Accuracy, ExecutionSpaceTypes, ExecutionSpaceName);

/// Eigenvalues of the chain's matrix over its diagonal are 1 − cos(kπ / (n + 1)).
TYPED_TEST(Accuracy, OfTheSpectrum) {
  const std::size_t rows = 200;
  const typename TestFixture::template System<double> system(chain(std::vector<double>(rows + 1, 3.0)),
                                                             random_vector<double>(rows));
  const CgResult result = system.cg({.relative_tolerance = 1e-10});
  const double smallest = 1 - std::cos(std::numbers::pi / (rows + 1));
  EXPECT_NEAR(result.smallest_eigenvalue / smallest, 1, 0.01);
  EXPECT_NEAR(result.largest_eigenvalue / (2 - smallest), 1, 0.01);
  EXPECT_NEAR(result.condition() * smallest / (2 - smallest), 1, 0.02);
  const CgResult nothing = system.cg({.relative_tolerance = 0.5}); // from the solution
  EXPECT_EQ(nothing.iterations, 0);
  EXPECT_EQ(nothing.condition(), 0);
  EXPECT_EQ(nothing.relative_error(), 0);
}

/// The bound holds where the right-hand side has a share in what is soft.
TYPED_TEST(Accuracy, OfTheError) {
  for (const double stiff : {1.0, 1e3, 1e6}) {
    std::vector<double> stiffness(61, 1.0);
    for (std::size_t i = 30; i < 45; ++i) stiffness[i] = stiff;
    // Forces 1: spring i carries s − i, and stretches add up to nothing.
    double flexibility = 0, moment = 0;
    for (std::size_t i = 0; i < 61; ++i) {
      flexibility += 1 / stiffness[i];
      moment += static_cast<double>(i) / stiffness[i];
    }
    const typename TestFixture::template System<double> system(chain(stiffness),
                                                               std::vector<double>(60, 1.0));
    const CgResult result = system.cg();
    const auto x = to_host(system.x);
    double error = 0, norm = 0, exact = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      exact += (moment / flexibility - static_cast<double>(i)) / stiffness[i];
      const double diagonal = stiffness[i] + stiffness[i + 1];
      error += diagonal * std::pow(x[i] - exact, 2);
      norm += diagonal * exact * exact;
    }
    EXPECT_LE(std::sqrt(error / norm), 2 * result.relative_error()) << stiff;
    EXPECT_LE(result.relative_error(), 1e-5) << stiff;
    EXPECT_NEAR(result.solution_norm / std::sqrt(norm), 1, 0.1) << stiff;
  }
}

TYPED_TEST(Accuracy, TheDefaultToleranceEndsAtRounding) {
  const auto matrix = laplace<float>(40, 40);
  const auto b = matrix * random_vector<float>(1600);
  const typename TestFixture::template System<float> system(matrix, b);
  const CgResult result = system.cg();
  EXPECT_EQ(result.reason, StopReason::rounding) << to_string(result.reason);
  EXPECT_TRUE(result.converged());
  EXPECT_GT(result.attainable, 1e-8 * result.rhs_norm);
  EXPECT_LT(result.true_residual, 4 * result.attainable);
  EXPECT_NEAR(solvers::attainable_residual(TypeParam(), system.a, system.b, system.x) / result.attainable, 1,
              0.1);
  Kokkos::deep_copy(system.x, 0.0F);
  const CgResult asked = system.cg({.relative_tolerance = 1e-8});
  EXPECT_EQ(asked.reason, StopReason::stagnated);
  EXPECT_FALSE(asked.converged());
  EXPECT_GT(asked.attainable, 1e-8 * asked.rhs_norm);
}

TYPED_TEST(Accuracy, TheBestIterateIsGiven) {
  // Residuals of an unevenly stiff chain rise and fall.
  std::vector<double> stiffness(41, 1.0);
  for (std::size_t i = 0; i < 41; i += 2) stiffness[i] = 1e6;
  const auto matrix = chain(stiffness);
  const auto b = random_vector<double>(40);
  const typename TestFixture::template System<double> system(matrix, b);
  const CgResult stalled = system.cg({.relative_tolerance = 0, .max_stalled = 1});
  EXPECT_EQ(stalled.reason, StopReason::stalled);
  EXPECT_LE(stalled.true_residual, stalled.initial_residual);
  EXPECT_NEAR(stalled.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-9 * stalled.rhs_norm);
  const CgResult stopped = system.cg({.relative_tolerance = 0, .max_iterations = 1}); // the last iterate
  EXPECT_EQ(stopped.reason, StopReason::max_iterations);
  EXPECT_NEAR(stopped.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-9 * stopped.rhs_norm);
}

TYPED_TEST(Accuracy, TolerancesThatZeroMeetsAreRefused) {
  const typename TestFixture::template System<double> system(laplace<double>(5, 5),
                                                             std::vector<double>(25, 1.0));
  expect_throw_with<ArgumentError>([&] { system.cg({.relative_tolerance = 1}); },
                                   "cg: relative_tolerance must be below 1, which zero meets, got 1");
  expect_throw_with<ArgumentError>([&] { system.bicgstab({.relative_tolerance = 3}); },
                                   "bicgstab: relative_tolerance must be below 1");
  expect_throw_with<ArgumentError>([&] { system.cg({.max_stalled = -1}); },
                                   "cg: max_stalled must be finite and at least 0");
}

TYPED_TEST(Accuracy, BicgstabSolves) {
  const auto matrix = convection<double>(300, 0.5);
  const auto b = matrix * random_vector<double>(300);
  const typename TestFixture::template System<double> system(matrix, b);
  const CgResult result = system.bicgstab({.relative_tolerance = 1e-10});
  EXPECT_EQ(result.reason, StopReason::relative_tolerance);
  double bb = 0;
  for (const double value : b) bb += value * value;
  EXPECT_NEAR(result.rhs_norm, std::sqrt(bb), 1e-12 * result.rhs_norm);
  EXPECT_NEAR(result.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-13 * result.rhs_norm);
  EXPECT_LE(result.true_residual, 1e-10 * result.rhs_norm);
  EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  EXPECT_EQ(system.bicgstab({.relative_tolerance = 1e-9}).iterations, 0); // from the solution
}

/// The residual that the iteration carries goes on to fall below what float holds.
TYPED_TEST(Accuracy, BicgstabsVerdictRestsOnTheTrueResidual) {
  const auto matrix = convection<float>(300, 0.05);
  const auto b = matrix * random_vector<float>(300);
  const typename TestFixture::template System<float> system(matrix, b);
  const CgResult asked = system.bicgstab({.relative_tolerance = 1e-8});
  EXPECT_FALSE(asked.converged()) << to_string(asked.reason);
  EXPECT_NEAR(asked.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-6 * asked.rhs_norm);
  Kokkos::deep_copy(system.x, 0.0F);
  const CgResult result = system.bicgstab();
  EXPECT_EQ(result.reason, StopReason::rounding) << to_string(result.reason);
  EXPECT_LE(result.true_residual, 4 * result.attainable);
}

/// Rows that shift and turn: residuals rise and fall by orders, and at the limit of iterations have risen.
TYPED_TEST(Accuracy, BicgstabGivesTheBestIterateAtItsLimit) {
  const Ordinal rows = 200;
  HostMatrix<double> matrix;
  const auto noise = random_vector<double>(2 * rows);
  for (Ordinal row = 0; row < rows; ++row)
    matrix.add_row({{row, 0.1 * noise[row]}, {(row + 1) % rows, 1.0}, {(row + 7) % rows, noise[rows + row]}});
  const std::vector<double> b(rows, 1.0);
  double worst = 0;
  for (const int limit : {1, 5, 20, 60, 100, 150}) {
    const typename TestFixture::template System<double> system(matrix, b);
    const CgResult result =
        solvers::bicgstab(TypeParam(), system.a, solvers::Identity<double, TypeParam>(rows), system.b,
                          system.x, {.max_iterations = limit});
    ASSERT_EQ(result.reason, StopReason::max_iterations) << limit;
    worst = std::max(worst, result.residual / result.rhs_norm);
    EXPECT_LE(result.true_residual, result.rhs_norm) << limit;
    const double smallest = *std::min_element(result.history.begin(), result.history.end());
    EXPECT_LE(result.true_residual, 10.1 * smallest) << limit;
    EXPECT_NEAR(result.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-12 * result.rhs_norm);
  }
  EXPECT_GT(worst, 10); // the last iterate is no solution
}

TYPED_TEST(Accuracy, BicgstabsMessagesBearItsName) {
  const typename TestFixture::template System<double> system(laplace<double>(4, 4),
                                                             std::vector<double>(16, 1.0));
  const Kokkos::View<double*, TypeParam> short_x("Tessera::Test::x", 3);
  expect_throw_with<ArgumentError>(
      [&] { solvers::bicgstab(TypeParam(), system.a, system.jacobi, system.b, short_x); },
      "bicgstab: the matrix has 16 rows, but the preconditioner has 16, the right-hand side 16 and the "
      "solution 3");
  HostMatrix<double> turn; // r₀·A r₀ = 0
  turn.add_row({{0, 1e-300}, {1, 1.0}});
  turn.add_row({{0, -1.0}, {1, 1e-300}});
  const auto row_map = to_device<TypeParam>(turn.row_map);
  const auto columns = to_device<TypeParam>(turn.columns);
  const auto values = to_device<TypeParam>(turn.values);
  const solvers::CrsOperator<double, TypeParam> a({}, row_map, columns, values);
  const auto b = to_device<TypeParam>(std::vector<double>{1.0, 1.0});
  const auto x = to_device<TypeParam>(std::vector<double>{0.0, 0.0});
  expect_throw_with<SolverError>(
      [&] { solvers::bicgstab(TypeParam(), a, solvers::Identity<double, TypeParam>(2), b, x); },
      "bicgstab: iteration 1: r₀·Ap = ");
  const auto lost = to_device<TypeParam>(std::vector<double>(16, 1e-200));
  expect_throw_with<SolverError>(
      [&] { solvers::bicgstab(TypeParam(), system.a, system.jacobi, lost, system.x); },
      "bicgstab: iteration 0: max |b| = 1e-200: its square is lost to underflow");
}

} // namespace solvers_accuracy
