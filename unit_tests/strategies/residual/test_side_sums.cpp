// SPDX-License-Identifier: BSD-3-Clause
// Sums of forms with functions on sides, and right-hand sides alone: what the parts give, each side once.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/space/reactions.hpp>
#include <tessera/core/space/right_hand_side.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/side_terms.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace strategies_residual_side_sums {

using namespace tessera;
using namespace tessera::test::sides;

/// Another form of two unknowns, which says its derivative and does not look at the values.
struct Stiff {
  static constexpr int components = 2;
  static constexpr bool uses_value = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order; // as the other's: sums take the higher one
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df1(const Point& p, const Direction& w) const {
    return p.template a<0>() * w.grad_u;
  }
};

struct Spring {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    for (int a = 0; a < 2; ++a) f(a) = p.template a<0>() * p.u(a) * p.u(a) * p.u(a) + p.normal(a);
    return f;
  }
};

/// Of a set, each second side from `first` on.
template <class SideSet>
SideSet every_second(const SideSet& all, std::size_t first) {
  const SideSet part("Tessera::Test::sides", (all.extent(0) - first + 1) / 2);
  const auto from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
  const auto to = Kokkos::create_mirror_view(part);
  for (std::size_t s = 0; s < part.extent(0); ++s)
    for (int k = 0; k < 2; ++k) to(s, k) = from(2 * s + first, k);
  Kokkos::deep_copy(part, to);
  return part;
}

Values operator+(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

template <class Element>
struct Pair : Problem<Element> {
  using Base = Problem<Element>;
  using typename Base::Space, typename Base::View;
  View here = test::to_device<ExecutionSpace>(this->state()),
       there = test::to_device<ExecutionSpace>(Base::waves(2 * this->mesh.num_nodes(), 6));

  typename Base::MeshType::SideSet even = every_second(this->sides, 0), odd = every_second(this->sides, 1);

  auto first() const { return this->template form<true>(); }
  auto second() const {
    return weak_form(Stiff{}, Wave{})
        .on_sides(even, Spring{}, 0.7)
        .on_sides(odd, Spring{}, Wave{})
        .on_sides(this->sides, Spring{}, 0.2);
  }
  /// At states of their own.
  auto jacobians() const {
    return sum(jacobian(first(), this->mesh, here), jacobian(second(), this->mesh, there));
  }
  Space constrained(ConstraintTreatment treatment) const {
    Space space(this->mesh, 2, treatment);
    test::constrain(space);
    space.clear_loads();
    return space;
  }
};

using Triangles = Pair<Tri<1>>;

/// Of two systems of the same graph.
Values matrix_of(const Dense& a, const Dense& b) { return a.values + b.values; }

TEST(SideSum, OfJacobiansIsWhatThePartsGiveInEveryAssemblyStrategy) {
  const Triangles pair;
  const Triangles::Space space(pair.mesh, 2);
  const auto a = assembled(assembly::ElementAtomic{}, space, jacobian(pair.first(), pair.mesh, pair.here));
  const auto b = assembled(assembly::ElementAtomic{}, space, jacobian(pair.second(), pair.mesh, pair.there));
  for_each_strategy<AssemblyCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    if (variant.name.starts_with("Patch/pairs")) return; // half of the matrix is what it is about
    auto strategy = variant.strategy;
    if constexpr (requires { strategy.symmetric; }) strategy.symmetric = false;
    const auto both = assembled(strategy, space, pair.jacobians());
    expect_near(both.values, matrix_of(a, b), 1e-13);
    expect_near(both.rhs, a.rhs + b.rhs, 1e-12);
  });
}

TEST(SideSum, OfWeakFormsIsWhatThePartsGiveInEveryResidualStrategy) {
  const Triangles pair;
  const auto space = pair.constrained(ConstraintTreatment::removed);
  const auto u = pair.state();
  const auto expected = pair.residual(space, pair.first(), u) + pair.residual(space, pair.second(), u);
  for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    const Triangles::View r("Tessera::Test::r", u.size());
    auto plan = variant.strategy.plan(space);
    plan.integrate(sum(pair.first(), pair.second()), pair.here, r);
    expect_near(test::to_host(r), expected, 1e-12);
    plan.enqueue(sum(pair.first(), pair.second()), pair.here, r); // of the same sets: prepared
    plan.check();
    expect_near(test::to_host(r), expected, 1e-12);
  });
}

