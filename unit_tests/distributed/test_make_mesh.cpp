#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/distributed/make_mesh.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {
namespace {

/// A rank's elements of a mesh that every rank has whole, and their nodes in an order of the rank's own.
template <class Element>
struct OwnViews {
  using MeshType = tessera::Mesh<Element, Space>;
  std::vector<GlobalOrdinal> nodes, elements;
  std::vector<int> owners;
  std::vector<double> shift; ///< added to each node's x
  const MeshType& whole;

  /// \param rank_of the rank that has an element
  OwnViews(const MeshType& mesh, const std::function<int(Ordinal)>& rank_of) : whole(mesh) {
    const auto all = on_host(mesh.connectivity());
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      if (rank_of(e) == rank_of_world()) {
        elements.push_back(e);
        for (int n = 0; n < Element::nodes; ++n) nodes.push_back(all(e, n));
      }
    std::sort(nodes.begin(), nodes.end(), [](auto a, auto b) { // no ascending order
      return std::pair(a % 7, a) < std::pair(b % 7, b);
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    shift.assign(nodes.size(), 0.0);
  }

  Ordinal local(GlobalOrdinal node) const {
    return static_cast<Ordinal>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  }

  MeshType piece() const {
    const auto all = on_host(whole.connectivity());
    const auto x = on_host(whole.coordinates());
    const typename MeshType::Coordinates coordinates("App::coordinates", nodes.size());
    const typename MeshType::Connectivity connectivity("App::connectivity", elements.size());
    const typename MeshType::Materials materials("App::materials", elements.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int d = 0; d < Element::dimension; ++d)
        coordinates(i, d) = x(nodes[i], d) + (d == 0 ? shift[i] : 0.0);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      materials(e) = static_cast<Ordinal>(elements[e] % 3);
      for (int n = 0; n < Element::nodes; ++n) connectivity(e, n) = local(all(elements[e], n));
    }
    MeshType mesh(coordinates, connectivity, materials);
    add_sets(mesh);
    return mesh;
  }

  void add_sets(MeshType& mesh) const {
    for (const auto& [name, set] : whole.node_sets()) {
      std::vector<Ordinal> mine;
      for (std::size_t i = 0; i < set.extent(0); ++i)
        if (const Ordinal node = local(set(i)); node < mesh.num_nodes()) mine.push_back(node);
      const typename MeshType::NodeSet view("App::set", mine.size());
      std::copy(mine.begin(), mine.end(), view.data());
      if (!mine.empty()) mesh.add_node_set(name, view); // a rank may not know a set
    }
    for (const auto& [name, set] : whole.side_sets()) {
      std::vector<std::pair<Ordinal, Ordinal>> mine;
      for (std::size_t i = 0; i < set.extent(0); ++i)
        if (const auto e = std::lower_bound(elements.begin(), elements.end(), set(i, 0));
            e != elements.end() && *e == set(i, 0))
          mine.emplace_back(static_cast<Ordinal>(e - elements.begin()), set(i, 1));
      const typename MeshType::SideSet view("App::sides", mine.size());
      for (std::size_t i = 0; i < mine.size(); ++i) std::tie(view(i, 0), view(i, 1)) = mine[i];
      mesh.add_side_set(name, view);
    }
  }

  template <class T>
  static Kokkos::View<const T*, Kokkos::HostSpace> view_of(const std::vector<T>& list) {
    return Kokkos::View<const T*, Kokkos::HostSpace>(list.data(), list.size());
  }
  distributed::Mesh<Element, Space> mesh() const {
    return distributed::make_mesh(Space(), MPI_COMM_WORLD, piece(), view_of(nodes), view_of(elements),
                                  view_of(owners));
  }
};

template <class Element>
tessera::Mesh<Element, Space> whole_box(const io::Box& box) {
  auto mesh = io::box_mesh<Element, Space>(box);
  const typename tessera::Mesh<Element, Space>::Materials materials("App::materials", mesh.num_elements());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) materials(e) = e % 3;
  const typename tessera::Mesh<Element, Space>::Coordinates coordinates("App::coordinates", mesh.num_nodes());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  tessera::Mesh<Element, Space> with_materials(coordinates, mesh.connectivity(), materials);
  for (const auto& [name, set] : mesh.node_sets()) with_materials.add_node_set(name, set);
  for (const auto& [name, set] : mesh.side_sets()) with_materials.add_side_set(name, set);
  return with_materials;
}

int block_of(Ordinal element, Ordinal elements) {
  return static_cast<int>(static_cast<std::int64_t>(element) * size_of_world() / elements);
}
/// Parts that hang together nowhere.
int scattered(Ordinal element) { return static_cast<int>((element * 7919u >> 3) % to_size(size_of_world())); }

template <class Element>
void expect_mesh_of_ranks(const OwnViews<Element>& views, int components) {
  const auto mesh = views.mesh();
  EXPECT_EQ(mesh.num_global_nodes(), views.whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), views.whole.num_elements());
  std::int64_t wrong = 0;
  for (std::size_t e = 0; e < mesh.global_elements().extent(0); ++e)
    wrong += mesh.local().materials()(e) != mesh.global_elements()(e) % 3 ? 1 : 0;
  EXPECT_EQ(wrong, 0) << "materials";
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    for (const auto* strategy : {"RowOwner", "ElementAtomic"})
      expect_rows_of_whole(owned_rows(mesh, components, treatment, strategy),
                           all_rows(views.whole, components, treatment, strategy),
                           strategy != std::string("ElementAtomic"), strategy);
}

