// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/text.hpp>

#include <gtest/gtest.h>

namespace io_text {

using namespace tessera;

TEST(Text, WholeTextsOnly) {
  double real = 0.0;
  std::int64_t integer = 0;
  EXPECT_TRUE(io::parse("1.5D+03", real));
  EXPECT_EQ(real, 1500.0);
  EXPECT_TRUE(io::parse("-.25d0", real));
  EXPECT_EQ(real, -0.25);
  EXPECT_TRUE(io::parse("+7", integer));
  EXPECT_EQ(integer, 7);
  for (const char* text : {"", "+", "+-7", "7.", "7 ", "0x7", "seven"})
    EXPECT_FALSE(io::parse(text, integer)) << text;
  for (const char* text : {"", "+", "++7", "7 ", "inf", "nan", "1e", "1e400", "1,5"})
    EXPECT_FALSE(io::parse(text, real)) << text;
  EXPECT_EQ(io::in_quotes(std::string("a\x01") + std::string(50, 'b')),
            "'a?" + std::string(38, 'b') + "...'");
  EXPECT_EQ(io::shown(0.5), "0.5");
  EXPECT_EQ(io::shown(1e-300), "1e-300");
}

} // namespace io_text
