// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve-mpi: the solution of one rank on any number of them, and every rank ends as all do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "four_solids.hpp"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace tools_solve_mpi {

using namespace tessera;
using ::testing::HasSubstr;

/// The numbers of the lines that begin with "energy" and "component".
std::vector<double> values_in(const std::string& printed) {
  std::vector<double> values;
  for (const std::string mark : {"\nenergy ", " min ", " max "})
    for (std::size_t at = printed.find(mark); at != std::string::npos; at = printed.find(mark, at + 1))
      values.push_back(std::strtod(printed.c_str() + at + mark.size(), nullptr));
  return values;
}

class SolveMpi : public ::testing::Test {
protected:
  int run(int ranks, const std::string& arguments) {
    return run("timeout 100 " TESSERA_MPIEXEC " " + std::to_string(ranks) +
               " " TESSERA_BINARY_DIR "/bin/tessera-solve-mpi " + arguments);
  }
  int run(const std::string& command) {
    const int status = test::run_in(folder_, command);
    printed = test::read_file(folder_ / "log");
    return status;
  }

  /// Every number of ranks prints tessera-solve's energy and extremes.
  void expect_solution_of_one(const std::string& problem, const std::vector<int>& numbers_of_ranks,
                              const std::string& more) {
    ASSERT_EQ(run(TESSERA_BINARY_DIR "/bin/tessera-solve --tolerance 1e-10 " + problem), 0) << printed;
    const auto expected = values_in(printed);
    ASSERT_GE(expected.size(), 3u) << printed;
    for (const int ranks : numbers_of_ranks) {
      ASSERT_EQ(run(ranks, "--tolerance 1e-10 " + problem + more), 0) << printed;
      const auto values = values_in(printed);
      ASSERT_EQ(values.size(), expected.size()) << printed;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected[i], 1e-7 * std::abs(expected[0]) + 1e-7 * std::abs(expected[i]))
            << printed;
    }
  }

  test::TemporaryFolder folder_;
  std::string printed;
};

TEST_F(SolveMpi, GivesTheSolutionOfOneRank) {
  const std::string beam = "--generate box:6x3x3@4x1x1 --element hex1 --form elasticity --young 1 "
                           "--coefficients random --fix xmin=0,0,0 --load xmax=0,0,-1 --source 0.1";
  expect_solution_of_one(beam, {1, 3}, "");
  expect_solution_of_one(beam + " --constraints zeroed", {3}, " --solver muelu");
  expect_solution_of_one("--generate box:5x4 --element tri2 --form heat --fix xmin=1 --fix xmax=0 "
                         "--order hilbert --coefficients random",
                         {2}, " --solver none");
}

#ifdef TESSERA_HAVE_HYPRE
TEST_F(SolveMpi, HypreGivesTheSolutionOfOneRank) {
  expect_solution_of_one("--generate box:6x3x3@4x1x1 --element hex1 --form elasticity --young 1 "
                         "--coefficients random --fix xmin=0,0,0 --load xmax=0,0,-1 --source 0.1",
                         {1, 3}, " --solver hypre");
  EXPECT_THAT(printed,
              ::testing::ContainsRegex("cg, preconditioner hypre: [1-9][0-9]* iterations, relative"));
  expect_solution_of_one("--generate box:4 --element tet1 --form heat --fix xmin=1 --source 1 "
                         "--coefficients random --constraints zeroed",
                         {2}, " --solver hypre");
}
#endif

