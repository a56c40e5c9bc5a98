// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include "distributed/transfers.hpp"
#include <utility>

namespace tessera::test {
namespace distributed_node_exchange {

distributed::Mesh<Hex<1>, Space> sample() {
  return distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{5, 4, 3}, {1.0, 1.0, 1.0}});
}

/// A value that tells node and component.
template <class Scalar>
Scalar value_of(GlobalOrdinal node, int component) {
  return static_cast<Scalar>(10 * node + component);
}

template <class Scalar>
void expect_import(const distributed::Mesh<Hex<1>, Space>& mesh, int components,
                   distributed::Transfer transfer) {
  const Kokkos::View<Scalar*, Space> values("values",
                                            to_size(mesh.local().num_nodes()) * to_size(components));
  const auto host = Kokkos::create_mirror_view(values);
  for (Ordinal i = 0; i < mesh.owned_nodes() * components; ++i)
    host(i) = value_of<Scalar>(mesh.global_nodes()(i / components), i % components);
  Kokkos::deep_copy(values, host);
  distributed::NodeExchange<Scalar, Space> exchange(Space(), mesh.import(), components, transfer);
  for (int again = 0; again < 3; ++again) {
    exchange.begin(Space(), values);
    exchange.end(Space(), values);
  }
  const auto imported = on_host(values);
  for (std::size_t i = 0; i < imported.extent(0); ++i)
    EXPECT_EQ(imported(i), value_of<Scalar>(mesh.global_nodes()(i / to_size(components)),
                                            static_cast<int>(i % to_size(components))));
}

TEST(NodeExchange, GhostsHaveTheirOwnersValues) {
  const auto mesh = sample();
  for (const auto transfer : transfers()) {
    expect_import<double>(mesh, 1, transfer);
    expect_import<double>(mesh, 3, transfer);
    expect_import<float>(mesh, 2, transfer);
    expect_import<std::int32_t>(mesh, 1, transfer);
  }
}

void expect_sums(distributed::Transfer transfer) {
  // Each rank adds one for each of its elements around a node; with each element counted once, that is how
  // many there are in the whole box.
  const auto mesh = sample();
  const Kokkos::View<double*, Space> counts("counts", mesh.local().num_nodes());
  const auto host = Kokkos::create_mirror_view(counts);
  const auto nodes = on_host(mesh.local().connectivity());
  const auto owners = on_host(mesh.element_owners());
  for (std::size_t e = 0; e < nodes.extent(0); ++e)
    for (int n = 0; n < 8 && owners(e) == rank_of_world(); ++n) host(nodes(e, n)) += 1;
  Kokkos::deep_copy(counts, host);
  distributed::NodeExchange<double, Space> exchange(Space(), mesh.import(), 1, transfer);
  exchange.begin_sum(Space(), counts);
  exchange.end_sum(Space(), counts);
  exchange.begin(Space(), counts);
  exchange.end(Space(), counts);
  const auto sums = on_host(counts);
  for (std::size_t i = 0; i < sums.extent(0); ++i) {
    GlobalOrdinal node = mesh.global_nodes()(i);
    double expected = 1;
    for (const int cells : {5, 4, 3}) {
      const GlobalOrdinal at = node % (cells + 1);
      expected *= at == 0 || at == cells ? 1 : 2;
      node /= cells + 1;
    }
    EXPECT_EQ(sums(i), expected) << "node " << mesh.global_nodes()(i);
  }
}

TEST(NodeExchange, OwnersHaveTheSumsOfTheirGhosts) {
  for (const auto transfer : transfers()) expect_sums(transfer);
}

void expect_two_under_way(distributed::Transfer transfer) {
  const auto mesh = sample();
  const auto n = to_size(mesh.local().num_nodes()), owned = to_size(mesh.owned_nodes());
  const Kokkos::View<double*, Space> a("a", n), b("b", n);
  Kokkos::deep_copy(Kokkos::subview(a, std::make_pair(std::size_t{0}, owned)), 1.0);
  Kokkos::deep_copy(Kokkos::subview(b, std::make_pair(std::size_t{0}, owned)), 2.0);
  distributed::NodeExchange<double, Space> first(Space(), mesh.import(), 1, transfer),
      second(Space(), mesh.import(), 1, transfer);
  first.begin(Space(), a);
  second.begin(Space(), b);
  second.end(Space(), b);
  first.end(Space(), a);
  const auto host_a = on_host(a), host_b = on_host(b);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(host_a(i), 1);
    EXPECT_EQ(host_b(i), 2);
  }
}

TEST(NodeExchange, TwoMayBeUnderWay) {
  for (const auto transfer : transfers()) expect_two_under_way(transfer);
}

TEST(NodeExchange, RefusesOtherValues) {
  const auto mesh = sample();
  EXPECT_THROW((distributed::NodeExchange<double, Space>(Space(), mesh.import(), 0)), ArgumentError);
  distributed::NodeExchange<double, Space> exchange(Space(), mesh.import(), 2);
  EXPECT_THROW(exchange.begin(Space(), Kokkos::View<double*, Space>("values", 3)), ArgumentError);
}

TEST(NodeImport, GhostsThatTheirOwnerDoesNotOwn) {
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  const auto message = [&](const std::vector<GlobalOrdinal>& nodes,
                           const std::vector<int>& owners) -> std::string {
    try {
      const distributed::NodeImport<Space> import(Space(), ranks, nodes, owners);
    } catch (const MeshError& error) {
      return error.what();
    }
    return "nothing";
  };
  const GlobalOrdinal own = ranks.rank();
  EXPECT_EQ(message({own}, {}), "nothing");
  EXPECT_THAT(message({own, 99}, {ranks.size()}), ::testing::HasSubstr("ranks are 0 to "));
  EXPECT_THAT(message({own, 99}, {ranks.rank()}), ::testing::HasSubstr("that is the rank itself"));
  if (ranks.size() < 2) return;
  const bool first = ranks.rank() == 0;
  EXPECT_EQ(message(first ? std::vector<GlobalOrdinal>{own, 99} : std::vector<GlobalOrdinal>{own},
                    first ? std::vector<int>{1} : std::vector<int>{}),
            "rank 1: rank 0 has node 99 as a ghost of this rank's, which does not own it");
}

} // namespace distributed_node_exchange
} // namespace tessera::test
