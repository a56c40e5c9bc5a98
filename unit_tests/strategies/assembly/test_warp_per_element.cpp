// SPDX-License-Identifier: BSD-3-Clause
// What strategies that share an element among lanes rest on: the map of blocks to lanes, the order of the
// elements and the marks of first additions; and what bad options get.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/boxes.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace strategies_assembly_warp_per_element {

using namespace tessera;
using assembly::TwoKernels;
using assembly::WarpPerElement;
using test::on_host;
using Space = Kokkos::DefaultExecutionSpace;

/// Counts how often each block of the matrix is in a tile of some lane, and each slot is used.
template <class Element, bool OnDevice>
void expect_every_block_once(bool wide) {
  using Tiles = tessera::assembly::detail::BlockTiles<Element::nodes, OnDevice>;
  SCOPED_TRACE(std::string(Element::name) + (wide ? ", 4" : ", 8") + " threads a row" +
               (OnDevice ? ", device" : ", host"));
  constexpr int n = Element::nodes;
  std::vector<int> owners(n * n, 0);
  std::set<int> slots;
  for (int group = 0; group < Tiles::groups; ++group)
    for (int pass = 0; pass < Tiles::passes; ++pass)
      for (int lane = 0; lane < Tiles::lanes; ++lane) {
        const auto tile = Tiles::tile(wide, group * Tiles::rows, lane + pass * Tiles::lanes);
        for (int k = 0; k < tile.blocks; ++k) {
          const int i = tile.row(wide, k), j = tile.column(wide, k);
          ASSERT_TRUE(i >= group * Tiles::rows && i < std::min(n, (group + 1) * Tiles::rows));
          ASSERT_TRUE(j >= 0 && j < n);
          ++owners[i * n + j];
          const int slot = Tiles::slot(wide, i, j);
          EXPECT_TRUE(slot >= 0 && slot < Tiles::slots);
          EXPECT_TRUE(slots.insert(slot).second) << "slot " << slot << " twice";
        }
      }
  EXPECT_THAT(owners, testing::Each(1));
}

template <class Element>
void expect_every_block_once() {
  for (bool wide : {true, false}) {
    expect_every_block_once<Element, true>(wide);
    expect_every_block_once<Element, false>(wide);
  }
}

TEST(BlockTiles, EveryBlockBelongsToOneLane) {
  std::apply([](auto... element) { (expect_every_block_once<decltype(element)>(), ...); }, Elements());
}

TEST(BlockTiles, HexahedronIsPaper2sFigures) {
  using Tiles = tessera::assembly::detail::BlockTiles<8, true>;
  EXPECT_EQ(Tiles::lanes, 32);
  EXPECT_EQ(Tiles::groups, 1);
  EXPECT_EQ(Tiles::passes, 1);
  const auto wide = Tiles::tile(true, 0, 5), tall = Tiles::tile(false, 0, 9);
  EXPECT_EQ(wide.row(true, 0), 1); // four lanes a row: lane 5 has node 1's rows, nodes 2 and 3's columns
  EXPECT_EQ(wide.column(true, 0), 2);
  EXPECT_EQ(wide.column(true, 1), 3);
  EXPECT_EQ(tall.row(false, 0), 2); // eight lanes a row: lane 9 has nodes 2 and 3's rows, node 1's columns
  EXPECT_EQ(tall.row(false, 1), 3);
  EXPECT_EQ(tall.column(false, 0), 1);
}

TEST(BlockTiles, SmallElementsShareAWarp) {
  EXPECT_EQ((tessera::assembly::detail::BlockTiles<3, true>::lanes), 8);
  EXPECT_EQ((tessera::assembly::detail::BlockTiles<4, true>::lanes), 8);
  EXPECT_EQ((tessera::assembly::detail::BlockTiles<27, true>::lanes), 32);
  EXPECT_EQ((tessera::assembly::detail::BlockTiles<27, false>::lanes), 1);
}

class Assembly : public ::testing::Test {
public:
  using Element = Hex<1>;
  const FunctionSpace<Element, Space> space{test::distorted_box<Element, Space>({{5, 4, 3}, {1.3, 1.0, 0.8}}),
                                            3};
  const LinearSystem<double, Space> system{space};
  const LinearElasticity<3> form{.young = 3.0, .poisson = 0.25, .body_force = {1.0, -2.0, 0.5}};

  template <class Strategy>
  std::vector<double> values(const Strategy& strategy) const {
    Kokkos::deep_copy(system.values(), std::nan("")); // whatever is not written shows
    Kokkos::deep_copy(system.rhs(), std::nan(""));
    strategy.plan(space, system.graph()).assemble(form, system);
    const auto k = on_host(system.values()), f = on_host(system.rhs());
    std::vector<double> all(k.data(), k.data() + k.extent(0));
    all.insert(all.end(), f.data(), f.data() + f.extent(0));
    return all;
  }

  template <class Strategy>
  void expect_agreement(const Strategy& strategy, const std::string& what) const {
    SCOPED_TRACE(what);
    const auto expected = values(assembly::ElementAtomic{}), found = values(strategy);
    double largest = 0;
    for (double v : expected) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-13 * largest) << i;
  }
};