#ifdef TESSERA_HAVE_VTK
TEST_F(SolveMpi, ReadsFilesAndWritesAFileOfEachRank) {
  const std::string problem = " --form heat --fix xmin=0 ";
  ASSERT_EQ(run(3, "--generate box:4 --element tet1" + problem + "--output box.pvtu --picture box.png"), 0)
      << printed;
  EXPECT_THAT(printed, HasSubstr("output"));
  const std::string summary = test::read_file(folder_ / "box.pvtu");
  for (const std::string rank : {"0", "1", "2"}) {
    EXPECT_THAT(summary, HasSubstr("<Piece Source=\"box_" + rank + ".vtu\"/>"));
    EXPECT_THAT(test::read_file(folder_ / ("box_" + rank + ".vtu")), HasSubstr("temperature"));
  }
  EXPECT_TRUE(test::read_file(folder_ / "box.png").starts_with("\x89PNG"));
  // One element on four ranks: three have nothing to write. Then a file of one rank's is read by all.
  ASSERT_EQ(run(4, "--generate box:1 --element hex1" + problem + "--output one.pvtu"), 0) << printed;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "one_1.vtu"));
  ASSERT_EQ(run(2, "--mesh box_0.vtu --form helmholtz"), 0) << printed;
}
#endif

TEST_F(SolveMpi, EveryRankEndsWithTheSameError) {
  const std::string box = "--generate box:3 --form heat ";
  EXPECT_EQ(run(3, "--mesh missing.msh"), 2);
  EXPECT_THAT(printed, HasSubstr("tessera-solve-mpi: rank 0: missing.msh: cannot be opened"));
  EXPECT_EQ(printed.find("missing.msh"), printed.rfind("missing.msh")) << printed;
  folder_.write("cut.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n");
  EXPECT_EQ(run(2, "--mesh cut.msh"), 2);
  EXPECT_THAT(printed, HasSubstr("cut.msh:"));
  EXPECT_EQ(run(2, box), 2);
  EXPECT_THAT(printed, HasSubstr("nothing holds the part of 162 elements with element 0: any constant"));
  EXPECT_EQ(run(2, box + "--fix xmin=0 --deck part.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("--deck: it is tessera-solve's, on one rank"));
  EXPECT_EQ(run(2, "--generate box:6 --element hex1 --form heat --fix xmin=0 --solver none "
                   "--max-iterations 1"),
            1);
  EXPECT_THAT(printed, HasSubstr("NOT solved"));
}

TEST_F(SolveMpi, ReadsAFileForEachRank) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  folder_.write("box.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
                           "Physical Volume(\"steel\") = {1};\nPhysical Surface(\"left\") = {1};\n"
                           "Mesh.MeshSizeMax = 0.3;\n");
  ASSERT_EQ(run("gmsh -3 box.geo -o whole.msh && gmsh -3 box.geo -part 3 -part_split -o box.msh"), 0)
      << printed;
  const std::string problem = " --element tet2 --form heat --fix left=0 --tolerance 1e-10";
  ASSERT_EQ(run(TESSERA_BINARY_DIR "/bin/tessera-solve --mesh whole.msh" + problem), 0) << printed;
  const auto expected = values_in(printed);
  ASSERT_EQ(run(3, "--mesh box_%.msh" + problem), 0) << printed;
  const auto values = values_in(printed);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-7) << printed;
  EXPECT_EQ(run(3, "--mesh box_%.msh --element tet1 --form heat"), 2);
  EXPECT_THAT(printed, HasSubstr("elements with element ")) << printed;
  EXPECT_THAT(printed, HasSubstr(": 1 constants are free. Hold it by supports"));
  EXPECT_EQ(run(3, "--mesh box_%.msh --element tet1 --form elasticity --fix left=0,-,- --source 1"), 2);
  EXPECT_THAT(printed, HasSubstr(": 3 rigid motions are free. Hold it by supports"));
  EXPECT_EQ(run(2, "--mesh box_%.msh" + problem), 2);
  EXPECT_THAT(printed, HasSubstr("--mesh: there is box_3.msh too, and 2 ranks: start as many ranks"));
}

#ifdef TESSERA_HAVE_VTK
TEST_F(SolveMpi, AnOutputThatCannotBeWrittenIsAnErrorOnAllRanks) {
  const std::string box = "--generate box:3 --form heat --fix xmin=0 --output ";
  EXPECT_EQ(run(2, box + "nowhere/box.pvtu"), 2);
  EXPECT_THAT(printed, HasSubstr("nowhere/box.pvtu: cannot be written"));
  std::filesystem::create_directory(folder_ / "box_1.vtu");
  EXPECT_EQ(run(2, box + "box.pvtu"), 2);
  EXPECT_THAT(printed, HasSubstr("rank 1: box_1.vtu: cannot be written: Is a directory"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "box.pvtu"));
}
#endif

