// SPDX-License-Identifier: BSD-3-Clause
// The catalogue as documentation shows it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <support/report/catalogue_table.hpp>

namespace tools_catalogue_table {

using ::testing::HasSubstr;

TEST(CatalogueTable, ColumnsAreOfEvenWidth) {
  std::istringstream table(tessera::tools::catalogue_table());
  std::string line, previous;
  while (std::getline(table, line)) {
    if (!previous.empty() && !line.empty()) {
      EXPECT_EQ(line.size(), previous.size()) << line;
    }
    previous = line;
  }
}

TEST(CatalogueTable, TellsWhatRepeats) {
  const std::string table = tessera::tools::catalogue_table();
  EXPECT_THAT(table,
              ::testing::ContainsRegex("\\| `ElementAtomic` +\\| the modern baseline +\\| to rounding"));
  EXPECT_THAT(table, ::testing::ContainsRegex("\\| `NodeByNode` +\\| paper 5, section 2.2 +\\| bitwise"));
}

TEST(CatalogueTable, HasTheFamiliesAskedFor) {
  const std::string residuals = tessera::tools::catalogue_table({"residual"});
  EXPECT_THAT(residuals, ::testing::ContainsRegex("\\| `RecomputingResidual/patches` +\\|.*\\| bitwise"));
  EXPECT_THAT(residuals, ::testing::Not(HasSubstr("ElementAtomic")));
  EXPECT_THAT(tessera::tools::catalogue_table(), HasSubstr(residuals));
  const tessera::test::TemporaryFolder folder;
  const std::string tool = TESSERA_BINARY_DIR "/bin/tessera-compare --list";
  for (const std::string family : {"assembly", "apply", "residual"}) {
    ASSERT_EQ(tessera::test::run_in(folder, tool + " --family " + family), 0);
    EXPECT_EQ(tessera::test::read_file(folder / "log"), tessera::tools::catalogue_table({family}));
  }
}

TEST(CatalogueTable, DocumentationHoldsIt) {
#ifndef TESSERA_HAVE_KOKKOSKERNELS
  GTEST_SKIP() << "the page shows the catalogue with Kokkos Kernels, which has a variant more";
#endif
  std::ifstream file(TESSERA_SOURCE_DIR "/docs/strategies.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(tessera::tools::catalogue_table()))
      << "put what `tessera-compare --list` prints into docs/strategies.md";
}

} // namespace tools_catalogue_table
