// SPDX-License-Identifier: BSD-3-Clause
// GMRES, and with a direct factorisation as its preconditioner, on what BiCGStab gives up on.

#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/gmres.hpp>
#ifdef TESSERA_HAVE_UMFPACK
#include <tessera/solvers/direct_solver.hpp>
#endif

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/systems.hpp"
#include <cmath>
#include <limits>
#include <vector>

namespace solvers_gmres {

using namespace tessera;
using namespace tessera::test;
using namespace tessera::solvers;

template <class ExecutionSpace>
class GmresMethod : public ::testing::Test {};
TYPED_TEST_SUITE(GmresMethod, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(GmresMethod, SolvesWithItsVerdictOnTheTrueResidual) {
  const auto matrix = convection<double>(300, 0.5);
  const auto b = matrix * random_vector<double>(300);
  const DeviceSystem<double, TypeParam> system(matrix, b);
  for (const int cycle : {10, 50}) {
    Kokkos::deep_copy(system.x, 0.0);
    const CgResult result =
        gmres(TypeParam(), system.a, system.jacobi, system.b, system.x, {.relative_tolerance = 1e-10}, cycle);
    ASSERT_EQ(result.reason, StopReason::relative_tolerance) << cycle << to_string(result.reason);
    EXPECT_NEAR(result.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-13 * result.rhs_norm);
    EXPECT_LE(result.true_residual, 1e-10 * result.rhs_norm);
    ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    for (std::size_t i = 1; i < result.history.size(); ++i)
      ASSERT_LE(result.history[i], (1 + 1e-6) * result.history[i - 1]) << cycle << " " << i;
  }
  EXPECT_EQ(gmres(TypeParam(), system.a, system.jacobi, system.b, system.x).iterations, 0);
}

TYPED_TEST(GmresMethod, EndsAtRounding) {
  const auto matrix = convection<float>(100, 0.05);
  const auto b = matrix * random_vector<float>(100);
  const DeviceSystem<float, TypeParam> system(matrix, b);
  const CgResult result = gmres(TypeParam(), system.a, system.jacobi, system.b, system.x, {}, 100);
  EXPECT_EQ(result.reason, StopReason::rounding) << to_string(result.reason);
  Kokkos::deep_copy(system.x, 0.0F);
  const CgResult asked =
      gmres(TypeParam(), system.a, system.jacobi, system.b, system.x, {.relative_tolerance = 1e-9}, 100);
  EXPECT_LE(asked.iterations, 600);
  EXPECT_EQ(asked.reason, StopReason::stagnated) << to_string(asked.reason);
  EXPECT_NEAR(asked.true_residual, residual_norm(matrix, b, to_host(system.x)), 1e-6 * asked.rhs_norm);
}

/// Jacobi's preconditioner times another number in each call, 1 to 5.
template <class ExecutionSpace>
struct Restless {
  Jacobi<double, ExecutionSpace> jacobi;
  mutable int calls = 0;
  std::size_t rows() const { return jacobi.rows(); }
  void apply(const ExecutionSpace& exec, const Kokkos::View<const double*, ExecutionSpace>& x,
             const Kokkos::View<double*, ExecutionSpace>& y) const {
    jacobi.apply(exec, x, y);
    const double factor = 1 + calls++ % 5;
    Kokkos::parallel_for(
        "Tessera::Test::scale", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, y.extent(0)),
        KOKKOS_LAMBDA(std::size_t i) { y(i) *= factor; });
  }
};

TYPED_TEST(GmresMethod, TheFlexibleOneTakesAPreconditionerThatChanges) {
  const auto matrix = convection<double>(80, 0.5);
  const auto b = matrix * random_vector<double>(80);
  const DeviceSystem<double, TypeParam> system(matrix, b);
  const auto solve = [&](const auto& preconditioner, int cycle) {
    Kokkos::deep_copy(system.x, 0.0);
    const CgResult result = flexible_gmres(TypeParam(), system.a, preconditioner, system.b, system.x,
                                           {.relative_tolerance = 1e-10}, cycle);
    EXPECT_EQ(result.reason, StopReason::relative_tolerance) << to_string(result.reason);
    EXPECT_LE(residual_norm(matrix, b, to_host(system.x)), 1.01e-10 * result.rhs_norm);
    return result.iterations;
  };
  const int steady = solve(system.jacobi, 80);
  EXPECT_EQ(solve(Restless<TypeParam>{system.jacobi}, 80), steady); // the same spaces
  solve(Restless<TypeParam>{system.jacobi}, 20);
  Kokkos::deep_copy(system.x, 0.0);
  EXPECT_EQ(gmres(TypeParam(), system.a, system.jacobi, system.b, system.x, {.relative_tolerance = 1e-10}, 80)
                .iterations,
            steady);
  test::expect_throw_with<ArgumentError>([&] { solve(system.jacobi, 0); },
                                         "flexible_gmres: cycle must be at least 1");
}

/// A shift of the rows by one: no residual falls before the last row has been reached.
TYPED_TEST(GmresMethod, ACycleThatBringsNothingStalls) {
  HostMatrix<double> shift;
  for (Ordinal row = 0; row < 20; ++row) shift.add_row({{(row + 1) % 20, 1.0}});
  std::vector<double> b(20, 0.0);
  b[0] = 1;
  const auto a = device_operator<TypeParam>(shift);
  const auto rhs = to_device<TypeParam>(b);
  const auto x = to_device<TypeParam>(std::vector<double>(20, 0.0));
  const Identity<double, TypeParam> nothing(20);
  const CgResult stalled = gmres(TypeParam(), a, nothing, rhs, x, {}, 10);
  EXPECT_EQ(stalled.reason, StopReason::stalled);
  EXPECT_EQ(stalled.true_residual, 1);
  const CgResult whole = gmres(TypeParam(), a, nothing, rhs, x, {}, 20);
  EXPECT_TRUE(whole.converged());
  EXPECT_EQ(whole.iterations, 20);
  EXPECT_NEAR(to_host(x)[1], 1, 1e-14);
}

TYPED_TEST(GmresMethod, MessagesBearItsName) {
  const DeviceSystem<double, TypeParam> system(laplace<double>(4, 4), std::vector<double>(16, 1.0));
  const Kokkos::View<double*, TypeParam> short_x("Tessera::Test::x", 3);
  expect_throw_with<ArgumentError>(
      [&] { gmres(TypeParam(), system.a, system.jacobi, system.b, short_x); },
      "gmres: the matrix has 16 rows, but the preconditioner has 16, the right-hand side 16 and the "
      "solution 3");
  expect_throw_with<ArgumentError>(
      [&] { gmres(TypeParam(), system.a, system.jacobi, system.b, system.x, {}, 0); },
      "gmres: cycle must be at least 1, got 0");
  const auto lost = to_device<TypeParam>(std::vector<double>(16, 1e-200));
  expect_throw_with<SolverError>([&] { gmres(TypeParam(), system.a, system.jacobi, lost, system.x); },
                                 "gmres: iteration 0: max |b| = 1e-200: its square is lost to underflow");
  HostMatrix<double> nil; // of x₀ nothing
  nil.add_row({{1, 1.0}});
  nil.add_row({{1, 0.0}});
  const auto x = to_device<TypeParam>(std::vector<double>{0.0, 0.0});
  expect_throw_with<SolverError>(
      [&] {
        gmres(TypeParam(), device_operator<TypeParam>(nil), Identity<double, TypeParam>(2),
              to_device<TypeParam>(std::vector<double>{1.0, 0.0}), x);
      },
      "gmres: iteration 1: R = 0: the matrix or the preconditioner is singular");
  EXPECT_EQ(to_host(x), (std::vector<double>{0.0, 0.0}));
}

#ifdef TESSERA_HAVE_UMFPACK

/// −u″ − k² u on a grid of n × n, far from definite.
HostMatrix<double> wave(Ordinal n, double k2) {
  auto matrix = laplace<double>(n, n);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.columns[k] == static_cast<Ordinal>(row)) matrix.values[k] -= k2;
  return matrix;
}

