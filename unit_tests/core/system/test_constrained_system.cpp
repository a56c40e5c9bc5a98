// SPDX-License-Identifier: BSD-3-Clause
// Linear equations between unknowns, against the same problem with Lagrange's multipliers.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/constrained_system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace core_system_constrained_system {

using namespace tessera;
using test::expect_throw_with;
using test::to_host;

using Dense = std::vector<std::vector<double>>; ///< the last column is the right-hand side

/// Gauss' elimination with partial pivoting.
std::vector<double> solved(Dense a) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = n + 1; j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  std::vector<double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    x[i] = a[i][n];
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return x;
}

template <class ExecutionSpace>
Dense dense(const LinearSystem<double, ExecutionSpace>& system, std::size_t size) {
  const auto row_map = to_host(system.graph().row_map);
  const auto columns = to_host(system.graph().columns);
  const auto values = to_host(system.values()), rhs = to_host(system.rhs());
  Dense a(size, std::vector<double>(size + 1, 0.0));
  for (Ordinal row = 0; row < system.num_rows(); ++row) {
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) a[row][columns[k]] = values[k];
    a[row][size] = rhs[row];
  }
  return a;
}

/// A plate, two of whose nodes are held, under loads; 24 degrees of freedom, and three beyond them.
template <class ExecutionSpace>
class ConstrainedSystems : public ::testing::Test {
public:
  using Space = FunctionSpace<Tri<1>, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  static Space space(ConstraintTreatment treatment = ConstraintTreatment::zeroed) {
    Space space(test::distorted_box<Tri<1>, ExecutionSpace>({{3, 2}, {1.3, 1.0}}), 2, treatment);
    for (const auto& [dof, value] : prescribed) space.constrain(dof / 2, dof % 2, value);
    space.add_point_load(11, 0, 0.5);
    space.add_point_load(10, 1, -0.25);
    return space;
  }
  static System assembled(const Space& space) {
    const System system(space);
    assembly::ElementAtomic{}
        .plan(space, system.graph())
        .assemble(LinearElasticity<2>{.young = 2.0, .poisson = 0.3}, system);
    return system;
  }

  static inline const std::map<Ordinal, double> prescribed{{2, 0.25}, {10, -2.0}, {11, 3.0}};
  /// A tie with a prescribed value in it, a chain of dependents, one implied by others, and two beyond.
  static inline const std::vector<LinearEquation> equations{
      {{{20, 2.0}, {22, -1.0}, {2, 3.0}}, 0.125, "first"},
      {{{22, 1.0}, {6, 0.5}, {7, -0.5}}, 0.0, "second"},
      {{{20, 2.0}, {2, 3.0}, {6, 0.5}, {7, -0.5}}, 0.125, "implied"},
      {{{24, 1.0}, {0, -1.0}, {1, -0.5}}, 0.0, "beyond"},
      {{{25, 2.0}, {24, -1.0}, {4, 1.0}}, 1.0, "from beyond"}};
};
TYPED_TEST_SUITE(ConstrainedSystems, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ConstrainedSystems, HaveTheSolutionOfLagrangesMultipliers) {
  constexpr std::size_t dofs = 24, unknowns = dofs + 2, size = unknowns + 4;
  const auto full = TestFixture::space();
  Dense saddle = dense(TestFixture::assembled(full), size);
  const std::map<Ordinal, double> loads_beyond{{24, 0.125}, {25, -0.5}};
  for (const auto& [dof, load] : loads_beyond) saddle[dof][size] = load;
  std::size_t row = unknowns;
  for (const LinearEquation& equation : TestFixture::equations) {
    if (equation.name == "implied") continue;
    saddle[row][size] = equation.value;
    for (const auto& [dof, factor] : equation.terms) {
      saddle[row][dof] += factor;
      if (!TestFixture::prescribed.contains(dof)) saddle[dof][row] += factor; // its row is the identity's
    }
    ++row;
  }
  const std::vector<double> wanted = solved(saddle);

  const LinearConstraints constraints(TestFixture::equations, TestFixture::prescribed, dofs);
  EXPECT_EQ(constraints.dependents().size(), 4u);
  EXPECT_TRUE(constraints.dependents().contains(24) && constraints.dependents().contains(25));
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto space = TestFixture::space(treatment);
    const ConstrainedSystem<TypeParam> constrained(space, TestFixture::assembled(space), constraints,
                                                   loads_beyond);
    const auto& system = constrained.system();
    const Dense matrix = dense(system, static_cast<std::size_t>(system.num_rows()));
    for (std::size_t i = 0; i < matrix.size(); ++i)
      for (std::size_t j = 0; j < matrix.size(); ++j) EXPECT_NEAR(matrix[i][j], matrix[j][i], 1e-14);
    const std::vector<double> y = solved(matrix);
    const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", y.size());
    Kokkos::deep_copy(x, Kokkos::View<const double*, Kokkos::HostSpace>(y.data(), y.size()));
    constrained.recover(x);
    const auto u = to_host(space.expand(x));
    for (std::size_t dof = 0; dof < dofs; ++dof) EXPECT_NEAR(u[dof], wanted[dof], 2e-13) << dof;
    const std::map<Ordinal, double> beyond = constrained.beyond(x);
    ASSERT_EQ(beyond.size(), 2u);
    for (const auto& [dof, value] : beyond) EXPECT_NEAR(value, wanted[dof], 2e-13) << dof;
  }
}

