// SPDX-License-Identifier: BSD-3-Clause
#ifdef TESSERA_HAVE_KOKKOSKERNELS

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/kokkos_kernels.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <vector>

namespace solvers_kokkos_kernels {

using tessera::ArgumentError;
using tessera::SolverError;
using tessera::solvers::cg;
using tessera::solvers::kokkos_kernels_cg;
using namespace tessera::test;

template <class ExecutionSpace>
class KokkosKernels : public ::testing::Test {
public:
  using Operator = tessera::solvers::KokkosKernelsOperator<double, ExecutionSpace>;
  using GaussSeidel = tessera::solvers::KokkosKernelsGaussSeidel<double, ExecutionSpace>;
  using Jacobi = tessera::solvers::Jacobi<double, ExecutionSpace>;

  template <class Type, class... Arguments>
  static Type make(const HostMatrix<double>& matrix, Arguments... arguments) {
    return Type(ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
                to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values),
                arguments...);
  }
};

TYPED_TEST_SUITE(KokkosKernels, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(KokkosKernels, MultiplyAsOurOperator) {
  const auto matrix = badly_scaled(laplace<double>(30, 17), 10);
  const auto x = to_device<TypeParam>(random_vector<double>(matrix.rows()));
  const auto theirs = to_device<TypeParam>(std::vector<double>(matrix.rows())),
             ours = to_device<TypeParam>(std::vector<double>(matrix.rows()));
  this->template make<typename TestFixture::Operator>(matrix).apply(TypeParam{}, x, theirs);
  this->template make<tessera::solvers::CrsOperator<double, TypeParam>>(matrix).apply(TypeParam{}, x, ours);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    EXPECT_NEAR(to_host(theirs)[row], to_host(ours)[row], 1e-12);
}

TYPED_TEST(KokkosKernels, SolveToOurSolution) {
  const auto matrix = badly_scaled(laplace<double>(30, 20), 10);
  const auto solution = random_vector<double>(matrix.rows());
  const auto b = to_device<TypeParam>(matrix * solution);
  const auto a = this->template make<typename TestFixture::Operator>(matrix);
  const auto jacobi = this->template make<typename TestFixture::Jacobi>(matrix);
  const auto gauss_seidel = this->template make<typename TestFixture::GaussSeidel>(matrix);
  const tessera::solvers::CgOptions options{.relative_tolerance = 1e-11};
  const auto expect_solution = [&](const auto& solve) {
    const auto x = to_device<TypeParam>(std::vector<double>(matrix.rows()));
    const tessera::solvers::CgResult result = solve(x);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    const auto found = to_host(x);
    for (std::size_t row = 0; row < found.size(); ++row) EXPECT_NEAR(found[row], solution[row], 1e-8);
    return result;
  };
  const auto ours = expect_solution([&](const auto& x) { return cg(TypeParam{}, a, jacobi, b, x, options); });
  const auto theirs = expect_solution(
      [&](const auto& x) { return kokkos_kernels_cg(TypeParam{}, a, jacobi, b, x, options); });
  const auto sweeps =
      expect_solution([&](const auto& x) { return cg(TypeParam{}, a, gauss_seidel, b, x, options); });
  const auto both = expect_solution(
      [&](const auto& x) { return kokkos_kernels_cg(TypeParam{}, a, gauss_seidel, b, x, options); });
  EXPECT_NEAR(theirs.iterations, ours.iterations, 1);
  EXPECT_NEAR(both.iterations, sweeps.iterations, 1);
  EXPECT_LT(1.5 * sweeps.iterations, ours.iterations); // Gauss–Seidel is the better preconditioner
  const auto two = this->template make<typename TestFixture::GaussSeidel>(matrix, 2);
  EXPECT_LT(expect_solution([&](const auto& x) { return cg(TypeParam{}, a, two, b, x, options); }).iterations,
            sweeps.iterations);
}

TYPED_TEST(KokkosKernels, TakeNoRows) {
  const auto none = to_device<TypeParam>(std::vector<double>{});
  const auto a = this->template make<typename TestFixture::Operator>(HostMatrix<double>{});
  const auto gauss_seidel = this->template make<typename TestFixture::GaussSeidel>(HostMatrix<double>{});
  EXPECT_TRUE(cg(TypeParam{}, a, gauss_seidel, none, none).converged());
}

TYPED_TEST(KokkosKernels, RefuseBadInput) {
  auto matrix = laplace<double>(8, 1);
  expect_throw_with<ArgumentError>(
      [&] { TestFixture::template make<typename TestFixture::GaussSeidel>(matrix, 0); },
      "sweeps must be at least 1");
  matrix.values[matrix.row_map[4] + 1] = 0;
  expect_throw_with<SolverError>(
      [&] { TestFixture::template make<typename TestFixture::GaussSeidel>(matrix); },
      "KokkosKernelsGaussSeidel: the diagonal entry of row 4 is 0");
  matrix = laplace<double>(8, 1);
  for (double& value : matrix.values) value = -value;
  const auto b = to_device<TypeParam>(std::vector<double>(8, 1.0)),
             x = to_device<TypeParam>(std::vector<double>(8));
  const tessera::solvers::Identity<double, TypeParam> identity(8);
  expect_throw_with<SolverError>(
      [&] {
        kokkos_kernels_cg(TypeParam{}, TestFixture::template make<typename TestFixture::Operator>(matrix),
                          identity, b, x);
      },
      "iteration 1: p·Ap = -");
  matrix.columns[0] = 9;
  expect_throw_with<ArgumentError>(
      [&] { TestFixture::template make<typename TestFixture::Operator>(matrix); },
      "KokkosKernelsOperator: row 0 of 8");
}

} // namespace solvers_kokkos_kernels

#endif
