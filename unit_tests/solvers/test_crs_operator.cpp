// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/solvers/crs_operator.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <limits>
#include <string>
#include <vector>

namespace solvers_crs_operator {

using tessera::Offset;
using tessera::Ordinal;
using tessera::solvers::CrsOperator;
using namespace tessera::test;

template <class ExecutionSpace>
class CrsOperatorTest : public ::testing::Test {
public:
  template <class Scalar>
  static CrsOperator<Scalar, ExecutionSpace> make(const HostMatrix<Scalar>& matrix) {
    return {ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
            to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values)};
  }

  template <class Scalar>
  static void expect_product(const HostMatrix<Scalar>& matrix) {
    const auto x = random_vector<Scalar>(matrix.rows());
    const auto expected = matrix * x;
    // The result does not depend on what y held before.
    const auto y = to_device<ExecutionSpace>(
        std::vector<Scalar>(matrix.rows(), std::numeric_limits<Scalar>::quiet_NaN()));
    const auto a = make(matrix);
    EXPECT_EQ(a.rows(), matrix.rows());
    a.apply(ExecutionSpace{}, to_device<ExecutionSpace>(x), y);
    const auto product = to_host(y);
    const auto again = to_device<ExecutionSpace>(std::vector<Scalar>(matrix.rows()));
    const Kokkos::View<double, ExecutionSpace> dot(std::string("dot"));
    a.apply_dot(ExecutionSpace{}, to_device<ExecutionSpace>(x), again, dot);
    EXPECT_EQ(to_host(again), product);
    double expected_dot = 0, size = 0;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      expected_dot += static_cast<double>(x[row]) * product[row];
      size += std::abs(static_cast<double>(x[row]) * product[row]);
    }
    double found_dot = 0;
    Kokkos::deep_copy(found_dot, dot);
    EXPECT_NEAR(found_dot, expected_dot, 1e-13 * size);
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      double scale = 0;
      for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
        scale += std::abs(matrix.values[k]);
      ASSERT_NEAR(product[row], expected[row], 4 * std::numeric_limits<Scalar>::epsilon() * scale)
          << "row " << row;
    }
  }
};

TYPED_TEST_SUITE(CrsOperatorTest, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(CrsOperatorTest, MultipliesRowsOfEveryLength) {
  this->template expect_product<double>(laplace<double>(1000, 1));
  this->template expect_product<float>(laplace<float>(31, 33));
  HostMatrix<double> matrix; // rows of 0 … 600 entries
  for (Ordinal row = 0; row < 601; ++row) {
    std::map<Ordinal, double> entries;
    for (Ordinal k = 0; k < row; ++k) entries[(k * 37 + row) % 601] = 0.01 * k - 1;
    matrix.add_row(entries);
  }
  this->template expect_product<double>(matrix);
  HostMatrix<double> mostly_short; // but for one of 4,000 entries
  for (Ordinal row = 0; row < 5000; ++row) {
    std::map<Ordinal, double> entries;
    for (Ordinal k = 0; k < (row == 700 ? 4000 : row % 11); ++k) entries[(k * 37 + row) % 5000] = 0.1 * k - 1;
    mostly_short.add_row(entries);
  }
  this->template expect_product<double>(mostly_short);
  HostMatrix<double> single;
  single.add_row({{0, 3.0}});
  this->template expect_product<double>(single);
  this->template expect_product<double>({});
}

TYPED_TEST(CrsOperatorTest, SeesNewValues) {
  const auto matrix = laplace<double>(10, 10);
  const auto values = to_device<TypeParam>(matrix.values);
  const CrsOperator<double, TypeParam> a(TypeParam{}, to_device<TypeParam>(matrix.row_map),
                                         to_device<TypeParam>(matrix.columns), values);
  Kokkos::deep_copy(values, 2.0);
  const auto y = to_device<TypeParam>(std::vector<double>(100));
  a.apply(TypeParam{}, to_device<TypeParam>(std::vector<double>(100, 1.0)), y);
  EXPECT_EQ(to_host(y)[0], 6.0);
  EXPECT_EQ(to_host(y)[55], 10.0);
}

TYPED_TEST(CrsOperatorTest, RefusesInconsistentMatrices) {
  using tessera::ArgumentError;
  const auto refuse = [](HostMatrix<double> matrix, const std::string& message) {
    expect_throw_with<ArgumentError>([&] { TestFixture::make(matrix); }, message);
  };
  auto matrix = laplace<double>(5, 1);
  matrix.values.pop_back();
  refuse(matrix, "13 columns but 12 values");
  matrix = laplace<double>(5, 1);
  matrix.columns[5] = 5;
  refuse(matrix, "CrsOperator: row 2 of 5 has a column or an offset out of range");
  matrix = laplace<double>(5, 1);
  matrix.columns[0] = -1;
  refuse(matrix, "row 0 of 5");
  matrix = laplace<double>(5, 1);
  matrix.row_map[3] = 1;
  refuse(matrix, "row 2 of 5");
  matrix = laplace<double>(5, 1);
  matrix.row_map[5] = 12;
  refuse(matrix, "row 4 of 5");
}

} // namespace solvers_crs_operator
