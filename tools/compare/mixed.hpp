// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assemblies over meshes of several element types.

#include <tessera/strategies/best/machine.hpp>

#include <string>
#include <vector>

namespace tessera::tools {

struct Comparison;
struct Result;

/// Whether a name is that of a list of element types.
bool is_mixed(const std::string& name);

/// Compares assemblies over the blocks of the comparison's mesh on one backend. Strategies that write every
/// value once are refused where several blocks have elements. Compiled once, apart from what one element type
/// needs.
/// \throws ArgumentError for other families, for Stokes' equations, and as `make_mixed_mesh`
template <class ExecutionSpace>
std::vector<Result> compare_mixed(const Comparison& comparison, const Machine& machine);

} // namespace tessera::tools
