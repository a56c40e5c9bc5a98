// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What main does of a tool that runs on many ranks.

namespace tessera::tools {

/// `run_tool` between MPI_Init and MPI_Finalize. Errors that all ranks throw are printed once. A rank that
/// fails alone, while others wait for its messages, gives them five seconds to come to an end, then prints
/// its error and ends all of them. Ranks that were given different arguments end with 2 before any work.
int run_on_ranks(const char* name, int (*run)(int, char**), int argc, char** argv);

} // namespace tessera::tools
