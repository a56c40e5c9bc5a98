// SPDX-License-Identifier: BSD-3-Clause
// The page that tessera-compare --report writes.

#include <tessera/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/report/report.hpp"
#include "support/report/result.hpp"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <support/files.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace tools_report {

using namespace tessera;
using namespace tessera::tools;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(Report, CommandLinesAreQuotedForAShell) {
  char tool[] = "/somewhere/tessera-compare", option[] = "--mesh", file[] = "it's mine.msh", empty[] = "";
  char* words[] = {tool, option, file, empty};
  EXPECT_EQ(command_line(4, words), "tessera-compare --mesh 'it'\\''s mine.msh' ''");
}

TEST(Report, OnlyPagesAreWritten) {
  EXPECT_THAT([] { Report("a.pdf"); },
              ThrowsMessage<ArgumentError>("--report: expected FILE.html, got 'a.pdf'"));
}

TEST(Report, MissingPythonIsNamed) {
  const test::TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  EXPECT_THAT([] { Report("a.html"); },
              ThrowsMessage<UnsupportedError>(
                  "--report needs python3 with matplotlib (Debian's python3-matplotlib)"));
  ::setenv("PATH", path.c_str(), 1);
}

/// A python3 that takes long over everything but the check, in a folder for PATH.
std::string slow_python(const test::TemporaryFolder& folder) {
  std::filesystem::permissions(
      folder.write("python3", "#!/bin/sh\n[ \"$2\" = --check ] && exit 0\necho $$ > '" + (folder / "pid") +
                                  "'\nexec sleep 60\n"),
      std::filesystem::perms::owner_all);
  return folder.path().string() + ":" + std::getenv("PATH");
}

TEST(Report, ASignalLeavesNeitherFolderNorScript) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const test::TemporaryFolder folder;
    const std::string path = slow_python(folder);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::setenv("PATH", path.c_str(), 1);
      ::setenv("TMPDIR", folder.path().c_str(), 1);
      const Report report(folder / "a.html");
      folder.write("parts", std::filesystem::path(report.part("a.json")).parent_path().string());
      write_file(report.part("a.json"), "{}");
      report.write(report.part("a.json"), "", "");
      ::_exit(0);
    }
    std::string script;
    for (int i = 0; i < 100 && script.empty(); ++i) {
      ::usleep(50000);
      script = test::read_file(folder / "pid");
    }
    ASSERT_FALSE(script.empty());
    ASSERT_EQ(::kill(child, signal), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "status " << status;
    EXPECT_FALSE(std::filesystem::exists(test::read_file(folder / "parts")));
    bool alive = true;
    for (int i = 0; i < 100 && alive; ++i) {
      ::usleep(20000);
      alive = ::kill(std::stoi(script), 0) == 0 &&
              test::read_file("/proc/" + std::to_string(std::stoi(script)) + "/stat").find(") Z ") ==
                  std::string::npos;
    }
    EXPECT_FALSE(alive);
  }
}

class ReportPages : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::system("python3 -c 'import matplotlib' > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "python3 with matplotlib is not installed";
  }
  test::TemporaryFolder folder_;
};

TEST_F(ReportPages, SayWhatRanksKeep) {
  const std::string page = folder_ / "a.html";
  const auto row = [](const std::string& part, int ranks, double seconds, double kept) {
    return R"({"problem": "helmholtz", "scaling": "weak", "part": ")" + part + R"(", "what": "RowOwner", )" +
           R"("ns_per_element": 2, "elements_max": 1000, "ghost_elements_max": 10, "ghost_nodes_max": 5, )" +
           R"("bytes_max": 8000, "ranks": )" + std::to_string(ranks) + R"(, "seconds_median": )" +
           std::to_string(seconds) + R"(, "kept": )" + std::to_string(kept) + "}";
  };
  {
    const Report report(page);
    write_file(report.part("a.json"),
               R"({"machine": {"space": "Serial", "tessera_version": "1", "git_hash": "abc",)"
               R"( "kokkos_version": "5"}, "results": [)" +
                   row("ranks", 1, 1.0, 1.0) + ',' + row("ranks", 2, 1.25, 0.8) + ',' +
                   row("alone", 2, 1.0, 0.0) + "]}");
    report.write_parts("Ranks", {"scaling:" + report.part("a.json") + ":mpiexec -n 2 tessera-compare-mpi"});
  }
  const std::string text = test::read_file(page);
  for (const char* expected :
       {"weak scaling, helmholtz", "On 2 ranks RowOwner keeps 0.800 of the rate of a rank.",
        "RowOwner: 25.0 % longer than the same block without ghosts", "<svg ", "mpiexec -n 2"})
    EXPECT_THAT(text, HasSubstr(expected));
}

