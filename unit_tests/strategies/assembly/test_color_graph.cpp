// SPDX-License-Identifier: BSD-3-Clause
// Colors given to the device one by one or as one graph: the same results, whatever changes between calls.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <string>
#include <vector>

namespace strategies_assembly_color_graph {

using namespace tessera;
using test::expect_throw_with;
using test::to_host;
using Element = Tet<1>;

template <class ExecutionSpace>
class ColorGraphs : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  static constexpr int repeats = 3; // once kernel by kernel, then captured, then from the graph

  static bool has_graphs() { return std::string(ExecutionSpace::name()) == "Cuda"; }
  static std::string launches() { return has_graphs() ? ", colors in one CUDA graph" : ", color by color"; }

  static Space space() {
    Space space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), 1);
    space.constrain(3, 0, 0.25);
    return space;
  }

  /// Plans by graph, if there are any, and color by color give the same bits for forms and systems in turns.
  template <class Strategy>
  static void expect_same(Strategy strategy) {
    const Space space = ColorGraphs::space();
    const System expected(space), first(expected.graph()), second(expected.graph());
    auto automatic = strategy.plan(space, expected.graph());
    strategy.color_launches = ColorLaunches::separate;
    auto separate = strategy.plan(space, expected.graph());
    EXPECT_TRUE(automatic.prepare(Heat{}).path.ends_with(launches())) << automatic.report().path;
    EXPECT_TRUE(separate.prepare(Heat{}).path.ends_with(", color by color")) << separate.report().path;
    for (const double sigma : {1.0, 2.0})
      for (const System& system : {first, second, first}) {
        const Heat form{.sigma = sigma, .source = 1.0};
        separate.assemble(form, expected);
        for (int i = 0; i < repeats; ++i) {
          Kokkos::deep_copy(system.values(), -1.0);
          automatic.enqueue(form, system);
          automatic.check(form, system);
          EXPECT_EQ(to_host(system.values()), to_host(expected.values()));
          EXPECT_EQ(to_host(system.rhs()), to_host(expected.rhs()));
        }
      }
  }

  template <class Strategy>
  static void expect_refusals(Strategy strategy) {
    const Space space = ColorGraphs::space();
    const auto graph = sparsity_graph(ExecutionSpace(), space);
    strategy.color_launches = ColorLaunches::graph;
    if (has_graphs())
      EXPECT_NO_THROW(strategy.plan(space, graph).prepare(Heat{}));
    else
      expect_throw_with<UnsupportedError>([&] { strategy.plan(space, graph); },
                                          std::string(Strategy::name) +
                                              ": ColorLaunches::graph needs CUDA, this plan runs on " +
                                              ExecutionSpace::name());
  }
};
TYPED_TEST_SUITE(ColorGraphs, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ColorGraphs, AssembleWhatSeparateLaunchesDo) {
  TestFixture::expect_same(assembly::ElementLocal{});
  TestFixture::expect_same(assembly::WarpPerElement{});
}

TYPED_TEST(ColorGraphs, MultiplyAsSeparateLaunchesDo) {
  using Strategy = matrix_free::RecomputingElementByElement;
  using Vector = typename TestFixture::Vector;
  const auto space = TestFixture::space();
  const TypeParam exec;
  const auto automatic =
      Strategy{.conflicts = Conflicts::colors}.plan(space).template prepare<double>(Heat{});
  const auto separate = Strategy{.conflicts = Conflicts::colors, .color_launches = ColorLaunches::separate}
                            .plan(space)
                            .template prepare<double>(Heat{});
  EXPECT_TRUE(automatic.report().path.ends_with(TestFixture::launches())) << automatic.report().path;
  EXPECT_TRUE(separate.report().path.ends_with(", color by color")) << separate.report().path;
  const Vector x("Tessera::Test::x", separate.rows()), expected("Tessera::Test::expected", separate.rows()),
      first("Tessera::Test::first", separate.rows()), second("Tessera::Test::second", separate.rows());
  for (const Vector& y : {first, second, first})
    for (int i = 0; i < TestFixture::repeats; ++i) {
      std::vector<double> values(x.extent(0));
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 + i * static_cast<double>(k);
      Kokkos::deep_copy(x, Kokkos::View<const double*, Kokkos::HostSpace>(values.data(), values.size()));
      Kokkos::deep_copy(y, -1.0);
      separate.apply(exec, x, expected);
      automatic.apply(exec, x, y);
      exec.fence("Tessera::Test");
      EXPECT_EQ(to_host(y), to_host(expected));
    }
}

TYPED_TEST(ColorGraphs, AreRefusedWhereThereAreNone) {
  TestFixture::expect_refusals(assembly::ElementLocal{});
  TestFixture::expect_refusals(assembly::WarpPerElement{});
  const auto space = TestFixture::space();
  const auto graph = sparsity_graph(TypeParam(), space);
  const assembly::WarpPerElement atomics{.conflicts = Conflicts::atomics,
                                         .color_launches = ColorLaunches::graph};
  expect_throw_with<UnsupportedError>([&] { atomics.plan(space, graph); },
                                      "WarpPerElement: ColorLaunches::graph needs colors");
}

} // namespace strategies_assembly_color_graph