TEST_F(SolveMpi, JudgesByTheResidualThatItPrints) {
  const std::string flat = "--generate box:6x6x6@1x1x1e-6 --element hex1 --form elasticity --fix xmin=0,0,0 "
                           "--load xmax=0,0,-1";
  for (const std::string solver : {"multigrid", "none"}) {
    const int status = run(2, flat + " --solver " + solver + " --max-iterations 200");
    const auto at = printed.find("relative residual ");
    ASSERT_NE(at, std::string::npos) << printed;
    const double residual =
        std::strtod(printed.c_str() + at + std::string("relative residual ").size(), nullptr);
    EXPECT_EQ(status == 0, residual <= 1e-4) << printed; // beyond that no rounding is a solution
    EXPECT_EQ(status == 1, printed.find("NOT solved") != std::string::npos) << printed;
  }
  EXPECT_EQ(run(2, "--generate box:4 --element hex1 --form heat --fix xmin=0 --tolerance 0"), 1) << printed;
  EXPECT_THAT(printed, HasSubstr("stagnated"));
}

TEST_F(SolveMpi, RefusesRanksWithOtherOptions) {
  const std::string one =
      " 1 " TESSERA_BINARY_DIR "/bin/tessera-solve-mpi --generate box:3 --form helmholtz ";
  const auto start = [&](const std::string& first, const std::string& second) {
    return run("timeout 100 " TESSERA_MPIEXEC + one + first + " : -n" + one + second);
  };
  EXPECT_EQ(start("--lambda 1", "--lambda 2"), 2);
  EXPECT_THAT(printed, HasSubstr("rank 1 was given '2' where rank 0 was given '1'"));
  EXPECT_EQ(start("", "--help"), 2);
  EXPECT_THAT(printed, HasSubstr("rank 1 was given '--help' where rank 0 was given nothing"));
}

TEST_F(SolveMpi, FilesWithSeveralElementTypesGiveTheSolutionOfOneRank) {
  folder_.write("four.msh", test::four_solids());
  const std::string heat = "--mesh four.msh --form heat --fix floor=2.5 ";
  expect_solution_of_one(heat, {1, 4}, "");
  EXPECT_THAT(printed, HasSubstr("four.msh hex1+wedge1+pyramid1+tet1, heat"));
  EXPECT_THAT(printed, HasSubstr("4 elements"));
  expect_solution_of_one(heat + "--order hilbert", {2}, " --solver none");
  const std::string on_edges = "--element hex20+wedge15+pyramid13+tet2 ";
  const std::string elastic =
      "--mesh four.msh --form elasticity --young 1 --fix floor=0,0,0 --source 0.1 " + on_edges;
  expect_solution_of_one(elastic, {1, 3}, "");
  expect_solution_of_one(elastic + "--constraints zeroed", {2}, " --solver muelu");
#ifdef TESSERA_HAVE_HYPRE
  expect_solution_of_one(elastic, {3}, " --solver hypre");
#endif
  EXPECT_EQ(run(2, "--mesh four.msh --form heat"), 2);
  EXPECT_THAT(printed, HasSubstr("nothing holds the part of 4 elements with element 31 of four.msh"));
  EXPECT_EQ(run(2, heat + "--strategy RowOwner"), 2);
  EXPECT_THAT(printed, HasSubstr("RowOwner: writes every value once"));
  EXPECT_EQ(run(2, heat + "--coefficients random"), 2);
  EXPECT_THAT(printed, HasSubstr("--coefficients random is for meshes of one element type"));
  EXPECT_EQ(run(2, heat + "--element hex1"), 2);
  EXPECT_THAT(printed, HasSubstr("would lack 1 tet1, 1 wedge1 and 1 pyramid1 cells"));
}

