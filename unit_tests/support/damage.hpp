// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Damaged copies of files, each as the generator of random numbers has it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

/// With one bit the other way round.
inline std::string flipped(std::string content, std::mt19937& random) {
  char& byte = content[random() % content.size()];
  byte = static_cast<char>(byte ^ 1 << random() % 8);
  return content;
}

/// With an extreme number in the place of four or eight bytes.
inline std::string overwritten(std::string content, std::mt19937& random) {
  const std::int64_t values[] = {-1,
                                 0,
                                 1,
                                 0x7fffffff,
                                 0x80000000,
                                 0x7fffffffffffffff,
                                 std::int64_t{1} << 40,
                                 std::numeric_limits<std::int64_t>::min()};
  const std::size_t length = random() % 2 == 0 ? 4 : 8;
  std::memcpy(&content[random() % (content.size() - length)], &values[random() % std::size(values)], length);
  return content;
}

/// With a wrong or huge number in the place of a number of a text, more often near its start.
inline std::string with_another_number(std::string content, std::mt19937& random) {
  const char* values[] = {"0",
                          "-1",
                          "2147483647",
                          "2147483648",
                          "1000000000",
                          "4294967297",
                          "9223372036854775807",
                          "99999999999999999999999",
                          "1e308",
                          "1e309",
                          "nan",
                          "1.5",
                          ""};
  std::vector<std::pair<std::size_t, std::size_t>> numbers; // first character, length
  for (std::size_t i = 0; i < content.size();) {
    std::size_t end = i;
    while (end < content.size() && content[end] >= '0' && content[end] <= '9') ++end;
    if (end > i) numbers.emplace_back(i, end - i);
    i = std::max(end, i + 1);
  }
  const std::size_t among = random() % 2 == 0 ? std::min<std::size_t>(numbers.size(), 40) : numbers.size();
  const auto [at, length] = numbers[random() % among];
  return content.replace(at, length, values[random() % std::size(values)]);
}

} // namespace tessera::test
