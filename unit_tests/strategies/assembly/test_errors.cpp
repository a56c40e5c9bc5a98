// SPDX-License-Identifier: BSD-3-Clause
// Misuse of plans: every strategy refuses it with the same sentence, by its own name.

#include <tessera/core/elements/elements.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace strategies_assembly_errors {

using namespace tessera;
using test::expect_throw_with;

template <class ExecutionSpace>
class AssemblyErrors : public ::testing::Test {
public:
  using MeshType = Mesh<Tri<1>, ExecutionSpace>;
  using Space = FunctionSpace<Tri<1>, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;
  using Plan = std::unique_ptr<AnyAssembly<Tri<1>, ExecutionSpace>>;

  const MeshType mesh = test::distorted_box<Tri<1>, ExecutionSpace>({{5, 4, 1}, {1, 1, 1}});

  /// Calls `visit(name, plan)` with a plan of every strategy for a space.
  template <class Visit>
  static void for_each_plan(const Space& space, const System& system, const Visit& visit) {
    for (const StrategyInfo& info : assembly_strategies()) {
      SCOPED_TRACE(info.name);
      const Plan plan = make_assembly(info.name, space, system.graph());
      // Variants carry a suffix that the plan itself does not know.
      visit(info.name.substr(0, info.name.find_first_of("-_:/ (")), plan);
    }
  }