TYPED_TEST(GmresMethod, WithAFactorisationTakesWhatIterationsDoNot) {
  for (const auto& matrix : {wave(40, 1.7), convection<double>(1000, 1e5)}) {
    const auto exact = random_vector<double>(matrix.rows());
    const auto b = matrix * exact;
    const auto a = device_operator<TypeParam>(matrix);
    const DirectSolver<TypeParam> lu(TypeParam(), to_device<TypeParam>(matrix.row_map),
                                     to_device<TypeParam>(matrix.columns),
                                     to_device<TypeParam>(matrix.values));
    EXPECT_EQ(lu.rows(), matrix.rows());
    EXPECT_GT(lu.bytes(), 8.0 * static_cast<double>(matrix.rows()));
    EXPECT_GT(lu.smallest_pivot(), 0);
    const auto x = to_device<TypeParam>(std::vector<double>(matrix.rows(), 0.0));
    const CgResult result =
        gmres(TypeParam(), a, lu, to_device<TypeParam>(b), x, {.relative_tolerance = 1e-12});
    EXPECT_TRUE(result.converged()) << to_string(result.reason);
    EXPECT_LE(result.iterations, 2);
    const auto found = to_host(x);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], exact[i], 1e-8) << i;
  }
}

TYPED_TEST(GmresMethod, FactorisationsOfSingularMatricesAreRefused) {
  const auto direct = [](const HostMatrix<double>& matrix) {
    return DirectSolver<TypeParam>(TypeParam(), to_device<TypeParam>(matrix.row_map),
                                   to_device<TypeParam>(matrix.columns), to_device<TypeParam>(matrix.values));
  };
  HostMatrix<double> neumann;
  neumann.add_row({{0, 1.0}, {1, -1.0}});
  neumann.add_row({{0, -1.0}, {1, 1.0}});
  expect_throw_with<SolverError>([&] { direct(neumann); }, "a pivot is zero: the matrix is singular");
  neumann.values[3] = std::numeric_limits<double>::quiet_NaN();
  expect_throw_with<SolverError>([&] { direct(neumann); }, "DirectSolver: row 1 has the entry nan");
  expect_throw_with<ArgumentError>([&] { direct(HostMatrix<double>()); },
                                   "DirectSolver: the matrix has no rows");
  const auto lu = direct(laplace<double>(3, 3));
  const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", 9);
  expect_throw_with<ArgumentError>([&] { lu.apply(TypeParam(), x, x); }, "x and y must be distinct");
}

#endif

} // namespace solvers_gmres
