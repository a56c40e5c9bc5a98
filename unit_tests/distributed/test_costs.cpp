// SPDX-License-Identifier: BSD-3-Clause
// What set-up, assembly and exchanges cost: messages, allocations, memory.

#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/make_mesh.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>

#include "distributed/heap.hpp"
#include "distributed/message_counts.hpp"
#include "distributed/rows.hpp"
#include "support/hooks.hpp"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::test {
namespace distributed_costs {

distributed::Mesh<Tet<1>, Space> slab_of(MPI_Comm ranks) {
  int size = 0;
  MPI_Comm_size(ranks, &size);
  return distributed::box_mesh<Tet<1>>(Space(), ranks, {{6, 6, 6 * size}, {1.0, 1.0, 1.0 * size}},
                                       {1, 1, size});
}

TEST(Costs, AssemblyMakesNoMessages) {
  const auto mesh = slab_of(MPI_COMM_WORLD);
  const auto counts = messages_of([&] {
    const auto space = loaded_space(mesh.local(), 1, ConstraintTreatment::removed);
    const LinearSystem<double, Space> system(space);
    const auto plan = make_assembly("RowOwner", space, system.graph());
    for (int step = 0; step < 3; ++step) plan->assemble(Helmholtz<>{.sigma = 1.5 + step}, system);
  });
  EXPECT_EQ(counts, MessageCounts());
}

TEST(Costs, ExchangesSendOneMessageToEachNeighborAndAllocateNothing) {
  const auto mesh = slab_of(MPI_COMM_WORLD);
  const int neighbors_above = rank_of_world() + 1 < size_of_world() ? 1 : 0;
  const int neighbors_below = rank_of_world() > 0 ? 1 : 0;
  const Kokkos::View<double*, Space> values("values", 3 * mesh.local().num_nodes());
  distributed::NodeExchange<double, Space> exchange(Space(), mesh.import(), 3);
  std::vector<Event> events;
  const auto counts = messages_of([&] {
    events = events_of([&] {
      exchange.begin(Space(), values);
      exchange.end(Space(), values);
      exchange.begin_sum(Space(), values);
      exchange.end_sum(Space(), values);
    });
  });
  // There and back: a slab has ghosts of both neighbors, and both have ghosts of its.
  const int messages = 2 * (neighbors_above + neighbors_below);
  EXPECT_EQ(counts, (MessageCounts{.sends = messages, .receives = messages}));
  EXPECT_TRUE(std::none_of(events.begin(), events.end(),
                           [](const Event& event) { return event.kind == Event::Kind::allocation; }));
}

/// Bytes that Kokkos allocates during an action, whether they are freed or not.
template <class Action>
std::int64_t bytes_allocated(Action&& action) {
  static std::int64_t bytes = 0;
  bytes = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](const Kokkos::Tools::SpaceHandle, const char*, const void*, const std::uint64_t size) {
        bytes += static_cast<std::int64_t>(size);
      });
  action();
  Kokkos::Tools::Experimental::set_callbacks({});
  return bytes;
}

TEST(Costs, SetUpGrowsWithTheOwnPartAlone) {
  // A rank with a part of fixed size and the same neighbors pays the same whatever the number of ranks.
  struct Cost {
    std::int64_t bytes;
    int sends, receives, collectives;
  };
  std::vector<Cost> costs;
  for (int size = 1; size <= size_of_world(); ++size) {
    MPI_Comm ranks = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_of_world() < size ? 0 : MPI_UNDEFINED, 0, &ranks);
    if (ranks == MPI_COMM_NULL) continue;
    Cost cost{};
    const auto counts = messages_of([&] { cost.bytes = bytes_allocated([&] { slab_of(ranks); }); });
    cost.sends = counts.sends;
    cost.receives = counts.receives;
    cost.collectives = counts.collectives;
    MPI_Comm_free(&ranks);
    if (rank_of_world() + 1 < size) costs.push_back(cost); // with a neighbor above
  }
  for (const Cost& cost : costs) {
    EXPECT_EQ(cost.bytes, costs.front().bytes);
    EXPECT_EQ(cost.sends, costs.front().sends);
    EXPECT_EQ(cost.receives, costs.front().receives);
    EXPECT_EQ(cost.collectives, costs.front().collectives);
  }
}

/// One of the slabs that make a box, by an application's own views, as high as wide.
distributed::Mesh<Hex<1>, Space> slab_of_views(MPI_Comm ranks, Ordinal cells) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  const auto piece = io::box_mesh<Hex<1>, Space>({{cells, cells, cells}, {1.0, 1.0, 1.0}});
  const tessera::Mesh<Hex<1>, Space>::Coordinates x("App::coordinates", piece.num_nodes());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), piece.coordinates());
  const auto moved = Kokkos::create_mirror_view(x);
  std::vector<GlobalOrdinal> nodes, elements;
  for (Ordinal n = 0; n < piece.num_nodes(); ++n) {
    nodes.push_back(static_cast<GlobalOrdinal>(rank) * cells * (cells + 1) * (cells + 1) + n);
    for (int d = 0; d < 3; ++d) moved(n, d) = host(n, d) + (d == 2 ? rank : 0);
  }
  for (Ordinal e = 0; e < piece.num_elements(); ++e)
    elements.push_back(static_cast<GlobalOrdinal>(rank) * piece.num_elements() + e);
  Kokkos::deep_copy(x, moved);
  using View = Kokkos::View<const GlobalOrdinal*, Kokkos::HostSpace>;
  return distributed::make_mesh(Space(), ranks, tessera::Mesh<Hex<1>, Space>(x, piece.connectivity()),
                                View(nodes.data(), nodes.size()), View(elements.data(), elements.size()));
}

TEST(Costs, MemoryOfTheHostGrowsWithTheOwnPartAlone) {
  std::vector<double> peaks;
  for (int size = 2; size <= size_of_world(); ++size) {
    MPI_Comm ranks = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_of_world() < size ? 0 : MPI_UNDEFINED, 0, &ranks);
    if (ranks == MPI_COMM_NULL) continue;
    peaks.push_back(static_cast<double>(peak_of([&] { slab_of_views(ranks, 12); })));
    MPI_Comm_free(&ranks);
  }
  // A rank has more ghosts when it gets a neighbor above; MPI allocates as it pleases.
  for (const double peak : peaks) EXPECT_LT(peak, 1.1 * peaks.front());
}

TEST(Costs, InteriorElementsNeedNoGhost) {
  const auto mesh = slab_of(MPI_COMM_WORLD);
  const auto split = distributed::split_mesh(Space(), mesh);
  EXPECT_EQ(split.interior.mesh.num_elements() + split.border.mesh.num_elements(),
            mesh.local().num_elements());
  const auto nodes = on_host(split.interior.mesh.connectivity());
  for (std::size_t e = 0; e < nodes.extent(0); ++e)
    for (int n = 0; n < 4; ++n) EXPECT_LT(nodes(e, n), mesh.owned_nodes());
  const auto all = on_host(mesh.local().connectivity()), border = on_host(split.border.mesh.connectivity());
  const auto elements = on_host(split.border.elements);
  for (std::size_t e = 0; e < border.extent(0); ++e) {
    bool ghost = false;
    for (int n = 0; n < 4; ++n) {
      EXPECT_EQ(border(e, n), all(elements(e), n));
      ghost = ghost || border(e, n) >= mesh.owned_nodes();
    }
    EXPECT_TRUE(ghost);
  }
}

} // namespace distributed_costs
} // namespace tessera::test
