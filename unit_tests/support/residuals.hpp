// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/forms/advection_diffusion_reaction.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/operators.hpp"
#include "support/residual_oracle.hpp"
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::test {

/// A form that looks at everything: value, gradient, position, and fields of every kind with their gradients.
struct Everything {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto velocity = p.template a<1>();
    return p.u * p.u * p.template a<0>() + velocity(0) * p.grad_u(0) - p.template a<2>() * velocity(1) +
           p.position(0);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    const auto gradients = p.template grad_a<1>();
    auto flux = (1.0 + tessera::exp(-p.u) + p.position(1) * p.template a<2>()) * p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) flux(d) += gradients(1, d) * p.u;
    return flux;
  }

  static void oracle(const OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
    const std::size_t d = p.x.size();
    f0[0] = p.u[0] * p.u[0] * p.a[0][0] + p.a[1][0] * p.grad_u[0] - p.a[2][0] * p.a[1][1] + p.x[0];
    for (std::size_t i = 0; i < d; ++i)
      f1[i] = (1 + std::exp(-p.u[0]) + p.x[1] * p.a[2][0]) * p.grad_u[i] + p.grad_a[1][d + i] * p.u[0];
  }
};

/// A smooth coefficient.
struct Wave {
  template <class Position>
  KOKKOS_FUNCTION double operator()(const Position& x) const {
    return 1.5 + Kokkos::sin(3 * x(0)) * x(1);
  }
};

/// Residuals of one element on a mesh that is sheared, bent and shuffled.
template <class Element, class ExecutionSpace>
class ResidualChecks {
public:
  static constexpr int d = Element::dimension;
  using Operators = OperatorChecks<Element, ExecutionSpace>;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  template <class Scalar>
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  template <class Scalar = double>
  static Vector<Scalar> device(const std::vector<double>& host) {
    return test::to_device<ExecutionSpace>(std::vector<Scalar>(host.begin(), host.end()));
  }

  /// A weak form, and what the oracle is given of it.
  template <class Weak>
  struct Case {
    std::string name;
    Weak form;
    OraclePhysics physics;
    std::vector<OracleField> fields;
    /// The oracle's residuals on the case's mesh, by state: many strategies are compared with each.
    mutable std::map<std::vector<double>, OracleResidual> known = {};
  };

  static auto everything(const MeshType& mesh) {
    const auto velocity = Operators::random(mesh.num_nodes() * 2, 5);
    const auto reaction = Operators::random(mesh.num_elements(), 6);
    const auto form = weak_form(Everything{}, CellField::per_element(device(reaction)),
                                NodalField<2, ExecutionSpace>{device(velocity)}, Wave{});
    return Case<std::remove_const_t<decltype(form)>>{
        "Everything",
        form,
        Everything::oracle,
        {{1, {}, reaction, {}}, {2, velocity, {}, {}}, {1, {}, {}, [](const std::vector<double>& x) {
                                                          return 1.5 + std::sin(3 * x[0]) * x[1];
                                                        }}}};
  }