template <class Element>
class SideSums : public ::testing::Test {};
using Elements = ::testing::Types<Tet<1>, Quad<2>, Pyramid<1>>;
TYPED_TEST_SUITE(SideSums, Elements);

TYPED_TEST(SideSums, OfWeakFormsHaveTheJacobiansOfTheParts) {
  const Pair<TypeParam> pair;
  const typename Pair<TypeParam>::Space space(pair.mesh, 2);
  const auto k = [&](const auto& form) {
    return assembled(assembly::ElementAtomic{}, space, jacobian(form, pair.mesh, pair.here));
  };
  const auto a = k(pair.first()), b = k(pair.second());
  for (const auto& both : {k(sum(pair.first(), pair.second())), k(sum(pair.second(), pair.first()))}) {
    expect_near(both.values, matrix_of(a, b), 1e-12);
    expect_near(both.rhs, a.rhs + b.rhs, 1e-12);
  }
  const auto third = weak_form(Stiff{}, 0.3);
  expect_near(k(sum(pair.first(), pair.second(), third)).values, matrix_of(a, b) + k(third).values, 1e-12);
  EXPECT_LE(check_jacobian(sum(pair.first(), pair.second()), space, pair.here), 1e-6);
}

TYPED_TEST(SideSums, HaveTheReactionsOfTheParts) {
  const Pair<TypeParam> pair;
  const auto space = pair.constrained(ConstraintTreatment::zeroed);
  const auto at = [&](const auto& form) {
    return test::to_host(reactions(ExecutionSpace(), form, space, pair.here));
  };
  expect_near(at(pair.jacobians()),
              at(jacobian(pair.first(), pair.mesh, pair.here)) +
                  at(jacobian(pair.second(), pair.mesh, pair.there)),
              1e-12);
}

TYPED_TEST(SideSums, RightHandSidesAloneAreThoseOfAssemblies) {
  const Pair<TypeParam> pair;
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto space = pair.constrained(treatment);
    const auto first = jacobian(pair.first(), pair.mesh, pair.here);
    const RightHandSide right_hand_side(space);
    const auto alone = assembled(assembly::ElementAtomic{}, space, first).rhs;
    const auto both = assembled(assembly::ElementAtomic{}, space, pair.jacobians()).rhs;
    const Kokkos::View<double*, ExecutionSpace> f("Tessera::Test::f", alone.size());
    const Kokkos::View<float*, ExecutionSpace> single("Tessera::Test::single", alone.size());
    for (int repetition = 0; repetition < 2; ++repetition) {
      Kokkos::deep_copy(f, NAN);
      right_hand_side.assemble(first, f);
      expect_near(test::to_host(f), alone, 1e-13);
      right_hand_side.assemble(jacobian(pair.second(), pair.mesh, pair.there), f, true);
      expect_near(test::to_host(f), both, 1e-13);
      right_hand_side.assemble(pair.jacobians(), f);
      expect_near(test::to_host(f), both, 1e-13);
    }
    right_hand_side.assemble(pair.jacobians(), single);
    const auto rounded = test::to_host(single);
    expect_near({rounded.begin(), rounded.end()}, both, 1e-5);
  }
}

/// Shipped forms and Jacobians with functions on sides, in either order.
TEST(SideSum, JoinsFormsThatHaveNoSides) {
  const Problem<Quad<1>> problem;
  const Problem<Quad<1>>::Space space(problem.mesh, 1);
  const Helmholtz<> heat{.sigma = 2.0, .lambda = 0.5, .source = 1.5};
  const auto u = test::to_device<ExecutionSpace>(Problem<Quad<1>>::waves(problem.mesh.num_nodes(), 1));
  const auto film = jacobian(weak_form(Nothing<>{}).on_sides(every_second(problem.sides, 1), Film{}, Wave{}),
                             problem.mesh, u);
  const auto k = [&](const auto& form) { return assembled(assembly::ElementAtomic{}, space, form); };
  const auto a = k(heat), b = k(film);
  EXPECT_GT(largest(b.values), 0);
  for (const auto& both : {k(sum(heat, film)), k(sum(film, heat))}) {
    expect_near(both.values, matrix_of(a, b), 1e-13);
    expect_near(both.rhs, a.rhs + b.rhs, 1e-13);
  }
}

