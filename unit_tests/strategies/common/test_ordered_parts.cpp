// SPDX-License-Identifier: BSD-3-Clause
// Parts of elements that threads take in a fixed order: their lists, and sums that do not depend on threads.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/common/parts/element_parts.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <type_traits>
#include <vector>

namespace strategies_common_ordered_parts {

using namespace tessera;
using Space = std::tuple_element_t<0, ExecutionSpaces>; // the host's, where there is one
using Host = std::conditional_t<runs_on_host<Space>, Space, Kokkos::DefaultHostExecutionSpace>;
using Element = Tet<1>;
using HostMesh = test::HostMesh<Element, Host>;
using MeshType = Mesh<Element, Host>;

/// Every node is the first of one part; a part waits, directly or by others, for all before it that share a
/// node with it.
void expect_order(const MeshType& mesh, const ElementParts<Element, Host>& elements) {
  const auto& parts = elements.parts;
  std::multiset<Ordinal> firsts;
  std::vector<std::set<Ordinal>> nodes(parts.count()), waits(parts.count());
  Ordinal cells = 0;
  for (Ordinal place = 0; place < parts.count(); ++place) {
    cells += parts.end(place) - parts.begin(place);
    for (Ordinal e = parts.begin(place); e < parts.end(place); ++e)
      for (int n = 0; n < Element::nodes; ++n) nodes[place].insert(elements.order.mesh.connectivity(e, n));
    for (Ordinal k = parts.before_offsets(place); k < parts.before_offsets(place + 1); ++k) {
      const Ordinal before = parts.before(k);
      ASSERT_LT(before, place);
      waits[place].insert(before);
      waits[place].insert(waits[before].begin(), waits[before].end());
    }
    parts.for_first_nodes(place, [&](Ordinal first, Ordinal last) {
      for (Ordinal node = first; node <= last; ++node) firsts.insert(node);
    });
    for (Ordinal before = 0; before < place; ++before) {
      const bool shares = std::any_of(nodes[before].begin(), nodes[before].end(),
                                      [&](Ordinal node) { return nodes[place].contains(node); });
      EXPECT_TRUE(!shares || waits[place].contains(before)) << place << " must wait for " << before;
    }
  }
  EXPECT_EQ(cells, mesh.num_elements());
  EXPECT_EQ(firsts.size(), to_size(mesh.num_nodes()));
  EXPECT_EQ(std::set<Ordinal>(firsts.begin(), firsts.end()).size(), firsts.size());
}

/// Tetrahedra around one node, which all of them share.
MeshType hub(Ordinal around) {
  const MeshType box = io::box_mesh<Element, Host>({{1, 1, 1}, {1, 1, 1}});
  HostMesh host(box);
  host.coordinates = decltype(host.coordinates)("Tessera::Test::coordinates", around + 2);
  host.connectivity = decltype(host.connectivity)("Tessera::Test::connectivity", around);
  for (Ordinal i = 0; i < around; ++i) {
    const double angle = 2 * 3.14159265358979323846 * i / around;
    host.coordinates(2 + i, 0) = std::cos(angle);
    host.coordinates(2 + i, 1) = std::sin(angle);
    const Ordinal next = (i + 1) % around;
    const Ordinal nodes[] = {0, 2 + i, 2 + next, 1};
    for (int n = 0; n < 4; ++n) host.connectivity(i, n) = nodes[n];
  }
  host.coordinates(1, 2) = 1;
  return host.mesh();
}

/// Assembles on the given instance; matrix and right-hand side in one.
std::vector<double> assembled(const Host& exec, const MeshType& mesh) {
  const FunctionSpace<Element, Host> space(mesh, 1);
  const LinearSystem<double, Host> system(space);
  const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
  auto plan = assembly::ElementAtomic{}.plan(exec, space, system.graph());
  for (int run = 0; run < 2; ++run) plan.assemble(form, system);
  EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
  auto values = test::to_host(system.values());
  const auto rhs = test::to_host(system.rhs());
  values.insert(values.end(), rhs.begin(), rhs.end());
  return values;
}

/// K x + x on constrained rows that are kept.
std::vector<double> product(const Host& exec, const MeshType& mesh) {
  FunctionSpace<Element, Host> space(mesh, 1, ConstraintTreatment::zeroed);
  space.constrain(1, 0, 0.5);
  const auto op = matrix_free::RecomputingElementByElement{}
                      .plan(exec, space)
                      .prepare<double>(Helmholtz<>{.sigma = 2.0, .lambda = 1.0});
  const Kokkos::View<double*, Host> x("Tessera::Test::x", op.rows()), y("Tessera::Test::y", op.rows());
  for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = std::sin(1.0 + static_cast<double>(i));
  for (int run = 0; run < 2; ++run) op.apply(exec, x, y);
  exec.fence();
  EXPECT_EQ(y(1), x(1));
  return test::to_host(y);
}

std::vector<double> integrated(const Host& exec, const MeshType& mesh) {
  const FunctionSpace<Element, Host> space(mesh, 3);
  auto plan = residual::RecomputingResidual{}.plan(exec, space);
  const Kokkos::View<double*, Host> u("Tessera::Test::u", 3 * mesh.num_nodes()),
      r("Tessera::Test::r", 3 * mesh.num_nodes());
  for (std::size_t i = 0; i < u.extent(0); ++i) u(i) = 0.01 * std::sin(1.0 + static_cast<double>(i));
  for (int run = 0; run < 2; ++run) plan.integrate(HookeanSolid<3>{}, u, r);
  return test::to_host(r);
}

/// The same lists and the same bits with one thread as with all.
template <class ExecutionSpace = Host>
void expect_same_for_any_threads(const MeshType& mesh) {
  const Host all;
  expect_order(mesh, element_parts(all, mesh));
  const auto expected = assembled(all, mesh), expected_product = product(all, mesh),
             expected_residual = integrated(all, mesh);
  if constexpr (std::is_constructible_v<ExecutionSpace, int>) { // OpenMP: an instance of one thread
    const ExecutionSpace one(1);
    ASSERT_EQ(one.concurrency(), 1);
    EXPECT_EQ(assembled(one, mesh), expected);
    EXPECT_EQ(product(one, mesh), expected_product);
    EXPECT_EQ(integrated(one, mesh), expected_residual);
  }
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(assembled(all, mesh), expected);
    EXPECT_EQ(product(all, mesh), expected_product);
    EXPECT_EQ(integrated(all, mesh), expected_residual);
  }
}