TEST(MakeMesh, RowsOfOwnViewsAreThoseOfOneRank) {
  const auto tets = whole_box<Tet<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  const auto in_blocks = [](const auto& mesh) {
    return [n = mesh.num_elements()](Ordinal e) { return block_of(e, n); };
  };
  expect_mesh_of_ranks(OwnViews(tets, in_blocks(tets)), 1);
  expect_mesh_of_ranks(OwnViews(tets, scattered), 3);
  const auto hexes = whole_box<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  expect_mesh_of_ranks(OwnViews(hexes, in_blocks(hexes)), 3);
  expect_mesh_of_ranks(OwnViews(hexes, scattered), 1);
  const auto quads = whole_box<Quad<1>>({{7, 6}, {1.0, 2.0}});
  expect_mesh_of_ranks(OwnViews(quads, in_blocks(quads)), 2);
}

TEST(MakeMesh, OwnedNodesStandInTheOrderOfThePiece) {
  const auto whole = whole_box<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}});
  const OwnViews views(whole, scattered);
  const auto mesh = views.mesh();
  std::vector<GlobalOrdinal> owned(mesh.global_nodes().data(),
                                   mesh.global_nodes().data() + mesh.owned_nodes());
  std::vector<GlobalOrdinal> expected;
  for (const GlobalOrdinal node : views.nodes)
    if (std::find(owned.begin(), owned.end(), node) != owned.end()) expected.push_back(node);
  EXPECT_EQ(owned, expected);
}

TEST(MakeMesh, ARankMayHaveNoElementsAndOwnNodesOfOthers) {
  const auto whole = whole_box<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  // The last rank has no elements, but every fifth node, all of whose elements are ghosts then.
  const int last = size_of_world() - 1;
  OwnViews views(whole, [last](Ordinal e) { return e % std::max(last, 1); });
  for (const GlobalOrdinal node : views.nodes)
    views.owners.push_back(node % 5 == 0 ? last : static_cast<int>(node % std::max(last, 1)));
  expect_mesh_of_ranks(views, 3);
  const auto mesh = views.mesh();
  if (rank_of_world() == last) {
    EXPECT_GE(mesh.owned_nodes(), (whole.num_nodes() + 4) / 5);
  }
  // A rank that nothing is left for.
  OwnViews first_alone(whole, [](Ordinal) { return 0; });
  expect_mesh_of_ranks(first_alone, 1);
}

TEST(MakeMesh, CompletesSets) {
  const auto whole = whole_box<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}});
  const auto mesh = OwnViews(whole, scattered).mesh();
  // Of each rank's own nodes alone.
  std::vector<Ordinal> own, all;
  for (Ordinal n = 0; n < mesh.local().num_nodes(); ++n)
    if (mesh.global_nodes()(n) % 4 == 1) {
      all.push_back(n);
      if (n < mesh.owned_nodes()) own.push_back(n);
    }
  const Kokkos::View<Ordinal*, Space> set("App::set", own.size());
  std::copy(own.begin(), own.end(), set.data());
  const auto completed = mesh.with_ghosts(set);
  EXPECT_EQ(std::vector<Ordinal>(completed.data(), completed.data() + completed.extent(0)), all);
}

