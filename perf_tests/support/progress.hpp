#pragma once

/// \file
/// How far a file has been read, on one line of a terminal.

#include <tessera/io/input_file.hpp>

#include <cstdio>
#include <string>
#include <unistd.h>

namespace tessera::tools {

/// Writes "reading part.msh  43 %" and rewrites that line at each percent, where `out` is a terminal;
/// elsewhere nothing, so that logs stay clean.
inline io::Progress progress_line(const std::string& path, std::FILE* out = stderr) {
  if (::isatty(::fileno(out)) == 0) return {};
  return [path, out, last = -1](double fraction) mutable {
    const int percent = static_cast<int>(100 * fraction);
    if (percent == last) return;
    last = percent;
    std::fprintf(out, "\rreading %s %3d %%%s", path.c_str(), percent, percent == 100 ? "\n" : "");
    std::fflush(out);
  };
}

} // namespace tessera::tools
