// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/free_parts.hpp>

#include <gmock/gmock.h>

#include "distributed/own_views.hpp"
#include "distributed/rows.hpp"
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace tessera::test {
namespace distributed_free_parts {

using Element = Hex<1>;
using solvers::Unseen;
using Point = std::array<double, 3>;

/// Two boxes of the same cells side by side, which touch nowhere.
tessera::Mesh<Element, Space> two_boxes() {
  using MeshType = tessera::Mesh<Element, Space>;
  const auto box = io::box_mesh<Element, Space>({{4, 3, 2}, {1.0, 1.0, 1.0}});
  const auto x = on_host(box.coordinates());
  const auto nodes = on_host(box.connectivity());
  const auto n = to_size(box.num_nodes()), m = to_size(box.num_elements());
  const auto coordinates =
      filled_on_host<typename MeshType::Coordinates>("two::coordinates", 2 * n, [&](const auto& to) {
        for (std::size_t i = 0; i < 2 * n; ++i)
          for (std::size_t d = 0; d < 3; ++d) to(i, d) = x(i % n, d) + (i >= n && d == 0 ? 3.0 : 0.0);
      });
  const auto connectivity =
      filled_on_host<typename MeshType::Connectivity>("two::connectivity", 2 * m, [&](const auto& to) {
        for (std::size_t e = 0; e < 2 * m; ++e)
          for (std::size_t i = 0; i < 8; ++i)
            to(e, i) = nodes(e % m, i) + (e >= m ? static_cast<Ordinal>(n) : 0);
      });
  return MeshType(coordinates, connectivity);
}

/// Which components are held at a point, bit by bit.
using Held = std::function<unsigned(const Point&)>;

FunctionSpace<Element, Space> held_space(const tessera::Mesh<Element, Space>& mesh, const Held& held) {
  FunctionSpace<Element, Space> space(mesh, 3);
  const auto x = on_host(mesh.coordinates());
  for (int c = 0; c < 3; ++c) {
    std::vector<Ordinal> list;
    for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
      if ((held({x(n, 0), x(n, 1), x(n, 2)}) >> c & 1) != 0) list.push_back(n);
    space.constrain(
        filled_on_host<typename tessera::Mesh<Element, Space>::NodeSet>(
            "held", list.size(), [&](const auto& to) { std::copy(list.begin(), list.end(), to.data()); }),
        c, 0.0);
  }
  return space;
}

struct Case {
  const char* what;
  Held held;
  std::vector<int> motions; ///< of parts, in order
};

bool at(const Point& x, double a, double b, double c) {
  return std::abs(x[0] - a) + std::abs(x[1] - b) + std::abs(x[2] - c) < 1e-9;
}

TEST(FreeParts, AreThoseOfOneRank) {
  const auto whole = two_boxes();
  const auto first_box = [](const Point& x) { return x[0] < 2; };
  const std::vector<Case> cases{
      {"nothing", [](const Point&) { return 0u; }, {6, 6}},
      {"the first box", [&](const Point& x) { return first_box(x) && x[0] == 0 ? 7u : 0u; }, {6}},
      {"the second box along x", [&](const Point& x) { return x[0] == 0   ? 7u
                                                              : x[0] == 3 ? 1u
                                                                          : 0u; }, {3}},
      {"as few as hold both",
       [&](const Point& p) {
         const Point x{first_box(p) ? p[0] : p[0] - 3, p[1], p[2]};
         return at(x, 0, 0, 0) ? 7u : at(x, 1, 0, 0) ? 6u : at(x, 0, 1, 1) ? 4u : 0u;
       },
       {}},
      {"one turn is left",
       [&](const Point& p) {
         return at(p, 0, 0, 0) ? 7u : at(p, 0, 0, 1) ? 3u : p[0] > 2 ? 7u : 0u;
       },
       {1}},
  };
  for (const bool scattered : {false, true}) {
    const OwnViews<Element> views(whole, [&](Ordinal e) {
      return scattered ? e % size_of_world() : block_of(e, whole.num_elements());
    });
    const auto mesh = views.mesh();
    for (const Case& c : cases) {
      const auto free =
          distributed::free_parts(Space(), mesh, held_space(mesh.local(), c.held), Unseen::rigid_motions);
      std::vector<int> motions;
      std::size_t count = 0;
      for (const auto& part : free) {
        motions.push_back(part.motions);
        count += to_size(part.motions);
        EXPECT_EQ(part.elements, 24) << c.what;
        EXPECT_EQ(part.first_element % 24, 0) << c.what;
      }
      EXPECT_EQ(motions, c.motions) << c.what;
      EXPECT_EQ(count, solvers::free_motions(held_space(whole, c.held), Unseen::rigid_motions).count())
          << c.what;
    }
  }
}

TEST(FreeParts, ConstantsAreHeldByNodesAndByRobinSides) {
  const auto mesh = distributed::box_mesh<Tet<1>>(Space(), MPI_COMM_WORLD, {{5, 4, 3}, {1.0, 2.0, 3.0}});
  const auto free = [&](const FunctionSpace<Tet<1>, Space>& space) {
    return distributed::free_parts(Space(), mesh, space, Unseen::constants);
  };
  FunctionSpace<Tet<1>, Space> two(mesh.local(), 2);
  ASSERT_EQ(free(two).size(), 1u);
  EXPECT_EQ(free(two)[0].motions, 2);
  EXPECT_EQ(free(two)[0].elements, mesh.num_global_elements());
  two.constrain(mesh.local().node_set("xmin"), 1, 3.0);
  ASSERT_EQ(free(two).size(), 1u);
  EXPECT_EQ(free(two)[0].motions, 1);
  two.add_robin(mesh.local().side_set("zmax"), 2.0, 3.0);
  EXPECT_TRUE(free(two).empty());
  EXPECT_THROW(distributed::free_parts(Space(), mesh, two, Unseen::rigid_motions), ArgumentError);
}

} // namespace distributed_free_parts
} // namespace tessera::test
