// SPDX-License-Identifier: BSD-3-Clause
// The dense inverse of multigrid's coarsest level.

#include <tessera/core/error.hpp>
#include <tessera/solvers/sparse/detail/dense.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <cmath>
#include <random>
#include <vector>

namespace solvers_sparse_dense {

using namespace tessera;
using namespace tessera::test;
namespace sparse = tessera::solvers::sparse::detail;

/// A square matrix by rows, all of its entries stored.
struct Dense {
  Ordinal rows;
  std::vector<float> values;

  explicit Dense(Ordinal n) : rows(n), values(n * n) {}
  float& operator()(Ordinal i, Ordinal j) { return values[i * rows + j]; }
  float operator()(Ordinal i, Ordinal j) const { return values[i * rows + j]; }

  Dense operator*(const Dense& other) const {
    Dense product(rows);
    for (Ordinal i = 0; i < rows; ++i)
      for (Ordinal j = 0; j < rows; ++j) {
        double sum = 0;
        for (Ordinal k = 0; k < rows; ++k) sum += double{(*this)(i, k)} * double{other(k, j)};
        product(i, j) = static_cast<float>(sum);
      }
    return product;
  }
};

/// A symmetric matrix with a unit diagonal, diagonally dominant.
Dense dominant(Ordinal rows) {
  std::mt19937 random(rows);
  std::uniform_real_distribution<float> number(-0.9f / static_cast<float>(rows),
                                               0.9f / static_cast<float>(rows));
  Dense matrix(rows);
  for (Ordinal i = 0; i < rows; ++i)
    for (Ordinal j = 0; j <= i; ++j) matrix(i, j) = matrix(j, i) = i == j ? 1 : number(random);
  return matrix;
}

/// The Laplacian of a chain of three and more, scaled to a unit diagonal: it is singular.
Dense chain(Ordinal rows) {
  Dense matrix(rows);
  for (Ordinal i = 0; i < rows; ++i) {
    matrix(i, i) = 1;
    if (i > 0) matrix(i, i - 1) = matrix(i - 1, i) = i == 1 || i == rows - 1 ? -std::sqrt(0.5f) : -0.5f;
  }
  return matrix;
}

void expect_near(const Dense& found, const Dense& expected, float tolerance) {
  for (Ordinal i = 0; i < found.rows; ++i)
    for (Ordinal j = 0; j < found.rows; ++j)
      ASSERT_NEAR(found(i, j), expected(i, j), tolerance) << i << ", " << j;
}

template <class Space>
class MultigridDense : public ::testing::Test {
public:
  /// \param shift  what is added to the diagonal on return.
  static Dense inverse(const Dense& dense, double most_shift = 0.1, double* shift = nullptr) {
    const Space exec;
    HostMatrix<float> host;
    for (Ordinal i = 0; i < dense.rows; ++i) {
      std::map<Ordinal, float> row;
      for (Ordinal j = 0; j < dense.rows; ++j) row[j] = dense(i, j);
      host.add_row(row);
    }
    const sparse::Matrix<Space> matrix{{to_device<Space>(host.row_map), to_device<Space>(host.columns)},
                                       to_device<Space>(host.values)};
    const sparse::Floats<Space> values("Tessera::Test::inverse", dense.values.size());
    sparse::DenseInverse<Space> inverse(sparse::Workspace<Space>(exec, "Test"), matrix, {}, {}, {},
                                        most_shift, values);
    const double added = inverse.wait(exec);
    if (shift != nullptr) *shift = added;
    Dense result(dense.rows);
    result.values = to_host(values);
    return result;
  }
};
TYPED_TEST_SUITE(MultigridDense, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MultigridDense, InvertsMatricesOfAnySize) {
  for (const Ordinal rows : {1, 2, 3, 4, 5, 31, 103, 128, 130}) {
    SCOPED_TRACE(rows);
    const Dense matrix = dominant(rows);
    double shift = -1;
    const Dense inverse = TestFixture::inverse(matrix, 0.1, &shift);
    EXPECT_EQ(shift, 0);
    Dense identity(rows);
    for (Ordinal i = 0; i < rows; ++i) identity(i, i) = 1;
    expect_near(matrix * inverse, identity, 2e-6f);
    for (Ordinal i = 0; i < rows; ++i)
      for (Ordinal j = 0; j < i; ++j) ASSERT_EQ(inverse(i, j), inverse(j, i));
  }
}

TYPED_TEST(MultigridDense, LeavesOutPivotsThatAreZero) {
  // One row depends on the others wherever it lies among the pivots that are swept at once.
  for (const Ordinal rows : {4, 6, 7, 9, 33}) {
    SCOPED_TRACE(rows);
    const Dense matrix = chain(rows), inverse = TestFixture::inverse(matrix);
    expect_near(matrix * inverse * matrix, matrix, 1e-4f);
    for (Ordinal i = 0; i < rows; ++i) EXPECT_EQ(inverse(rows - 1, i), 0);
  }
  Dense twice(11); // rows 2 and 5 are the same, as are 1 and 10
  for (Ordinal i = 0; i < 11; ++i) twice(i, i) = 1;
  twice(2, 5) = twice(5, 2) = twice(1, 10) = twice(10, 1) = 1;
  const Dense inverse = TestFixture::inverse(twice);
  expect_near(twice * inverse * twice, twice, 1e-6f);
  EXPECT_EQ(inverse(2, 2), 1);
  EXPECT_EQ(inverse(5, 5), 0);
  EXPECT_EQ(inverse(10, 10), 0);
}

TYPED_TEST(MultigridDense, RaisesTheDiagonalUntilNoPivotIsNegative) {
  Dense matrix(9);
  for (Ordinal i = 0; i < 9; ++i) matrix(i, i) = 1;
  matrix(7, 8) = matrix(8, 7) = 1.0005f; // eigenvalues 1 ± 1.0005
  double shift = 0;
  TestFixture::inverse(matrix, 0.1, &shift);
  EXPECT_NEAR(shift, 1e-3, 1e-9);
  matrix(7, 8) = matrix(8, 7) = 2;
  expect_throw_with<SolverError>([&] { TestFixture::inverse(matrix); }, "1 negative pivots");
}

} // namespace solvers_sparse_dense
