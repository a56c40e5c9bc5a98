// SPDX-License-Identifier: BSD-3-Clause
// Displacements as CalculiX writes them.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>

namespace io_abaqus_calculix_results {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::ThrowsMessage;

const std::string& dat = test::calculix_dat;
const std::string& frd = test::calculix_frd;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

TEST(CalculixResults, TablesOfTheFirstStepsEnd) {
  const test::TemporaryFolder folder;
  const NodalDisplacements found = read_calculix_displacements(folder.write("a.dat.ref", dat));
  ASSERT_THAT(found, ElementsAre(Key(1), Key(12)));
  EXPECT_THAT(found.at(1), ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(found.at(12), ElementsAre(-1.857143e-4, 4.333333e-4, 2.5e-10));
}

/// Node 12 has axes turned by a quarter about z: its first one is y, its second one -x.
TEST(CalculixResults, DisplacementsAlongANodesOwnAxes) {
  const test::TemporaryFolder folder;
  const std::string own = changed(dat, "4.333333E-04  2.500000E-10", "4.333333E-04  2.500000E-10 L");
  const std::string path = folder.write("a.dat", own);
  EXPECT_THAT([&] { read_calculix_displacements(path); },
              ThrowsMessage<FileError>(path +
                                       ":15: displacements along axes of its own at node 12, which has "
                                       "none"));
  const NodalAxes axes{{12, {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}}}};
  const NodalDisplacements found = read_calculix_displacements(path, {}, axes);
  EXPECT_THAT(found.at(12), ElementsAre(-4.333333e-4, -1.857143e-4, 2.5e-10));
  EXPECT_THAT(found.at(1), ElementsAre(1.0, 0.0, 0.0));
}

TEST(CalculixResults, LaterSteps) {
  const test::TemporaryFolder folder;
  const std::string of_one = changed(frd, "2.000000000           2", "2.000000000           1"); // node
  for (const std::string& text : {dat, of_one}) {
    const std::string path = folder.write("a", text);
    EXPECT_EQ(read_calculix_displacements(path, 2).at(1)[0], 2.0);
    EXPECT_EQ(read_calculix_displacements(path, 1).at(1)[0], 1.0);
    EXPECT_THAT([&] { read_calculix_displacements(path, 3); },
                ThrowsMessage<FileError>(path + ": has no displacements of step 3"));
  }
}

TEST(CalculixResults, BlocksOfTheFirstStep) {
  const test::TemporaryFolder folder;
  const NodalDisplacements found = read_calculix_displacements(folder.write("a.frd.ref", frd));
  ASSERT_THAT(found, ElementsAre(Key(1), Key(12)));
  EXPECT_THAT(found.at(1), ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(found.at(12), ElementsAre(-1.85714e-4, 4.33333e-4, -2.5e-10));
}

TEST(CalculixResults, WhatIsDamagedIsNamed) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("a", text);
    EXPECT_THAT([&] { read_calculix_displacements(path); }, ThrowsMessage<FileError>(path + message));
  };
  refused("", ": has no displacements of a first step");
  refused(changed(dat, "S T E P       1", "S T E P       2"), ": has no displacements of a first step");
  refused(changed(dat, "5.000000E-01", "5.000000E-0x"),
          ":10: expected a displacement, a finite number, but found '5.000000E-0x'");
  refused(changed(dat, "4.333333E-04  2.500000E-10", "4.333333E-04"),
          ":15: expected a node's number and three displacements");
  refused(dat.substr(0, dat.find("E+00\n        12 -1")),
          ":14: the file ends in the middle of a line: it may be cut short; if it is not, end the line");
  refused(changed(frd, "DISP", "TEMP"), ": has no displacements of a first step");
  refused(changed(frd, " -1        12-1.85714E-04 4.33333E-04-2.50000E-10\n", ""),
          ":10: the block of displacements holds 1 nodes where 2 are promised");
  refused(frd.substr(0, frd.find(" -3\n    1PSTEP                         2")),
          ":10: the file ends inside a block of displacements");
  refused(changed(frd, "4.33333E-04-2.50000E-10", "4.33333E-04"),
          ":10: expected a node's number and three displacements");
  refused(changed(frd, "4.33333E-04", "     NaN   "),
          ":10: expected a displacement, a finite number, but found 'NaN'");
  refused(changed(frd, "0    1           1\n -4  DISP", "0    1           2\n -4  DISP"),
          ":6: only the long text form of a .frd file is read");
}

