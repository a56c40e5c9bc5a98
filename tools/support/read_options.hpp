// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How the tools read mesh files: with progress on a terminal, and a line for what is changed.

#include "support/progress.hpp"
#include <cstdio>
#include <string>

namespace tessera::tools {

/// Help of --refuse-turned.
inline constexpr const char* refuse_turned_help =
    "refuse cells whose nodes are numbered the other way round, which are turned otherwise";

/// Says on stderr which cells the reader turned, unless `refuse_turned`.
inline io::ReadOptions read_options(const std::string& path, bool allow_partial, bool refuse_turned) {
  io::ReadOptions options{progress_line(path), allow_partial};
  if (!refuse_turned)
    options.turned = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  return options;
}

} // namespace tessera::tools
