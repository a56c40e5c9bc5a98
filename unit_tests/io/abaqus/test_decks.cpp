// SPDX-License-Identifier: BSD-3-Clause
// CalculiX's own test decks: those made of supported elements are read and counted again by a second, plain
// reading; all others are refused with the element's name and line.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_abaqus_decks {

using namespace tessera;
using namespace tessera::io;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

const std::filesystem::path decks = "/usr/share/doc/calculix-ccx-test/examples/test";

const std::map<std::string, std::size_t> nodes_of = {
    {"C3D5", 5},     {"DC3D5", 5},    {"C3D5H", 5},    {"AC3D5", 5},   {"C3D4", 4},    {"C3D6", 6},
    {"DC3D6", 6},    {"C3D8", 8},     {"C3D8I", 8},    {"C3D8R", 8},   {"C3D10", 10},  {"C3D20", 20},
    {"C3D20R", 20},  {"CPS3", 3},     {"CPS4", 4},     {"CPS6", 6},    {"CPS8", 8},    {"CPS8R", 8},
    {"CPE3", 3},     {"CPE4", 4},     {"CPE6", 6},     {"CPE8", 8},    {"CPE8R", 8},   {"DC3D4", 4},
    {"DC3D8", 8},    {"DC3D10", 10},  {"DC3D20", 20},  {"DC2D3", 3},   {"DC2D4", 4},   {"DC2D6", 6},
    {"DC2D8", 8},    {"C3D4H", 4},    {"C3D4T", 4},    {"C3D8H", 8},   {"C3D8IH", 8},  {"C3D8RH", 8},
    {"C3D8T", 8},    {"C3D8HT", 8},   {"C3D8RT", 8},   {"C3D8RHT", 8}, {"C3D10H", 10}, {"C3D10M", 10},
    {"C3D10MH", 10}, {"C3D10I", 10},  {"C3D10HS", 10}, {"C3D10T", 10}, {"C3D20H", 20}, {"C3D20T", 20},
    {"C3D20RT", 20}, {"C3D10MT", 10}, {"CPS3T", 3},    {"CPS4R", 4},   {"CPS4I", 4},   {"CPS4T", 4},
    {"CPS4RT", 4},   {"CPS6M", 6},    {"CPE3H", 3},    {"CPE3T", 3},   {"CPE4R", 4},   {"CPE4I", 4},
    {"CPE4H", 4},    {"CPE4IH", 4},   {"CPE4RH", 4},   {"CPE4T", 4},   {"CPE4RT", 4},  {"CPE6H", 6},
    {"CPE6M", 6},    {"CPE6MH", 6},   {"AC3D4", 4},    {"AC3D8", 8},   {"AC3D10", 10}, {"CAX3", 3},
    {"CAX4", 4},     {"CAX4R", 4},    {"CAX6", 6},     {"CAX8", 8},    {"CAX8R", 8},   {"S3", 3},
    {"S3R", 3},      {"S4", 4},       {"S4R", 4},      {"S8R", 8},     {"M3D3", 3},    {"M3D4", 4},
    {"M3D4R", 4},    {"T2D2", 2},     {"T3D2", 2},     {"B21", 2},     {"B31", 2},     {"C3D15", 15},
    {"DC3D15", 15},  {"C3D15H", 15},  {"B32", 3},      {"B32R", 3},    {"B31R", 2},    {"T3D3", 3},
    {"S6", 6},       {"S8", 8},       {"M3D6", 6},     {"M3D8", 8},    {"M3D8R", 8},   {"F3D4", 4},
    {"F3D6", 6},     {"F3D8", 8},     {"F3D8R", 8}};

/// What a deck holds, by a reading that knows only lines and commas.
struct PlainDeck {
  bool has_elements = false;
  bool has_includes = false;
  bool in_part = false; ///< one that does not end
  std::string refused_type;
  std::size_t refused_line = 0;
  std::set<long> nodes;
  std::map<std::string, std::set<long>> elements; ///< by type
  std::map<std::string, std::set<long>> node_sets, element_sets;
};

