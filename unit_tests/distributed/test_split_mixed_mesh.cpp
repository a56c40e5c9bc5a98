// SPDX-License-Identifier: BSD-3-Clause
// Interior and border of a mixed mesh, and elements that are computed on one rank alone.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/row_export.hpp>
#include <tessera/distributed/split_sum.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gmock/gmock.h>

#include "distributed/message_counts.hpp"
#include "distributed/mixed_problem.hpp"
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_split_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;
using Mixed = MixedSpace<Solids, Space>;
using Vector = Kokkos::View<double*, Space>;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

const auto weak = weak_form(Laplace{});

double value_at(GlobalOrdinal dof) { return std::sin(0.7 * static_cast<double>(dof)); }

/// Values of the first `known` nodes; those of others are not there yet.
Vector values_of(const std::vector<GlobalOrdinal>& nodes, Ordinal known, int components) {
  return filled_on_host<Vector>("x", nodes.size() * to_size(components), [&](const auto& x) {
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      const std::size_t node = i / to_size(components), c = i % to_size(components);
      x(i) =
          node < to_size(known) ? value_at(nodes[node] * components + static_cast<GlobalOrdinal>(c)) : 1e30;
    }
  });
}

class SplitMixedMesh : public ::testing::Test {
protected:
  const MixedMesh<Solids, Space> whole = solids<Space>();
  const distributed::Mesh<Solids, Space> mesh = divided<Solids>(solids<Host>());
  const distributed::SplitMesh<Solids, Space> split = distributed::split_mesh(Space(), mesh);

  std::vector<GlobalOrdinal> all_nodes() const {
    std::vector<GlobalOrdinal> all(to_size(whole.num_nodes()));
    std::iota(all.begin(), all.end(), GlobalOrdinal{0});
    return all;
  }

  /// The sum of interior and border, twice, for the buffers are used again.
  template <class Interior, class Border, class All>
  void expect_sum(const Mixed& space, const Interior& of_interior, const Border& of_border,
                  const All& of_all) {
    const int components = space.components();
    const Vector x = values_of(all_nodes(), whole.num_nodes(), components), y("y", x.extent(0));
    of_all(x, y);
    const auto expected = on_host(y);
    double scale = 0;
    for (std::size_t i = 0; i < expected.extent(0); ++i) scale = std::fmax(scale, std::abs(expected(i)));
    distributed::SplitSum<double, Space> sum(Space(), mesh, space);
    for (int i = 0; i < 2; ++i) {
      const auto nodes = nodes_of(mesh);
      const Vector own = values_of(nodes, mesh.owned_nodes(), components), result("y", own.extent(0));
      sum.apply(Space(), own, result, of_interior, of_border);
      const auto found = on_host(result);
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < to_size(mesh.owned_nodes()) * to_size(components); ++k) {
        const auto dof =
            to_size(nodes[k / to_size(components)]) * to_size(components) + k % to_size(components);
        wrong += std::abs(found(k) - expected(dof)) <= 1e-13 * scale ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0u);
    }
  }
};

TEST_F(SplitMixedMesh, EachElementIsOnOneSide) {
  std::vector<int> times(mesh.local().num_elements(), 0);
  for (const auto* side : {&split.interior, &split.border}) {
    const auto list = on_host(side->elements);
    ASSERT_EQ(list.extent(0), side->mesh.num_elements());
    for (std::size_t i = 0; i < list.extent(0); ++i) ++times.at(to_size(list(i)));
    // The list names the elements of the rank that the side has, block after block.
    std::size_t i = 0;
    Ordinal before = 0;
    side->mesh.for_each_block([&]<class Element>(const tessera::Mesh<Element, Space>& block) {
      const auto& of_rank = mesh.local().block<Element>();
      const auto own = on_host(block.connectivity()), all = on_host(of_rank.connectivity());
      const auto materials = on_host(block.materials()), all_materials = on_host(of_rank.materials());
      for (Ordinal e = 0; e < block.num_elements(); ++e, ++i) {
        const Ordinal there = list(i) - before;
        EXPECT_EQ(materials(e), all_materials(there));
        for (int n = 0; n < Element::nodes; ++n) EXPECT_EQ(own(e, n), all(there, n));
      }
      before += of_rank.num_elements();
    });
  }
  EXPECT_THAT(times, ::testing::Each(1));
  EXPECT_EQ(split.interior.mesh.side_set("boundary").count() + split.border.mesh.side_set("boundary").count(),
            mesh.local().side_set("boundary").count());
}

