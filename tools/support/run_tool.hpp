// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What every tool's main does.

#include <Kokkos_Core.hpp>

#include <iostream>
#include <optional>

namespace tessera::tools {

/// Calls `run` with Kokkos initialised, and returns its exit status. Kokkos gets those of the arguments that
/// begin with --kokkos-, unless it is given settings. More threads than Kokkos runs are refused. An exception
/// becomes "NAME: what" on the error stream, and the exit status 2 if it is one of the library, for bad input
/// mostly, or 1 if it is another of the standard library. A tool that mpiexec has started more than once says
/// so, and ends with 2.
int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv,
             const std::optional<Kokkos::InitializationSettings>& settings = {});

/// The same for one process of many, with its own stream for errors.
int run_process(const char* name, int (*run)(int, char**), int argc, char** argv,
                const std::optional<Kokkos::InitializationSettings>& settings, std::ostream& errors);

} // namespace tessera::tools
