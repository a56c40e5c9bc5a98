// SPDX-License-Identifier: BSD-3-Clause
// The line that tells how far a file has been read.

#include <tessera/core/partition/partition.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <support/progress.hpp>
#include <unistd.h>

namespace tools_progress {

using tessera::tools::progress_line;

TEST(ProgressLine, IsRewrittenOnATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  std::FILE* out = std::fopen(::ptsname(terminal), "w");
  ASSERT_NE(out, nullptr);
  const auto progress = progress_line("a.msh", out);
  ASSERT_TRUE(progress);
  for (const double fraction : {0.0, 0.004, 0.43, 0.4301, 1.0, 1.0}) progress(fraction);
  std::fflush(out);
  // A terminal hands on what was written piece by piece.
  std::string text;
  char piece[200];
  pollfd waiting{terminal, POLLIN, 0};
  while (!text.ends_with("100 %\r\n") && ::poll(&waiting, 1, 10'000) > 0) {
    const ssize_t length = ::read(terminal, piece, sizeof piece);
    if (length <= 0) break;
    text.append(piece, static_cast<std::size_t>(length));
  }
  std::fclose(out);
  ::close(terminal);
  EXPECT_EQ(text, "\rreading a.msh   0 %\rreading a.msh  43 %\rreading a.msh 100 %\r\n");
}

TEST(ProgressLine, IsNotWrittenToFiles) {
  std::FILE* out = std::tmpfile();
  EXPECT_FALSE(progress_line("a.msh", out));
  std::fclose(out);
}

/// METIS itself says nothing, for minutes.
TEST(Metis, IsAnnouncedWhereItTakesLong) {
  tessera::tools::announce_metis();
  const auto partition = [](tessera::Ordinal items) {
    tessera::detail::ItemGraph<idx_t> ring;
    for (tessera::Ordinal i = 0; i < items; ++i) {
      ring.neighbors.push_back((i + 1) % items);
      ring.neighbors.push_back((i + items - 1) % items);
      ring.offsets.push_back(static_cast<idx_t>(ring.neighbors.size()));
    }
    testing::internal::CaptureStderr();
    tessera::detail::partition_by_metis("test", ring, {.parts = 16});
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(partition(1000), "");
  const std::string line = partition(150'000);
  EXPECT_NE(line.find(" s] METIS: 16 parts of 150000 items\n"), std::string::npos) << line;
  Kokkos::Tools::Experimental::set_callbacks({});
}

} // namespace tools_progress