TEST_F(ReportPages, HoldEverythingThemselves) {
  Result fast, slow, none;
  fast.strategy = "Fast";
  slow.strategy = "Slow";
  none.strategy = "None";
  none.unsupported = "needs 99 kB of scratch";
  for (Result* r : {&fast, &slow, &none}) {
    r->backend = "serial";
    r->mesh = "a<b.msh";
    r->elements = 10;
    r->gb_per_s = r->gflop_per_s = r->ns_per_element = r->seconds_median = r->bound_ratio = 2;
  }
  const Context context{{"tessera_version", "1"},       {"git_hash", "abc"},
                        {"kokkos_version", "5"},        {"compiler", "16"},
                        {"processor", "abacus"},        {"date", "today"},
                        {"serial_copy_gb_per_s", "10"}, {"serial_gflop_per_s", "10"}};
  const std::string page = folder_ / "a.html";
  std::filesystem::path parts;
  {
    const Report report(page);
    const std::string data = report.part("a.json"), picture = report.part("mesh.png");
    parts = std::filesystem::path(data).parent_path();
    write_file(data, json(context, {slow, fast, none}));
    write_file(picture, "a picture");
    report.write(data, picture, "tessera-compare --mesh 'a<b.msh'");
  }
  EXPECT_FALSE(std::filesystem::exists(parts));
  const std::string text = test::read_file(page);
  for (const char* expected :
       {"<svg ", "<style>", "<script>", "<td>Fast</td>", "<td>Slow</td>", "needs 99 kB of scratch",
        "a&lt;b.msh", "abacus", "tessera-compare --mesh &#x27;a&lt;b.msh&#x27;",
        "src=\"data:image/png;base64,"})
    EXPECT_THAT(text, HasSubstr(expected));
  for (const char* foreign : {"src=\"http", "href=\"http", "src=\"/", "<link", "@import", "url(http"})
    EXPECT_THAT(text, Not(HasSubstr(foreign)));
}

/// Results of a mesh of ten elements.
Result result(const std::string& strategy, const std::string& backend, double seconds, double bound_ratio) {
  Result r;
  r.strategy = strategy;
  r.backend = backend;
  r.mesh = "box:3";
  r.form = "heat";
  r.element = "tet1";
  r.scalar = "double";
  r.elements = 10;
  r.gb_per_s = r.gflop_per_s = 2;
  r.seconds_median = seconds;
  r.ns_per_element = seconds * 1e8;
  r.bound_ratio = bound_ratio;
  return r;
}

Context context_of(const std::string& backend) {
  return {{"tessera_version", "1"},
          {"git_hash", "abc"},
          {"kokkos_version", "5"},
          {"compiler", "16"},
          {"date", "today"},
          {backend + "_copy_gb_per_s", "10"},
          {backend + "_gflop_per_s", "10"}};
}

TEST_F(ReportPages, BeginWithWhoWinsOnEachBackendAndHowFarFromTheBound) {
  const std::string page = folder_ / "a.html";
  const Report report(page);
  const std::string serial = report.part("serial.json"), openmp = report.part("openmp.json");
  Result wrong = result("Wrong", "serial", 1e-7, 0.5);
  wrong.agrees = false;
  Result best = result("Best", "serial", 1.9e-7, 1.4);
  best.path = "Fast, 0.000 ms predicted; next Next, 0.000 ms predicted";
  write_file(serial, json(context_of("serial"),
                          {result("Slow", "serial", 8e-7, 4), wrong, result("Next", "serial", 3e-7, 3), best,
                           result("Fast", "serial", 2e-7, 1.5)}));
  write_file(openmp, json(context_of("openmp"),
                          {result("Next", "openmp", 1.01e-7, 0.8), result("Fast", "openmp", 1e-7, 0.8)}));
  report.write(openmp + ',' + serial, "", "");
  const std::string text = test::read_file(page), summary = text.substr(0, text.find("</section>"));
  for (
      const char* sentence :
      {"serial: Fast wins with 20 ns an element, 1.50 times as fast as the next, Next, and 4.0 times as fast "
       "as the last; it takes 1.50 times the bound by compulsory traffic and flops. Best takes 0.95 times as "
       "long with Fast.",
       "openmp: Fast and Next lead with 10 ns an element, less than 2 % apart; it takes 0.80 of the bound by "
       "memory traffic, as the data stay in caches.",
       "openmp is 2.00 times as fast as serial, each with its best strategy.",
       "Not counted, as their results disagree with the oracle or with what they say of repeating: Wrong "
       "(serial)."})
    EXPECT_THAT(summary, HasSubstr(sentence));
  EXPECT_LT(text.find("<svg "), text.find("<table")) << "tables stand before the first picture";
}

