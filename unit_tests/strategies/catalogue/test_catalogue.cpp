// SPDX-License-Identifier: BSD-3-Clause
// Every strategy of the catalogue, for every element, form, scalar and execution space, against the oracle.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include "support/shipped_forms.hpp"
#include <array>
#include <compiled_elements.hpp>
#include <random>
#include <tuple>
#include <type_traits>

namespace strategies_catalogue_catalogue {

using namespace tessera;

template <class ElementType, class Space>
struct Case {
  using Element = ElementType;
  using ExecutionSpace = Space;
};

template <class Elements, class Spaces>
struct CrossProduct;
template <class... E, class... S>
struct CrossProduct<std::tuple<E...>, std::tuple<S...>> {
  template <class Space>
  using OfSpace = std::tuple<Case<E, Space>...>;
  using Tuple = decltype(std::tuple_cat(std::declval<OfSpace<S>>()...));
};
template <class Tuple>
struct ToTypes;
template <class... T>
struct ToTypes<std::tuple<T...>> {
  using type = ::testing::Types<T...>;
};

using Cases = ToTypes<CrossProduct<CompiledElements, ExecutionSpaces>::Tuple>::type;

struct CaseName {
  template <class C>
  static std::string GetName(int) {
    return std::string(C::Element::name) + "_" + backend_name<typename C::ExecutionSpace>();
  }
};

template <class Scalar>
constexpr double tolerance = std::is_same_v<Scalar, double> ? 1e-13 : 1e-5;

template <class C>
class Catalogue : public ::testing::Test {
public:
  using Element = typename C::Element;
  using ExecutionSpace = typename C::ExecutionSpace;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;

  static MeshType mesh() {
    // Where rows are integrated one by one, elements of many nodes take long; a cell is six tetrahedra or
    // pyramids.
    using Cells = std::array<Ordinal, 3>;
    Cells cells = Element::nodes > 14 ? Cells{2, 2, 1} : Element::nodes > 8 ? Cells{3, 2, 2} : Cells{4, 3, 3};
    if (Element::shape == Shape::tetrahedron || Element::shape == Shape::pyramid)
      cells = Element::nodes > 12 ? Cells{2, 1, 1} : Element::nodes > 8 ? Cells{2, 2, 1} : Cells{3, 2, 2};
    return test::distorted_box<Element, ExecutionSpace>({cells, {1.3, 1.0, 0.8}});
  }

  template <class Visit>
  static void for_each_form(const Visit& visit) {
    test::for_each_shipped_form<ExecutionSpace, Element::dimension>(visit);
  }

  using Plan = AnyAssembly<Element, ExecutionSpace>;

  template <class Scalar, class Form>
  static void expect_agreement(Plan& plan, const Form& form,
                               const LinearSystem<Scalar, ExecutionSpace>& system,
                               const ReferenceSystem& reference) {
    SCOPED_TRACE(sizeof(Scalar) == 8 ? "double" : "float");
    // What stands in the system before must not matter.
    Kokkos::deep_copy(system.values(), Scalar(17));
    Kokkos::deep_copy(system.rhs(), Scalar(-3));
    plan.assemble(form, system);
    const SystemError error = system_error<Scalar>(system, reference);
    EXPECT_LE(error.matrix, tolerance<Scalar>);
    EXPECT_LE(error.rhs, tolerance<Scalar>);
  }

