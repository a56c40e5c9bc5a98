// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/input_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <support/files.hpp>
#include <sys/stat.h>
#include <vector>

namespace io_input_file {

using namespace tessera;
using io::InputFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(InputFile, WordsNumbersAndLines) {
  const test::TemporaryFolder folder;
  InputFile file(folder.write("a", "  alpha 12\t-3\r\n+4.5 1e-3 .5 5. -0\n\nrest of  it\nlast"));
  EXPECT_EQ(file.word(), "alpha");
  EXPECT_EQ(file.integer("a number"), 12);
  EXPECT_EQ(file.integer("a number"), -3);
  EXPECT_EQ(file.line(), 1u);
  EXPECT_EQ(file.real("a number"), 4.5);
  EXPECT_EQ(file.line(), 2u);
  EXPECT_EQ(file.real("a number"), 1e-3);
  EXPECT_EQ(file.real("a number"), 0.5);
  EXPECT_EQ(file.real("a number"), 5.0);
  EXPECT_EQ(file.integer("a number"), 0);
  EXPECT_EQ(file.rest_of_line(), "");
  EXPECT_EQ(file.rest_of_line(), "");
  EXPECT_EQ(file.line(), 3u);
  std::string_view line;
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "rest of  it");
  EXPECT_EQ(file.line(), 4u);
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(file.next_line(line));
  EXPECT_EQ(file.word(), "");
  EXPECT_EQ(file.remaining(), 0u);
}

TEST(InputFile, NumbersAcrossTheBuffersEnd) {
  // Three megabytes of numbers, so that some straddle the ends of the buffer.
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i) + (i % 7 == 0 ? "\n" : "  ") + "0.25 ";
  InputFile file(folder.write("a", text));
  for (int i = 0; i < 300000; ++i) {
    ASSERT_EQ(file.integer("a number"), i);
    ASSERT_EQ(file.real("a number"), 0.25);
  }
}

TEST(InputFile, LinesLongerThanTheBuffer) {
  const test::TemporaryFolder folder;
  const std::string longest(5'000'000, 'x');
  InputFile file(folder.write("a", "first\n" + longest + "\nlast\n"));
  std::string_view line;
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "first");
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, longest);
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "last");
  EXPECT_EQ(file.line(), 3u);
  EXPECT_FALSE(file.next_line(line));
}

TEST(InputFile, RawBytesAndMarks) {
  const test::TemporaryFolder folder;
  std::string content("head\n\x01\x02\x00\x00", 9);
  content += std::string(2'000'000, '\n') + "$EndMark after";
  InputFile file(folder.write("a", content));
  EXPECT_EQ(file.word(), "head");
  file.end_line();
  EXPECT_EQ(file.raw<std::int32_t>("a number"), 0x0201);
  EXPECT_TRUE(file.skip_past("$EndMark"));
  EXPECT_EQ(file.word(), "after");
  EXPECT_FALSE(file.skip_past("$EndMark"));
  EXPECT_EQ(file.remaining(), 0u);
}

TEST(InputFile, MessagesNameFileLineAndWhatWasExpected) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad", "1\n2 x3\n\n1e999 nan 99999999999999999999 12abc 1e-999 7");
  InputFile file(path);
  EXPECT_EQ(file.integer("a count"), 1);
  EXPECT_EQ(file.integer("a count"), 2);
  EXPECT_THAT([&] { file.integer("a count"); },
              ThrowsMessage<FileError>(path + ":2: expected a count, an integer, but found 'x3'"));
  EXPECT_THAT([&] { file.real("a length"); },
              ThrowsMessage<FileError>(path + ":4: expected a length, a finite number, but found '1e999'"));
  EXPECT_THAT([&] { file.real("a length"); },
              ThrowsMessage<FileError>(path + ":4: expected a length, a finite number, but found 'nan'"));
  EXPECT_THAT([&] { file.integer("a count"); },
              ThrowsMessage<FileError>(HasSubstr("'99999999999999999999'")));
  EXPECT_THAT([&] { file.integer("a count"); }, ThrowsMessage<FileError>(HasSubstr("'12abc'")));
  EXPECT_EQ(file.real("a length"), 0.0) << "underflow";
  EXPECT_EQ(file.integer("a count"), 7);
  EXPECT_THAT([&] { file.integer("a count"); },
              ThrowsMessage<FileError>(path + ":4: the file ends where a count was expected"));
  EXPECT_THAT(
      [&] { file.raw<double>("a length"); },
      ThrowsMessage<FileError>(HasSubstr("the file ends where a length was expected, after 53 bytes")));
}

TEST(InputFile, EndlessWordsAndNumbersAreRefused) {
  const test::TemporaryFolder folder;
  for (const char digit : {'0', '7', 'q'}) {
    InputFile file(folder.write("a", std::string(3'000'000, digit)));
    EXPECT_THAT([&] { file.integer("a count"); },
                ThrowsMessage<FileError>(HasSubstr("a word of more than 255 characters")));
  }
}

TEST(InputFile, WhatCannotBeOpened) {
  const test::TemporaryFolder folder;
  EXPECT_THAT([&] { InputFile file(folder / "none"); },
              ThrowsMessage<FileError>(folder / "none" + ": cannot be opened: No such file or directory"));
  EXPECT_THAT([&] { InputFile file(folder.path().string()); },
              ThrowsMessage<FileError>(folder.path().string() + ": is a folder, not a file"));
}

TEST(InputFile, FifosAreNotWaitedFor) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT([&] { InputFile file(path); }, ThrowsMessage<FileError>(path + ": is a FIFO, not a file"));
}

TEST(InputFile, LinesWithoutAnEndAreTold) {
  const test::TemporaryFolder folder;
  InputFile file(folder.write("a", "one\ntwo"));
  std::string_view line;
  ASSERT_TRUE(file.next_line(line));
  EXPECT_NO_THROW(file.require_line_end());
  ASSERT_TRUE(file.next_line(line));
  EXPECT_THAT([&] { file.require_line_end(); },
              ThrowsMessage<FileError>(file.path() +
                                       ":2: the file ends in the middle of a line: it may be cut "
                                       "short; if it is not, end the line"));
}

TEST(InputFile, GoesBackToALine) {
  const test::TemporaryFolder folder;
  const std::string filler(3'000'000, 'x'); // longer than the buffer
  InputFile file(folder.write("a", "\xef\xbb\xbf"
                                   "first\nsecond\n" +
                                       filler + "\nlast\n"));
  std::string_view line;
  ASSERT_TRUE(file.next_line(line));
  const std::uint64_t position = file.position();
  while (file.next_line(line)) {
  }
  file.go_to(position, 2);
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "second");
  EXPECT_EQ(file.line(), 2u);
  ASSERT_TRUE(file.next_line(line));
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "last");
  EXPECT_EQ(file.line(), 4u);
  EXPECT_FALSE(file.next_line(line));
  const std::string path = folder.write("short", "x\n");
  InputFile other(path);
  EXPECT_THAT([&] { other.go_to(3, 7); },
              ThrowsMessage<FileError>(path + ":7: cannot be read from there on"));
}

TEST(InputFile, ProgressGoesUpToOne) {
  const test::TemporaryFolder folder;
  std::vector<double> seen;
  InputFile file(folder.write("a", std::string(2'500'000, '\n')),
                 [&](double fraction) { seen.push_back(fraction); });
  EXPECT_EQ(file.word(), "");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
}

} // namespace io_input_file