/// Rates and points of its own: each form of a sum keeps what is its.
struct Storing {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.template a<0>() * p.u_t() * p.u;
  }
};

TEST(SideSum, KeepsEachFormsRateAndFields) {
  const Problem<Quad<2>> problem;
  const Problem<Quad<2>>::Space space(problem.mesh, 1);
  const auto u = Problem<Quad<2>>::waves(problem.mesh.num_nodes(), 1);
  const auto known = test::to_device<ExecutionSpace>(Problem<Quad<2>>::waves(problem.mesh.num_nodes(), 4));
  const auto storing = weak_form(Storing{}, 0.3).with_rate_from(known, 5.0);
  const auto film = weak_form(Nothing<>{}).on_sides(problem.sides, Film{}, Wave{});
  const auto fast = weak_form(Storing{}, Wave{}).with_rate_from(known, 11.0);
  expect_near(problem.residual(space, sum(storing, film, fast), u),
              problem.residual(space, storing, u) + problem.residual(space, film, u) +
                  problem.residual(space, fast, u),
              1e-13);
}

template <class AnySpace>
class SideLoads : public ::testing::Test {};
TYPED_TEST_SUITE(SideLoads, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class AnySpace>
Values loads_of() {
  using Element = Tet<1>;
  const auto mesh = test::distorted_box<Element, AnySpace>({{4, 3, 3}, {1, 1, 1}});
  const FunctionSpace<Element, AnySpace> space(mesh, 1);
  const auto u = test::to_device<AnySpace>(Problem<Element>::waves(space.num_dofs(), 1));
  const auto radiation = weak_form(Nothing<>{}).on_sides(boundary_sides(mesh), Radiation{0.1}, Wave{});
  const auto film = weak_form(Nothing<>{}).on_sides(every_second(boundary_sides(mesh), 0), Film{}, Wave{});
  const Kokkos::View<double*, AnySpace> f("Tessera::Test::f", u.extent(0));
  RightHandSide(space).assemble(sum(jacobian(radiation, mesh, u), jacobian(film, mesh, u)), f);
  return test::to_host(f);
}

TYPED_TEST(SideLoads, HaveTheSameBitsWithAnyThreads) {
  const auto first = loads_of<TypeParam>();
  EXPECT_GT(largest(first), 0);
  for (int repetition = 0; repetition < 3; ++repetition) EXPECT_EQ(loads_of<TypeParam>(), first);
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (runs_on_host<TypeParam>) EXPECT_EQ(loads_of<Kokkos::Serial>(), first);
#endif
}

struct Infinite {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X&) const {
    return std::numeric_limits<double>::infinity();
  }
};

TEST(SideLoad, RefusesWhatPlansRefuse) {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      f("Tessera::Test::f", u.extent(0));
  Kokkos::deep_copy(u, 1.0);
  const Mesh<Quad<1>, ExecutionSpace>::SideSet wrong("Tessera::Test::sides", 1);
  Kokkos::deep_copy(wrong, 7);
  const auto on = [&](const auto& sides, const auto& field) {
    return jacobian(weak_form(Nothing<>{}).on_sides(sides, Radiation{}, field), mesh, u);
  };
  const RightHandSide right_hand_side(space);
  test::expect_throw_with<ArgumentError>([&] { right_hand_side.assemble(on(wrong, 1.0), f); },
                                         "RightHandSide: on_sides: side set: entry 0 names an element");
  // Elements 2 and 5 have sides there.
  test::expect_throw_with<FormError>(
      [&] { right_hand_side.assemble(on(mesh.side_set("xmax"), Infinite{}), f); },
      "RightHandSide: element 2 has");
  right_hand_side.assemble(on(mesh.side_set("xmax"), 1.0), f);
  double total = 0; // K u - r = 4 u^4 - u^4 on a side of length one
  for (const double value : test::to_host(f)) total += value;
  EXPECT_NEAR(total, 3.0, 1e-13);
}

} // namespace strategies_residual_side_sums