TEST_F(SolveMpi, ReadsSeveralElementTypesFromAFileForEachRank) {
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$PhysicalNames\n2\n3 1 \"all\"\n2 3 \"floor\"\n$EndPhysicalNames\n$Nodes\n";
  folder_.write("four.msh", test::four_solids());
  folder_.write("four_1.msh", head + "9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n"
                                     "8 0 1 1\n11 1 0 2\n$EndNodes\n$Elements\n3\n1 3 2 3 1 1 4 3 2\n"
                                     "31 5 2 1 1 1 2 3 4 5 6 7 8\n34 7 2 1 1 5 6 7 8 11\n$EndElements\n");
  folder_.write("four_2.msh", head + "7\n2 1 0 0\n3 1 1 0\n6 1 0 1\n7 1 1 1\n9 2 0 0\n10 2 0 1\n11 1 0 2\n"
                                     "$EndNodes\n$Elements\n3\n2 2 2 3 1 2 3 9\n32 6 2 1 1 2 9 3 6 10 7\n"
                                     "33 4 2 1 1 6 10 7 11\n$EndElements\n");
  for (const std::string element : {"", " --element hex20+wedge15+pyramid13+tet2"}) {
    const std::string problem = " --form heat --fix floor=2.5 --tolerance 1e-10" + element;
    ASSERT_EQ(run(TESSERA_BINARY_DIR "/bin/tessera-solve --mesh four.msh" + problem), 0) << printed;
    const auto expected = values_in(printed);
    ASSERT_EQ(run(2, "--mesh four_%.msh" + problem), 0) << printed;
    const auto values = values_in(printed);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-7) << printed;
  }
  EXPECT_EQ(run(2, "--mesh four_%.msh --form elasticity"), 2);
  EXPECT_THAT(printed, HasSubstr("nothing holds the part of 4 elements with element 31: 6 rigid motions"));
  EXPECT_EQ(run(2, "--mesh four_%.msh --form heat --fix floor=1 --element hex1"), 2);
  EXPECT_THAT(printed, HasSubstr("pyramid1 cells"));
}

