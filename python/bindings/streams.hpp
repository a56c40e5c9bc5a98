// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Streams of the caller's device, and the instance of Kokkos on one of them.

#include "arrays.hpp"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace tessera::python {

/// A stream as Python's packages hand it over: the address that a `cudaStream_t` or `hipStream_t` is.
using Stream = std::uintptr_t;

/// What solvers, and the plans that are made now, compute on: the instance on the stream of `use_stream`, or
/// the default one. \throws Error unless Kokkos is initialized
Exec instance();

/// From now on `instance()` is on this stream, which is to outlive what is made meanwhile; without one it is
/// the default instance again.
/// \returns the stream until now, if there was one
/// \throws UnsupportedError where `Exec` has no streams
std::optional<Stream> use_stream(std::optional<Stream> stream);

/// The stream that `instance()` is on; 0 where `Exec` has none.
Stream current_stream();
/// Waits for all that has been handed to a stream.
void wait_for(Stream stream);

/// The number of the device that `Exec` computes on.
inline int device_id() { return std::max(0, Kokkos::device_id()); }

} // namespace tessera::python
