// SPDX-License-Identifier: BSD-3-Clause
// An application's own forms by every strategy's name: what is wrong with them is found by each.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/catalogue/own_assembly.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/own_form.hpp"
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strategies_catalogue_own_assembly {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = Tri<1>;
using Space = FunctionSpace<Element, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;
using test::expect_throw_with;

/// Two membranes side by side, coupled or not.
template <bool Symmetric>
struct TwoMembranes {
  double coupling[2][2] = {};
  double load[2] = {};

  static constexpr int components = 2;
  static constexpr bool symmetric = Symmetric;
  template <class AnyElement>
  static constexpr int degree = 2;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    TwoMembranes form;

    KOKKOS_FUNCTION Matrix<Real, 2> stiffness(int i, int j) const {
      Matrix<Real, 2> k;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          k(a, b) = number<Real>(form.coupling[a][b]) * point.value(i) * point.value(j);
          if (a == b) k(a, b) += gradient_product(point, i, j);
        }
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, 2> load(int i) const {
      Vector<Real, 2> f;
      for (int a = 0; a < 2; ++a) f(a) = number<Real>(form.load[a]) * point.value(i);
      return f;
    }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point, *this};
  }
  TwoMembranes kernel() const { return *this; }
};

struct Membrane {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u;
  }
};

class OwnAssembly : public ::testing::Test {
public:
  const Mesh<Element, ExecutionSpace> mesh =
      test::distorted_box<Element, ExecutionSpace>({{5, 4, 1}, {1, 1, 1}});
  const Space space{mesh, 2};
  const System system{space};

  /// Calls `visit(plan)` with a plan of every strategy for forms of a type.
  template <class Form, class Visit>
  void for_each_plan(const Visit& visit) const {
    std::vector<std::string> names;
    for_each_strategy<AssemblyCatalogue>([&](const auto& variant) { names.push_back(variant.name); });
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      visit(*make_own_assembly<Form>(name, space, system.graph()));
    }
  }
};

TEST_F(OwnAssembly, FindsNaNInAnyEntry) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Form = TwoMembranes<true>;
  std::vector<Form> wrong(6);
  for (int entry = 0; entry < 4; ++entry) wrong[entry].coupling[entry / 2][entry % 2] = nan;
  for (int a = 0; a < 2; ++a) wrong[4 + a].load[a] = nan;
  for_each_plan<Form>([&](auto& plan) {
    EXPECT_NO_THROW(plan.assemble(Form{}, system));
    for (std::size_t k = 0; k < wrong.size(); ++k) {
      SCOPED_TRACE(k);
      expect_throw_with<FormError>([&] { plan.assemble(wrong[k], system); },
                                   "a coefficient that is not finite");
    }
  });
}

// Without the application's saying so: strategies that keep half of symmetric matrices keep all of this one.
TEST_F(OwnAssembly, AssemblesFormsThatAreNotSymmetricByEveryName) {
  using Form = TwoMembranes<false>;
  const Form form{.coupling = {{1, 2}, {3, 4}}, .load = {5, 6}};
  const ReferenceSystem reference = reference_assembly(form, space, system.graph());
  for_each_plan<Form>([&](auto& plan) {
    if (plan.info().name.starts_with("Patch/pairs")) { // half of the matrix is what it is about
      expect_throw_with<UnsupportedError>(
          [&] { plan.assemble(form, system); },
          "Patch: pairs of nodes hold symmetric forms alone; this one is not");
      return;
    }
    plan.assemble(form, system);
    EXPECT_LE(system_error<double>(system, reference).max(), 1e-13);
  });
}

TEST_F(OwnAssembly, RefusesAFormThatSaysItIsSymmetricAndIsNot) {
  using Form = TwoMembranes<true>;
  const Form wrong{.coupling = {{1, 2}, {3, 4}}}, right{.coupling = {{1, 2}, {2, 4}}};
  Kokkos::deep_copy(system.values(), 3.0);
  for_each_plan<Form>([&](auto& plan) {
    expect_throw_with<FormError>([&] { plan.assemble(wrong, system); },
                                 "the form says that it is symmetric, but its matrix of element 0 is not");
  });
  EXPECT_EQ(test::to_host(system.values()), std::vector<double>(system.values().extent(0), 3.0));
  for_each_plan<Form>([&](auto& plan) { EXPECT_NO_THROW(plan.assemble(right, system)); });
}

// Operators integrate all elements once when they are made.
TEST_F(OwnAssembly, OperatorsFindWhatIsWrongWithForms) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TwoMembranes<true> wrong{.coupling = {{1, 2}, {3, 4}}}, right{.coupling = {{1, 2}, {2, 4}}};
  const TwoMembranes<true> not_finite{.coupling = {{1, 0}, {0, nan}}}, loaded{.load = {0, nan}};
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    const auto plan = variant.strategy.plan(space);
    expect_throw_with<FormError>([&] { plan.template prepare<double>(wrong); },
                                 "the form says that it is symmetric, but its matrix of element 0 is not");
    for (const auto& form : {not_finite, loaded})
      expect_throw_with<FormError>([&] { plan.template prepare<double>(form); },
                                   "a coefficient that is not finite");
    EXPECT_NO_THROW(plan.template prepare<double>(right));
  });
}