TEST_F(Assembly, AllOptionsAgree) {
  const auto text = [](const char* option, auto value) {
    return std::string(", ") + option + " " + std::to_string(int(value));
  };
  for (int threads : {4, 8})
    for (auto integration : {Integration::per_point, Integration::partial_parallel})
      for (auto jacobian : {JacobianSum::shuffle, JacobianSum::scratch, JacobianSum::atomics})
        for (auto conflicts : {Conflicts::colors, Conflicts::atomics})
          for (auto scatter : {Scatter::lanes, Scatter::rows})
            for (auto integrand : {Integrand::moments, Integrand::pointwise})
              expect_agreement(WarpPerElement{.threads_per_row = threads,
                                              .integration = integration,
                                              .jacobian = jacobian,
                                              .conflicts = conflicts,
                                              .scatter = scatter,
                                              .integrand = integrand},
                               "threads_per_row " + std::to_string(threads) +
                                   text("integration", integration) + text("jacobian", jacobian) +
                                   text("conflicts", conflicts) + text("scatter", scatter) +
                                   text("integrand", integrand));
  for (auto jacobian : {JacobianSum::shuffle, JacobianSum::scratch, JacobianSum::atomics})
    for (auto conflicts : {Conflicts::colors, Conflicts::atomics})
      expect_agreement(TwoKernels{.jacobian = jacobian, .conflicts = conflicts}, "TwoKernels");
}

TEST_F(Assembly, ColorsRepeatBitwise) {
  for (const auto& [name, strategy] : WarpPerElement::variants()) {
    EXPECT_EQ(strategy.deterministic(), strategy.conflicts == Conflicts::colors) << name;
    if (!strategy.deterministic()) continue;
    const auto first = values(strategy);
    for (int run = 0; run < 5; ++run) ASSERT_EQ(values(strategy), first) << name << ", run " << run;
  }
}

TEST_F(Assembly, OrderIsColorByColor) {
  const auto plan = WarpPerElement{}.plan(space, system.graph());
  const auto& elements = plan.elements();
  const auto nodes = on_host(elements.input.nodes);
  const auto numbers = on_host(elements.input.numbers);
  std::set<Ordinal> seen;
  for (std::size_t color = 0; color + 1 < elements.offsets.size(); ++color) {
    std::set<Ordinal> nodes_of_color;
    for (Ordinal e = elements.offsets[color]; e < elements.offsets[color + 1]; ++e) {
      EXPECT_TRUE(seen.insert(numbers(e)).second);
      for (int i = 0; i < Element::nodes; ++i)
        EXPECT_TRUE(nodes_of_color.insert(nodes(e, i)).second)
            << "node " << nodes(e, i) << " twice in a colour";
    }
  }
  EXPECT_EQ(static_cast<Ordinal>(seen.size()), space.mesh().num_elements());
}

/// A row too long for the positions is refused before the coloring, which so many triangles around a node
/// would keep busy.
TEST(WarpPerElement, LongRowsAreRefusedFirst) {
  const FunctionSpace<Tri<1>, Space> space(test::mesh_of<Tri<1>, Space>(test::fan(65536)), 1);
  const SparsityGraph<Space> graph = sparsity_graph(Space(), space);
  test::expect_throw_with<UnsupportedError>([&] { WarpPerElement{}.plan(space, graph); },
                                            "row 0 of the matrix has more than 65535 entries");
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST_F(Assembly, BadInputIsNamed) {
  EXPECT_THAT(message_of([&] { WarpPerElement{.threads_per_row = 5}.plan(space, system.graph()); }),
              testing::HasSubstr("threads_per_row must be 4 or 8, got 5"));
  EXPECT_THAT(message_of([&] { WarpPerElement{.conflicts = Conflicts::gather}.plan(space, system.graph()); }),
              testing::HasSubstr("Conflicts::gather is not offered; there are atomics, colors"));
  EXPECT_THAT(message_of([&] { TwoKernels{.conflicts = Conflicts::patches}.plan(space, system.graph()); }),
              testing::HasSubstr("TwoKernels: Conflicts::patches is not offered"));
  const FunctionSpace<Element, Space> other(space.mesh(), 1);
  EXPECT_THAT(message_of([&] { WarpPerElement{}.plan(other, system.graph()); }),
              testing::HasSubstr("WarpPerElement"));
  EXPECT_THAT(message_of([&] { TwoKernels{}.plan(other, system.graph()); }),
              testing::HasSubstr("TwoKernels"));
  Kokkos::View<double*, Space> young("young", space.mesh().num_elements());
  Kokkos::deep_copy(young, 1.0);
  Kokkos::deep_copy(Kokkos::subview(young, 7), std::nan(""));
  const LinearElasticity<3> bad{.young = CellField::per_element(young)};
  for (const auto& [name, strategy] : WarpPerElement::variants())
    EXPECT_THAT(message_of([&] { strategy.plan(space, system.graph()).assemble(bad, system); }),
                testing::HasSubstr("element"))
        << name;
  EXPECT_THAT(message_of([&] { TwoKernels{}.plan(space, system.graph()).assemble(bad, system); }),
              testing::HasSubstr("element"));
}

} // namespace strategies_assembly_warp_per_element
