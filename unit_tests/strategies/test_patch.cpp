// Assembly by patches: sizes of patches, the upper half, a partition of one's own, and what it refuses.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/reference_assembly.hpp>
#include <tessera/core/renumber.hpp>
#include <tessera/strategies/assembly/patch.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::test;
using assembly::Patch;

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

  /// Values of the upper half against those of the whole matrix.
  template <class Form, class Element>
  static void expect_upper_half(const Form& form, const Space<Element>& space) {
    const ExecutionSpace exec;
    const auto graph = sparsity_graph(exec, space);
    const auto half = assembly::upper_half(exec, graph);
    EXPECT_LT(half.num_entries(), graph.num_entries());
    const LinearSystem<double, ExecutionSpace> system(half);
    Patch{}.plan(space, half).assemble(form, system);
    const ReferenceSystem whole = reference_assembly(form, space, graph);
    const auto row_map = to_host(half.row_map);
    const auto columns = to_host(half.columns);
    const auto values = to_host(system.values()), rhs = to_host(system.rhs());
    Offset at = 0;
    double scale = 0;
    for (const double value : whole.values) scale = std::max(scale, std::abs(value));
    for (std::size_t row = 0; row + 1 < whole.row_map.size(); ++row) {
      EXPECT_EQ(row_map[row], at);
      for (Offset k = whole.row_map[row]; k < whole.row_map[row + 1]; ++k) {
        if (whole.columns[k] < static_cast<Ordinal>(row)) continue;
        ASSERT_EQ(columns[at], whole.columns[k]);
        EXPECT_NEAR(values[at++], whole.values[k], 1e-13 * scale) << "row " << row;
      }
      EXPECT_NEAR(rhs[row], whole.rhs[row], 1e-12 * (1 + std::abs(whole.rhs[row])));
    }
    EXPECT_EQ(values.size(), at);
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
  auto plan = Patch{.seams = assembly::Seams::recomputed, .scratch_bytes = 16000}.plan(space, graph);
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

TYPED_TEST(PatchAssembly, UpperHalfHoldsTheSameValues) {
  const auto mesh = this->template mesh<Tet<1>>(5);
  for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Tet<1>, TypeParam> scalar(mesh, 1, treatment), vector(mesh, 3, treatment);
    this->expect_upper_half(this->helmholtz(), scalar);
    test::constrain(scalar);
    test::constrain(vector);
    this->expect_upper_half(this->helmholtz(), scalar);
    this->expect_upper_half(LinearElasticity<3>{.young = 2.0, .poisson = 0.3}, vector);
  }
}

TYPED_TEST(PatchAssembly, RefusesWhatItCannotServe) {
  const FunctionSpace<Tet<1>, TypeParam> space(this->template mesh<Tet<1>>(3), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  expect_throw_with<UnsupportedError>([&] { (Patch{.scratch_bytes = 300}.plan(space, graph)); },
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
}

} // namespace
