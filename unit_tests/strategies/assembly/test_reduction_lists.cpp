// SPDX-License-Identifier: BSD-3-Clause
// Assembly by nonzeros and rows: partitions, binned lists, passes, and what bad options get.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>
#include <tessera/strategies/assembly/nz_local.hpp>
#include <tessera/strategies/assembly/nz_shared.hpp>
#include <tessera/strategies/assembly/row_global.hpp>
#include <tessera/strategies/assembly/row_shared.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include "support/reduction_lists.hpp"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace strategies_assembly_reduction_lists {

using namespace tessera;
using namespace tessera::assembly;
using test::expect_throw_with;
using test::on_host;
using Element = Tri<3>;
constexpr int nodes = Element::nodes;

template <class ExecutionSpace>
class ReductionLists : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  static Space space(int components = 1) {
    return {test::distorted_box<Element, ExecutionSpace>({{12, 9, 1}, {1, 1, 1}}), components};
  }
  const Space space_ = space();
  const Graph graph_ = sparsity_graph(ExecutionSpace(), space_);
  const decltype(on_host(space_.mesh().connectivity())) connectivity_ = on_host(space_.mesh().connectivity());

  /// A problem of two components, with the oracle's solution of it.
  struct Problem {
    Problem() {
      for (Ordinal node = 0; node < space.mesh().num_nodes(); node += 4) space.constrain(node, node % 2, 0.5);
      graph = sparsity_graph(ExecutionSpace(), space);
      reference = reference_assembly(form, space, graph);
    }
    Space space = ReductionLists::space(2);
    Graph graph;
    LinearElasticity<2> form{.body_force = {1, 2}};
    ReferenceSystem reference;
  };

  template <class Strategy>
  static std::vector<double> assembled(const Problem& problem, const Strategy& strategy) {
    const LinearSystem<double, ExecutionSpace> system(problem.graph);
    strategy.plan(problem.space, problem.graph).assemble(problem.form, system);
    EXPECT_LE(system_error<double>(system, problem.reference).max(), 1e-13);
    const auto values = on_host(system.values()), rhs = on_host(system.rhs());
    std::vector<double> all(values.data(), values.data() + values.extent(0));
    all.insert(all.end(), rhs.data(), rhs.data() + rhs.extent(0));
    return all;
  }

  /// What a list number of a block stands for: node, neighbor (-1: the load).
  static std::pair<Ordinal, Ordinal> pair_of(const tessera::assembly::detail::RowBlocks<ExecutionSpace>& rows,
                                             const Graph& graph, Ordinal block, Ordinal list) {
    const auto offsets = on_host(rows.offsets);
    const auto first = on_host(rows.first_list);
    const auto order = on_host(rows.nodes);
    const auto row_map = on_host(graph.row_map);
    const auto columns = on_host(graph.columns);
    Ordinal place = offsets(block);
    const Offset number = first(place) + list;
    while (first(place + 1) <= number) ++place;
    EXPECT_LT(place, offsets(block + 1)) << "list of another block";
    const Ordinal node = order.extent(0) == 0 ? place : order(place);
    const Offset k = number - first(place);
    const bool load = k == row_map(node + 1) - row_map(node);
    return {node, load ? -1 : columns(row_map(node) + k)};
  }
};
TYPED_TEST_SUITE(ReductionLists, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ReductionLists, ElementsAreInOneBlockAndPrefetchTheNodesTheyShare) {
  const auto plan = NzGlobal{.team_size = 3, .scratch_bytes = 1024}.plan(this->space_, this->graph_);
  const auto& elements = plan.stage().elements();
  const auto items = on_host(elements.blocks.items), offsets = on_host(elements.blocks.offsets);
  const auto codes = on_host(elements.codes);
  const auto lists = on_host(elements.prefetched.offsets);
  const auto prefetched = on_host(elements.prefetched.items);
  EXPECT_GT(elements.blocks.count, 1);
  std::vector<int> valence(this->space_.mesh().num_nodes(), 0);
  for (std::size_t e = 0; e < this->connectivity_.extent(0); ++e)
    for (int n = 0; n < nodes; ++n) ++valence[this->connectivity_(e, n)];
  std::set<Ordinal> seen;
  for (Ordinal block = 0; block < elements.blocks.count; ++block) {
    std::set<Ordinal> wanted;
    for (Ordinal slot = offsets(block); slot < offsets(block + 1); ++slot) {
      EXPECT_TRUE(seen.insert(items(slot)).second) << "element in two blocks";
      for (int n = 0; n < nodes; ++n) {
        const Ordinal node = this->connectivity_(items(slot), n), code = codes(slot, n);
        EXPECT_EQ(code < 0, valence[node] == 1) << "nodes of one element are read on the fly";
        EXPECT_EQ(code < 0 ? -code - 1 : prefetched(lists(block) + code), node);
        if (valence[node] > 1) wanted.insert(node);
      }
    }
    const std::vector<Ordinal> held(prefetched.data() + lists(block), prefetched.data() + lists(block + 1));
    EXPECT_EQ(held, std::vector<Ordinal>(wanted.begin(), wanted.end()));
    EXPECT_LE(held.size() * 2 * sizeof(double), 1024u);
  }
  EXPECT_EQ(seen.size(), this->connectivity_.extent(0));
}