  static auto neo_hookean() {
    const NeoHookean<d> solid{.shear = 2, .lame = 3};
    const auto physics = [](const OraclePoint& p, std::vector<double>&, std::vector<double>& f1) {
      Matrix<double, d> F;
      for (int i = 0; i < d * d; ++i) F.entry[i] = p.grad_u[i] + (i % (d + 1) == 0 ? 1 : 0);
      const double J = determinant(F);
      const auto cofactors = adjugate(F);
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) f1[i * d + j] = 2 * F(i, j) + (3 * std::log(J) - 2) / J * cofactors(j, i);
    };
    return Case<WeakForm<NeoHookean<d>>>{"NeoHookean", weak_form(solid), physics, {}};
  }

  /// Values small enough that no element turns inside out.
  static std::vector<double> state(std::size_t count, int seed, double size = 0.002) {
    auto values = Operators::random(count, seed);
    for (double& value : values) value *= size;
    return values;
  }

  template <class Weak>
  static const OracleResidual& oracle(const MeshType& mesh, const Case<Weak>& c,
                                      const std::vector<double>& u) {
    using Kernel = decltype(c.form.kernel(mesh.kernel()));
    OracleResidual& r = c.known[u];
    if (r.values.empty())
      r = oracle_residual<Kernel::template degree<Element>>(mesh, Weak::components, u, c.fields, c.physics);
    return r;
  }

  template <class Scalar = double, class Plan, class Weak>
  static std::vector<double> integrate(Plan&& plan, const Weak& form, const std::vector<double>& u) {
    const Vector<Scalar> r("Tessera::Test::r", u.size());
    Kokkos::deep_copy(r, Scalar(NAN));
    plan.template prepare<Scalar>(form);
    plan.integrate(form, Kokkos::View<const Scalar*, ExecutionSpace>(device<Scalar>(u)), r);
    const auto host = tessera::detail::host_vector<Scalar>(r);
    return {host.begin(), host.end()};
  }

  static void expect_near(const std::vector<double>& r, const OracleResidual& expected, double tolerance) {
    ASSERT_EQ(r.size(), expected.values.size());
    for (std::size_t i = 0; i < r.size(); ++i)
      ASSERT_NEAR(r[i], expected.values[i], tolerance * expected.scale) << "degree of freedom " << i;
  }

  /// One strategy and one form, from nodal vector to nodal vector, and repeated.
  template <class Scalar = double, class Variant, class Weak>
  static void expect_oracle(const Variant& variant, const MeshType& mesh, const Case<Weak>& c,
                            double tolerance = 1e-13) {
    SCOPED_TRACE(variant.name + ", " + Element::name + ", " + c.name);
    const Space space(mesh, Weak::components);
    const auto u = state(space.num_dofs(), 3);
    auto plan = variant.strategy.plan(space);
    const auto r = integrate<Scalar>(plan, c.form, u);
    expect_near(r, oracle(mesh, c, u), tolerance);
    if (!is_deterministic(variant.strategy)) return;
    for (int repetition = 0; repetition < repetitions<ExecutionSpace>(); ++repetition)
      EXPECT_EQ(integrate<Scalar>(plan, c.form, u), r) << "repetition " << repetition;
  }

  /// The paper's setting: element vectors, added up here.
  template <class Scalar = double, class Variant, class Weak>
  static void expect_element_vectors(const Variant& variant, const MeshType& mesh, const Case<Weak>& c,
                                     double tolerance = 1e-13) {
    SCOPED_TRACE(variant.name + ", element vectors, " + Element::name + ", " + c.name);
    const Space space(mesh, Weak::components);
    const auto u = state(space.num_dofs(), 4);
    auto plan = variant.strategy.plan(space);
    using Kernel = decltype(c.form.kernel(mesh.kernel()));
    const Kokkos::View<const Scalar*, ExecutionSpace> nodal = device<Scalar>(u);
    const auto arrays = residual::element_arrays<Kernel::template degree<Element>>(
        ExecutionSpace(), mesh, nodal, Weak::components, Element::affine_simplex);
    plan.integrate_elements(c.form, arrays);
    const auto vectors = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), arrays.vectors);
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    std::vector<double> sum(u.size(), 0.0);
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int i = 0; i < Element::nodes * Weak::components; ++i)
        sum[nodes(e, i / Weak::components) * Weak::components + i % Weak::components] += vectors(e, i);
    expect_near(sum, oracle(mesh, c, u), tolerance);
  }

  /// Runs checks of a strategy. On devices a block of cells of order 2 may be too large for a team's scratch
  /// memory or threads, and is then refused: one block, with its number of cells, and by thread transposition
  /// alone.
  template <class Weak, class Strategy, class Checks>
  static void unless_refused(const Variant<Strategy>&, const Checks& checks) {
    using Kernel = decltype(std::declval<Weak>().kernel(std::declval<MeshType>().kernel()));
    constexpr int cells =
        std::lcm(Element::nodes, Tabulation<Element, Kernel::template degree<Element>>::points);
    constexpr bool may_refuse = !runs_on_host<ExecutionSpace> && Element::order > 1 &&
                                std::is_same_v<Strategy, residual::ThreadTransposition>;
    try {
      checks();
    } catch (const UnsupportedError& error) {
      EXPECT_TRUE(may_refuse) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string(Strategy::name) + ": 1 blocks of " +
                                                     std::to_string(cells) + " cells need "));
      ::testing::Test::RecordProperty("refused", std::string(Element::name) + ": " + error.what());
    }
  }

  /// One strategy and one form in every setting that it has: `RecomputingResidual` has no element vectors.
  template <class Scalar = double, class Strategy, class Weak>
  static void expect_settings(const Variant<Strategy>& variant, const MeshType& mesh, const Case<Weak>& c,
                              double tolerance = 1e-13) {
    unless_refused<Weak>(variant, [&] { expect_oracle<Scalar>(variant, mesh, c, tolerance); });
    using Plan = decltype(variant.strategy.plan(Space(mesh, 1)));
    if constexpr (requires { Plan::has_element_data; })
      if (variant.name == Strategy::name)
        unless_refused<Weak>(variant, [&] { expect_element_vectors<Scalar>(variant, mesh, c, tolerance); });
  }

  /// Every strategy in every setting.
  static void expect_agreement() {
    const auto mesh = Operators::bent_mesh();
    const auto scalar = everything(mesh);
    const auto vector = neo_hookean();
    for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
      expect_settings(variant, mesh, scalar);
      if constexpr (Element::order <= 2) expect_settings(variant, mesh, vector);
    });
  }

  /// Every strategy in every setting in single precision.
  static void expect_single_precision() {
    const auto mesh = Operators::bent_mesh();
    const auto scalar = everything(mesh);
    for_each_strategy<ResidualCatalogue>(
        [&](const auto& variant) { expect_settings<float>(variant, mesh, scalar, 1e-5); });
  }
};

} // namespace tessera::test
