// SPDX-License-Identifier: BSD-3-Clause
// The files of tessera-compare: well-formed, complete, and as docs/comparison.md describes them.

#include <tessera/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/files.hpp"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <support/report/result.hpp>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace tools_results {

using namespace tessera;
using namespace tessera::tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Reads a JSON document (RFC 8259) and lists the members of its objects: "results[0].strategy" and its raw
/// value.
class Json {
public:
  explicit Json(const std::string& text) : text_(text) {
    value("");
    space();
    if (at_ != text_.size()) fail("text after the document");
  }
  std::vector<std::pair<std::string, std::string>> members;

  std::string operator[](const std::string& path) const {
    for (const auto& [name, value] : members)
      if (name == path) return value;
    throw std::runtime_error("no member " + path);
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("JSON, character " + std::to_string(at_) + ": " + what);
  }
  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected ") + c);
  }
  std::string token(const char* pattern) {
    space();
    std::smatch match;
    if (!std::regex_search(text_.cbegin() + static_cast<std::ptrdiff_t>(at_), text_.cend(), match,
                           std::regex(pattern), std::regex_constants::match_continuous))
      fail(std::string("expected ") + pattern);
    at_ += match.length();
    return match.str();
  }
  std::string string() { return token(R"("([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*")"); }
  void value(const std::string& path) {
    const std::size_t begin = (space(), at_);
    if (take('{')) {
      if (!take('}')) {
        do {
          const std::string name = string();
          expect(':');
          value(path + (path.empty() ? "" : ".") + name.substr(1, name.size() - 2));
        } while (take(','));
        expect('}');
      }
    } else if (take('[')) {
      if (!take(']')) {
        int index = 0;
        do value(path + "[" + std::to_string(index++) + "]");
        while (take(','));
        expect(']');
      }
    } else if (at_ < text_.size() && text_[at_] == '"') {
      string();
    } else {
      token(R"(true|false|null|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)");
    }
    members.emplace_back(path, text_.substr(begin, at_ - begin));
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::vector<Result> samples() {
  Result fast;
  fast.strategy = "Fast";
  fast.source = "paper 1, 4.1";
  fast.backend = "serial";
  fast.element = "tri1";
  fast.form = "heat";
  fast.scalar = "double";
  fast.mesh = "box:4";
  fast.elements = 32;
  fast.unknowns = 25;
  fast.nonzeros = 145;
  fast.graph_seconds = 0.125;
  fast.plan_seconds = 0.25;
  fast.plan_bytes = 5'000'000'000;
  fast.seconds_median = 2e-3;
  fast.seconds_min = 1e-3;
  fast.seconds_max = 3e-3;
  fast.ns_per_element = 62500;
  fast.error = 1.5e-16;
  fast.deterministic = true;
  Result slow = fast;
  slow.strategy = "Slow";
  slow.seconds_median = 4e-3;
  slow.error = INFINITY;
  slow.agrees = false;
  slow.deterministic = false;
  Result refused = fast;
  refused.strategy = "Refused";
  refused.mesh = "a \"b\"\\c,\n\t.msh";
  refused.unsupported = "needs 99 kB of scratch";
  Result unchecked = fast;
  unchecked.strategy = "Unchecked";
  unchecked.backend = "openmp";
  unchecked.error = -1;
  return {slow, fast, refused, unchecked};
}

TEST(Results, JsonIsWellFormedAndKeepsItsTypes) {
  const Json document(json({{"git_hash", "abc"}, {"kokkos_configuration", "line\n\"two\"\x01"}}, samples()));
  EXPECT_EQ(document["context.git_hash"], "\"abc\"");
  EXPECT_EQ(document["context.kokkos_configuration"], R"("line\n\"two\"\u0001")");
  EXPECT_EQ(document["results[0].strategy"], "\"Slow\"");
  EXPECT_EQ(document["results[0].error"], "null"); // JSON has no infinity
  EXPECT_EQ(document["results[0].agrees"], "false");
  EXPECT_EQ(document["results[1].plan_bytes"], "5000000000");
  EXPECT_EQ(document["results[1].seconds_median"], "0.002");
  EXPECT_EQ(document["results[1].error"], "1.5e-16");
  EXPECT_EQ(document["results[1].deterministic"], "true");
  EXPECT_EQ(document["results[2].mesh"], R"("a \"b\"\\c,\n\u0009.msh")");
  EXPECT_EQ(document["results[2].unsupported"], "\"needs 99 kB of scratch\"");
  EXPECT_EQ(document["results[3].error"], "null");
  const Json empty(json({}, {}));
  EXPECT_EQ(empty["results"], "[\n  ]");
}

/// Names in backquotes in the first column of the tables of docs/comparison.md, after a heading.
std::set<std::string> documented(const std::string& heading) {
  const std::string page = test::read_file(TESSERA_SOURCE_DIR "/docs/comparison.md");
  const auto begin = page.find("\n## `" + heading + "`");
  if (begin == std::string::npos) throw std::runtime_error("docs/comparison.md has no section " + heading);
  std::istringstream lines(page.substr(begin + 1, page.find("\n## ", begin + 1) - begin - 1));
  std::set<std::string> names;
  const std::regex name("`([^`]+)`");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string cell = line.substr(1, line.find('|', 1) - 1);
    for (std::sregex_iterator match(cell.begin(), cell.end(), name), end; match != end; ++match)
      names.insert((*match)[1]);
  }
  return names;
}

TEST(Results, EveryFieldIsDocumentedAndEveryDocumentedFieldWritten) {
  const Json document(json({}, samples()));
  const std::string prefix = "results[0].";
  std::set<std::string> written;
  for (const auto& [name, value] : document.members)
    if (name.starts_with(prefix)) written.insert(name.substr(prefix.size()));
  EXPECT_EQ(written, documented("results"));
}

TEST(Results, CsvHasTheSameFieldsInTheSameOrder) {
  const std::string text = csv(samples());
  const std::string header = text.substr(0, text.find('\n'));
  const Json document(json({}, samples()));
  std::string names;
  for (const auto& [name, value] : document.members)
    if (name.starts_with("results[0].")) names += (names.empty() ? "" : ",") + name.substr(11);
  EXPECT_EQ(header, names);
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n\"Fast\",\"paper 1, 4.1\",\"serial\",\"tri1\",\"heat\",\"double\",\"box:4\",32,25,145,\"\","));
  EXPECT_THAT(text, HasSubstr("\"a \"\"b\"\"\\c,\n\t.msh\"")); // RFC 4180
  EXPECT_THAT(text, HasSubstr(",,true,true,\"\"\n"));          // not checked: an empty field
}

