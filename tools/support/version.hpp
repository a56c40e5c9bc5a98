#pragma once

/// \file
/// What the tools print for `--version`.

#include <Kokkos_Core.hpp>

#include <build_info.hpp>
#include <ostream>

namespace tessera::tools {

/// The version, its commit, and Kokkos' version, backends and settings.
inline void print_version(std::ostream& out) {
  out << "tessera " << version << " (" << git_hash << ")\n";
  Kokkos::print_configuration(out);
}

} // namespace tessera::tools
