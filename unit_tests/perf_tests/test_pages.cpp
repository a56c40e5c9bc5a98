// SPDX-License-Identifier: BSD-3-Clause
// The papers' pages, tables and figures are made of what the drivers measured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace perf_tests_pages {

using namespace tessera;
using ::testing::HasSubstr, ::testing::Not;

/// What tools/papers.py prints or writes; its status.
int papers_py(const test::TemporaryFolder& folder, const std::string& arguments) {
  return test::run_in(folder, "python3 " TESSERA_SOURCE_DIR "/tools/papers.py " + arguments);
}
bool without_matplotlib() {
  static const bool missing = [] {
    const test::TemporaryFolder folder;
    return test::run_in(folder, "python3 -c 'import matplotlib'") != 0;
  }();
  return missing;
}

TEST(Pages, TheListOfTablesAndFiguresIsTheGenerators) {
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  ASSERT_EQ(papers_py(folder, "--list"), 0) << test::read_file(folder / "log");
  EXPECT_THAT(test::read_file(TESSERA_SOURCE_DIR "/docs/papers/README.md"),
              HasSubstr(test::read_file(folder / "log")))
      << "python3 tools/papers.py --list";
}

/// Every page in the folder is what the project has.
void expect_the_projects_pages(const test::TemporaryFolder& folder) {
  for (const auto& page : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/docs/papers"))
    if (page.path().extension() == ".md")
      EXPECT_EQ(test::read_file(folder / ("pages/" + page.path().filename().string())),
                test::read_file(page.path().string()))
          << page.path().filename();
}

TEST(Pages, EveryMarkerOfThePagesIsATableOfTheGenerator) {
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  folder.write("parts.json", R"({"parts": []})");
  std::filesystem::copy(TESSERA_SOURCE_DIR "/docs/papers", folder / "pages");
  ASSERT_EQ(papers_py(folder, ". --pages pages"), 0) << test::read_file(folder / "log");
  expect_the_projects_pages(folder); // a run without results replaces nothing
  folder.write("pages/0.md", "<!-- paper3.table7 -->\n<!-- end -->\n");
  EXPECT_EQ(papers_py(folder, ". --pages pages"), 1);
  EXPECT_THAT(test::read_file(folder / "log"), HasSubstr("no table or figure is called 'paper3.table7'"));
}

/// The pages are made of the runs whose results are kept beside them, and of no others.
TEST(Pages, TheTablesAreThoseOfTheRunsThatAreKept) {
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  std::filesystem::copy(TESSERA_SOURCE_DIR "/docs/papers", folder / "pages");
  for (const auto& [name, row] : {std::pair{"1.md", "\n| NzGlobal/metis | "},
                                  {"2.md", "\n| TwoKernels | "},
                                  {"3.md", "\n| Poisson | "},
                                  {"4.md", "\n| Heart | "},
                                  {"5.md", "\n| C5 | "}}) {
    const std::string file = std::string("pages/") + name, page = test::read_file(folder / file), start = row;
    ASSERT_THAT(page, HasSubstr(start));
    folder.write(file, std::string(page).insert(page.find(start) + start.size(), "1"));
  }
  for (const auto& run : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/docs/papers/runs"))
    ASSERT_EQ(papers_py(folder, run.path().string() + " --pages pages"), 0)
        << test::read_file(folder / "log");
  expect_the_projects_pages(folder);
}

// A table that a run has not measured stays as it is, though the paper's numbers for it are there.
TEST(Pages, ARunReplacesWhatItHasMeasuredAlone) {
  const std::string bin = TESSERA_BINARY_DIR "/bin/";
  if (!std::filesystem::exists(bin + "tessera-paper1")) GTEST_SKIP() << "the drivers are not built here";
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  std::filesystem::copy(TESSERA_SOURCE_DIR "/docs/papers", folder / "pages");
  ASSERT_EQ(test::run_in(folder, bin + "tessera-paper1 --parts table4 --json paper1.json"), 0);
  ASSERT_EQ(test::run_in(folder, bin + "tessera-paper2 --divisions 2 --only RowOwner --numbering original "
                                       "--repetitions 1 --json paper2.json"),
            0);
  ASSERT_EQ(papers_py(folder, ". --pages pages"), 0) << test::read_file(folder / "log");
  const auto table = [](const std::string& root, const std::string& file, const std::string& marker) {
    const std::string page = test::read_file(root + "/" + file);
    const std::size_t begin = page.find("<!-- " + marker + " -->");
    return page.substr(begin, page.find("<!-- end -->", begin) - begin);
  };
  const std::string ours = folder / "pages", projects = TESSERA_SOURCE_DIR "/docs/papers";
  EXPECT_THAT(table(ours, "2_tables.md", "paper2.figure12"), HasSubstr("| RowOwner | "));
  EXPECT_THAT(table(ours, "2_tables.md", "paper2.figure12"), Not(HasSubstr("Mesh 4")));
  EXPECT_EQ(table(ours, "2_profile.md", "paper2.table4"), table(projects, "2_profile.md", "paper2.table4"));
  EXPECT_EQ(table(ours, "1_resources.md", "paper1.tablevi"),
            table(projects, "1_resources.md", "paper1.tablevi"));
  EXPECT_EQ(table(ours, "1.md", "paper1.figure13"), table(projects, "1.md", "paper1.figure13"));
}

TEST(Pages, ADamagedFileIsNamedAndNothingIsWritten) {
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  folder.write("paper1.json", R"({"results": [)");
  EXPECT_EQ(papers_py(folder, ". --html papers.html"), 1);
  EXPECT_THAT(test::read_file(folder / "log"), HasSubstr("paper1.json is not whole JSON"));
  EXPECT_FALSE(std::filesystem::exists(folder / "papers.html"));
}

// What was measured stands beside the paper's numbers, what was not is named with the reason.
TEST(Pages, APageHasWhatWasMeasuredAndNamesTheRest) {
  const std::string bin = TESSERA_BINARY_DIR "/bin/";
  if (!std::filesystem::exists(bin + "tessera-paper1")) GTEST_SKIP() << "the drivers are not built here";
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  ASSERT_EQ(test::run_in(folder, bin + "tessera-paper1 --parts table4 --json paper1.json"), 0);
  ASSERT_EQ(test::run_in(folder, bin + "tessera-paper3 --parts model --json paper3.json"), 0);
  folder.write(
      "parts.json",
      R"({"parts": [{"part": "paper2", "status": 124, "seconds": 7, "command": "tessera-paper2"}]})");
  ASSERT_EQ(papers_py(folder, ". --html papers.html --markdown papers.md"), 0)
      << test::read_file(folder / "log");
  const std::string page = test::read_file(folder / "papers.md");
  EXPECT_THAT(page, HasSubstr("| tri5 | 21 (21) | 63 (63) | 42 | 462 (462) | 252 (252) |"));
  EXPECT_THAT(page, HasSubstr("| tri6 | 28 (28) | 84 (84) | 56 | 812 (812) | 434 (434) |"));
  EXPECT_THAT(page, HasSubstr("| tet5 | 56 (56) | 224 (224) | 168 | 3192 (3192) | 1652 (1652) |"));
  EXPECT_THAT(page, HasSubstr("| elasticity 3D P1 | 384 | 40,128 | 312 | 618 | 1.981 |"));
  EXPECT_THAT(page, HasSubstr("| Poisson 2D P2 | 81.12 | 80.38 | 68.25 | 15,576 | 13,440 |"));
  EXPECT_THAT(page, HasSubstr("| Poisson 3D P2 | 145 | 144.5 | 128.4 | 92,800 | 92,928 |"));
  EXPECT_THAT(page, HasSubstr("Not here: tessera-paper2 was stopped after 7 s."));
  EXPECT_THAT(page, HasSubstr("Paper 5, Figure 13"));
  EXPECT_THAT(test::read_file(folder / "papers.html"), HasSubstr("Paper 4, Figure 7"));
}

/// The headings of a page below which nothing was measured.
std::vector<std::string> without_rows(const std::string& page) {
  std::vector<std::string> headings;
  std::istringstream lines(page);
  std::string line, heading;
  while (std::getline(lines, line)) {
    if (line.starts_with("## ")) heading = line.substr(3, line.find(':') - 3);
    if (line.starts_with("Not measured in this run.") || line.starts_with("Not here:"))
      headings.push_back(heading);
  }
  return headings;
}

/// Every driver runs to a result on the smallest meshes, and every table and figure is made of results.
TEST(Pages, EveryTableIsMadeOfASmallRun) {
  const std::string bin = TESSERA_BINARY_DIR "/bin/";
  if (!std::filesystem::exists(bin + "tessera-paper1")) GTEST_SKIP() << "the drivers are not built here";
  if (without_matplotlib()) GTEST_SKIP() << "python3 has no matplotlib";
  const test::TemporaryFolder folder;
  const std::string options[] = {
      "--meshes 2 --orders 5 --figure3-elements 500 --figure13-unknowns 300 --repetitions 1 --seconds 0",
      "--divisions 1,2 --scalar both --numbering both --repetitions 1",
      "--cells 200 --small-cells 100 --repetitions 1 --mesh box:3",
      "--meshes Regular=regular4:0 --series 2 --inner 2 --repetitions 1",
      "--problems C1/32,C2/32,L1/32,H1/32 --products 1 --repetitions 1 --cg 3"};
  for (int paper = 1; paper <= 5; ++paper) {
    const std::string name = "paper" + std::to_string(paper);
    ASSERT_EQ(test::run_in(folder,
                           bin + "tessera-" + name + " " + options[paper - 1] + " --json " + name + ".json"),
              0)
        << name << "\n"
        << test::read_file(folder / "log");
  }
  folder.write("parts.json", R"({"parts": []})");
  std::filesystem::copy(TESSERA_SOURCE_DIR "/docs/papers", folder / "pages");
  ASSERT_EQ(papers_py(folder, ". --markdown papers.md --pages pages"), 0) << test::read_file(folder / "log");
  const std::string page = test::read_file(folder / "papers.md");
  EXPECT_THAT(page, HasSubstr("## Paper 5, Figure 13"));
  for (const char* strategy : {"RowShared/metis", "NzLocal/metis", "NzShared/metis", "NzGlobal/metis"})
    EXPECT_THAT(page, HasSubstr("| " + std::string(strategy) + " | ")); // as paper 1 partitions
  for (const char* figure : {"## Paper 1, Figure 3:", "## Paper 1, Figure 12:", "## Paper 1, Figure 13:"}) {
    const std::size_t begin = page.find(figure);
    ASSERT_NE(begin, std::string::npos) << figure;
    EXPECT_THAT(page.substr(begin, page.find("\n## ", begin) - begin),
                HasSubstr("| ElementLocal/separate | "))
        << figure;
  }
  for (const char* row :
       {"ElementLocal/paper2/separate (by element, one thread)",
        "WarpPerElement/4/per_point/separate (warp, 4 threads)", "WarpPerElement/4/per_point",
        "SymmetricElementByElement/nodes/colors/separate (EbE_sym)",
        "SymmetricElementByElement/nodes/colors"}) // as papers launch colors, and as a graph
    EXPECT_THAT(page, HasSubstr("| " + std::string(row) + " | "));
  EXPECT_THAT(page, HasSubstr("| ours | 16 | 2 | 2 | 200 | 0.333 |"));
  EXPECT_THAT(without_rows(page), ::testing::IsEmpty());

  // The project's pages, as the same run fills them.
  for (const std::string name : {"3.md", "3_tables.md", "4.md", "4_tables.md"}) {
    const std::string filled = test::read_file(folder / ("pages/" + name));
    EXPECT_LT(std::ranges::count(filled, '\n'), 150) << name;
    EXPECT_THAT(filled, Not(HasSubstr("-->\n<!-- end -->"))) << name << " has a marker that nothing fills";
  }
}

/// Each table and figure of papers 3 and 4 stands between markers of a page. Two figures are taken apart:
/// what they show of linear cells is the summary, of the rest another item.
TEST(Pages, PagesOfPapers3And4HaveMarkersForAllTables) {
  std::string pages;
  for (const std::string name : {"3.md", "3_tables.md", "4.md", "4_tables.md"})
    pages += test::read_file(TESSERA_SOURCE_DIR "/docs/papers/" + name);
  std::istringstream list(test::read_file(TESSERA_SOURCE_DIR "/docs/papers/README.md"));
  std::string line;
  int found = 0;
  while (std::getline(list, line)) {
    if (!line.starts_with("| 3 |") && !line.starts_with("| 4 |")) continue;
    std::string key = line.substr(6, line.find(" |", 6) - 6);
    std::erase(key, ' ');
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string marker = "paper" + line.substr(2, 1) + "." + key + " ";
    ++found;
    if (marker == "paper3.figure3.2 " || marker == "paper3.figure6.1 " || marker == "paper3.figure6.2 ")
      continue;
    EXPECT_THAT(pages, HasSubstr(marker));
  }
  EXPECT_GT(found, 15);
}

// A stand-in for ncu that counts what is easy to sum up: two launches of each kernel.
TEST(Profile, SumsUpTheCountersOfAllLaunches) {
  if (!test::has_program("python3")) GTEST_SKIP() << "there is no python3";
  const test::TemporaryFolder folder;
  folder.write("ncu", R"(#!/bin/sh
echo '==PROF== Connected'
echo '"ID","Kernel Name","gpu__time_duration.sum","dram__bytes.sum","sm__warps_active.avg.pct_of_peak_sustained_active","lts__t_sectors_srcunit_tex.sum","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum"'
echo '"","","nsecond","byte","%","sector","inst","sector","sector"'
echo '"0","k<int, 3>","1,000","4,000","40","100","500","40","30"'
echo '"1","k<int, 3>","3,000","8,000","60","100","1500","40","10"'
)");
  std::filesystem::permissions(folder / "ncu", std::filesystem::perms::owner_all);
  ASSERT_EQ(test::run_in(folder, "python3 " TESSERA_SOURCE_DIR "/perf_tests/profile.py bin . --ncu ./ncu"), 0)
      << test::read_file(folder / "log");
  const std::string profile = test::read_file(folder / "profile.json");
  EXPECT_THAT(profile, HasSubstr(R"("strategy": "SymmetricElementByElement/nodes/colors/separate")"));
  for (const char* mesh : {"1", "2", "3", "4", "C1", "C5", "L3", "H2"}) // all that the figures have
    EXPECT_THAT(profile, HasSubstr(R"("mesh": ")" + std::string(mesh) + '"'));
  EXPECT_THAT(profile, HasSubstr(R"("gb_per_s": 3.0)"));
  EXPECT_THAT(profile, HasSubstr(R"("gflop_per_s": 1.0)"));
  EXPECT_THAT(profile, HasSubstr(R"("occupancy": 0.55)"));
  EXPECT_THAT(profile, HasSubstr(R"("l1_hit_rate": 50.0)"));
  EXPECT_THAT(profile, HasSubstr(R"("local_share": 20.0)"));
  folder.write("ncu", "#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM'\n");
  EXPECT_EQ(test::run_in(folder, "python3 " TESSERA_SOURCE_DIR "/perf_tests/profile.py bin . --ncu ./ncu"),
            1);
  EXPECT_THAT(test::read_file(folder / "log"), HasSubstr("ERR_NVGPUCTRPERM"));
}

} // namespace perf_tests_pages
