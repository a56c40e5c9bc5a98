// The page that tessera-compare --report writes.

#include <tessera/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/report.hpp"
#include "support/result.hpp"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <support/files.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace tessera;
using namespace tessera::tools;
using ::testing::HasSubstr;
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
    const std::string data = report.part("a.json");
    parts = std::filesystem::path(data).parent_path();
    write_file(data, json(context, {slow, fast, none}));
    report.write(data, "", "tessera-compare --mesh 'a<b.msh'");
  }
  EXPECT_FALSE(std::filesystem::exists(parts));
  const std::string text = test::read_file(page);
  for (const char* expected :
       {"<td>Fast</td>", "<td>Slow</td>", "needs 99 kB of scratch", "a&lt;b.msh", "abacus",
        "tessera-compare --mesh &#x27;a&lt;b.msh&#x27;", "src=\"data:image/png;base64,"})
    EXPECT_THAT(text, HasSubstr(expected));
}

TEST_F(ReportPages, BackendsStandSideBySide) {
  const auto write = [](const std::string& path, const std::string& backend, const std::string& mesh,
                        double seconds) {
    Result r;
    r.strategy = "Fast";
    r.backend = backend;
    r.mesh = mesh;
    r.elements = 10;
    r.gb_per_s = r.gflop_per_s = r.ns_per_element = r.bound_ratio = 2;
    r.seconds_median = seconds;
    write_file(path, json({{"tessera_version", "1"},
                           {"git_hash", "abc"},
                           {"kokkos_version", "5"},
                           {"compiler", "16"},
                           {"date", "today"},
                           {backend + "_copy_gb_per_s", "10"},
                           {backend + "_gflop_per_s", "10"}},
                          {r}));
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
                "<tr><td>Fast</td><td>3.00</td><td>2.00</td><td>1.50</td></tr>"));
  const std::string other = write(report.part("other.json"), "openmp", "box:4", 0.002);
  EXPECT_THROW(report.write(serial + "," + other, "", ""), FileError);
}

TEST_F(ReportPages, FailuresAreNamed) {
  const Report report(folder_ / "a.html");
  EXPECT_THAT([&] { report.write(folder_ / "none.json", "", ""); },
              ThrowsMessage<FileError>((folder_ / "a.html") + ": cannot be written: report.py failed"));
}

} // namespace
