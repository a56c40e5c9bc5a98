// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/left_out.hpp>

namespace tessera::io {

std::int64_t LeftOut::total() const {
  std::int64_t sum = 0;
  for (const auto& [what, count] : counts_) sum += count;
  return sum;
}

std::string LeftOut::list() const {
  std::string list;
  for (const auto& [what, count] : counts_)
    if (count > 0) list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return list;
}

void LeftOut::tell(const std::string& source, const Listener& listener) const {
  const std::string what = list();
  if (listener && !what.empty()) listener(source + ": left out are " + what);
}

} // namespace tessera::io
