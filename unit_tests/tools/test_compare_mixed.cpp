// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare on files with cells of several types: a row for each strategy that adds, in agreement with
// the assembled sum of the blocks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "four_solids.hpp"
#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace tools_compare_mixed {

using namespace tessera;
using ::testing::HasSubstr;

class CompareMixed : public ::testing::Test {
protected:
  int compare(const std::string& arguments) {
    return test::run_in(folder_, TESSERA_BINARY_DIR "/bin/tessera-compare --repetitions 1 " + arguments);
  }
  std::string printed() const { return test::read_file(folder_ / "log"); }

  /// Values of a column of results.csv, by strategy; texts in quotes.
  std::vector<std::string> column(const std::string& name) const {
    std::istringstream file(test::read_file(folder_ / "results.csv"));
    std::vector<std::string> values;
    std::optional<std::ptrdiff_t> wanted;
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> fields(1);
      bool quoted = false;
      for (const char c : line) {
        quoted ^= c == '"';
        if (c == ',' && !quoted)
          fields.emplace_back();
        else
          fields.back() += c;
      }
      if (!wanted)
        wanted = std::find(fields.begin(), fields.end(), name) - fields.begin();
      else
        values.push_back(fields.at(static_cast<std::size_t>(*wanted)));
    }
    return values;
  }

  test::TemporaryFolder folder_;
};

TEST_F(CompareMixed, EveryStrategyThatAddsAgreesAndOthersAreRefusedByName) {
  folder_.write("four.msh", test::four_solids());
  for (const std::string options :
       {"--form helmholtz", "--form elasticity --scalar float", "--form heat --order hilbert"}) {
    ASSERT_EQ(compare("--mesh four.msh --csv results.csv --json results.json " + options), 0) << printed();
    const auto strategies = column("strategy"), refusals = column("unsupported"), errors = column("error"),
               times = column("seconds_median"), agrees = column("agrees"), elements = column("element");
    ASSERT_GT(strategies.size(), 20u);
    int rows = 0;
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      EXPECT_EQ(agrees[i], "true") << strategies[i];
      EXPECT_EQ(elements[i], "\"hex1+wedge1+pyramid1+tet1\"");
      const bool writes_once =
          strategies[i].starts_with("\"RowOwner") || strategies[i].starts_with("\"Patch");
      if (writes_once) {
        EXPECT_THAT(refusals[i], HasSubstr(strategies[i].substr(1, 5))) << strategies[i];
        continue;
      }
      EXPECT_EQ(refusals[i], "\"\"") << strategies[i];
      EXPECT_GT(std::stod(times[i]), 0) << strategies[i];
      EXPECT_GE(std::stod(errors[i]), 0) << strategies[i];
      ++rows;
    }
    EXPECT_GT(rows, 15);
    EXPECT_THAT(test::read_file(folder_ / "results.json"),
                HasSubstr("\"element\": \"hex1+wedge1+pyramid1+tet1\""));
  }
}

TEST_F(CompareMixed, OneBlockAloneTakesAnyStrategy) {
  folder_.write("four.msh", test::four_solids());
  EXPECT_EQ(compare("--mesh four.msh --element tet1 --allow-partial --strategies RowOwner --csv results.csv"),
            0)
      << printed();
  EXPECT_THAT(printed(),
              HasSubstr("four.msh: left out are 1 hex1, 1 wedge1 and 1 pyramid1 cells, 3 cells of cell set "
                        "'all', 2 sides of side set 'floor', "));
  EXPECT_EQ(compare("--mesh four.msh --element quad1+tri1 --strategies RowOwner"), 2);
}

TEST_F(CompareMixed, WhatIsForOneTypeIsRefused) {
  folder_.write("four.msh", test::four_solids());
  for (const std::string family : {"apply", "residual"}) {
    EXPECT_EQ(compare("--mesh four.msh --family " + family), 2);
    EXPECT_THAT(printed(), HasSubstr("--family " + family + " is for meshes of one element type"));
  }
  EXPECT_EQ(compare("--mesh four.msh --form stokes"), 2);
  EXPECT_THAT(printed(), HasSubstr("--form stokes is for meshes of one element type"));
  EXPECT_EQ(compare("--mesh four.msh --bend 0.1"), 2);
  EXPECT_THAT(printed(), HasSubstr("--bend is for meshes of one element type"));
}

} // namespace tools_compare_mixed
