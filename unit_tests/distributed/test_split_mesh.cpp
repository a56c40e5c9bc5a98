#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/box.hpp>
#include <tessera/distributed/split_mesh.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include "distributed/rows.hpp"
#include <cmath>

namespace tessera::test {
namespace {

using Element = Tet<1>;
using Vector = Kokkos::View<double*, Space>;

auto operator_of(const tessera::Mesh<Element, Space>& mesh) {
  const FunctionSpace<Element, Space> space(mesh, 1);
  return matrix_free::RecomputingElementByElement{}.plan(space).prepare<double>(
      Helmholtz<>{.sigma = 1.5, .lambda = 0.5});
}

double value_at(GlobalOrdinal node) { return std::sin(0.7 * static_cast<double>(node)); }

/// The product on the whole box, which every rank computes.
auto product_of_whole(const io::Box& box) {
  const auto whole = io::box_mesh<Element, Space>(box);
  const Vector x("x", whole.num_nodes()), y("y", whole.num_nodes());
  const auto host = Kokkos::create_mirror_view(x);
  for (Ordinal n = 0; n < whole.num_nodes(); ++n) host(n) = value_at(n);
  Kokkos::deep_copy(x, host);
  operator_of(whole).apply(Space(), x, y);
  return on_host(y);
}

TEST(SplitMesh, ProductWithTheImportUnderWay) {
  const io::Box box{{5, 4, 3}, {1.0, 2.0, 3.0}};
  const auto expected = product_of_whole(box);
  const auto mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box);
  const auto split = distributed::split_mesh(Space(), mesh);
  const auto interior = operator_of(split.interior.mesh), border = operator_of(split.border.mesh);
  distributed::NodeExchange<double, Space> exchange(Space(), mesh.import(), 1);

  const auto nodes = to_size(mesh.local().num_nodes());
  const Vector x("x", nodes), of_interior("interior", nodes), of_border("border", nodes);
  const auto host = Kokkos::create_mirror_view(x);
  for (Ordinal n = 0; n < mesh.owned_nodes(); ++n) host(n) = value_at(mesh.global_nodes()(n));
  for (std::size_t n = to_size(mesh.owned_nodes()); n < nodes; ++n) host(n) = 1e30; // not there yet
  Kokkos::deep_copy(x, host);
  exchange.begin(Space(), x);
  interior.apply(Space(), x, of_interior);
  exchange.end(Space(), x);
  border.apply(Space(), x, of_border);

  const auto a = on_host(of_interior), b = on_host(of_border);
  for (Ordinal n = 0; n < mesh.owned_nodes(); ++n)
    EXPECT_NEAR(a(n) + b(n), expected(mesh.global_nodes()(n)), 1e-13) << "node " << mesh.global_nodes()(n);
}

} // namespace
} // namespace tessera::test