PlainDeck read_plainly(const std::filesystem::path& path) {
  PlainDeck deck;
  std::ifstream file(path);
  std::string line, keyword, set, type;
  bool generate = false;
  std::size_t number = 0, left = 0; // nodes that the last element still wants
  while (std::getline(file, line)) {
    ++number;
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::toupper(c); });
    std::erase_if(line, [](unsigned char c) { return std::isspace(c); });
    if (line.empty() || line.starts_with("**")) continue;
    std::vector<std::string> fields(1);
    for (const char c : line)
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    if (line[0] == '*') {
      keyword = fields[0];
      set = type = "";
      generate = false;
      left = 0;
      for (const std::string& field : fields) {
        const std::string value = field.substr(field.find('=') + 1);
        if (field.starts_with("TYPE=")) type = value;
        if (field.starts_with("NSET=") || field.starts_with("ELSET=")) set = value;
        if (field == "GENERATE") generate = true;
      }
      deck.has_includes |= keyword == "*INCLUDE";
      deck.in_part = keyword == "*PART" || (deck.in_part && keyword != "*ENDPART");
      if (keyword == "*ELEMENT") {
        deck.has_elements = true;
        if (deck.refused_line == 0 && !nodes_of.contains(type)) {
          deck.refused_type = type;
          deck.refused_line = number;
        }
      }
      continue;
    }
    if (keyword == "*NODE") {
      deck.nodes.insert(std::stol(fields[0]));
      if (!set.empty()) deck.node_sets[set].insert(std::stol(fields[0]));
    } else if (keyword == "*ELEMENT" && deck.refused_line == 0) {
      std::size_t given = fields.size() - (fields.back().empty() ? 1 : 0);
      if (left == 0) {
        deck.elements[type].insert(std::stol(fields[0]));
        if (!set.empty()) deck.element_sets[set].insert(std::stol(fields[0]));
        left = nodes_of.at(type);
        --given;
      }
      left -= std::min(left, given);
    } else if (keyword == "*NSET" || keyword == "*ELSET") {
      auto& sets = keyword == "*NSET" ? deck.node_sets : deck.element_sets;
      std::set<long>& members = sets[set];
      if (generate) {
        for (long i = std::stol(fields[0]); i <= std::stol(fields[1]);
             i += fields.size() > 2 ? std::stol(fields[2]) : 1)
          members.insert(i);
        continue;
      }
      for (const std::string& field : fields) {
        if (field.empty()) continue;
        if (std::isdigit(static_cast<unsigned char>(field[0])))
          members.insert(std::stol(field));
        else
          members.insert(sets[field].begin(), sets[field].end());
      }
    }
  }
  return deck;
}

void expect_same(const MeshData& data, const PlainDeck& plain) {
  EXPECT_EQ(static_cast<std::size_t>(data.nodes()), plain.nodes.size());
  std::size_t elements = 0, expected = 0;
  for (const CellBlock& block : data.blocks)
    for (const auto& [type, cells] : block.formulations) {
      elements += static_cast<std::size_t>(size(cells));
      EXPECT_EQ(static_cast<std::size_t>(size(cells)), plain.elements.at(type).size()) << type;
      EXPECT_EQ(static_cast<std::size_t>(block.type.nodes()), nodes_of.at(type));
    }
  for (const auto& [type, ids] : plain.elements) expected += ids.size();
  EXPECT_EQ(elements, expected);

  std::map<std::string, std::vector<Ordinal>> node_sets; // the plain reading has no spaces in names
  for (const auto& [name, nodes] : data.node_sets) {
    std::string plain_name = name;
    std::erase(plain_name, ' ');
    node_sets[plain_name] = nodes;
  }
  for (const auto& [name, ids] : plain.node_sets) {
    std::set<long> found;
    for (const Ordinal node : node_sets.at(name)) found.insert(data.node_ids.id(node));
    std::set<long> existing;
    for (const long id : ids)
      if (plain.nodes.contains(id)) existing.insert(id);
    EXPECT_EQ(found, existing) << "node set " << name;
  }
  for (const auto& [name, ids] : plain.element_sets) {
    std::set<long> found;
    for (const CellBlock& block : data.blocks)
      if (const auto set = block.cell_sets.find(name); set != block.cell_sets.end())
        for (const CellRange& range : set->second)
          for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
            found.insert(block.ids.id(cell));
    std::set<long> existing;
    for (const auto& [type, known] : plain.elements)
      for (const long id : ids)
        if (known.contains(id)) existing.insert(id);
    EXPECT_EQ(found, existing) << "element set " << name;
  }
}

/// Decks with a fault: what is said of them.
const std::map<std::string, std::string> faults = {
    {"ball.inp", "expected a face S1 to S6 of elements 'EFLOOR', but found 'SPOS'"},
    {"contact11.inp", "elements of type B32R have no face 2"},
    {"equrem4.inp", "expected a face S1 to S6 of elements '104', but found 'SPOS'"},
    {"load1.inp", "elements of type S8 have no face 2"},
    {"pret7.inp", "elements of type S8 have no face 4"},
    {"multistage_radial.inp", "holds node 2133, which the deck does not define"},
    {"scheibe.inp", "holds node 29, which the deck does not define"},
    {"solidshell2.inp", "has 8 sides, of which 4 are sides of no cell"}};