  /// One value per element, 1 but for a few.
  CellField per_element(const std::vector<std::pair<Ordinal, double>>& others, Ordinal missing = 0) const {
    std::vector<double> values(mesh.num_elements() - missing, 1.0);
    for (const auto& [element, value] : others) values[element] = value;
    return CellField::per_element(test::to_device<ExecutionSpace>(values));
  }
};
TYPED_TEST_SUITE(AssemblyErrors, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(AssemblyErrors, UnknownStrategyListsAll) {
  const typename TestFixture::Space space(this->mesh, 1);
  const typename TestFixture::System system(space);
  const auto attempt = [&] { make_assembly("ElementAtomik", space, system.graph()); };
  expect_throw_with<ArgumentError>(attempt, "unknown assembly strategy 'ElementAtomik'; there are ");
  for (const StrategyInfo& info : assembly_strategies()) expect_throw_with<ArgumentError>(attempt, info.name);
}

TYPED_TEST(AssemblyErrors, PlanWithGraphOfAnotherSpace) {
  using Space = typename TestFixture::Space;
  const Space space(this->mesh, 1), wider(this->mesh, 2);
  const typename TestFixture::System system(wider);
  for (const StrategyInfo& info : assembly_strategies())
    expect_throw_with<ArgumentError>(
        [&] { make_assembly(info.name, space, system.graph()); },
        "the graph was built for another mesh, another number of components or other "
        "constraints than this space has now; build it again");
}

TYPED_TEST(AssemblyErrors, FormWithOtherComponents) {
  const typename TestFixture::Space space(this->mesh, 2);
  const typename TestFixture::System system(space);
  this->for_each_plan(space, system, [&](const std::string& name, const auto& plan) {
    expect_throw_with<ArgumentError>([&] { plan->assemble(Helmholtz<>{}, system); },
                                     name + ": the form has 1 components per node, the space has 2");
  });
}

TYPED_TEST(AssemblyErrors, SystemWithAnotherGraph) {
  const typename TestFixture::Space space(this->mesh, 1);
  const typename TestFixture::System system(space), other(space); // equal, but not the same graph
  this->for_each_plan(space, system, [&](const std::string& name, const auto& plan) {
    expect_throw_with<ArgumentError>([&] { plan->assemble(Helmholtz<>{}, other); },
                                     name + ": the system has another graph than the plan");
  });
}

TYPED_TEST(AssemblyErrors, ConstraintsChangedAfterPlan) {
  for (const StrategyInfo& info : assembly_strategies()) {
    SCOPED_TRACE(info.name);
    typename TestFixture::Space space(this->mesh, 1);
    space.constrain(3, 0, 1.0);
    const typename TestFixture::System system(space);
    const auto plan = make_assembly(info.name, space, system.graph());
    space.constrain(3, 0, 2.0); // a new value for an old constraint needs no new plan
    EXPECT_NO_THROW(plan->assemble(Helmholtz<>{}, system));
    space.constrain(4, 0, 0.0);
    expect_throw_with<ArgumentError>([&] { plan->assemble(Helmholtz<>{}, system); },
                                     "the space has got other constraints since the plan was made");
  }
}

TYPED_TEST(AssemblyErrors, RefusedCallLeavesTheSystemAlone) {
  const typename TestFixture::Space space(this->mesh, 1);
  const typename TestFixture::System system(space);
  Kokkos::deep_copy(system.values(), 3.0);
  Kokkos::deep_copy(system.rhs(), 4.0);
  this->for_each_plan(space, system, [&](const std::string&, const auto& plan) {
    EXPECT_THROW(plan->assemble(Helmholtz<>{.sigma = -1.0}, system), FormError);
    EXPECT_THROW(plan->assemble(Helmholtz<>{.sigma = this->per_element({}, 1)}, system), ArgumentError);
    EXPECT_EQ(test::to_host(system.values()), std::vector<double>(system.values().extent(0), 3.0));
    EXPECT_EQ(test::to_host(system.rhs()), std::vector<double>(system.rhs().extent(0), 4.0));
  });
}

TYPED_TEST(AssemblyErrors, CoefficientsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const typename TestFixture::Space scalar(this->mesh, 1), vector(this->mesh, 2);
  const typename TestFixture::System scalar_system(scalar), vector_system(vector);
  const auto helmholtz = make_assembly("ElementAtomic", scalar, scalar_system.graph());
  const auto elasticity = make_assembly("ElementAtomic", vector, vector_system.graph());
  const auto refuses = [&](const Helmholtz<>& form, const std::string& message) {
    expect_throw_with<FormError>([&] { helmholtz->assemble(form, scalar_system); }, message);
  };
  refuses({.sigma = 0.0}, "Helmholtz::sigma must be positive, got 0.0");
  refuses({.sigma = nan}, "Helmholtz::sigma must be positive, got nan");
  refuses({.lambda = -0.5}, "Helmholtz::lambda must be at least 0, got -0.5");
  refuses({.source = INFINITY}, "Helmholtz::source must be finite, got inf");
  refuses({.sigma = CellField::per_material<TypeParam>({1.0, -2.0})},
          "Helmholtz::sigma must be positive, got -2.000000 for material 1");
  const auto refuses_elastic = [&](const LinearElasticity<2>& form, const std::string& message) {
    expect_throw_with<FormError>([&] { elasticity->assemble(form, vector_system); }, message);
  };
  refuses_elastic({.young = 0.0}, "LinearElasticity::young must be positive");
  refuses_elastic({.poisson = 0.5}, "LinearElasticity::poisson must be inside (-1, 0.5), got 0.5");
  refuses_elastic({.poisson = -1.0}, "LinearElasticity::poisson must be inside (-1, 0.5), got -1");
  refuses_elastic({.body_force = {0.0, nan}}, "LinearElasticity::body_force must be finite");
}

TYPED_TEST(AssemblyErrors, TooFewValues) {
  const typename TestFixture::Space space(this->mesh, 1);
  const typename TestFixture::System system(space);
  this->for_each_plan(space, system, [&](const std::string&, const auto& plan) {
    expect_throw_with<ArgumentError>(
        [&] { plan->assemble(Helmholtz<>{.sigma = this->per_element({}, 1)}, system); },
        "Helmholtz::sigma: 39 values given, the mesh has 40 elements");
    expect_throw_with<ArgumentError>(
        [&] { plan->assemble(Helmholtz<>{.sigma = CellField::per_material<TypeParam>({1.0})}, system); },
        "Helmholtz::sigma: 1 values given, the mesh has 2 materials");
  });
}

// Values per element are read by the kernels alone: they must notice, name the first element by the mesh's
// number whatever order they work in, and serve the next call.
TYPED_TEST(AssemblyErrors, ValueOfAnElementThatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const typename TestFixture::Space space(this->mesh, 1);
  const typename TestFixture::System system(space);
  this->for_each_plan(space, system, [&](const std::string& name, const auto& plan) {
    plan->prepare(Helmholtz<>(), double());
    // Of Best, the strategy that it took reports what elements lack.
    const std::string& path = plan->report().path;
    const std::string who = name == "Best" ? path.substr(0, path.find_first_of(",/")) : name;
    for (const Ordinal element : {0, 17, 39}) {
      const Helmholtz<> form{.sigma = this->per_element({{element, nan}})};
      expect_throw_with<FormError>(
          [&] { plan->assemble(form, system); },
          who + ": element " + std::to_string(element) +
              " has a Jacobian that is not positive or a coefficient that is not finite");
    }
    const Helmholtz<> several{.sigma = this->per_element({{31, nan}, {8, INFINITY}})};
    expect_throw_with<FormError>([&] { plan->assemble(several, system); }, "element 8 ");
    const Helmholtz<> negative{.sigma = this->per_element({{31, 0.0}, {12, -1.0}})};
    expect_throw_with<FormError>([&] { plan->assemble(negative, system); }, "element 12 ");
    const Helmholtz<> growing{.lambda = this->per_element({{25, -1e-3}})};
    expect_throw_with<FormError>([&] { plan->assemble(growing, system); }, "element 25 ");
    EXPECT_NO_THROW(plan->assemble(Helmholtz<>{.sigma = this->per_element({})}, system));
  });
}

} // namespace strategies_assembly_errors