#ifdef TESSERA_HAVE_VTK
TEST_F(SolveMpi, WritesAndDrawsSeveralElementTypes) {
  // A strip: six squares, then six that are two triangles each.
  std::string nodes, cells = "1 1 2 1 1 1 2\n";
  for (int i = 0; i <= 12; ++i)
    for (int j = 0; j < 2; ++j)
      nodes += std::to_string(2 * i + j + 1) + ' ' + std::to_string(i) + ' ' + std::to_string(j) + " 0\n";
  int number = 1;
  const auto add = [&](const char* type, const std::vector<int>& corners) {
    cells += std::to_string(++number) + type + " 2 2 1";
    for (const int corner : corners) cells += ' ' + std::to_string(corner);
    cells += '\n';
  };
  for (int a = 1; a <= 23; a += 2)
    if (a < 12) {
      add(" 3", {a, a + 2, a + 3, a + 1});
    } else {
      add(" 2", {a, a + 2, a + 3});
      add(" 2", {a, a + 3, a + 1});
    }
  folder_.write("strip.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"left\"\n"
                             "2 2 \"all\"\n$EndPhysicalNames\n$Nodes\n26\n" +
                                 nodes + "$EndNodes\n$Elements\n" + std::to_string(number) + '\n' + cells +
                                 "$EndElements\n");
  const std::string heat = "--mesh strip.msh --form heat --fix left=0 ";
  expect_solution_of_one(heat, {3}, "");
  ASSERT_EQ(run(3, heat + "--output strip.pvtu --picture strip.png"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("strip.msh quad1+tri1, heat"));
  EXPECT_TRUE(test::read_file(folder_ / "strip.png").starts_with("\x89PNG"));
  // The ranks' files have each element once.
  std::size_t elements = 0;
  for (const std::string name : {"strip_0.vtu", "strip_1.vtu", "strip_2.vtu"}) {
    EXPECT_THAT(test::read_file(folder_ / "strip.pvtu"), HasSubstr("<Piece Source=\"" + name + "\"/>"));
    ASSERT_EQ(run(1, "--mesh " + name + " --form helmholtz"), 0) << printed;
    const auto at = printed.find(" elements,");
    ASSERT_NE(at, std::string::npos) << printed;
    elements += std::strtoul(printed.c_str() + printed.rfind(' ', at - 1), nullptr, 10);
  }
  EXPECT_EQ(elements, 18u);
}
#endif

TEST_F(SolveMpi, RefusesFilesThatNameAGroupOtherwise) {
  const auto part = [](const char* name, const char* nodes, const char* elements) {
    return std::string("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"") + name +
           "\"\n$EndPhysicalNames\n$Nodes\n4\n" + nodes + "$EndNodes\n$Elements\n2\n" + elements +
           "$EndElements\n";
  };
  const auto write = [&](const char* other) {
    folder_.write("two_1.msh",
                  part("left", "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n", "1 1 2 7 1 1 4\n2 3 2 1 1 1 2 3 4\n"));
    folder_.write("two_2.msh",
                  part(other, "4 0 1 0\n3 1 1 0\n5 1 2 0\n6 0 2 0\n", "3 1 2 7 1 4 6\n4 3 2 1 1 4 3 5 6\n"));
  };
  const std::string problem = "--mesh two_%.msh --element quad1 --form heat --fix left=0 --source 1";
  write("left");
  EXPECT_EQ(run(2, problem), 0) << printed;
  write("Left");
  EXPECT_EQ(run(2, problem), 2) << printed;
  EXPECT_THAT(printed, HasSubstr("physical group 7 of dimension 1 'Left' and 'left'"));
}

#ifdef TESSERA_HAVE_VTK
TEST_F(SolveMpi, AFailedWriteLeavesAllFilesAsTheyWere) {
  const std::string box = "--generate box:4 --element hex1 --form heat --fix xmin=0 --output box.pvtu ";
  ASSERT_EQ(run(3, box), 0) << printed;
  const auto old = [&](const char* name) { return test::read_file(folder_ / name); };
  const std::string summary = old("box.pvtu"), first = old("box_0.vtu");
  std::filesystem::remove(folder_ / "box_1.vtu");
  std::filesystem::create_directory(folder_ / "box_1.vtu");
  EXPECT_EQ(run(3, box + "--source 3"), 2);
  EXPECT_EQ(old("box.pvtu"), summary);
  EXPECT_EQ(old("box_0.vtu"), first);
  std::filesystem::remove(folder_ / "box_1.vtu");
  ASSERT_EQ(run(3, box + "--source 3"), 0) << printed;
  EXPECT_NE(old("box_0.vtu"), first);
}
#endif

TEST_F(SolveMpi, ASignalLeavesNoProcess) {
  folder_.write("signal.sh", TESSERA_MPIEXEC " 2 " TESSERA_BINARY_DIR
                                             R"(/bin/tessera-solve-mpi --form elasticity --source 1 \
  --generate box:20 --element hex1 --fix xmin=0,0,0 --young 1.$$ >progress 2>&1 &
launcher=$!
for _ in $(seq 300); do
  if grep -qs 'plan' progress; then break; fi
  sleep 0.1
done
kill -TERM $launcher || exit 1 # it ended by itself
wait $launcher && exit 1
for _ in $(seq 100); do
  if ! grep -qs "young.1[.]$$" /proc/[0-9]*/cmdline; then exit 0; fi
  sleep 0.1
done
exit 1
)");
  EXPECT_EQ(run("timeout 100 bash signal.sh"), 0) << printed << test::read_file(folder_ / "progress");
}

TEST_F(SolveMpi, ToolsForOneRankSaySo) {
  EXPECT_EQ(run("timeout 100 " TESSERA_MPIEXEC " 2 " TESSERA_BINARY_DIR "/bin/tessera-solve --help"), 2);
  EXPECT_THAT(printed, HasSubstr("tessera-solve: started on 2 ranks, but it runs on one: tessera-solve-mpi"));
}

} // namespace tools_solve_mpi