TEST(CalculixDecks, EveryDeckIsReadOrRefused) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(decks)) {
    if (entry.path().extension() != ".inp") continue;
    SCOPED_TRACE(entry.path().filename());
    const std::string path = entry.path().string();
    const PlainDeck plain = read_plainly(path);
    if (plain.in_part) { // CalculiX passes over *PART
      EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(HasSubstr("which has no *END PART")));
      ++refused;
    } else if (plain.refused_line > 0) {
      EXPECT_THAT([&] { read_abaqus(path); },
                  ThrowsMessage<FileError>(AllOf(StartsWith(path + ":" + std::to_string(plain.refused_line) +
                                                            ": element type '" + plain.refused_type + "'"),
                                                 HasSubstr("is not supported; read are C3D4"))));
      ++refused;
    } else if (!plain.has_elements) {
      EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(path + ": the deck has no *ELEMENT"));
      ++refused;
    } else if (const auto fault = faults.find(entry.path().filename()); fault != faults.end()) {
      EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(HasSubstr(fault->second)));
      ++refused;
    } else if (plain.has_includes) { // of which the plain reading has the numbers alone
      EXPECT_NO_THROW(read_abaqus(path));
      ++read;
    } else {
      MeshData data;
      ASSERT_NO_THROW(data = read_abaqus(path));
      expect_same(data, plain);
      ++read;
    }
  }
  EXPECT_GE(read, 450);
  EXPECT_GE(refused, 160);
}

/// Cut anywhere before its end, a deck that can be solved is none any more.
TEST(CalculixDecks, CutDecksAreRefused) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  const test::TemporaryFolder folder;
  std::mt19937 random(18);
  int solvable = 0;
  for (const auto& entry : std::filesystem::directory_iterator(decks)) {
    if (entry.path().extension() != ".inp") continue;
    SCOPED_TRACE(entry.path().filename());
    try {
      require_linear_static(read_abaqus_deck(entry.path().string()));
    } catch (const Error&) {
      continue;
    }
    ++solvable;
    const std::string whole = test::read_file(entry.path().string());
    std::string capitals = whole;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::size_t end = capitals.rfind("*END STEP");
    ASSERT_NE(end, std::string::npos);
    // At random, and at lines of the step, where a deck would only ask for less.
    std::vector<std::size_t> sizes{end, whole.rfind('\n', end - 2) + 1, whole.rfind('*', end - 1)};
    for (int i = 0; i < 40; ++i) sizes.push_back(random() % end);
    for (const std::size_t size : sizes) {
      const std::string path = folder.write("cut.inp", whole.substr(0, size));
      EXPECT_THROW(require_linear_static(read_abaqus_deck(path)), Error) << size << " of " << whole.size();
    }
  }
  EXPECT_GE(solvable, 5);
}

TEST(CalculixDecks, Beam10p) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  const AbaqusDeck deck = read_abaqus_deck((decks / "beam10p.inp").string());
  EXPECT_NO_THROW(require_linear_static(deck));
  EXPECT_EQ(deck.mesh.contents(), "31 tet2 cells");
  ASSERT_EQ(deck.materials.size(), 1u);
  EXPECT_EQ(deck.materials[0].name, "EL");
  EXPECT_EQ(deck.materials[0].young, 210000.0);
  EXPECT_EQ(deck.materials[0].poisson, 0.3);
  EXPECT_EQ(deck.mesh.blocks[0].material, std::vector<std::int32_t>(31, 1));

  // 1,1,2  3,1,1  FIX,3,3 above the step; LOAD,2,1. within.
  ASSERT_EQ(deck.constraints.size(), 3u);
  EXPECT_EQ(deck.constraints[0].nodes, std::vector<Ordinal>{0});
  EXPECT_EQ(deck.constraints[0].first, 1);
  EXPECT_EQ(deck.constraints[0].last, 2);
  EXPECT_EQ(deck.constraints[1].nodes, std::vector<Ordinal>{2});
  EXPECT_EQ(deck.constraints[2].nodes, deck.mesh.node_sets.at("FIX"));
  EXPECT_EQ(deck.constraints[2].first, 3);
  EXPECT_EQ(deck.mesh.node_sets.at("FIX").size(), 9u);
  ASSERT_EQ(deck.steps.size(), 1u);
  ASSERT_EQ(deck.steps[0].nodal_loads.size(), 1u);
  EXPECT_EQ(deck.steps[0].nodal_loads[0].nodes, deck.mesh.node_sets.at("LOAD"));
  EXPECT_EQ(deck.steps[0].nodal_loads[0].component, 2);
  EXPECT_EQ(deck.steps[0].nodal_loads[0].value, 1.0);
}

} // namespace io_abaqus_decks