/// What every rank throws; "nothing" where it does not.
template <class Element>
std::string message(const OwnViews<Element>& views) {
  std::string text = "nothing";
  try {
    views.mesh();
  } catch (const Error& error) {
    text = error.what();
  }
  // All ranks have the same.
  std::string first = text;
  auto length = static_cast<int>(first.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(to_size(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first);
  return text;
}

class BadViews : public ::testing::Test {
protected:
  tessera::Mesh<Hex<1>, Space> whole = whole_box<Hex<1>>({{4, 3, 2}, {1.0, 2.0, 3.0}});
  OwnViews<Hex<1>> views{whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }};
  int last = size_of_world() - 1;
  std::string on_last = "rank " + std::to_string(last);
  bool is_last = rank_of_world() == last;
};

TEST_F(BadViews, NumbersOfElements) {
  if (is_last) views.elements.pop_back();
  // The piece keeps its element, which lacks a number.
  const auto piece =
      OwnViews(whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }).piece();
  try {
    distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(views.nodes),
                           views.view_of(views.elements));
    ADD_FAILURE();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("global numbers of elements for a piece of"));
    EXPECT_THAT(error.what(), ::testing::StartsWith(on_last));
  }
}

TEST_F(BadViews, ElementOnTwoRanks) {
  if (size_of_world() == 1) return;
  OwnViews<Hex<1>> twice(
      whole, [&](Ordinal e) { return e == 0 && is_last ? last : block_of(e, whole.num_elements()); });
  EXPECT_THAT(message(twice),
              ::testing::HasSubstr("element 0 is on rank 0 and on rank " + std::to_string(last)));
}

TEST_F(BadViews, NodesWithAGap) {
  const GlobalOrdinal largest = whole.num_nodes() - 1;
  for (GlobalOrdinal& node : views.nodes) node += node == largest ? 5 : 0;
  const auto piece =
      OwnViews(whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }).piece();
  std::string text;
  try {
    distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(views.nodes),
                           views.view_of(views.elements));
  } catch (const MeshError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, ::testing::HasSubstr("no rank has node " + std::to_string(largest) +
                                         ", though there is one of number " + std::to_string(largest + 5)));
}

TEST_F(BadViews, NegativeAndRepeatedNumbers) {
  const auto piece = views.piece();
  const auto thrown = [&](const std::vector<GlobalOrdinal>& nodes) -> std::string {
    try {
      distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(nodes),
                             views.view_of(views.elements));
    } catch (const MeshError& error) {
      return error.what();
    }
    return "nothing";
  };
  auto nodes = views.nodes;
  if (is_last) nodes[1] = -3;
  EXPECT_EQ(thrown(nodes), on_last + ": node -3: numbers begin at 0");
  nodes = views.nodes;
  if (is_last) nodes[1] = nodes[0];
  EXPECT_EQ(thrown(nodes), on_last + ": node " + std::to_string(sum_over_ranks(is_last ? nodes[0] : 0)) +
                               " stands twice in the rank's list");
}

TEST_F(BadViews, CollidingNumbers) {
  if (size_of_world() == 1) return;
  // The upper ranks place shared nodes elsewhere: another node of theirs has the number.
  if (rank_of_world() > 0)
    for (double& shift : views.shift) shift = 0.5;
  EXPECT_THAT(message(views), ::testing::AllOf(::testing::HasSubstr("lies at ("),
                                               ::testing::HasSubstr("two nodes have the same number")));
}

TEST_F(BadViews, Owners) {
  views.owners.assign(views.nodes.size(), 0);
  if (is_last) views.owners[2] = size_of_world();
  const std::string wrong = std::to_string(sum_over_ranks(is_last ? views.nodes[2] : 0));
  EXPECT_EQ(message(views), on_last + ": node " + wrong + " is rank " + std::to_string(size_of_world()) +
                                "'s: ranks are 0 to " + std::to_string(last));
  if (size_of_world() == 1) return;
  views.owners.assign(views.nodes.size(), rank_of_world() == 0 ? 0 : 1);
  EXPECT_THAT(message(views), ::testing::HasSubstr("is rank 0's by rank 0 and rank 1's by rank 1"));
  views.owners.clear();
  if (!is_last) views.owners.assign(views.nodes.size(), 0);
  EXPECT_EQ(message(views), on_last + ": make_mesh: no owners of nodes are given, on other ranks they are");
}

} // namespace
} // namespace tessera::test
