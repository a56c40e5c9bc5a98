// SPDX-License-Identifier: BSD-3-Clause
// What conjugate gradients say of themselves is true: b - A x decides, not the residual that they carry
// along.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/likely_cause.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace solvers_verdicts {

using namespace tessera;
using namespace tessera::test;
using solvers::CgOptions;
using solvers::CgResult;
using solvers::StopReason;
using ::testing::HasSubstr;
using ::testing::Not;

/// A chain of springs, fixed at its left end: `stiffness` of each.
HostMatrix<double> springs(const std::vector<double>& stiffness) {
  HostMatrix<double> matrix;
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    const double next = i + 1 < stiffness.size() ? stiffness[i + 1] : 0;
    const auto row = static_cast<Ordinal>(i);
    std::map<Ordinal, double> entries{{row, stiffness[i] + next}};
    if (i > 0) entries[row - 1] = -stiffness[i];
    if (next != 0) entries[row + 1] = -next;
    matrix.add_row(entries);
  }
  return matrix;
}

template <class ExecutionSpace>
class Verdicts : public ::testing::Test {
protected:
  template <class Scalar>
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Solves by ours and by Kokkos Kernels' vector operations; both verdicts must be true.
  template <class Scalar>
  static void solve(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& b,
                    const std::vector<Scalar>& guess, const CgOptions& options,
                    const std::function<void(const CgResult&)>& expect) {
    const auto row_map = to_device<ExecutionSpace>(matrix.row_map);
    const auto columns = to_device<ExecutionSpace>(matrix.columns);
    const auto values = to_device<ExecutionSpace>(matrix.values);
    const solvers::Jacobi<Scalar, ExecutionSpace> jacobi(ExecutionSpace{}, row_map, columns, values);
    const Vector<const Scalar> rhs = to_device<ExecutionSpace>(b);
    const auto judge = [&](const auto& iterate) {
      const auto x = to_device<ExecutionSpace>(guess);
      const CgResult result = iterate(x);
      expect_true(matrix, b, to_host(x), options, result);
      expect(result);
    };
    const solvers::CrsOperator<Scalar, ExecutionSpace> a(ExecutionSpace{}, row_map, columns, values);
    judge([&](const auto& x) { return solvers::cg(ExecutionSpace{}, a, jacobi, rhs, x, options); });
#ifdef TESSERA_HAVE_KOKKOSKERNELS
    const solvers::KokkosKernelsOperator<Scalar, ExecutionSpace> kk(ExecutionSpace{}, row_map, columns,
                                                                    values);
    judge([&](const auto& x) {
      return solvers::kokkos_kernels_cg(ExecutionSpace{}, kk, jacobi, rhs, x, options);
    });
#endif
  }