TYPED_TEST(ConstrainedSystems, RefuseContradictionsAndWhatDoesNotBelong) {
  auto equations = TestFixture::equations;
  equations[2].value = 0.25;
  expect_throw_with<ArgumentError>([&] { LinearConstraints(equations, TestFixture::prescribed, 24); },
                                   "implied contradicts the constraints before it");
  expect_throw_with<ArgumentError>(
      [&] { LinearConstraints({{{{2, 1.0}}, 0.5, "held"}}, TestFixture::prescribed, 24); },
      "held contradicts the constraints before it");
  expect_throw_with<ArgumentError>([&] { LinearConstraints({{{{-1, 1.0}}, 0.5, "bad"}}, {}, 24); },
                                   "bad has a degree of freedom or a factor that is no number");
  const auto space = TestFixture::space(ConstraintTreatment::removed);
  const auto system = TestFixture::assembled(space);
  const auto constrained = [&](const LinearConstraints& constraints,
                               const std::map<Ordinal, double>& loads = {}) {
    ConstrainedSystem<TypeParam>(space, system, constraints, loads);
  };
  expect_throw_with<ArgumentError>([&] { constrained(LinearConstraints({}, {}, 20)); },
                                   "constraints on 20 degrees of freedom, the space has 24");
  // The space's own constraints have been left out.
  expect_throw_with<ArgumentError>(
      [&] { constrained(LinearConstraints({{{{4, 2.0}, {2, 1.0}}, 0.0, "a"}}, {}, 24)); },
      "degree of freedom 2 is no unknown of the system");
  // One equation for two unknowns beyond the space's.
  expect_throw_with<ArgumentError>(
      [&] { constrained(LinearConstraints({{{{24, 1.0}, {25, 1.0}}, 0.0, "a"}}, {}, 24)); },
      "is no unknown of the system");
  expect_throw_with<ArgumentError>([&] { constrained(LinearConstraints({}, {}, 24), {{24, 1.0}}); },
                                   "a load on degree of freedom 24, which no constraint joins");
}

TYPED_TEST(ConstrainedSystems, RefuseWhatFollowsFromCorners) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const FunctionSpace<Tri<2>, TypeParam> space(
        io::box_mesh<Tri<2>, TypeParam>({{1, 1}}),
        {.components = 1, .linear_components = 1, .treatment = treatment});
    const LinearSystem<double, TypeParam> system(space);
    Ordinal corner = 0, between = 0;
    while (space.linear().mask(corner) != 0) ++corner;
    while (space.linear().mask(between) == 0) ++between;
    const auto follows = [&](Ordinal dependent, Ordinal independent) {
      return LinearConstraints({{{{dependent, 2.0}, {independent, -1.0}}, 0.0, "a"}}, {}, space.num_dofs());
    };
    for (const auto& constraints : {follows(corner, between), follows(between, corner)})
      expect_throw_with<ArgumentError>([&] { ConstrainedSystem<TypeParam>(space, system, constraints); },
                                       "degree of freedom " + std::to_string(between) +
                                           " is no unknown of the system");
  }
}

} // namespace core_system_constrained_system