  /// Each strategy's plan serves systems of both scalars.
  template <class Form>
  static void expect_agreement_of_scalars(const Form& form, const Space& space, const std::string& what) {
    const LinearSystem<double, ExecutionSpace> doubles(space);
    const LinearSystem<float, ExecutionSpace> floats(doubles.graph());
    const ReferenceSystem reference = reference_assembly(form, space, doubles.graph());
    for (const StrategyInfo& info : assembly_strategies()) {
      SCOPED_TRACE(info.name + ", " + what + ", " + std::to_string(Form::components) + " components");
      const auto plan = make_assembly(info.name, space, doubles.graph());
      expect_agreement(*plan, form, doubles, reference);
      expect_agreement(*plan, form, floats, reference);
    }
  }
};

TYPED_TEST_SUITE(Catalogue, Cases, CaseName);

TYPED_TEST(Catalogue, AgreesWithOracle) {
  const auto mesh = this->mesh();
  TestFixture::for_each_form([&]<class Form>(const Form& form) {
    this->expect_agreement_of_scalars(form, {mesh, Form::components}, "without constraints");
  });
}

TYPED_TEST(Catalogue, AgreesWithOracleUnderConstraints) {
  const auto mesh = this->mesh();
  for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const std::string what = treatment == ConstraintTreatment::removed ? "removed" : "zeroed";
    TestFixture::for_each_form([&]<class Form>(const Form& form) {
      FunctionSpace<typename TypeParam::Element, typename TypeParam::ExecutionSpace> space(
          mesh, Form::components, treatment);
      test::constrain(space);
      this->expect_agreement_of_scalars(form, space, what);
    });
  }
}

TYPED_TEST(Catalogue, AgreesWithOracleOnOneElementAndNone) {
  using Element = typename TypeParam::Element;
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using MeshType = Mesh<Element, ExecutionSpace>;
  test::HostMesh<Element, ExecutionSpace> host(io::box_mesh<Element, ExecutionSpace>({}));
  for (std::size_t elements : {1, 0}) {
    typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", host.coordinates.extent(0));
    typename MeshType::Connectivity connectivity("Tessera::Test::connectivity", elements);
    Kokkos::deep_copy(coordinates, host.coordinates);
    const auto mirror = Kokkos::create_mirror_view(connectivity);
    for (int n = 0; elements == 1 && n < Element::nodes; ++n) mirror(0, n) = host.connectivity(0, n);
    Kokkos::deep_copy(connectivity, mirror);
    const MeshType mesh(coordinates, connectivity);
    // Nodes that no element uses have empty rows.
    const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 1.0};
    const std::string what = std::to_string(elements) + " elements";
    this->expect_agreement_of_scalars(form, {mesh, 1}, what);
    // Where their values are prescribed they have rows of the identity, or none.
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
      TestFixture::for_each_form([&]<class Form>(const Form& vector) {
        FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, treatment);
        for (Ordinal node = 1; node < mesh.num_nodes(); ++node)
          for (int c = node == 2 ? 1 : 0; c < Form::components; ++c) space.constrain(node, c, 0.5 * node + c);
        this->expect_agreement_of_scalars(vector, space, what + ", constrained");
      });
  }
}

TYPED_TEST(Catalogue, RepeatsBitwiseWhereDeterministic) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  const auto mesh = this->mesh();
  // By one plan and by another; threads and devices change their order.
  const int runs = ExecutionSpace().concurrency() == 1 ? 3 : 10;
  TestFixture::for_each_form([&]<class Form>(const Form& form) {
    const FunctionSpace<typename TypeParam::Element, ExecutionSpace> space(mesh, Form::components);
    const LinearSystem<double, ExecutionSpace> system(space);
    for (const StrategyInfo& info : assembly_strategies()) {
      if (!info.deterministic) continue;
      SCOPED_TRACE(info.name);
      std::vector<double> first;
      std::unique_ptr<typename TestFixture::Plan> plan;
      for (int run = 0; run < runs; ++run) {
        if (run % 2 == 0) plan = make_assembly(info.name, space, system.graph());
        plan->assemble(form, system);
        auto values = detail::host_vector<double>(system.values());
        const auto rhs = detail::host_vector<double>(system.rhs());
        values.insert(values.end(), rhs.begin(), rhs.end());
        if (run == 0) first = values;
        ASSERT_EQ(values, first) << "run " << run;
      }
    }
  });
}

} // namespace strategies_catalogue_catalogue
