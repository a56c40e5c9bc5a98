// What conjugate gradients and BiCGStab say of a solution's accuracy: the residual that rounding allows, the
// spectrum, the error; and that they give the best of their iterates.

#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::test;
using solvers::CgOptions;
using solvers::CgResult;
using solvers::StopReason;

template <class ExecutionSpace>
class Accuracy : public ::testing::Test {
protected:
  /// A matrix on the device, and what is solved with it.
  template <class Scalar>
  struct System {
    solvers::CrsOperator<Scalar, ExecutionSpace> a;
    solvers::Jacobi<Scalar, ExecutionSpace> jacobi;
    Kokkos::View<const Scalar*, ExecutionSpace> b;
    Kokkos::View<Scalar*, ExecutionSpace> x;

    System(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& rhs)
        : System(to_device<ExecutionSpace>(matrix.row_map), to_device<ExecutionSpace>(matrix.columns),
                 to_device<ExecutionSpace>(matrix.values), rhs) {}

    CgResult cg(const CgOptions& options = {}) const {
      return solvers::cg(ExecutionSpace(), a, jacobi, b, x, options);
    }
    CgResult bicgstab(const CgOptions& options = {}) const {
      return solvers::bicgstab(ExecutionSpace(), a, jacobi, b, x, options);
    }

  private:
    System(const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
           const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
           const Kokkos::View<const Scalar*, ExecutionSpace>& values, const std::vector<Scalar>& rhs)
        : a({}, row_map, columns, values), jacobi({}, row_map, columns, values),
          b(to_device<ExecutionSpace>(rhs)), x("Tessera::Test::x", rhs.size()) {}
  };

  /// A chain of springs between walls.
  static HostMatrix<double> chain(const std::vector<double>& stiffness) {
    HostMatrix<double> matrix;
    for (std::size_t i = 0; i + 1 < stiffness.size(); ++i) {
      const auto row = static_cast<Ordinal>(i);
      std::map<Ordinal, double> entries{{row, stiffness[i] + stiffness[i + 1]}};
      if (i > 0) entries[row - 1] = -stiffness[i];
      if (i + 2 < stiffness.size()) entries[row + 1] = -stiffness[i + 1];
      matrix.add_row(entries);
    }
    return matrix;
  }

  /// −u″ + c u′ by upwind differences.
  template <class Scalar>
  static HostMatrix<Scalar> convection(Ordinal rows, double c) {
    HostMatrix<Scalar> matrix;
    for (Ordinal row = 0; row < rows; ++row) {
      std::map<Ordinal, Scalar> entries{{row, Scalar(2 + c)}};
      if (row > 0) entries[row - 1] = Scalar(-1 - c);
      if (row + 1 < rows) entries[row + 1] = Scalar(-1);
      matrix.add_row(entries);
    }
    return matrix;
  }

  template <class Scalar>
  static double residual(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& b,
                         const std::vector<Scalar>& x) {
    double sum = 0;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      double r = b[row];
      for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
        r -= static_cast<double>(matrix.values[k]) * static_cast<double>(x[matrix.columns[k]]);
      sum += r * r;
    }
    return std::sqrt(sum);
  }
};
TYPED_TEST_SUITE(Accuracy, ExecutionSpaceTypes, ExecutionSpaceName);

/// Eigenvalues of the chain's matrix over its diagonal are 1 − cos(kπ / (n + 1)).
TYPED_TEST(Accuracy, OfTheSpectrum) {
  const std::size_t rows = 200;
  const typename TestFixture::template System<double> system(this->chain(std::vector<double>(rows + 1, 3.0)),
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
    const typename TestFixture::template System<double> system(this->chain(stiffness),
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
  const auto matrix = this->chain(stiffness);
  const auto b = random_vector<double>(40);
  const typename TestFixture::template System<double> system(matrix, b);
  const CgResult stalled = system.cg({.relative_tolerance = 0, .max_stalled = 1});
  EXPECT_EQ(stalled.reason, StopReason::stalled);
  EXPECT_LE(stalled.true_residual, stalled.initial_residual);
  EXPECT_NEAR(stalled.true_residual, this->residual(matrix, b, to_host(system.x)), 1e-9 * stalled.rhs_norm);
  const CgResult stopped = system.cg({.relative_tolerance = 0, .max_iterations = 1}); // the last iterate
  EXPECT_EQ(stopped.reason, StopReason::max_iterations);
  EXPECT_NEAR(stopped.true_residual, this->residual(matrix, b, to_host(system.x)), 1e-9 * stopped.rhs_norm);
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
  const auto matrix = this->template convection<double>(300, 0.5);
  const auto b = matrix * random_vector<double>(300);
  const typename TestFixture::template System<double> system(matrix, b);
  const CgResult result = system.bicgstab({.relative_tolerance = 1e-10});
  EXPECT_EQ(result.reason, StopReason::relative_tolerance);
  double bb = 0;
  for (const double value : b) bb += value * value;
  EXPECT_NEAR(result.rhs_norm, std::sqrt(bb), 1e-12 * result.rhs_norm);
  EXPECT_NEAR(result.true_residual, this->residual(matrix, b, to_host(system.x)), 1e-13 * result.rhs_norm);
  EXPECT_LE(result.true_residual, 1e-10 * result.rhs_norm);
  EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  EXPECT_EQ(system.bicgstab({.relative_tolerance = 1e-9}).iterations, 0); // from the solution
}

/// The residual that the iteration carries goes on to fall below what float holds.
TYPED_TEST(Accuracy, BicgstabsVerdictRestsOnTheTrueResidual) {
  const auto matrix = this->template convection<float>(300, 0.05);
  const auto b = matrix * random_vector<float>(300);
  const typename TestFixture::template System<float> system(matrix, b);
  const CgResult asked = system.bicgstab({.relative_tolerance = 1e-8});
  EXPECT_FALSE(asked.converged()) << to_string(asked.reason);
  EXPECT_NEAR(asked.true_residual, this->residual(matrix, b, to_host(system.x)), 1e-6 * asked.rhs_norm);
  Kokkos::deep_copy(system.x, 0.0F);
  const CgResult result = system.bicgstab();
  EXPECT_EQ(result.reason, StopReason::rounding) << to_string(result.reason);
  EXPECT_LE(result.true_residual, 4 * result.attainable);
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

} // namespace