TEST_F(OwnAssembly, FormsOfAnotherMeshAreRefused) {
  const Space scalar(mesh, 1);
  const System of_scalar(scalar);
  const auto other = test::distorted_box<Element, ExecutionSpace>({{5, 4, 1}, {2, 1, 1}}); // as many elements
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", scalar.num_dofs());
  auto plan = assembly::ElementAtomic{}.plan(scalar, of_scalar.graph());
  const Helmholtz<> helmholtz;
  EXPECT_NO_THROW(plan.assemble(jacobian(Membrane{}, Mesh(mesh), u), of_scalar));
  for (const auto& call : {0, 1})
    expect_throw_with<ArgumentError>(
        [&] {
          const auto form = jacobian(Membrane{}, other, u);
          call == 0 ? plan.assemble(form, of_scalar) : plan.assemble(sum(form, helmholtz), of_scalar);
        },
        "WeakJacobian: made for another mesh");
  const Kokkos::View<double*, ExecutionSpace> values("Tessera::Test::values", mesh.num_elements() + 1);
  Kokkos::deep_copy(values, 1.0);
  expect_throw_with<ArgumentError>(
      [&] { plan.assemble(Helmholtz<>{.sigma = CellField::per_element(values)}, of_scalar); },
      std::to_string(mesh.num_elements() + 1) + " values given, the mesh has " +
          std::to_string(mesh.num_elements()) + " elements");
}

// In three dimensions products of four lengths come before the matrix's entries, which are 1e-11 here.
TEST(OwnAssemblyInSinglePrecision, RefusesElementsThatAreTooSmall) {
  const auto assemble = [](double length, auto scalar) {
    const auto mesh = io::box_mesh<Tet<1>, ExecutionSpace>({{3, 3, 3}, {length, length, length}});
    const FunctionSpace space(mesh, 1);
    const LinearSystem<decltype(scalar), ExecutionSpace> system(space);
    assembly::ElementAtomic{}.plan(space, system.graph()).assemble(Helmholtz<>{}, system);
  };
  expect_throw_with<UnsupportedError>(
      [&] { assemble(1e-10, float()); },
      "ElementAtomic: the mesh has an element of size 3.3e-11, single "
      "precision takes 1.0e-09 or more; take another unit of length, or double");
  EXPECT_NO_THROW(assemble(1e-8, float()));
  EXPECT_NO_THROW(assemble(1e-10, double()));
  const FunctionSpace small(io::box_mesh<Tet<1>, ExecutionSpace>({{3, 3, 3}, {1e-10, 1e-10, 1e-10}}), 1);
  const auto plan = matrix_free::ElementByElement{}.plan(small);
  expect_throw_with<UnsupportedError>([&] { plan.prepare<double, float>(Helmholtz<>{}); },
                                      "an element of size");
}

TEST_F(OwnAssembly, PlansThatWereMovedFromSaySo) {
  const TwoMembranes<true> form{};
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.assemble(form, system);
  auto other = std::move(plan);
  EXPECT_NO_THROW(other.assemble(form, system));
  const std::string message = "ElementAtomic: the plan was moved from; use the one it went to";
  expect_throw_with<ArgumentError>([&] { plan.assemble(form, system); }, message);
  expect_throw_with<ArgumentError>([&] { plan.prepare(form); }, message);
  expect_throw_with<ArgumentError>([&] { plan.enqueue(form, system); }, message);
  expect_throw_with<ArgumentError>([&] { plan.check(form, system); }, message);

  const Kokkos::View<double*, ExecutionSpace> x("Tessera::Test::x", space.num_dofs()),
      y("Tessera::Test::y", space.num_dofs());
  const auto operators = matrix_free::ElementByElement{}.plan(space);
  auto product = operators.prepare<double>(form);
  const auto moved = std::move(product);
  EXPECT_NO_THROW(moved.apply(ExecutionSpace(), x, y));
  expect_throw_with<ArgumentError>([&] { product.apply(ExecutionSpace(), x, y); },
                                   "ElementByElement: the plan was moved from");
}

TEST(InUse, OneCallAtATime) {
  const InUse plan;
  const InUse copy(plan);
  {
    const auto call = plan.begin("Plan");
    std::thread([&] {
      expect_throw_with<ArgumentError>(
          [&] { const auto second = copy.begin("Plan"); },
          "Plan: the plan is in use by another thread, with which it shares its memory");
    }).join();
  }
  EXPECT_NO_THROW(const auto next = copy.begin("Plan"));
}

// Kokkos built for one thread counts references to views without atomic operations.
TEST(InUse, OneThreadAtATimeWhereKokkosIsBuiltForOne) {
  const InUse plan, other;
  {
    const auto call = plan.begin("Plan");
    EXPECT_NO_THROW(const auto within = other.begin("Other"));
    std::thread([&] {
      const auto second = [&] { const auto call = other.begin("Other"); };
      const auto step = [&] { Preparation("Third", "plan").finish(); };
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
      expect_throw_with<ArgumentError>(second, "Other: another thread is in a call of the library");
      expect_throw_with<ArgumentError>(step, "Third: another thread is in a call of the library");
#else
      EXPECT_NO_THROW(second());
      EXPECT_NO_THROW(step());
#endif
    }).join();
  }
  std::thread([&] { EXPECT_NO_THROW(const auto next = other.begin("Other")); }).join();
}

} // namespace strategies_catalogue_own_assembly
