// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a reader leaves out of a file where ReadOptions::allow_partial lets it.

#include <tessera/io/detail/input_file.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace tessera::io {

/// Counts what is left out, by its kind.
class LeftOut {
public:
  /// \param what "elements of type S3", "elements of cell set 'A'"
  void add(const std::string& what, std::int64_t count = 1) { counts_[what] += count; }

  std::int64_t total() const;

  /// "12 elements of type S3, 3 elements of cell set 'A'"; empty if nothing is left out
  std::string list() const;

  /// Tells what is left out of a file, if anything is.
  void tell(const std::string& source, const Listener& listener) const;

private:
  std::map<std::string, std::int64_t> counts_;
};

} // namespace tessera::io