TEST_F(ReportPages, ShowTheTenBestAndTheRestOnRequest) {
  const std::string page = folder_ / "a.html";
  const Report report(page);
  std::vector<Result> results;
  for (int i = 10; i < 22; ++i) results.push_back(result("S" + std::to_string(i), "serial", i * 1e-7, 2));
  write_file(report.part("a.json"), json(context_of("serial"), results));
  report.write(report.part("a.json"), "", "");
  const std::string text = test::read_file(page);
  const std::size_t fold = text.find("<details>");
  const std::string first = text.substr(text.find("<svg "), fold - text.find("<svg "));
  for (const std::string& best : {"S10<", "S19<"}) EXPECT_THAT(first, HasSubstr(best));
  for (const std::string& other : {"S20<", "S21<"}) EXPECT_THAT(first, Not(HasSubstr(other)));
  EXPECT_THAT(text.substr(fold), HasSubstr("Both plots of all 12 strategies"));
  for (const std::string& any : {"S10<", "S20<", "S21<"}) EXPECT_THAT(text.substr(fold), HasSubstr(any));
  EXPECT_THAT(text, HasSubstr("data-shown=\"10\"")); // rows of a table, for the script
}

TEST_F(ReportPages, FollowTheReadersLightOrDark) {
  const std::string page = folder_ / "a.html";
  const Report report(page);
  write_file(report.part("a.json"), json(context_of("serial"), {result("Fast", "serial", 1e-7, 2)}));
  report.write(report.part("a.json"), "", "");
  const std::string text = test::read_file(page);
  EXPECT_THAT(text, HasSubstr("@media (prefers-color-scheme: dark)"));
  EXPECT_THAT(text, HasSubstr("name=\"viewport\""));
  const std::size_t plot = text.find("<svg ");
  const std::string picture = text.substr(plot, text.find("</svg>", plot) - plot);
  EXPECT_THAT(picture, HasSubstr("stroke: currentColor"));
  EXPECT_THAT(picture, HasSubstr("<text fill=\"currentColor\""));
  EXPECT_THAT(picture, Not(HasSubstr("fill: #ffffff"))); // no background of its own
}

TEST_F(ReportPages, AreAlsoMarkdownWithTheSameSummary) {
  const std::string page = folder_ / "a.md", data = folder_ / "a.json";
  write_file(data, json(context_of("serial"), {result("Fast", "serial", 1e-7, 2)}));
  ASSERT_EQ(std::system(("python3 " TESSERA_SOURCE_DIR "/tools/report.py --markdown " + page +
                         " compare:" + data + ":again")
                            .c_str()),
            0);
  const std::string text = test::read_file(page);
  EXPECT_THAT(text,
              HasSubstr("- serial: Fast alone ran, with 10 ns an element; it takes 2.00 times the bound"));
  EXPECT_LT(text.find("- serial: Fast"), text.find("(a1.png)"));
  EXPECT_LT(text.find("(a1.png)"), text.find("| strategy |"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a1.png"));
}

TEST_F(ReportPages, BackendsStandSideBySide) {
  const auto write = [](const std::string& path, const std::string& backend, const std::string& mesh,
                        double seconds) {
    Result r = result("Fast", backend, seconds, 2);
    r.mesh = mesh;
    write_file(path, json(context_of(backend), {r}));
    return path;
  };
  const std::string page = folder_ / "a.html";
  const Report report(page);
  const std::string openmp = write(report.part("openmp.json"), "openmp", "box:3", 0.002);
  const std::string serial = write(report.part("serial.json"), "serial", "box:3", 0.003);
  report.write(openmp + "," + serial, "", "tessera-compare");
  EXPECT_THAT(
      test::read_file(page),
      HasSubstr("<th>strategy</th><th>serial [ms]</th><th>openmp [ms]</th><th>serial / openmp</th></tr>"
                "</thead><tbody><tr><td>Fast</td><td>3.00</td><td>2.00</td><td>1.50</td></tr>"));
  const std::string other = write(report.part("other.json"), "openmp", "box:4", 0.002);
  EXPECT_THROW(report.write(serial + "," + other, "", ""), FileError);
}

TEST_F(ReportPages, FailuresAreNamed) {
  const Report report(folder_ / "a.html");
  EXPECT_THAT([&] { report.write(folder_ / "none.json", "", ""); },
              ThrowsMessage<FileError>((folder_ / "a.html") + ": cannot be written: report.py failed"));
}

} // namespace tools_report
