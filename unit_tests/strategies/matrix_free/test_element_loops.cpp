// SPDX-License-Identifier: BSD-3-Clause
// Products by the loops that operators share with residuals, devices' loops on every backend.

#include <tessera/core/forms/solids.hpp>

#include "support/matrices.hpp"
#include "support/operators.hpp"
#include "support/own_form.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace strategies_matrix_free_element_loops {

using namespace tessera;
using matrix_free::ElementByElement;
using matrix_free::RecomputingElementByElement;

template <class Element, class ExecutionSpace>
struct LoopChecks {
  using Checks = test::OperatorChecks<Element, ExecutionSpace>;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  template <class Scalar>
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  template <class Scalar>
  static Vector<Scalar> device(const std::vector<double>& host) {
    return test::to_device<ExecutionSpace>(std::vector<Scalar>(host.begin(), host.end()));
  }
  template <class Scalar>
  static std::vector<double> host(const Vector<Scalar>& view) {
    const auto numbers = test::to_host(view);
    return {numbers.begin(), numbers.end()};
  }

  /// The product by every variant of the strategy and by the loop of devices; visit(way, y).
  template <class Scalar, class Form, class Visit>
  static void for_each_way(const Form& form, const Space& space, const std::vector<double>& x,
                           const Visit& visit) {
    for (const auto& [suffix, strategy] : RecomputingElementByElement::variants()) {
      const auto op = strategy.plan(space).template prepare<Scalar>(form);
      const Vector<Scalar> y("Tessera::Test::y", x.size());
      Kokkos::deep_copy(y, Scalar(NAN));
      op.apply(ExecutionSpace(), device<Scalar>(x), y);
      visit("RecomputingElementByElement" + suffix, host<Scalar>(y));
    }
    for (const Conflicts conflicts : {Conflicts::atomics, Conflicts::gather})
      visit(std::string("loop of devices, ") + to_string(conflicts),
            by_device_loop<Scalar>(form, space, x, conflicts));
  }

  template <class Scalar, class Form>
  static std::vector<double> by_device_loop(const Form& form, const Space& space,
                                            const std::vector<double>& x, Conflicts conflicts) {
    const auto kernel = tessera::detail::element_kernel(form);
    using Product = matrix_free::detail::RecomputedProduct<false, std::remove_const_t<decltype(kernel)>>;
    using Work = element_loops::ElementWork<Product, Element, ExecutionSpace, Scalar>;
    const ExecutionSpace exec;
    const auto& mesh = space.mesh();
    const auto equations = space.equations();
    const auto from = device<Scalar>(x);
    const Vector<Scalar> y("Tessera::Test::y", x.size());
    Kokkos::deep_copy(y, Scalar(NAN));
    if (conflicts != Conflicts::gather)
      ClearResult<ExecutionSpace, Scalar>{equations, from, y}.all_rows(exec, "Tessera::Test::clear");
    const Work work{{kernel}, mesh.kernel(), {equations}, from};
    const auto run = [&](const ResultGather<Element, ExecutionSpace>& gather, int nodes,
                         const auto& loop_of) {
      const auto sink = gather.template sink<Work::c>(
          equations, y, gather.template buffer<Scalar>(exec, nodes * Work::c), gather.elements);
      const auto loop = loop_of(sink);
      using Loop = std::remove_const_t<decltype(loop)>;
      Kokkos::parallel_for(
          "Tessera::Test::loop",
          typename Loop::Policy(exec, 0, sink.work_items(static_cast<Ordinal>(gather.elements))), loop);
      gather.template finish<Work::c>(exec, sink, from, y);
      exec.fence();
    };
    if constexpr (element_loops::has_fans<Element>) {
      const auto fans = element_fans(exec, mesh.kernel());
      run({exec, fans.nodes, mesh.num_nodes(), conflicts}, ElementFan<Element>::nodes,
          [&](const auto& sink) { return element_loops::detail::FanLoop<Work>{work, fans, sink}; });
    } else
      run({exec, mesh, conflicts}, Element::nodes, [&](const auto& sink) {
        return element_loops::detail::ElementLoop<Work>{work, sink, 0, mesh.num_elements()};
      });
    return host<Scalar>(y);
  }

  /// Against the stored element matrices, without constraints and under both treatments of some nodes' and
  /// some nodes' single components.
  template <class Scalar = double, class Form>
  static void expect_stored(const Form& form, const MeshType& mesh, double tolerance = 1e-13) {
    for (const int treatment : {0, 1, 2}) {
      Space space(mesh, Form::components,
                  treatment == 1 ? ConstraintTreatment::removed : ConstraintTreatment::zeroed);
      if (treatment > 0) test::constrain(space);
      const auto x = Checks::random(space.equations().count, 8);
      const auto stored = Checks::product(
          ElementByElement{.conflicts = Conflicts::gather}.plan(space).template prepare<double>(form), x);
      double scale = 1;
      for (const double value : stored) scale = std::max(scale, std::abs(value));
      for_each_way<Scalar>(form, space, x, [&](const std::string& way, const std::vector<double>& y) {
        SCOPED_TRACE(way + ", " + Element::name + ", treatment " + std::to_string(treatment));
        ASSERT_EQ(y.size(), stored.size());
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_NEAR(y[i], stored[i], tolerance * scale) << "row " << i;
      });
    }
  }