TEST_F(SplitMixedMesh, SumIsTheProductOfAllElements) {
  const auto form = elasticity_by_material();
  const auto of = [&](const MixedMesh<Solids, Space>& some) {
    return matrix_free::RecomputingElementByElement{}.plan(held_space(some, zeroed)).prepare<double>(form);
  };
  const auto a = of(split.interior.mesh), b = of(split.border.mesh), all = of(whole);
  const auto apply = [](const auto& op) {
    return [&op](const Vector& x, const Vector& y) { op.apply(Space(), x, y); };
  };
  expect_sum(held_space(mesh.local(), zeroed), apply(a), apply(b), apply(all));
}

TEST_F(SplitMixedMesh, SumIsTheResidualOfAllElements) {
  const auto space_on = [](const MixedMesh<Solids, Space>& some) {
    Mixed space(some, 1, zeroed);
    space.constrain(some.node_set("held"), 0, 2.0);
    space.add_load(some.side_set("boundary"), std::vector<double>{1.25});
    return space;
  };
  const auto of = [&](const MixedMesh<Solids, Space>& some) {
    auto plan = residual::RecomputingResidual{}.plan(space_on(some));
    plan.template prepare<double>(weak);
    return plan;
  };
  auto a = of(split.interior.mesh), b = of(split.border.mesh), all = of(whole);
  const auto integrate = [](auto& plan) {
    return [&plan](const Vector& x, const Vector& y) { plan.integrate(weak, x, y); };
  };
  expect_sum(space_on(mesh.local()), integrate(a), integrate(b), integrate(all));
}

/// Owned rows by elements that are computed once, held against those of one rank.
void expect_whole_rows(ConstraintTreatment treatment) {
  const auto mesh = divided<Solids>(solids<Host>());
  const auto space = held_space(mesh.local(), treatment);
  const LinearSystem<double, Space> system(space);
  const auto expected = elastic_rows(solids<Space>(), treatment);
  const auto own = distributed::own_elements(Space(), mesh);
  EXPECT_EQ(own.interior.elements.extent(0) + own.border.elements.extent(0), mesh.owned_elements());
  const auto interior = held_space(own.interior.mesh, treatment),
             border = held_space(own.border.mesh, treatment);
  distributed::RowExport<Space> rows(Space(), mesh, system.graph(),
                                     distributed::global_equations(Space(), mesh, space));
  const auto form = elasticity_by_material();
  std::set<std::string> refused;
  for (const StrategyInfo& info : assembly_strategies()) try {
      SCOPED_TRACE(info.name);
      auto inner = make_assembly(info.name, interior, distributed::graph_for(interior, system.graph()));
      auto outer = make_assembly(info.name, border, distributed::graph_for(border, system.graph()));
      const auto assemble_once = [&] {
        outer.assemble(form, system);
        rows.begin(Space(), system);
        inner.assemble(form, system, {.add = true});
        add_natural_terms(Space(), interior, system);
        rows.end(Space(), system);
      };
      Kokkos::deep_copy(system.values(), NAN);
      Kokkos::deep_copy(system.rhs(), NAN);
      const auto counts = messages_of(assemble_once);
      EXPECT_EQ(to_size(counts.sends), rows.messages_sent());
      EXPECT_EQ(counts.collectives, 0);
      expect_rows_of_whole(rows_of(space, system, mesh.owned_nodes(), nodes_of(mesh)), expected, false,
                           info.name);
    } catch (const UnsupportedError& error) {
      EXPECT_THAT(error.what(), HasSubstr(": writes every value once"));
      refused.insert(info.name.substr(0, info.name.find('/')));
    }
  EXPECT_EQ(refused, (std::set<std::string>{"Patch", "RowOwner"}));
}

TEST(MixedRowExport, MakesOwnedRowsWholeOfElementsThatAreComputedOnce) {
  for (const auto treatment : {removed, zeroed}) expect_whole_rows(treatment);
}

TEST(MixedRowExport, RefusesGraphsOfOthers) {
  const auto mesh = divided<Solids>(solids<Host>());
  const auto space = held_space(mesh.local(), zeroed);
  const auto numbers = distributed::global_equations(Space(), mesh, space);
  const LinearSystem<double, Space> of_whole(held_space(solids<Space>(), zeroed));
  EXPECT_THAT([&] { distributed::RowExport<Space>(Space(), mesh, of_whole.graph(), numbers); },
              ThrowsMessage<ArgumentError>(HasSubstr("the graph is not of the mesh's local one")));
  // A graph without the couplings of a block's elements.
  const auto& hexes = space.block<Hex<1>>();
  EXPECT_THAT([&] { distributed::graph_for(space, sparsity_graph(Space(), hexes)); },
              ThrowsMessage<ArgumentError>(HasSubstr("the graph does not couple the nodes of ")));
}

} // namespace distributed_split_mixed_mesh
} // namespace tessera::test
