// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How far a file has been read, on one line of a terminal; and when METIS begins.

#include <tessera/io/detail/input_file.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
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

/// Writes "[    3.1 s] METIS: 512 parts of 1800000 items" to stderr from now on, where METIS begins on so
/// many items that it takes seconds. Profilers hear of its regions as before. After Kokkos::initialize.
inline void announce_metis() {
  namespace Tools = Kokkos::Tools::Experimental;
  static const Kokkos::Timer timer;
  static const auto profiler = Tools::get_callbacks().push_region;
  Tools::set_push_region_callback([](const char* name) {
    if (profiler != nullptr) profiler(name);
    constexpr std::string_view metis = "Tessera::Partition::metis: ", of = " of ";
    constexpr long many = 100'000;
    const std::string_view region = name;
    if (!region.starts_with(metis)) return;
    if (std::strtol(name + region.find(of) + of.size(), nullptr, 10) >= many)
      std::fprintf(stderr, "[%7.1f s] METIS: %s\n", timer.seconds(), name + metis.size());
  });
}

} // namespace tessera::tools
