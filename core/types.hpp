#pragma once

/// \file
/// The integer types of the library: 32-bit local ordinals, 64-bit offsets wherever a count can pass 2^31.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Number of a node, element, row or column on this process.
using Ordinal = std::int32_t;

/// Position in the values of a sparse matrix or in any array that can pass 2^31 entries.
using Offset = std::size_t;

} // namespace tessera
