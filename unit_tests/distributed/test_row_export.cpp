// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/system/add_natural_terms.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/row_export.hpp>
#include <tessera/io/generate/box.hpp>

#include <gmock/gmock.h>

#include "distributed/message_counts.hpp"
#include "distributed/rows.hpp"
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_row_export {

void expect_equal(const auto& values, const auto& expected) {
  ASSERT_EQ(values.extent(0), expected.extent(0));
  std::size_t differ = 0;
  for (std::size_t i = 0; i < values.extent(0); ++i) differ += values(i) != expected(i) ? 1 : 0;
  EXPECT_EQ(differ, 0u);
}

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

/// With prescribed values, and loads and Robin terms on the sides that a mesh has.
template <class Element>
FunctionSpace<Element, Space> space_on(const tessera::Mesh<Element, Space>& mesh, int components,
                                       ConstraintTreatment treatment) {
  FunctionSpace<Element, Space> space(mesh, components, treatment);
  space.prescribe(mesh.node_set("xmin"), 0, [](const auto& x) { return 0.25 + x(1); });
  if (components > 1) space.constrain(mesh.node_set("ymin"), 1, 0.0);
  space.add_load(mesh.side_set("xmax"), std::vector<double>(to_size(components), 1.25));
  space.add_robin(mesh.side_set("zmax"), 2.0, 3.0);
  return space;
}

template <class Element>
void assemble(AnyAssembly<Element, Space>& plan, const LinearSystem<double, Space>& system, int components,
              const AssemblyOptions& options = {}) {
  if (components == 1)
    plan.assemble(Helmholtz<>{.sigma = 1.5, .lambda = 0.5, .source = 2.0}, system, options);
  else
    plan.assemble(LinearElasticity<Element::dimension>{.young = 3.0, .poisson = 0.3}, system, options);
}

/// Owned rows by elements that are computed once, held against those by all elements around owned nodes.
template <class Element>
void expect_whole_rows(int components, ConstraintTreatment treatment) {
  const auto mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, {{4, 3, 3}, {1.0, 2.0, 3.0}});
  const auto space = space_on<Element>(mesh.local(), components, treatment);
  const LinearSystem<double, Space> expected(space), system(expected.graph());
  assemble(*make_assembly("RowOwner", space, expected.graph()), expected, components);
  const auto& numbers = mesh.global_nodes();
  const std::vector<GlobalOrdinal> global(numbers.data(), numbers.data() + numbers.extent(0));
  const auto expected_rows = rows_of(space, expected, mesh.owned_nodes(), global);

  const auto own = distributed::own_elements(Space(), mesh);
  EXPECT_EQ(own.interior.elements.extent(0) + own.border.elements.extent(0), mesh.owned_elements());
  const auto interior = space_on<Element>(own.interior.mesh, components, treatment),
             border = space_on<Element>(own.border.mesh, components, treatment);
  distributed::RowExport<Space> rows(Space(), mesh, system.graph(),
                                     distributed::global_equations(Space(), mesh, space));
  std::set<std::string> refused;
  for (const StrategyInfo& info : assembly_strategies()) try {
      SCOPED_TRACE(info.name + " on " + Element::name);
      const auto inner = make_assembly(info.name, interior, distributed::graph_for(interior, system.graph())),
                 outer = make_assembly(info.name, border, distributed::graph_for(border, system.graph()));
      const auto assemble_once = [&] {
        assemble(*outer, system, components);
        rows.begin(Space(), system);
        assemble(*inner, system, components, {.add = true});
        add_natural_terms(Space(), interior, system);
        rows.end(Space(), system);
      };
      Kokkos::deep_copy(system.values(), NAN);
      Kokkos::deep_copy(system.rhs(), NAN);
      const auto counts = messages_of(assemble_once);
      EXPECT_EQ(to_size(counts.sends), rows.messages_sent());
      EXPECT_EQ(counts.collectives, 0);
      expect_rows_of_whole(rows_of(space, system, mesh.owned_nodes(), global), expected_rows, false,
                           Element::name);
    } catch (const UnsupportedError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(": writes every value once"));
      refused.insert(info.name.substr(0, info.name.find('/')));
    }
  EXPECT_EQ(refused, (std::set<std::string>{"Patch", "RowOwner"}));
}

TEST(RowExport, MakesOwnedRowsWholeOfElementsThatAreComputedOnce) {
  for (const auto treatment : {removed, zeroed}) {
    expect_whole_rows<Tet<1>>(1, treatment);
    expect_whole_rows<Hex<1>>(3, treatment);
  }
}

TEST(RowExport, RefusesWhatItWasNotMadeFor) {
  const auto mesh = distributed::box_mesh<Tet<1>>(Space(), MPI_COMM_WORLD, {{5, 4, 3}, {1.0, 2.0, 3.0}});
  const auto space = space_on<Tet<1>>(mesh.local(), 1, zeroed),
             vector = space_on<Tet<1>>(mesh.local(), 3, zeroed);
  const LinearSystem<double, Space> system(space), other(space), larger(vector);
  const auto numbers = distributed::global_equations(Space(), mesh, space);
  const auto refused = [](const auto& call, const std::string& why) {
    EXPECT_THAT(call, ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("RowExport: " + why)));
  };
  const auto make = [&](const SparsityGraph<Space>& graph) {
    return distributed::RowExport<Space>(Space(), mesh, graph, numbers);
  };
  EXPECT_THAT([&] { make(larger.graph()); },
              ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("and there are numbers of")));
  const auto box = io::box_mesh<Tet<1>, Space>({{2, 2, 2}, {1.0, 1.0, 1.0}});
  const LinearSystem<double, Space> foreign(FunctionSpace<Tet<1>, Space>(box, 1));
  EXPECT_THAT([&] { make(foreign.graph()); }, ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr(
                                                  "the graph is not of the mesh's local one")));

  Kokkos::deep_copy(system.values(), 1.0);
  Kokkos::deep_copy(system.rhs(), 1.0);
  auto rows = make(system.graph());
  const auto another_graph = [&] { return other.values().extent(0) > 0; }(); // a rank may have no rows
  if (another_graph) refused([&] { rows.begin(Space(), other); }, "the system has another graph");
  refused([&] { rows.end(Space(), system); }, "end without a begin");
  rows.begin(Space(), system);
  refused([&] { rows.begin(Space(), system); }, "begin follows another begin");
  if (another_graph) refused([&] { rows.end(Space(), other); }, "the system has another graph");
  rows.end(Space(), system);
  const auto added = on_host(system.values());
  refused([&] { rows.end(Space(), system); }, "end without a begin");
  expect_equal(on_host(system.values()), added);
  {
    auto lost = make(system.graph());
    lost.begin(Space(), system); // its messages are waited for when it ends
  }
  rows.begin(Space(), system);
  rows.end(Space(), system);
}

} // namespace distributed_row_export
} // namespace tessera::test
