// SPDX-License-Identifier: BSD-3-Clause
// Functions on sides over ranks: owned rows are those of the whole mesh, from all elements around them and
// from elements that are computed once.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/row_export.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include "distributed/rows.hpp"
#include <cmath>
#include <vector>

namespace tessera::test {
namespace distributed_side_terms {

struct Conducts {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};
struct Radiates {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.template a<0>() * p.u * p.u * p.u * p.u;
  }
};

using Element = Hex<1>;
constexpr auto treatment = ConstraintTreatment::zeroed;

template <class MeshType>
auto form_on(const MeshType& mesh) {
  return weak_form(Conducts{})
      .on_sides(mesh.side_set("zmax"), Radiates{}, 0.5)
      .on_sides(mesh.side_set("xmax"), Radiates{}, 2.0);
}

template <class MeshType>
FunctionSpace<Element, Space> held_space(const MeshType& mesh) {
  FunctionSpace<Element, Space> space(mesh, 1, treatment);
  space.prescribe(mesh.node_set("xmin"), 0, [](const auto& x) { return 0.25 + x(1); });
  return space;
}

/// A state by the nodes' positions.
template <class MeshType>
Kokkos::View<double*, Space> state_on(const MeshType& mesh) {
  const Kokkos::View<double*, Space> u("Tessera::Test::u", to_size(mesh.num_nodes()));
  const auto host = Kokkos::create_mirror_view(u);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (std::size_t n = 0; n < host.extent(0); ++n)
    host(n) = 1 + x(n, 0) + 0.5 * std::sin(x(n, 1) + 2 * x(n, 2));
  Kokkos::deep_copy(u, host);
  return u;
}

TEST(SideTerms, GiveRanksTheRowsOfTheWhole) {
  const io::Box box{{5, 4, 3}, {1.0, 2.0, 3.0}};
  const auto whole = io::box_mesh<Element, Space>(box);
  const auto whole_space = held_space(whole);
  const LinearSystem<double, Space> expected(whole_space);
  assembly::ElementAtomic{}
      .plan(whole_space, expected.graph())
      .assemble(jacobian(form_on(whole), whole, state_on(whole)), expected);
  std::vector<GlobalOrdinal> numbers(to_size(whole.num_nodes()));
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<GlobalOrdinal>(n);
  const auto expected_rows = rows_of(whole_space, expected, whole.num_nodes(), numbers);

  const auto mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box);
  const auto& nodes = mesh.global_nodes();
  const std::vector<GlobalOrdinal> global(nodes.data(), nodes.data() + nodes.extent(0));
  const auto space = held_space(mesh.local());
  const auto u = state_on(mesh.local());
  const LinearSystem<double, Space> system(space);
  assembly::ElementAtomic{}
      .plan(space, system.graph())
      .assemble(jacobian(form_on(mesh.local()), mesh.local(), u), system);
  expect_rows_of_whole(rows_of(space, system, mesh.owned_nodes(), global), expected_rows, false, "ghosts");

  const auto own = distributed::own_elements(Space(), mesh);
  const auto interior = held_space(own.interior.mesh), border = held_space(own.border.mesh);
  distributed::RowExport<Space> rows(Space(), mesh, system.graph(),
                                     distributed::global_equations(Space(), mesh, space));
  auto inner = assembly::ElementAtomic{}.plan(interior, distributed::graph_for(interior, system.graph())),
       outer = assembly::ElementAtomic{}.plan(border, distributed::graph_for(border, system.graph()));
  outer.assemble(jacobian(form_on(own.border.mesh), own.border.mesh, u), system);
  rows.begin(Space(), system);
  inner.assemble(jacobian(form_on(own.interior.mesh), own.interior.mesh, u), system, {.add = true});
  rows.end(Space(), system);
  expect_rows_of_whole(rows_of(space, system, mesh.owned_nodes(), global), expected_rows, false, "messages");
}

} // namespace distributed_side_terms
} // namespace tessera::test