  /// A Jacobian: it looks up its state by the nodes of elements that fans have turned.
  template <class Form>
  static void expect_jacobian(const Form& form, const MeshType& mesh) {
    auto state = Checks::random(Form::components * to_size(mesh.num_nodes()), 9);
    for (double& value : state) value *= 0.01;
    expect_stored(jacobian(form, mesh, device<double>(state)), mesh, 1e-12);
  }

  static void expect_forms() {
    constexpr int d = Element::dimension;
    const auto mesh = Checks::bent_mesh();
    const auto heat = test::sample_form<ExecutionSpace>(std::type_identity<Helmholtz<>>());
    const auto elastic = test::sample_form<ExecutionSpace>(std::type_identity<LinearElasticity<d>>());
    expect_stored(heat, mesh);
    expect_stored(elastic, mesh);
    expect_stored<float>(elastic, mesh, 2e-5);
    if constexpr (element_loops::has_fans<Element>) {
      expect_stored<float>(heat, mesh, 2e-5);
      expect_stored(test::DiffusionAdvectionReaction(), mesh);
      expect_jacobian(NeoHookean<d>(), mesh);
    }
  }
};

template <class ExecutionSpace>
class ElementLoops : public ::testing::Test {
public:
  using Checks = LoopChecks<Tet<1>, ExecutionSpace>;
  using MeshType = typename Checks::MeshType;
  using Space = typename Checks::Space;

  static MeshType box(int cells) {
    return io::box_mesh<Tet<1>, ExecutionSpace>({{cells, 2, 2}, {1.0, 0.7, 0.9}});
  }
};
TYPED_TEST_SUITE(ElementLoops, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ElementLoops, MultiplyAsStoredMatricesByFans) { TestFixture::Checks::expect_forms(); }
TYPED_TEST(ElementLoops, MultiplyAsStoredMatricesByTetrahedra) {
  LoopChecks<Tet<2>, TypeParam>::expect_forms();
}
TYPED_TEST(ElementLoops, MultiplyAsStoredMatricesByHexahedra) {
  LoopChecks<Hex<1>, TypeParam>::expect_forms();
}

/// Elements of a box, the first `count` of them.
template <class MeshType>
MeshType first_elements(const MeshType& mesh, Ordinal count) {
  const typename MeshType::Connectivity connectivity("Tessera::Test::connectivity", count);
  const typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", mesh.num_nodes());
  Kokkos::deep_copy(connectivity,
                    Kokkos::subview(mesh.connectivity(), Kokkos::make_pair(Ordinal(0), count), Kokkos::ALL));
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  return {coordinates, connectivity};
}

/// Fans of every length, and packs and blocks of fans that are not full; a ring of six is closed.
TYPED_TEST(ElementLoops, MultiplyFewElements) {
  const auto box = TestFixture::box(30);
  for (const Ordinal count : {0, 1, 2, 3, 5, 6, 7, 13, 48, 59, 61, 121, 700})
    TestFixture::Checks::expect_stored(LinearElasticity<3>{.young = 2.0}, first_elements(box, count));
}

/// A number that is none stays with the elements that have it.
TYPED_TEST(ElementLoops, LeaveOthersAloneWhereAnEntryIsNotANumber) {
  using Space = typename TestFixture::Space;
  const Space space(TestFixture::Checks::Checks::bent_mesh(), 3);
  const auto connectivity =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  const Ordinal bad = space.mesh().num_nodes() / 2;
  std::set<std::size_t> around;
  for (std::size_t e = 0; e < connectivity.extent(0); ++e) {
    std::set<Ordinal> nodes;
    for (int n = 0; n < 4; ++n) nodes.insert(connectivity(e, n));
    if (nodes.count(bad) > 0)
      for (const Ordinal node : nodes)
        for (int c = 0; c < 3; ++c) around.insert(to_size(node) * 3 + c);
  }
  auto x = TestFixture::Checks::Checks::random(space.num_dofs(), 4);
  x[to_size(bad) * 3 + 1] = NAN;
  TestFixture::Checks::template for_each_way<double>(
      LinearElasticity<3>{}, space, x, [&](const std::string& way, const std::vector<double>& y) {
        SCOPED_TRACE(way);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_EQ(std::isnan(y[i]), around.count(i) > 0) << "row " << i;
      });
}

TYPED_TEST(ElementLoops, AreNamedByTheReport) {
  const typename TestFixture::Space space(TestFixture::box(3), 1);
  const bool host = runs_on_host<TypeParam>;
  const auto path = [&](Conflicts conflicts) {
    return RecomputingElementByElement{.conflicts = conflicts}
        .plan(space)
        .template prepare<double>(Heat{})
        .report()
        .path;
  };
  EXPECT_EQ(path(Conflicts::atomics),
            std::string("fans of elements in general geometry, results by ") + (host ? "parts" : "atomics"));
  EXPECT_EQ(path(Conflicts::gather),
            std::string(host ? "elements" : "fans of elements") + " in general geometry, results by gather");
  EXPECT_EQ(path(Conflicts::patches), "elements in general geometry, results by patches");
  const FunctionSpace<Hex<1>, TypeParam> cubes(io::box_mesh<Hex<1>, TypeParam>({{3, 2, 2}, {1, 1, 1}}), 1);
  EXPECT_EQ(RecomputingElementByElement{}.plan(cubes).template prepare<double>(Heat{}).report().path,
            std::string("elements as affine images of the reference element, results by ") +
                (host ? "parts" : "atomics"));
}

} // namespace strategies_matrix_free_element_loops
