// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/basis_rows.hpp>
#include <tessera/core/elements/reference_tensors.hpp>
#include <tessera/core/elements/tabulation.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace core_elements_tabulation {

using namespace tessera;

/// Everything the accessors return at one quadrature point, in one row: weight, coordinates, values,
/// gradients.
template <class Table>
inline constexpr int row_length = 1 + Table::dimension + Table::nodes * (1 + Table::dimension);

/// Fills one row; the caller decides whether q is known to the compiler.
template <class Table, class Scalar>
KOKKOS_FUNCTION void fill_row(int q, Scalar* row) {
  int column = 0;
  row[column++] = Table::template weight<Scalar>(q);
  for (int d = 0; d < Table::dimension; ++d) row[column++] = Table::template coordinate<Scalar>(q, d);
  for (int i = 0; i < Table::nodes; ++i) row[column++] = Table::template value<Scalar>(q, i);
  for (int i = 0; i < Table::nodes; ++i)
    for (int d = 0; d < Table::dimension; ++d) row[column++] = Table::template gradient<Scalar>(q, i, d);
}

template <class Table, class Scalar>
using Rows = Kokkos::View<Scalar * [row_length<Table>], Kokkos::LayoutRight>;

/// Reads the tables in a kernel, with q known only at run time.
template <class Table, class Scalar>
Rows<Table, Scalar> rows_at_run_time() {
  Rows<Table, Scalar> rows("Tessera::TabulationTest::rows", Table::points);
  Kokkos::parallel_for(
      "Tessera::TabulationTest::run_time", Kokkos::RangePolicy<>(0, Table::points),
      KOKKOS_LAMBDA(int q) { fill_row<Table>(q, &rows(q, 0)); });
  return rows;
}

template <class Table, class Scalar, int... q>
KOKKOS_FUNCTION void fill_rows(Scalar* rows, std::integer_sequence<int, q...>) {
  (fill_row<Table>(q, rows + q * row_length<Table>), ...);
}

/// Reads the tables in a kernel, with q known to the compiler.
template <class Table, class Scalar>
Rows<Table, Scalar> rows_at_compile_time() {
  Rows<Table, Scalar> rows("Tessera::TabulationTest::rows", Table::points);
  Kokkos::parallel_for(
      "Tessera::TabulationTest::compile_time", Kokkos::RangePolicy<>(0, 1), KOKKOS_LAMBDA(int) {
        fill_rows<Table>(rows.data(), std::make_integer_sequence<int, Table::points>{});
      });
  return rows;
}

template <class ElementType, int degree>
struct Case {
  using Table = Tabulation<ElementType, degree>;
};

template <class C>
class TabulationOf : public testing::Test {};

using Cases =
    testing::Types<Case<Line<2>, 4>, Case<Tri<1>, 0>, Case<Tri<1>, 2>, Case<Tri<3>, 6>, Case<Tri<5>, 10>,
                   Case<Quad<1>, 2>, Case<Quad<2>, 4>, Case<Tet<1>, 2>, Case<Tet<2>, 4>, Case<Tet<3>, 6>,
                   Case<Hex<1>, 2>, Case<Hex<2>, 5>, Case<Quad8, 4>, Case<Hex20, 4>, Case<Wedge<1>, 2>,
                   Case<Pyramid<1>, 2>, Case<Wedge<2>, 4>, Case<Wedge15, 4>, Case<Pyramid13, 4>>;
TYPED_TEST_SUITE(TabulationOf, Cases);

/// The rows must be the element's own functions at the rule's points, rounded once to Scalar.
template <class Table, class Scalar>
void expect_rows(const Rows<Table, Scalar>& device_rows) {
  using E = typename Table::Element;
  using Rule = typename Table::Rule;
  static_assert(Table::points == Rule::points && Table::nodes == E::nodes);
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_rows);
  for (int q = 0; q < Table::points; ++q) {
    const auto values = E::values(Rule::coordinates[q]);
    const auto gradients = E::gradients(Rule::coordinates[q]);
    // The compiler and the processor may contract differently: allow a few rounding errors.
    const Scalar tolerance = std::is_same_v<Scalar, double> ? 1e-14 : 1e-6;
    int column = 0;
    EXPECT_EQ(rows(q, column++), static_cast<Scalar>(Rule::weights[q]));
    for (int d = 0; d < E::dimension; ++d)
      EXPECT_EQ(rows(q, column++), static_cast<Scalar>(Rule::coordinates[q][d]));
    for (int i = 0; i < E::nodes; ++i)
      EXPECT_NEAR(rows(q, column++), values[i], tolerance) << "point " << q << " node " << i;
    for (int i = 0; i < E::nodes; ++i)
      for (int d = 0; d < E::dimension; ++d)
        EXPECT_NEAR(rows(q, column++), gradients[i][d], 10 * tolerance) << "point " << q << " node " << i;
    EXPECT_EQ(column, row_length<Table>);
  }
}

TYPED_TEST(TabulationOf, HoldsTheBasisAtThePointsInDoubleAndFloat) {
  using Table = typename TypeParam::Table;
  expect_rows<Table, double>(rows_at_run_time<Table, double>());
  expect_rows<Table, float>(rows_at_run_time<Table, float>());
  expect_rows<Table, double>(rows_at_compile_time<Table, double>());
  expect_rows<Table, float>(rows_at_compile_time<Table, float>());
}

