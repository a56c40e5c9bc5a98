// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers that count over all ranks.

#include <cstdint>

namespace tessera::distributed {

/// Number of a node or element in the mesh of all ranks.
using GlobalOrdinal = std::int64_t;

} // namespace tessera::distributed
