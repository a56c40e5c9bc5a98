// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the tools print for `--version`.

#include <tessera/core/version.hpp>

#include <Kokkos_Core.hpp>

#include <build_info.hpp>
#include <ostream>

namespace tessera::tools {

/// The version, its commit, the library's configuration, and Kokkos' settings.
inline void print_version(std::ostream& out) {
  out << "tessera " << version() << " (" << git_hash << ")\n" << configuration();
  Kokkos::print_configuration(out);
}

} // namespace tessera::tools
