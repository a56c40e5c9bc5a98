// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Multigrid is written in the words of the sparse toolkit.

#include <tessera/solvers/sparse/detail/types.hpp>

namespace tessera::solvers::multigrid::detail {

using namespace sparse::detail;

} // namespace tessera::solvers::multigrid::detail
