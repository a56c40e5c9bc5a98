// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve --deck on random bodies, supports and loads: no singular system is called solved, no regular
// one is refused, and what is solved is the solution. The judge is an elimination with complete pivoting.

#include <tessera/core/elements/elements.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/io/generate/box.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <support/dense_system.hpp>
#include <support/files.hpp>
#include <vector>

namespace tools_random_decks {

using namespace tessera;
using ::testing::HasSubstr;
using Space = Kokkos::DefaultHostExecutionSpace;

/// A body of some of a box's elements, which may fall apart or hang together at nodes and edges alone;
/// supports at random nodes or on a face; forces at random nodes, in balance or not.
template <class Element>
class RandomDeck {
public:
  RandomDeck(const std::string& type, const io::Box& box, unsigned seed)
      : random_(seed), mesh_(io::box_mesh<Element, Space>(box)) {
    text_ = "*NODE\n";
    for (Ordinal n = 0; n < mesh_.num_nodes(); ++n) {
      text_ += std::to_string(n + 1);
      for (int d = 0; d < Element::dimension; ++d) text_ += ", " + number(mesh_.coordinates()(n, d));
      text_ += "\n";
    }
    text_ += "*ELEMENT, TYPE=" + type + ", ELSET=E\n";
    const double share = uniform(0.4, 1.2);
    std::vector<Ordinal> used;
    for (Ordinal e = 0; e < mesh_.num_elements(); ++e) {
      if (e > 0 && !chance(share)) continue;
      text_ += std::to_string(e + 1);
      for (int i = 0; i < Element::nodes; ++i) {
        used.push_back(mesh_.connectivity()(e, i));
        text_ += ", " + std::to_string(used.back() + 1);
      }
      text_ += "\n";
    }
    text_ += "*MATERIAL, NAME=M\n*ELASTIC\n100., 0.25\n*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\n";
    hold();
    text_ += "*STEP\n*STATIC\n";
    load(used);
    text_ += "*END STEP\n";
  }

  const std::string& text() const { return text_; }

private:
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

  void hold() {
    const bool face = chance(0.6);
    const double share = chance(0.3) ? 0.0 : uniform(0, 0.2);
    for (Ordinal n = 0; n < mesh_.num_nodes(); ++n)
      for (int c = 0; c < Element::dimension; ++c)
        if ((face && mesh_.coordinates()(n, 0) == 0) || chance(share))
          text_ += std::to_string(n + 1) + ", " + std::to_string(c + 1) + "\n";
  }

  /// One force, with its counterpart where forces shall be in balance.
  void load(const std::vector<Ordinal>& used) {
    const auto force = [&](Ordinal node, int axis, double value) {
      text_ +=
          "*CLOAD\n" + std::to_string(node + 1) + ", " + std::to_string(axis) + ", " + number(value) + "\n";
    };
    const auto place = [&] { return used[random_() % used.size()]; };
    if (chance(0.2)) return;
    const Ordinal node = place();
    const int axis = 1 + static_cast<int>(random_() % Element::dimension);
    force(node, axis, 1.0);
    if (chance(0.5)) force(chance(0.3) ? node : place(), axis, -1.0);
  }

  std::mt19937 random_;
  Mesh<Element, Space> mesh_;
  std::string text_;
};

class RandomDecks : public ::testing::Test {
protected:
  template <class Element>
  void attack(const std::string& type, const io::Box& box, unsigned seed) {
    const RandomDeck<Element> deck(type, box, seed);
    const std::string path = folder_.write("a.inp", deck.text());
    const auto problem = io::deck_problem<Element, Space>(io::read_abaqus_deck(path));
    const test::DenseSystem exact(problem.space, problem.form);
    SCOPED_TRACE(type + ", seed " + std::to_string(seed));
    const std::string solve = std::string(TESSERA_BINARY_DIR "/bin/tessera-solve --deck a.inp ");
    if (exact.nullity() > 0) {
      ++singular;
      EXPECT_EQ(test::run_in(folder_, solve), 2) << test::read_file(folder_ / "log") << deck.text();
      EXPECT_THAT(test::read_file(folder_ / "log"), HasSubstr("nothing holds"));
      return;
    }
    ++regular;
    io::NodalDisplacements reference;
    const std::vector<double> x = exact.solution();
    const Kokkos::View<double*, Space> device("x", x.size());
    for (std::size_t i = 0; i < x.size(); ++i) device(i) = x[i];
    const auto u = problem.space.expand(device);
    for (Ordinal node = 0; node < problem.mesh.num_nodes(); ++node)
      for (int d = 0; d < Element::dimension; ++d)
        reference[problem.node_ids.id(node)][static_cast<std::size_t>(d)] = u(Element::dimension * node + d);
    io::write_calculix_displacements(folder_ / "a.dat", reference);
    EXPECT_EQ(test::run_in(folder_, solve + "--reference a.dat --tolerance 1e-11"), 0)
        << test::read_file(folder_ / "log") << deck.text();
  }

  test::TemporaryFolder folder_;
  int singular = 0, regular = 0;
};

TEST_F(RandomDecks, AreJudgedByTheirRank) {
  const char* const wanted = std::getenv("TESSERA_TEST_SEEDS"); // for a longer campaign
  const unsigned first = 1, seeds = wanted == nullptr ? 8 : static_cast<unsigned>(std::atoi(wanted));
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    attack<Hex<1>>("C3D8", {{2, 2, 1}, {2, 3, 1}}, seed);
    attack<Tet<1>>("C3D4", {{2, 1, 1}, {1, 1, 2}}, seed);
    attack<Quad<1>>("CPS4", {{3, 2}, {3, 1}}, seed);
    attack<Tri<1>>("CPE3", {{3, 2}, {1, 1}}, seed);
    attack<Tri<2>>("CPS6", {{2, 2}, {2, 1}}, seed);
    attack<Tet<2>>("C3D10", {{1, 1, 1}, {1, 2, 1}}, seed);
    attack<Quad8>("CPE8", {{2, 1}, {1, 1}}, seed);
    attack<Hex20>("C3D20", {{1, 1, 1}, {1, 2, 1}}, seed);
  }
  EXPECT_GE(singular, static_cast<int>(seeds));
  EXPECT_GE(regular, static_cast<int>(seeds));
}

} // namespace tools_random_decks