  /// What the result says of b - A x, computed here; sums in double round the matrix's own products less.
  template <class Scalar>
  static void expect_true(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& b,
                          const std::vector<Scalar>& x, const CgOptions& options, const CgResult& result) {
    std::vector<double> r(b.begin(), b.end());
    double rounding = 0;
    for (std::size_t row = 0; row < r.size(); ++row)
      for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
        const double product =
            static_cast<double>(matrix.values[k]) * static_cast<double>(x[matrix.columns[k]]);
        r[row] -= product;
        rounding += std::abs(product);
      }
    rounding *= 4 * std::numeric_limits<Scalar>::epsilon();
    EXPECT_NEAR(result.true_residual, norm(r), rounding + 1e-12 * norm(b));
    EXPECT_EQ(result.rhs_norm > 0, norm(b) > 0);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_EQ(result.converged(),
              result.reason != StopReason::stagnated && result.reason != StopReason::max_iterations);
    if (result.converged()) {
      EXPECT_LE(result.true_residual,
                std::max(options.relative() * result.rhs_norm, options.absolute_tolerance));
    }
  }
};
TYPED_TEST_SUITE(Verdicts, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(Verdicts, SpringsOfVeryDifferentStiffnessStagnate) {
  std::vector<double> stiffness(60, 1.0);
  std::fill(stiffness.begin() + 30, stiffness.end(), 1e12);
  const auto matrix = springs(stiffness);
  this->template solve<double>(matrix, std::vector<double>(60, 1.0), std::vector<double>(60), {},
                               [](const CgResult& result) {
                                 EXPECT_EQ(result.reason, StopReason::stagnated);
                                 EXPECT_LT(result.residual, result.true_residual);
                                 EXPECT_GE(result.restarts, 1);
                                 EXPECT_LT(result.iterations, 1000);
                               });
  EXPECT_THAT(to_string(StopReason::stagnated), HasSubstr("rounding keeps b - Ax above the tolerance"));
}

TYPED_TEST(Verdicts, FloatStagnatesBelowItsPrecision) {
  const auto matrix = laplace<float>(20, 20);
  const auto b = matrix * random_vector<float>(400);
  this->template solve<float>(matrix, b, std::vector<float>(400), {.relative_tolerance = 1e-9},
                              [](const CgResult& result) {
                                EXPECT_EQ(result.reason, StopReason::stagnated);
                                EXPECT_FALSE(result.converged());
                              });
  this->template solve<float>(matrix, b, std::vector<float>(400), {.relative_tolerance = 1e-5},
                              [](const CgResult& result) { EXPECT_TRUE(result.converged()); });
}

TYPED_TEST(Verdicts, RestartsFromTheTrueResidualWhereThatHelps) {
  // A guess so wrong that the carried residual leaves b - A x by its rounding: a second start reaches the
  // goal.
  const auto matrix = laplace<double>(15, 15);
  const auto b = matrix * random_vector<double>(225);
  auto guess = random_vector<double>(225, 7);
  for (double& value : guess) value *= 1e12;
  this->template solve<double>(matrix, b, guess, {.relative_tolerance = 1e-10}, [](const CgResult& result) {
    EXPECT_EQ(result.reason, StopReason::relative_tolerance);
    EXPECT_GE(result.restarts, 1);
  });
}

TYPED_TEST(Verdicts, ToleranceZeroIsReachedByZeroAlone) {
  const auto matrix = laplace<double>(12, 12);
  const auto b = matrix * random_vector<double>(144);
  this->template solve<double>(
      matrix, b, std::vector<double>(144), {.relative_tolerance = 0}, [](const CgResult& result) {
        EXPECT_TRUE(result.reason == StopReason::stagnated || result.true_residual == 0);
        EXPECT_LT(result.iterations, 500);
      });
  HostMatrix<double> identity;
  for (Ordinal row = 0; row < 8; ++row) identity.add_row({{row, 1.0}});
  this->template solve<double>(
      identity, random_vector<double>(8), std::vector<double>(8), {.relative_tolerance = 0},
      [](const CgResult& result) { EXPECT_EQ(result.reason, StopReason::relative_tolerance); });
}

TYPED_TEST(Verdicts, NumbersOutsideTheRangeOfSquaresAreNamed) {
  const auto fails = [](double b, const std::string& message) {
    const auto expect_nothing = [](const CgResult&) { FAIL() << "solved"; };
    expect_throw_with<SolverError>(
        [&] {
          TestFixture::template solve<double>(laplace<double>(16, 1), std::vector<double>(16, b),
                                              std::vector<double>(16), {}, expect_nothing);
        },
        message);
  };
  fails(1e-200, "max |b| = 1e-200: its square is lost to underflow; scale the right-hand side");
  fails(1e200, "the right-hand side is not finite, or so large that its square is not");
}

TYPED_TEST(Verdicts, SingularMatricesAreCalledSoByTheNumberThatSaysIt) {
  auto matrix = laplace<double>(16, 1);
  matrix.values.front() = matrix.values.back() = 1;
  const auto expect_nothing = [](const CgResult&) { FAIL() << "solved"; };
  try {
    this->template solve<double>(matrix, std::vector<double>(16, 1.0), std::vector<double>(16), {},
                                 expect_nothing);
    FAIL() << "solved";
  } catch (const SolverError& error) {
    // Either quotient or product is the number in the message, and never a positive one beside "not
    // definite".
    const std::string what = error.what();
    EXPECT_THAT(what, ::testing::ContainsRegex("p·Ap = (0|-)|p·Ap / p·Mp = [0-9.e-]+: rounding beside the"));
    EXPECT_THAT(what, HasSubstr("enough essential constraints?"));
  }
}

TYPED_TEST(Verdicts, CostOneMoreProductAndNoWaitInIterations) {
  const auto matrix = laplace<double>(30, 20);
  const auto row_map = to_device<TypeParam>(matrix.row_map);
  const auto columns = to_device<TypeParam>(matrix.columns);
  const auto values = to_device<TypeParam>(matrix.values);
  const solvers::CrsOperator<double, TypeParam> a(TypeParam{}, row_map, columns, values);
  const solvers::Jacobi<double, TypeParam> jacobi(TypeParam{}, row_map, columns, values);
  const auto b = to_device<TypeParam>(matrix * random_vector<double>(600));
  const auto x = to_device<TypeParam>(std::vector<double>(600));
  CgResult result;
  const auto events = events_of([&] { result = solvers::cg(TypeParam{}, a, jacobi, b, x, {}); });
  const auto count = [&](const std::string& label) {
    return std::count_if(events.begin(), events.end(),
                         [&](const Event& e) { return e.kind == Event::Kind::kernel && e.label == label; });
  };
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(count("Tessera::Cg::true_residual"), 1);
  EXPECT_EQ(count("Tessera::Cg::residual"), 0); // the first guess is zero, and the residual b
  EXPECT_EQ(count("Tessera::Cg::dot"), 1);      // of the first r and M⁻¹r; p·Ap comes with the product
  EXPECT_EQ(count(runs_on_host<TypeParam> ? "Tessera::CrsOperator::apply_dot" : "Tessera::CrsOperator::dot"),
            result.iterations);
  EXPECT_EQ(count("Tessera::Cg::update"), result.iterations);
  EXPECT_EQ(count("Tessera::Cg::direction"), result.iterations);
  EXPECT_EQ(count("Tessera::Cg::step"), 1); // the others go with the next direction
}

/// Hexahedra with what is asked for, solved by `cg(system)`.
template <class ExecutionSpace>
class Causes : public ::testing::Test {
protected:
  template <class Form, class Constrain>
  static std::string cause(const Form& form, const Constrain& constrain,
                           ConstraintTreatment treatment = ConstraintTreatment::removed) {
    const auto mesh = io::box_mesh<Hex<1>, ExecutionSpace>({{4, 3, 3}, {1.3, 1.0, 0.8}});
    FunctionSpace<Hex<1>, ExecutionSpace> space(mesh, Form::components, treatment);
    constrain(space);
    const LinearSystem<double, ExecutionSpace> system(space);
    assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
    return solvers::likely_cause(system);
  }
};
TYPED_TEST_SUITE(Causes, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(Causes, MissingSupports) {
  const Helmholtz<> heat{.lambda = 0.0, .source = 1.0};
  const auto nothing = [](auto&) {};
  EXPECT_THAT(this->cause(heat, nothing), HasSubstr("nothing is fixed in component 0: any constant"));
  EXPECT_THAT(this->cause(LinearElasticity<3>{}, nothing),
              HasSubstr("nothing is fixed in component 0, 1, 2"));
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto along_x = [](auto& space) {
      for (Ordinal node = 0; node < 20; ++node) space.constrain(node, 0, 0.1);
    };
    EXPECT_THAT(this->cause(LinearElasticity<3>{}, along_x, treatment),
                HasSubstr("nothing is fixed in component 1, 2:"));
    const auto one_node = [](auto& space) { space.constrain(7, 0, 1.0); };
    EXPECT_THAT(this->cause(heat, one_node, treatment), HasSubstr("ill-conditioned"));
  }
  EXPECT_THAT(this->cause(Helmholtz<>{.lambda = 1.0}, nothing), Not(HasSubstr("nothing is fixed")));
}

/// Soft in the first of four elements along x.
struct SoftSupport {
  KOKKOS_FUNCTION double operator()(const Vector<double, 3>& x) const { return x(0) < 0.325 ? 1 : 1e14; }
};

TYPED_TEST(Causes, BadScales) {
  const Helmholtz<> heat{.sigma = CellField::per_element(to_device<TypeParam>([] {
                           std::vector<double> sigma(36, 1.0);
                           std::fill(sigma.begin(), sigma.begin() + 9, 1e12);
                           return sigma;
                         }())),
                         .lambda = 0.0};
  EXPECT_THAT(this->cause(heat, [](auto& space) { space.constrain(0, 0, 1.0); }),
              HasSubstr("badly scaled: the largest diagonal entry is "));
  const auto at_xmin = [](auto& space) { space.constrain(space.mesh().node_set("xmin"), 0, 1.0); };
  EXPECT_THAT(this->cause(Helmholtz<SoftSupport>{.lambda = 0.0}, at_xmin),
              HasSubstr("what is fixed in component 0 does not hold the rest"));
}

/// The matrix of unit right triangles is exact, and so is its product with the constants, zero: the first
/// direction where the right-hand side is the diagonal.
TYPED_TEST(Causes, ConstantsThatNothingFixesAreRefused) {
  const auto mesh = io::box_mesh<Tri<1>, TypeParam>({{4, 4, 1}, {4, 4, 1}});
  const FunctionSpace<Tri<1>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(Helmholtz<>{.lambda = 0.0}, system);
  const auto& graph = system.graph();
  const solvers::detail::CrsViews<double, TypeParam> matrix{graph.row_map, graph.columns, system.values()};
  Kokkos::deep_copy(system.rhs(), solvers::detail::diagonal<double, TypeParam>(TypeParam(), matrix));
  const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", system.num_rows());
  expect_throw_with<SolverError>([&] { solvers::cg(system, x); }, "enough essential constraints?");
}

} // namespace solvers_verdicts
