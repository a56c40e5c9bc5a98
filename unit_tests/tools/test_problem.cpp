// SPDX-License-Identifier: BSD-3-Clause
// The problem that the tools' command lines describe.

#include <tessera/core/mesh/renumber.hpp>
#include <tessera/strategies/common/all_affine.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <string>
#include <support/problem/problem.hpp>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tools_problem {

using namespace tessera;

tools::Problem parse(std::vector<std::string> words) {
  tools::Problem problem;
  tools::Options options("tool: makes meshes.");
  problem.declare(options);
  std::vector<char*> arguments{words[0].data()};
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  options.parse(static_cast<int>(arguments.size()), arguments.data());
  return problem;
}

std::vector<double> coordinates(const tools::Problem& problem) {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = tools::make_mesh<Tet<1>, Space>(Space(), problem);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  std::vector<double> numbers;
  for (std::size_t n = 0; n < host.extent(0); ++n)
    for (int d = 0; d < 3; ++d) numbers.push_back(host(n, d));
  return numbers;
}

TEST(Problem, RenumbersTheMeshWhereToldTo) {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto given = parse({"tool", "--generate", "box:4"});
  const auto hilbert = parse({"tool", "--generate", "box:4", "--order", "hilbert"});
  EXPECT_EQ(given.mesh_name(), "box:4");
  EXPECT_EQ(hilbert.mesh_name(), "box:4 in Hilbert order");
  const auto box = tools::make_mesh<Tet<1>, Space>(Space(), given);
  const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                            hilbert_renumbered(Space(), box).coordinates());
  const std::vector<double> numbers = coordinates(hilbert);
  EXPECT_NE(numbers, coordinates(given));
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t n = 0; n < expected.extent(0); ++n)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(numbers[3 * n + d], expected(n, d)) << "node " << n;
}

/// The share of the elements of a box that a wave leaves not affine.
template <class Element>
double bent_share() {
  using Space = Kokkos::DefaultExecutionSpace;
  const auto problem = parse({"tool", "--generate", "box:6", "--bend", "0.03"});
  const auto mesh = tools::make_mesh<Element, Space>(Space(), problem);
  return static_cast<double>(bent_elements(Space(), mesh)) / mesh.num_elements();
}

TEST(Problem, BendsAllElementsButLinearSimplices) {
  EXPECT_EQ(bent_share<Quad<1>>(), 1);
  EXPECT_EQ(bent_share<Hex<1>>(), 1);
  EXPECT_EQ(bent_share<Tri<2>>(), 1);
  EXPECT_EQ(bent_share<Tet<1>>(), 0);
}

TEST(Problem, ListsTheOrdersThereAre) {
  test::expect_throw_with<ArgumentError>([] { parse({"tool", "--order", "random"}); },
                                         "--order: 'random' is not one of given|hilbert");
}

/// An element that no build compiles.
struct LeftOut {
  static constexpr const char* name = "left1";
};

TEST(Problem, NamesAnElementThatTheBuildLeavesOut) {
  using Some = std::tuple<Tet<1>, LeftOut>;
  std::string visited;
  const auto visit = [&]<class Element>(std::type_identity<Element>) { visited += Element::name; };
  tools::with_element<Some>("tet1", visit);
  EXPECT_EQ(visited, "tet1");
  test::expect_throw_with<UnsupportedError>(
      [&] { tools::with_element<Some>("left1", visit); },
      "this build leaves out the element 'left1': CMake's TESSERA_ELEMENTS names others");
  test::expect_throw_with<ArgumentError>([&] { tools::with_element<Some>("tet9", visit); },
                                         "unknown element 'tet9'; there are tet1, left1");
}

} // namespace tools_problem