TEST(OrderedParts, StructuredMeshKeepsItsOrder) {
  const auto mesh = io::box_mesh<Element, Host>({{8, 8, 8}, {1, 1, 1}});
  const auto elements = element_parts(Host(), mesh);
  EXPECT_EQ(elements.order.bytes, 0u);
  EXPECT_EQ(elements.parts.count(), 48);
  expect_same_for_any_threads(mesh);
}

TEST(OrderedParts, ScatteredMeshIsTakenAlongTheCurve) {
  const auto mesh = test::distorted_box<Element, Host>({{7, 6, 5}, {1, 1, 1}});
  const auto elements = element_parts(Host(), mesh);
  EXPECT_GT(elements.order.bytes, 0u);
  expect_same_for_any_threads(mesh);
}

TEST(OrderedParts, OneElementIsOnePart) {
  HostMesh host(io::box_mesh<Element, Host>({{1, 1, 1}, {1, 1, 1}}));
  Kokkos::resize(host.connectivity, 1); // the other corners are in no element
  expect_same_for_any_threads(host.mesh());
}

TEST(OrderedParts, PartsThatAllShareANodeWaitInALine) {
  const auto mesh = hub(700);
  EXPECT_GT(element_parts(Host(), mesh).parts.count(), 10);
  expect_same_for_any_threads(mesh);
}

TEST(OrderedParts, PartSizesAreWholeVectorsBetweenBounds) {
  EXPECT_EQ(part_size(0, 4), 64);
  EXPECT_EQ(part_size(20'000, 4), 80);
  EXPECT_EQ(part_size(100'000'000, 4), 4096);
  EXPECT_EQ(part_size(100'000'000, 1000), 64);
}

} // namespace strategies_common_ordered_parts
