// SPDX-License-Identifier: BSD-3-Clause
// Assembly by patches: sizes of patches, a partition of one's own, and what it refuses.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/patch.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace strategies_assembly_patch {

using namespace tessera;
using namespace tessera::test;
using assembly::Patch;
using assembly::PatchMethod;

template <class ExecutionSpace>
class PatchAssembly : public ::testing::Test {
public:
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;

  template <class Element>
  static Mesh<Element, ExecutionSpace> mesh(Ordinal cells) {
    return distorted_box<Element, ExecutionSpace>({{cells, cells, cells}, {1.3, 1.0, 0.8}});
  }

  static Helmholtz<> helmholtz() {
    return {.sigma = CellField::per_material<ExecutionSpace>({1.0, 7.5}), .lambda = 2.0, .source = -3.0};
  }

  template <class Plan, class Form, class Element>
  static void expect_agreement(Plan&& plan, const Form& form, const Space<Element>& space,
                               const SparsityGraph<ExecutionSpace>& graph) {
    const LinearSystem<double, ExecutionSpace> system(graph);
    for (int repetition = 0; repetition < 2; ++repetition) {
      Kokkos::deep_copy(system.values(), 17.0);
      plan.assemble(form, system);
      const SystemError error = system_error<double>(system, reference_assembly(form, space, graph));
      EXPECT_LE(error.matrix, 1e-13);
      EXPECT_LE(error.rhs, 1e-13);
    }
  }
};
TYPED_TEST_SUITE(PatchAssembly, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(PatchAssembly, PatchesHoldEveryElementOnceAndFitScratch) {
  const FunctionSpace<Tet<1>, TypeParam> space(this->template mesh<Tet<1>>(9), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto plan = Patch{.scratch_bytes = 16000}.plan(space, graph);
  EXPECT_LE(plan.scratch(), 16000u);
  const auto& lists = plan.lists();
  EXPECT_GT(lists.patches, 5);
  const auto elements = to_host(lists.elements), offsets = to_host(lists.element_offsets);
  const auto nodes = to_host(lists.nodes), node_offsets = to_host(lists.node_offsets);
  EXPECT_EQ(std::set<Ordinal>(elements.begin(), elements.end()).size(),
            static_cast<std::size_t>(space.mesh().num_elements()));
  const auto connectivity =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  const auto codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lists.codes);
  const auto seam_of_node = to_host(lists.seam_of_node);
  std::set<Ordinal> seam;
  for (Ordinal p = 0; p < lists.patches; ++p)
    for (Ordinal s = offsets[p]; s < offsets[p + 1]; ++s)
      for (int n = 0; n < 4; ++n) {
        const Ordinal code = codes(s, n), node = connectivity(elements[s], n);
        EXPECT_EQ(code < 0 ? -code - 1 : nodes[node_offsets[p] + code], node);
        EXPECT_TRUE(n > 0 || code >= 0) << "the first node is not the patch's";
        if (code < 0) seam.insert(node);
      }
  for (std::size_t node = 0; node < seam_of_node.size(); ++node)
    EXPECT_EQ(seam_of_node[node] >= 0, seam.contains(static_cast<Ordinal>(node)));
  this->expect_agreement(Patch{.scratch_bytes = 16000}.plan(space, graph), this->helmholtz(), space, graph);
}

TYPED_TEST(PatchAssembly, RecomputedElementsLeaveNoSeam) {
  const FunctionSpace<Tet<1>, TypeParam> space(this->template mesh<Tet<1>>(7), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  auto plan = Patch{.method = PatchMethod::recomputed, .scratch_bytes = 16000}.plan(space, graph);
  const auto& lists = plan.lists();
  EXPECT_EQ(lists.seam_nodes, 0);
  const auto elements = to_host(lists.elements), offsets = to_host(lists.element_offsets);
  const auto connectivity =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  const auto nodes = to_host(lists.nodes), node_offsets = to_host(lists.node_offsets);
  for (Ordinal p = 0; p < lists.patches; ++p) {
    const std::set<Ordinal> own(nodes.begin() + node_offsets[p], nodes.begin() + node_offsets[p + 1]);
    std::set<Ordinal> expected;
    for (Ordinal e = 0; e < space.mesh().num_elements(); ++e)
      for (int n = 0; n < 4; ++n)
        if (own.contains(connectivity(e, n))) expected.insert(e);
    const std::vector<Ordinal> slots(elements.begin() + offsets[p], elements.begin() + offsets[p + 1]);
    EXPECT_EQ(slots.size(), expected.size()) << "patch " << p << " has an element twice, or misses one";
    EXPECT_EQ(std::set<Ordinal>(slots.begin(), slots.end()), expected);
  }
  this->expect_agreement(plan, this->helmholtz(), space, graph);
}

TYPED_TEST(PatchAssembly, TakesThePartitionOfASolver) {
  const auto mesh = this->template mesh<Tet<1>>(7);
  const FunctionSpace<Tet<1>, TypeParam> space(mesh, 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto partition = double_partition<TypeParam>(TypeParam(), {graph.row_map, graph.columns},
                                                     {.lightest_patch = 20, .heaviest_patch = 100});
  auto plan = Patch{}.plan(space, graph, partition);
  EXPECT_EQ(plan.lists().patches, partition.num_patches);
  this->expect_agreement(plan, this->helmholtz(), space, graph);

  // Under the partition's numbers every patch is a stretch of nodes.
  const auto order =
      hilbert_order(TypeParam(), element_centroids(TypeParam(), mesh.coordinates(), mesh.connectivity()));
  const FunctionSpace<Tet<1>, TypeParam> sorted(renumber(TypeParam(), mesh, partition.nodes, order), 1);
  const auto sorted_graph = sparsity_graph(TypeParam(), sorted);
  this->expect_agreement(Patch{}.plan(sorted, sorted_graph), this->helmholtz(), sorted, sorted_graph);
}

TYPED_TEST(PatchAssembly, PairsHaveOnePlaceEach) {
  const FunctionSpace<Tet<1>, TypeParam> space(this->template mesh<Tet<1>>(7), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto plan = Patch{.method = PatchMethod::pairs, .scratch_bytes = 16000}.plan(space, graph);
  EXPECT_LE(plan.scratch(), 16000u);
  const auto& pairs = plan.pairs();
  using Pairs = std::remove_cvref_t<decltype(pairs)>;
  EXPECT_GT(pairs.patches, 3);
  const auto nodes = to_host(pairs.nodes), node_offsets = to_host(pairs.node_offsets);
  const auto halo = to_host(pairs.halo), halo_before = to_host(pairs.halo_before);
  const auto elements = to_host(pairs.elements), offsets = to_host(pairs.element_offsets);
  const auto row_map = to_host(graph.row_map);
  const auto columns = to_host(graph.columns);
  const auto places = to_host(pairs.places);
  const auto pairs_before = to_host(pairs.pairs_before);
  const auto words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pairs.words_of_slots);
  const auto connectivity =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  for (Ordinal p = 0; p < pairs.patches; ++p) {
    const Ordinal first = node_offsets[p], end = node_offsets[p + 1], own = end - first;
    std::vector<Ordinal> node_of_code(nodes.begin() + first, nodes.begin() + end);
    node_of_code.insert(node_of_code.end(), halo.begin() + halo_before[first],
                        halo.begin() + halo_before[end]);
    const std::set<Ordinal> inside(nodes.begin() + first, nodes.begin() + end);
    EXPECT_EQ(std::set<Ordinal>(node_of_code.begin(), node_of_code.end()).size(), node_of_code.size());
    // Every pair of the patch has a place of its own, and both directions share it.
    std::map<std::pair<Ordinal, Ordinal>, Ordinal> place_of;
    std::set<Ordinal> used, beyond;
    const auto code_of = [&](Ordinal node) {
      return std::find(node_of_code.begin(), node_of_code.end(), node) - node_of_code.begin();
    };
    for (Ordinal k = 0; k < own; ++k)
      for (Offset entry = row_map[nodes[first + k]]; entry < row_map[nodes[first + k] + 1]; ++entry) {
        const Ordinal node = nodes[first + k], other = columns[entry];
        if (!inside.contains(other)) beyond.insert(other);
        EXPECT_EQ((places[entry] & Pairs::turned) != 0, code_of(other) < k);
        const Ordinal place = places[entry] & Pairs::most_places;
        const auto [known, is_new] = place_of.emplace(std::minmax(node, other), place);
        EXPECT_EQ(known->second, place);
        EXPECT_TRUE(!is_new || used.insert(place).second) << "a place of two pairs";
        EXPECT_EQ(place < own, node == other);
        EXPECT_TRUE(node != other || place == k);
      }
    EXPECT_EQ(beyond, std::set<Ordinal>(node_of_code.begin() + own, node_of_code.end()));
    EXPECT_EQ(used.size(), own + pairs_before[end] - pairs_before[first]);
    EXPECT_EQ(*used.rbegin() + 1, static_cast<Ordinal>(used.size())) << "a gap between places";

    std::set<Ordinal> expected;
    for (Ordinal e = 0; e < space.mesh().num_elements(); ++e)
      for (int n = 0; n < 4; ++n)
        if (inside.contains(connectivity(e, n))) expected.insert(e);
    EXPECT_EQ(std::set<Ordinal>(elements.begin() + offsets[p], elements.begin() + offsets[p + 1]), expected);
    EXPECT_EQ(static_cast<std::size_t>(offsets[p + 1] - offsets[p]), expected.size());
    for (Ordinal slot = offsets[p]; slot < offsets[p + 1]; ++slot) {
      typename Pairs::Codes codes{};
      for (int w = 0; w < Pairs::words; ++w) codes.word[w] = words(slot, w);
      for (int i = 0; i < 4; ++i) {
        const Ordinal node = connectivity(elements[slot], i);
        EXPECT_EQ(node_of_code[codes.code(i)], node);
        for (int j = 0; j < i; ++j) {
          const auto found = place_of.find(std::minmax(node, connectivity(elements[slot], j)));
          EXPECT_EQ(codes.place(i, j), found == place_of.end() ? Pairs::no_place : found->second);
        }
      }
    }
  }
  this->expect_agreement(Patch{.method = PatchMethod::pairs, .scratch_bytes = 16000}.plan(space, graph),
                         this->helmholtz(), space, graph);
}

TYPED_TEST(PatchAssembly, PairsServeConstraintsAndPartitionsOfASolver) {
  const auto mesh = this->template mesh<Tet<1>>(5);
  const LinearElasticity<3> elasticity{.young = 2.0, .poisson = 0.3};
  for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Tet<1>, TypeParam> vector(mesh, 3, treatment);
    for (Ordinal node = 0; node < mesh.num_nodes(); node += 3)
      for (int c = 0; c < (node % 2 == 0 ? 3 : 1); ++c) vector.constrain(node, c, 0.1 * node + c);
    const auto graph = sparsity_graph(TypeParam(), vector);
    this->expect_agreement(Patch{.method = PatchMethod::pairs}.plan(vector, graph), elasticity, vector,
                           graph);
  }
  const FunctionSpace<Tet<1>, TypeParam> space(mesh, 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto partition = double_partition<TypeParam>(TypeParam(), {graph.row_map, graph.columns},
                                                     {.lightest_patch = 20, .heaviest_patch = 100});
  const Patch pairs{.method = PatchMethod::pairs};
  EXPECT_EQ(pairs.plan(space, graph, partition).pairs().patches, partition.num_patches);
  this->expect_agreement(pairs.plan(space, graph, partition), this->helmholtz(), space, graph);
}

TYPED_TEST(PatchAssembly, RefusesWhatItCannotServe) {
  const FunctionSpace<Tet<1>, TypeParam> space(this->template mesh<Tet<1>>(3), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  expect_throw_with<UnsupportedError>([&] { (Patch{.scratch_bytes = 300}.plan(space, graph)); },
                                      "Patch: the rows of one node take ");
  expect_throw_with<UnsupportedError>(
      [&] { (Patch{.method = PatchMethod::pairs, .scratch_bytes = 300}.plan(space, graph)); },
      "Patch: the rows of one node take ");
  expect_throw_with<UnsupportedError>([&] { (Patch{.scratch_bytes = 1L << 40}.plan(space, graph)); },
                                      "Patch: 1099511627776 bytes of scratch wanted");
  expect_throw_with<ArgumentError>([&] { (Patch{.scratch_bytes = -1}.plan(space, graph)); },
                                   "Patch: scratch_bytes must be positive");
  expect_throw_with<ArgumentError>([&] { (Patch{.team_size = -1}.plan(space, graph)); },
                                   "Patch: team_size must be positive");
  if constexpr (runs_on_host<TypeParam>)
    expect_throw_with<UnsupportedError>([&] { (Patch{.team_size = 4}.plan(space, graph)); },
                                        "Patch: teams of 4 threads; on the host they have 1");
  const auto others =
      double_partition<TypeParam>(TypeParam(), {to_device<TypeParam>(std::vector<Offset>{0, 0}), {}});
  expect_throw_with<ArgumentError>([&] { Patch{}.plan(space, graph, others); },
                                   "Patch: a partition of 1 nodes for a mesh of 64");

  const auto half = assembly::upper_half(TypeParam(), graph);
  const LinearSystem<double, TypeParam> system(half);
  const Helmholtz<GeneralTensor<3>> skew{.sigma = {{{2, 0.5, 0}, {0, 2, 0}, {0, 0, 2}}}};
  expect_throw_with<UnsupportedError>([&] { Patch{}.plan(space, half).assemble(skew, system); },
                                      "Patch: the upper half of a matrix holds symmetric forms alone");
  const LinearSystem<double, TypeParam> full(graph);
  expect_throw_with<UnsupportedError>(
      [&] { Patch{.method = PatchMethod::pairs}.plan(space, graph).assemble(skew, full); },
      "Patch: pairs of nodes hold symmetric forms alone");
}

} // namespace strategies_assembly_patch
