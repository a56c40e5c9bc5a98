// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Names that users write.

#include <algorithm>
#include <string_view>

namespace tessera {

/// Whether two names are the same without regard to the case of their letters (those of ASCII).
inline bool same_name(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return small(x) == small(y); });
}

} // namespace tessera
