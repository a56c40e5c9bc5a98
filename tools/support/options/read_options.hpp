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
    "refuse cells whose nodes are numbered the other way round, which are turned otherwise, and those that "
    "name a node twice, which are read as the wedges, pyramids, tetrahedra or triangles that they are";

/// Says on stderr what the reader left out, and, unless `refuse_turned`, which cells it turned or read as
/// others.
inline io::ReadOptions read_options(const std::string& path, bool allow_partial, bool refuse_turned) {
  const auto say = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  io::ReadOptions options{progress_line(path), allow_partial};
  options.left_out = say;
  if (!refuse_turned) options.turned = options.collapsed = say;
  return options;
}

} // namespace tessera::tools