TYPED_TEST(ReductionLists, BlocksOfNodesHaveExactlyTheElementsThatTheyNeed) {
  for (const auto partitioner : {Partitioner::curve, Partitioner::metis}) {
    const auto plan =
        NzShared{.partitioner = partitioner, .scratch_bytes = 8192}.plan(this->space_, this->graph_);
    const auto& blocks = plan.stage().blocks();
    const auto block_of_node = on_host(blocks.nodes.block_of_item);
    const auto offsets = on_host(blocks.elements.offsets);
    const auto items = on_host(blocks.elements.items);
    std::vector<std::set<Ordinal>> wanted(blocks.nodes.count);
    for (std::size_t e = 0; e < this->connectivity_.extent(0); ++e)
      for (int n = 0; n < nodes; ++n) wanted[block_of_node(this->connectivity_(e, n))].insert(e);
    EXPECT_GT(blocks.nodes.count, 1);
    for (Ordinal block = 0; block < blocks.nodes.count; ++block)
      EXPECT_EQ(std::vector<Ordinal>(items.data() + offsets(block), items.data() + offsets(block + 1)),
                std::vector<Ordinal>(wanted[block].begin(), wanted[block].end()));
  }
}

TYPED_TEST(ReductionLists, NzGlobalReducesEveryEntryOfEveryElementOnce) {
  constexpr std::int64_t element_bytes = (nodes * (nodes + 1) / 2 + nodes) * 8;
  for (const std::int64_t budget : {std::numeric_limits<std::int64_t>::max(), 25 * element_bytes}) {
    const auto plan = NzGlobal{.team_size = 4, .scratch_bytes = 2048, .memory_budget = budget}.plan(
        this->space_, this->graph_);
    EXPECT_EQ(plan.passes() > 1, budget == 25 * element_bytes);
    const auto elements = on_host(plan.stage().elements().blocks.items);
    std::set<std::tuple<Ordinal, int>> seen; // element, source within it
    for (std::size_t pass = 0; pass < plan.passes(); ++pass) {
      const auto& range = plan.stage().passes()[pass];
      EXPECT_LE((range.end_slot - range.first_slot) * element_bytes, budget);
      for (Ordinal block = 0; block < plan.rows().count; ++block) {
        const auto lists = test::read_lists(plan.lists(pass), block);
        test::expect_dealt(plan.lists(pass), block, lists);
        std::set<Ordinal> targets;
        for (const auto& list : lists) {
          ASSERT_EQ(list.targets.size(), 1u);
          EXPECT_TRUE(targets.insert(list.targets[0]).second) << "two lists write one entry";
          const auto [node, neighbor] = this->pair_of(plan.rows(), this->graph_, block, list.targets[0]);
          for (const auto source : list.sources) {
            const Ordinal e = elements(range.first_slot +
                                       source / tessera::assembly::detail::ElementSource<Element>::count);
            const int rest = source % tessera::assembly::detail::ElementSource<Element>::count;
            EXPECT_TRUE(seen.insert({e, rest}).second) << "a source is summed twice";
            const bool load = rest >= nodes * nodes;
            EXPECT_EQ(this->connectivity_(e, load ? rest - nodes * nodes : rest / nodes), node);
            EXPECT_EQ(load ? -1 : this->connectivity_(e, rest % nodes), neighbor);
          }
        }
      }
    }
    EXPECT_EQ(seen.size(),
              this->connectivity_.extent(0) * tessera::assembly::detail::ElementSource<Element>::count);
  }
}