/// Every cut is told by the file itself, or by the deck's mesh, which knows the nodes.
TEST(CalculixResults, CutCopiesAreRefusedOrWhole) {
  const test::TemporaryFolder folder;
  MeshData mesh;
  mesh.source = "deck.inp";
  mesh.points.resize(9);
  for (const std::int64_t id : {1, 12, 5}) mesh.node_ids.append(id);
  mesh.node_ids.build_index();
  CellBlock& block = mesh.block({Shape::line, 1});
  block.nodes = {0, 1};
  block.material = {0};
  block.ids.append(1);
  mesh.node_sets["NALL"] = {0, 1, 2}; // node 5 belongs to no cell
  for (const std::string& sound : {dat, frd}) {
    const NodalDisplacements whole = read_calculix_displacements(folder.write("a", sound), mesh);
    std::size_t refused = 0;
    for (std::size_t size = 0; size < sound.size(); size += 3) {
      const std::string path = folder.write("a", sound.substr(0, size));
      try {
        const NodalDisplacements found = read_calculix_displacements(path, mesh);
        // The increment before the last one is a whole table.
        EXPECT_TRUE(found == whole || found.at(1)[0] == 0.5) << size;
      } catch (const FileError&) {
        ++refused;
      }
    }
    EXPECT_GT(3 * refused, sound.find("12")) << "cuts before the last number";
  }
  const std::string cut = folder.write("a", dat.substr(0, dat.find("        12 -1.85")));
  EXPECT_THAT([&] { read_calculix_displacements(cut, mesh); },
              ThrowsMessage<FileError>(
                  cut + ": has displacements of 1 of the 2 nodes of set NALL of deck.inp; is it cut short?"));
  const std::string other = folder.write("b", changed(dat, "NALL and time  0.1", "OTHER and time  0.1"));
  EXPECT_THAT([&] { read_calculix_displacements(other); },
              ThrowsMessage<FileError>(other +
                                       ": displacements of set NALL end at time 0.5, those of set OTHER "
                                       "at 1; is the file cut short?"));
  // A set that the mesh does not have is taken for all nodes.
  mesh.node_sets.clear();
  EXPECT_EQ(read_calculix_displacements(folder.write("c", dat), mesh).size(), 2u);
  EXPECT_THAT([&] { read_calculix_displacements(cut, mesh); },
              ThrowsMessage<FileError>(
                  cut + ": has displacements of 1 of the 2 nodes of deck.inp; is it cut short?"));
}

TEST(CalculixResults, DamagedCopiesAreReadOrRefused) {
  const test::TemporaryFolder folder;
  std::mt19937 random(16);
  const auto read = [&](const std::string& content) {
    try {
      for (const auto& [node, u] : read_calculix_displacements(folder.write("a", content)))
        for (const double value : u) ASSERT_TRUE(std::isfinite(value)) << node;
    } catch (const FileError&) {
    }
  };
  for (const std::string& sound : {dat, frd}) {
    for (std::size_t size = 0; size < sound.size(); ++size) read(sound.substr(0, size));
    for (int i = 0; i < 1000; ++i) {
      std::string content = sound;
      char& byte = content[random() % content.size()];
      byte = static_cast<char>(byte ^ 1 << random() % 8);
      read(content);
    }
  }
}

TEST(CalculixResults, WhatIsWrittenIsRead) {
  const test::TemporaryFolder folder;
  const NodalDisplacements all = {{3, {1.25, -2.5e-100, 0.0}}, {1234567890123, {0.0, 3.0e100, -1.0}}};
  write_calculix_displacements(folder / "a.dat", all);
  EXPECT_EQ(read_calculix_displacements(folder / "a.dat"), all);
  const std::string nowhere = folder / "none/a.dat";
  EXPECT_THAT([&] { write_calculix_displacements(nowhere, all); },
              ThrowsMessage<FileError>(nowhere + ": cannot be written: No such file or directory"));
}

TEST(CalculixResults, DifferencesAreMeasuredByTheLargestDisplacement) {
  const NodalDisplacements reference = {{1, {0.0, 0.0, 0.0}}, {2, {1.0, -200.0, 0.0}}, {3, {9e9, 0.0, 0.0}}};
  const DisplacementDifference same = compare(reference, reference);
  EXPECT_EQ(same.nodes, 3u);
  EXPECT_EQ(same.digits(), INFINITY);
  const DisplacementDifference other = compare({{1, {0.0, 0.02, 0.0}}, {2, {1.0, -199.8, 0.0}}}, reference);
  EXPECT_EQ(other.nodes, 2u);
  EXPECT_EQ(other.worst, 2);
  EXPECT_EQ(other.largest, 200.0);
  EXPECT_NEAR(other.difference, 0.2, 1e-12);
  EXPECT_NEAR(other.digits(), 3.0, 1e-12);
  EXPECT_EQ(compare({}, reference).nodes, 0u);
}

} // namespace io_abaqus_calculix_results
