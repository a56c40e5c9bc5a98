// SPDX-License-Identifier: BSD-3-Clause
// A system that several spaces over the same nodes assemble together, each by every strategy: the first
// writes, onto whatever was there, the others add; or a strategy refuses by name.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/graph_for.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <set>
#include <string>

namespace strategies_assembly_graph_for {

using namespace tessera;
using test::expect_throw_with;

enum class Constraints { none, removed, zeroed };

template <class ExecutionSpace>
class GraphFor : public ::testing::Test {
public:
  template <class Element>
  using MeshOf = Mesh<Element, ExecutionSpace>;
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  template <class Element>
  static MeshOf<Element> whole_mesh() {
    return test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}});
  }

  /// Elements begin ... end - 1 over all nodes of a mesh.
  template <class Element>
  static MeshOf<Element> block_of(const MeshOf<Element>& mesh, Ordinal begin, Ordinal end) {
    test::HostMesh<Element, ExecutionSpace> host(mesh);
    const decltype(host.connectivity) rows("Tessera::Test::connectivity", to_size(end - begin));
    for (Ordinal e = begin; e < end; ++e)
      for (int n = 0; n < Element::nodes; ++n) rows(e - begin, n) = host.connectivity(e, n);
    host.connectivity = rows;
    return host.mesh();
  }

  template <class Element>
  static Space<Element> space_on(const MeshOf<Element>& mesh, int components, Constraints constraints) {
    Space<Element> space(mesh, components,
                         constraints == Constraints::zeroed ? ConstraintTreatment::zeroed
                                                            : ConstraintTreatment::removed);
    for (Ordinal node = 0; constraints != Constraints::none && node < mesh.num_nodes(); node += 5)
      for (int c = 0; c < (node % 2 == 0 ? components : 1); ++c) space.constrain(node, c, 0.1 * node + c);
    return space;
  }

  /// The parts of a mesh, assembled one after the other, are as the whole.
  template <class Element, class Form>
  static void expect_whole(const Form& form, Constraints constraints) {
    SCOPED_TRACE(std::string(Element::name) + ", constraints " +
                 std::to_string(static_cast<int>(constraints)));
    const auto mesh = whole_mesh<Element>();
    const auto whole = space_on<Element>(mesh, Form::components, constraints);
    const System system(whole);
    const auto expected = reference_assembly(form, whole, system.graph());
    // The second part has no element: what a rank without a border has.
    const Ordinal third = mesh.num_elements() / 3, cuts[] = {0, third, third, mesh.num_elements()};
    const auto part = [&](int p) {
      return space_on<Element>(block_of<Element>(mesh, cuts[p], cuts[p + 1]), Form::components, constraints);
    };
    std::set<std::string> refused;
    for (const StrategyInfo& info : assembly_strategies())
      for (const int first : {0, 1}) {
        SCOPED_TRACE(info.name + ", part " + std::to_string(first) + " first");
        try {
          Kokkos::deep_copy(system.values(), NAN);
          Kokkos::deep_copy(system.rhs(), NAN);
          for (const int p : {first, 1 - first, 2}) {
            const auto space = part(p);
            make_assembly(info.name, space, graph_for(space, system.graph()))
                ->assemble(form, system, {.add = p != first});
          }
          const SystemError error = system_error<double>(system, expected);
          EXPECT_LE(error.matrix, 1e-13);
          EXPECT_LE(error.rhs, 1e-13);
        } catch (const UnsupportedError& error) {
          const std::string name = info.name.substr(0, info.name.find('/'));
          EXPECT_EQ(std::string(error.what()).find(name + ": writes every value once"), 0u) << error.what();
          refused.insert(name);
        }
      }
    EXPECT_EQ(refused, (std::set<std::string>{"Patch", "RowOwner"}));
  }

  template <class Element, class Form>
  static void expect_whole(const Form& form) {
    for (const auto constraints : {Constraints::none, Constraints::removed, Constraints::zeroed})
      expect_whole<Element>(form, constraints);
  }
};
TYPED_TEST_SUITE(GraphFor, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(GraphFor, PartsOfOneUnknownANodeAreAsTheWhole) {
  TestFixture::template expect_whole<Tri<1>>(Helmholtz<>{.sigma = 2.0, .lambda = 0.5, .source = 1.5});
}

TYPED_TEST(GraphFor, PartsOfThreeUnknownsANodeAreAsTheWhole) {
  TestFixture::template expect_whole<Hex<1>>(
      LinearElasticity<3>{.young = 2.0, .poisson = 0.3, .body_force = {0.5, 0.0, -1.0}});
}

TYPED_TEST(GraphFor, RefusesOtherEquationsAndMissingCouplings) {
  const auto mesh = TestFixture::template whole_mesh<Tri<1>>();
  const auto space_on = [&](int components, Constraints constraints) {
    return TestFixture::template space_on<Tri<1>>(mesh, components, constraints);
  };
  const auto none = space_on(1, Constraints::none), zeroed = space_on(1, Constraints::zeroed);
  const auto graph = sparsity_graph(TypeParam(), none);
  expect_throw_with<ArgumentError>([&] { graph_for(space_on(2, Constraints::none), graph); },
                                   "1 components a node, the space " + std::to_string(2 * mesh.num_nodes()) +
                                       " and 2");
  expect_throw_with<ArgumentError>([&] { graph_for(space_on(1, Constraints::removed), graph); },
                                   "nodes, components and constraints must be the same");
  expect_throw_with<ArgumentError>([&] { graph_for(zeroed, graph); }, "node 0 is constrained otherwise");

  const auto part = TestFixture::template block_of<Tri<1>>(mesh, 0, 7);
  const auto small =
      sparsity_graph(TypeParam(), TestFixture::template space_on<Tri<1>>(part, 1, Constraints::none));
  expect_throw_with<ArgumentError>([&] { graph_for(none, small); }, "does not couple the nodes of element ");
}

} // namespace strategies_assembly_graph_for