TYPED_TEST(ReductionLists, NzSharedReducesEveryEntryOnceAndSavesSymmetricOnesTwice) {
  for (const bool symmetric : {true, false}) {
    const auto plan = NzShared{.symmetric = symmetric, .team_size = 4, .scratch_bytes = 6000}.plan(
        this->space_, this->graph_);
    const auto& stage = plan.stage();
    const auto block_of_group = on_host(stage.passes().block_of_group),
               first_group = on_host(stage.passes().first_group);
    const auto offsets = on_host(stage.blocks().elements.offsets);
    const auto items = on_host(stage.blocks().elements.items);
    EXPECT_GT(stage.passes().groups, stage.blocks().nodes.count) << "the test wants several passes";
    std::map<std::tuple<Ordinal, Ordinal, Ordinal>, int> sums; // node, neighbor, element: how often
    std::size_t saved_twice = 0;
    for (Ordinal group = 0; group < stage.passes().groups; ++group) {
      const Ordinal block = block_of_group(group);
      const auto lists = test::read_lists(plan.lists(), group);
      test::expect_dealt(plan.lists(), group, lists);
      for (const auto& list : lists) {
        const auto [node, neighbor] = this->pair_of(plan.rows(), this->graph_, block, list.targets[0]);
        if (list.targets.size() == 2) {
          ++saved_twice;
          EXPECT_EQ(this->pair_of(plan.rows(), this->graph_, block, list.targets[1]),
                    std::pair(neighbor, node));
        }
        for (const auto source : list.sources) {
          const Offset position = (group - first_group(block)) * stage.passes().size +
                                  source / tessera::assembly::detail::ElementSource<Element>::count;
          const Ordinal e = items(offsets(block) + position);
          const int rest = source % tessera::assembly::detail::ElementSource<Element>::count;
          const bool load = rest >= nodes * nodes;
          EXPECT_EQ(this->connectivity_(e, load ? rest - nodes * nodes : rest / nodes), node);
          EXPECT_EQ(load ? -1 : this->connectivity_(e, rest % nodes), neighbor);
          ++sums[{node, neighbor, e}];
          if (list.targets.size() == 2) ++sums[{neighbor, node, e}];
        }
      }
    }
    EXPECT_EQ(saved_twice > 0, symmetric);
    EXPECT_EQ(sums.size(),
              this->connectivity_.extent(0) * tessera::assembly::detail::ElementSource<Element>::count);
    for (const auto& [key, count] : sums) EXPECT_EQ(count, 1) << "node " << std::get<0>(key);
  }
}

