// SPDX-License-Identifier: BSD-3-Clause
// tessera-draw: what it needs and does not get is named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace tools_draw {

using namespace tessera;
using ::testing::HasSubstr;

const std::string draw = TESSERA_BINARY_DIR "/bin/tessera-draw --generate box:4 --element hex1 ";

class Draw : public ::testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(TESSERA_BINARY_DIR "/bin/tessera-draw")) GTEST_SKIP() << "built without VTK";
  }
  test::TemporaryFolder folder_;
};

TEST_F(Draw, LittleMemoryIsAMessage) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself takes more";
#endif
  for (const int megabytes : {400, 600, 900}) {
    const int status = test::run_in(folder_, "ulimit -v " + std::to_string(megabytes * 1000) + "; exec " +
                                                 draw + "--output a.png");
    const std::string printed = test::read_file(folder_ / "log");
    EXPECT_LT(status, 128) << megabytes << " MB: " << printed; // no signal
    EXPECT_EQ(std::filesystem::exists(folder_ / "a.png"), status == 0) << megabytes << " MB: " << printed;
    std::filesystem::remove(folder_ / "a.png");
  }
  EXPECT_EQ(test::run_in(folder_, draw + "--output a.png"), 0) << test::read_file(folder_ / "log");
}

TEST_F(Draw, ManyPartsAreCutAlongTheCurve) {
  EXPECT_EQ(test::run_in(folder_, draw + "--show partition --parts 64 --output few.png"), 0);
  EXPECT_THAT(test::read_file(folder_ / "log"), HasSubstr("partition by METIS into 64 parts\n"));
  EXPECT_EQ(test::run_in(folder_, TESSERA_BINARY_DIR "/bin/tessera-draw --generate box:12 --element hex1 "
                                                     "--show partition --parts 1000 --output many.png"),
            0);
  EXPECT_THAT(test::read_file(folder_ / "log"),
              HasSubstr("partition by METIS into 512 parts, cut along the Hilbert curve"));
}

} // namespace tools_draw