TYPED_TEST(TabulationOf, IntegratesTheBasisToTheMeasureOfTheDomain) {
  using Table = typename TypeParam::Table;
  double sum = 0;
  for (int q = 0; q < Table::points; ++q)
    for (int i = 0; i < Table::nodes; ++i) sum += Table::weight(q) * Table::value(q, i);
  EXPECT_NEAR(sum, reference_measure(Table::Element::shape), 1e-13);
}

TEST(Tabulation, ReturnsTheScalarAskedFor) {
  using Table = Tabulation<Tet<1>, 1>;
  static_assert(std::is_same_v<decltype(Table::weight(0)), double>);
  static_assert(std::is_same_v<decltype(Table::value<float>(0, 0)), float>);
  static_assert(std::is_same_v<decltype(Table::gradient<float>(0, 0, 0)), float>);
}

// The matrices of the reference pyramid, integrated exactly, in fractions, with x = r a, y = r b, z = 1 - r.
TEST(Tabulation, IntegratesThePyramidsMatricesExactly) {
  using Element = Pyramid<1>;
  using Table = Tabulation<Element, 2>;
  using Tensors = ReferenceTensors<Element>;
  constexpr double mass[5][5] = {
      {16, 8, 4, 8, 9}, {8, 16, 8, 4, 9}, {4, 8, 16, 8, 9}, {8, 4, 8, 16, 9}, {9, 9, 9, 9, 24}};
  constexpr double laplace[5][5] = {{46, -1, -17, -1, -27},
                                    {-1, 28, -10, -8, -9},
                                    {-17, -10, 28, -10, 9},
                                    {-1, -8, -10, 28, -9},
                                    {-27, -9, 9, -9, 36}};
  constexpr double x_by_z[5][5] = {
      {15, 3, -3, 3, -18}, {-15, -3, 3, -3, 18}, {-12, -6, 6, -6, 18}, {12, 6, -6, 6, -18}, {0, 0, 0, 0, 0}};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      double value = 0, gradient = 0, mixed = 0, traced = 0;
      for (int q = 0; q < Table::points; ++q) {
        value += Table::weight(q) * Table::value(q, i) * Table::value(q, j);
        for (int d = 0; d < 3; ++d)
          gradient += Table::weight(q) * Table::gradient(q, i, d) * Table::gradient(q, j, d);
        mixed += Table::weight(q) * Table::gradient(q, i, 0) * Table::gradient(q, j, 2);
      }
      for (int d = 0; d < 3; ++d) traced += Tensors::derivatives(i, j, d, d);
      EXPECT_NEAR(value, mass[i][j] / 720, 1e-16) << i << j;
      EXPECT_NEAR(gradient, laplace[i][j] / 108, 1e-15) << i << j;
      EXPECT_NEAR(mixed, x_by_z[i][j] / 108, 1e-15) << i << j;
      EXPECT_NEAR(Tensors::values(i, j), mass[i][j] / 720, 1e-16) << i << j;
      EXPECT_NEAR(traced, laplace[i][j] / 108, 1e-15) << i << j;
      EXPECT_NEAR(Tensors::derivatives(i, j, 0, 2), x_by_z[i][j] / 108, 1e-15) << i << j;
    }
}

// Of degree 4 in x / (1 - z), y / (1 - z) and z: a rule with more points finds nothing more.
TEST(Tabulation, IntegratesThePyramidsMatricesOfSecondOrderExactly) {
  using Table = Tabulation<Pyramid13, 4>;
  using Finer = Tabulation<Pyramid13, 8>;
  static_assert(Table::points == 27 && Finer::points == 125);
  const auto product = [](auto table, int i, int j, int c, int d) {
    using T = decltype(table);
    double sum = 0;
    for (int q = 0; q < T::points; ++q)
      sum += T::weight(q) *
             (c < 0 ? T::value(q, i) * T::value(q, j) : T::gradient(q, i, c) * T::gradient(q, j, d));
    return sum;
  };
  for (int i = 0; i < Table::nodes; ++i)
    for (int j = 0; j < Table::nodes; ++j) {
      EXPECT_NEAR(product(Table(), i, j, -1, -1), product(Finer(), i, j, -1, -1), 1e-15) << i << " " << j;
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d)
          EXPECT_NEAR(product(Table(), i, j, c, d), product(Finer(), i, j, c, d), 1e-14) << i << " " << j;
    }
}

// What a form of u twice, with Jacobian, asks for: more than one constant of Clang's may take.
TEST(Tabulation, RowsOfHex20AreConstantExpressionsOfDegreeSix) {
  using Table = Tabulation<Hex20, 6>;
  const auto& row = tessera::detail::BasisRows<Hex20, 6>::at<double>(41, 7);
  for (int d = 0; d < 3; ++d) EXPECT_EQ(row.entry[d], Table::gradient(41, 7, d));
  EXPECT_EQ(row.entry[3], Table::value(41, 7));
}

TEST(Tabulation, IsAConstantExpression) {
  constexpr auto gradients = Tabulation<Tri<1>, 0>::gradients();
  static_assert(gradients.entries[0][0][0] == -1 && gradients.entries[0][0][1] == -1);
  static_assert(gradients.entries[0][1][0] == 1 && gradients.entries[0][1][1] == 0);
  static_assert(gradients.entries[0][2][0] == 0 && gradients.entries[0][2][1] == 1);
  static_assert(Tabulation<Tri<1>, 0>::weights().entries[0] == 0.5);
}

} // namespace core_elements_tabulation