TYPED_TEST(ReductionLists, OptionsDoNotChangeTheResult) {
  const typename TestFixture::Problem problem;
  const auto assembled = [&](const auto& strategy) { return TestFixture::assembled(problem, strategy); };
  const auto plain = assembled(NzGlobal{});
  // The order of additions does not depend on teams, bins or prefetch: equal to the last bit.
  EXPECT_EQ(assembled(NzGlobal{.team_size = 2}), plain);
  EXPECT_EQ(assembled(NzGlobal{.team_size = 5, .scratch_bytes = 4096}), plain);
  EXPECT_EQ(assembled(NzGlobal{.prefetch = false, .partitioner = Partitioner::metis}), plain);
  EXPECT_EQ(assembled(RowGlobal{.team_size = 2}), plain);
  // Several passes sum in another order.
  assembled(NzGlobal{.memory_budget = 40000});
  assembled(RowGlobal{.memory_budget = 40000});
  for (const int team_size : {1, 2, 3}) {
    assembled(NzShared{.team_size = team_size, .scratch_bytes = 16000});
    assembled(NzShared{.symmetric = false, .attempts = 1, .team_size = team_size, .scratch_bytes = 8000});
    assembled(RowShared{.team_size = team_size, .scratch_bytes = 8000});
    assembled(NzLocal{.team_size = team_size, .scratch_bytes = 4000});
  }
  assembled(NzLocal{.symmetric = false});
}

TYPED_TEST(ReductionLists, RefusesBudgetsAndScratchThatHoldNothing) {
  const auto plan = [&](const auto& strategy) {
    return [&, strategy] { strategy.plan(this->space_, this->graph_); };
  };
  expect_throw_with<ArgumentError>(plan(NzGlobal{.memory_budget = 0}),
                                   "memory_budget must be positive, got 0 bytes");
  expect_throw_with<ArgumentError>(plan(RowGlobal{.memory_budget = -5}),
                                   "RowGlobal: memory_budget must be positive");
  expect_throw_with<UnsupportedError>(plan(NzGlobal{.memory_budget = 519}),
                                      "the data of one element takes 520");
  expect_throw_with<UnsupportedError>(plan(NzGlobal{.scratch_bytes = 100}), "bytes of scratch");
  expect_throw_with<ArgumentError>(plan(NzGlobal{.team_size = -1}), "NzGlobal: team_size");
  expect_throw_with<UnsupportedError>(plan(NzShared{.scratch_bytes = 500}),
                                      "the data of one element takes 584 bytes of scratch, 500 are allowed");
  expect_throw_with<UnsupportedError>(
      plan(RowShared{.several_passes = false, .attempts = 2, .scratch_bytes = 1200}), "allow several passes");
  expect_throw_with<ArgumentError>(plan(NzShared{.attempts = 0}), "attempts must be at least 1");
  expect_throw_with<ArgumentError>(plan(RowShared{.scratch_bytes = -1}), "RowShared: scratch_bytes");
  expect_throw_with<UnsupportedError>(plan(NzLocal{.scratch_bytes = 64}),
                                      "the nodes around a block of one node take");
}

TYPED_TEST(ReductionLists, RefusesWhatThePlanWasNotMadeFor) {
  const auto other = this->space();
  const auto vectors = this->space(2);
  const LinearSystem<double, TypeParam> system(this->graph_);
  const Helmholtz<GeneralTensor<2>> rotated{.sigma = {{{2, 1}, {-1, 2}}}};
  const auto expect_refusals = [&](const auto& strategy) {
    const std::string name = std::decay_t<decltype(strategy)>::name;
    expect_throw_with<ArgumentError>([&] { strategy.plan(other, this->graph_); },
                                     name + ": the graph was built for another mesh");
    expect_throw_with<ArgumentError>([&] { strategy.plan(vectors, this->graph_); },
                                     name + ": the graph was built for");
    auto plan = strategy.plan(this->space_, this->graph_);
    expect_throw_with<ArgumentError>([&] { plan.assemble(LinearElasticity<2>{}, system); },
                                     "the form has 2 components per node, the space has 1");
    expect_throw_with<ArgumentError>([&] { plan.assemble(rotated, system); },
                                     name + ": the plan was made for symmetric");
  };
  expect_refusals(NzGlobal{});
  expect_refusals(NzShared{});
  expect_refusals(NzLocal{});
  expect_refusals(RowGlobal{});
  expect_refusals(RowShared{});
}

} // namespace strategies_assembly_reduction_lists