TEST(Results, MarkdownIsASectionWithATable) {
  const std::string text =
      markdown({{"coefficients", "random"}, {"serial_copy_gb_per_s", "10"}, {"date", "today"}}, samples());
  EXPECT_TRUE(text.starts_with("## ")) << text;
  EXPECT_THAT(
      text, HasSubstr(" nonzeros; coefficients random; serial_copy_gb_per_s 10.\n\n| strategy | backend |"));
  EXPECT_THAT(text, HasSubstr("\n| `Fast` | serial | "));
  EXPECT_LT(text.find("`Fast`"), text.find("`Slow`"));
  EXPECT_THAT(text, HasSubstr("needs 99 kB of scratch"));
  std::set<std::ptrdiff_t> columns;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("|")) columns.insert(std::count(line.begin(), line.end(), '|'));
  EXPECT_EQ(columns.size(), 1u);
}

TEST(Results, TableIsSortedAndMarksTheBestOfEachBackend) {
  const std::string text = table(samples());
  std::istringstream lines(text);
  std::vector<std::string> order, best;
  for (std::string line; std::getline(lines, line) && line != "not run:";) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const bool marked = word == "*";
    if (marked) words >> word;
    if (word == "strategy") continue;
    order.push_back(word);
    if (marked) best.push_back(word);
  }
  EXPECT_THAT(order, ElementsAre("Unchecked", "Fast", "Slow"));
  EXPECT_THAT(best, ElementsAre("Unchecked", "Fast"));
  EXPECT_THAT(text, HasSubstr("inf WRONG"));
  EXPECT_THAT(text, HasSubstr("not run:\n  Refused on serial: needs 99 kB of scratch\ngraph on openmp: 0.125 "
                              "s\ngraph on serial: 0.125 s\n"));
}

TEST(Results, FileReplacesWhatWasThere) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("out.json", "old");
  write_file(path, "new");
  EXPECT_EQ(test::read_file(path), "new");
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

TEST(Results, UnwritablePathsAreNamedAndLeaveNothing) {
  const test::TemporaryFolder folder;
  const std::string missing = folder / "no/such/folder.json";
  test::expect_throw_with<FileError>([&] { write_file(missing, "text"); }, missing + ": cannot be written");
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
  std::filesystem::create_directories(folder.path() / "taken" / "inside");
  test::expect_throw_with<FileError>([&] { write_file(folder / "taken", "text"); },
                                     "taken: cannot be written");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("taken"));
}

TEST(Results, FullDiskLeavesWhatWasThere) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("out.json", "old");
  // A file may not grow beyond 1000 bytes: writing fails as on a full disk.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file(path, std::string(100'000, 'x')), FileError);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(test::read_file(path), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("out.json"));
}

} // namespace tools_results
