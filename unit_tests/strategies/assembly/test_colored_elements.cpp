// SPDX-License-Identifier: BSD-3-Clause
// Assembly by elements, color by color: ElementLocal, ElementGlobal, ElementShared.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/element_global.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/element_shared.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <set>
#include <vector>

namespace strategies_assembly_colored_elements {

using namespace tessera;
using namespace tessera::assembly;
using test::expect_throw_with;
using Element = Tet<1>;

template <class ExecutionSpace>
class ColoredElements : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  static Space space() { return {test::distorted_box<Element, ExecutionSpace>({{4, 3, 3}, {1, 1, 1}}), 1}; }

  /// An assembly with options agrees with the reference.
  template <class Strategy>
  static void expect_agreement(const Strategy& strategy) {
    const Space space = ColoredElements::space();
    const LinearSystem<double, ExecutionSpace> system(space);
    const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
    strategy.plan(space, system.graph()).assemble(form, system);
    EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
  }

  /// Two systems with one graph hold the same numbers.
  static void expect_near(const LinearSystem<double, ExecutionSpace>& left,
                          const LinearSystem<double, ExecutionSpace>& right) {
    const auto a = test::to_host(left.values()), b = test::to_host(right.values());
    const auto f = test::to_host(left.rhs()), g = test::to_host(right.rhs());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-13);
    for (std::size_t k = 0; k < f.size(); ++k) EXPECT_NEAR(f[k], g[k], 1e-13);
  }
};
TYPED_TEST_SUITE(ColoredElements, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ColoredElements, ColorsShareNoNodeAndHoldEveryElementOnce) {
  using ExecutionSpace = TypeParam;
  const auto space = this->space();
  const auto graph = sparsity_graph(ExecutionSpace(), space);
  const auto plan = ElementLocal{}.plan(space, graph);
  const auto& elements = plan.elements();
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), elements.nodes);
  const auto numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), elements.numbers);
  const auto connectivity =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  constexpr Offset width = std::decay_t<decltype(elements)>::width;

  std::multiset<Ordinal> seen;
  for (Ordinal color = 0; color < elements.colors(); ++color) {
    const Offset first = elements.first_slot[color];
    EXPECT_EQ(first % width, 0u) << "color " << color << " must start a block";
    std::set<Ordinal> touched;
    for (Offset slot = first; slot < first + elements.sizes[color]; ++slot) {
      seen.insert(numbers(slot));
      for (int n = 0; n < Element::nodes; ++n) {
        const Ordinal node = nodes(slot / width, n, slot % width);
        EXPECT_EQ(node, connectivity(numbers(slot), n));
        EXPECT_TRUE(touched.insert(node).second)
            << "two elements of color " << color << " share node " << node;
      }
    }
    // The padding repeats the color's last element.
    const Offset end = color + 1 < elements.colors() ? elements.first_slot[color + 1] : numbers.extent(0);
    ASSERT_LT(end - first - elements.sizes[color], width);
    for (Offset slot = first + elements.sizes[color]; slot < end; ++slot)
      EXPECT_EQ(numbers(slot), numbers(first + elements.sizes[color] - 1));
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(space.mesh().num_elements()));
  EXPECT_EQ(std::set<Ordinal>(seen.begin(), seen.end()).size(), seen.size());
}

TYPED_TEST(ColoredElements, HasAtLeastTheColorsAskedFor) {
  const auto space = this->space();
  const auto graph = sparsity_graph(TypeParam(), space);
  const Ordinal few = ElementLocal{}.plan(space, graph).elements().colors();
  EXPECT_EQ((ElementLocal{.colors = few + 20}.plan(space, graph).elements().colors()), few + 20);
  this->expect_agreement(ElementLocal{.colors = few + 20});
  this->expect_agreement(ElementGlobal{.colors = few + 20});
  this->expect_agreement(ElementShared{.colors = few + 20});
}

TYPED_TEST(ColoredElements, TeamsOfSeveralThreadsAndLittleScratchAgree) {
  this->expect_agreement(ElementShared{.team_size = 2});
  this->expect_agreement(ElementShared{.team_size = 2, .scratch_bytes = 64 + 14 * 8 * 3});
  this->expect_agreement(ElementShared{.scratch_bytes = 64 + 14 * 8});
}

TYPED_TEST(ColoredElements, RefusesBadOptions) {
  const auto space = this->space();
  const LinearSystem<double, TypeParam> system(space);
  const auto& graph = system.graph();
  expect_throw_with<ArgumentError>([&] { ElementLocal{.colors = -1}.plan(space, graph); }, "minimum_colors");
  expect_throw_with<ArgumentError>([&] { ElementGlobal{.colors = 100000}.plan(space, graph); }, "100000");
  expect_throw_with<ArgumentError>([&] { ElementShared{.team_size = -2}.plan(space, graph); },
                                   "ElementShared: team_size must be positive");
  expect_throw_with<ArgumentError>([&] { ElementShared{.scratch_bytes = -8}.plan(space, graph); },
                                   "ElementShared: scratch_bytes must be positive");
  expect_throw_with<UnsupportedError>([&] { ElementShared{.scratch_bytes = 1l << 40}.plan(space, graph); },
                                      "1099511627776 bytes of scratch wanted");
  auto plan = ElementShared{.scratch_bytes = 100}.plan(space, graph);
  expect_throw_with<UnsupportedError>([&] { plan.assemble(Helmholtz<>{}, system); },
                                      "the data of one element takes 176 bytes of scratch, 100 are allowed");
}

TYPED_TEST(ColoredElements, RefusesFormsThatItsMemoryIsNotSizedFor) {
  const auto space = this->space();
  const LinearSystem<double, TypeParam> system(space);
  const Helmholtz<GeneralTensor<3>> rotated{.sigma = {{{2, 1, 0}, {-1, 2, 0}, {0, 0, 1}}}};
  expect_throw_with<ArgumentError>(
      [&] { ElementGlobal{}.plan(space, system.graph()).assemble(rotated, system); },
      "set the option symmetric = false");
  const LinearSystem<double, TypeParam> other(system.graph());
  ElementGlobal{.symmetric = false}.plan(space, system.graph()).assemble(rotated, system);
  ElementLocal{}.plan(space, system.graph()).assemble(rotated, other);
  this->expect_near(system, other);
}

} // namespace strategies_assembly_colored_elements
