// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How the launches of colored strategies reach the device.

namespace tessera {

/// How the kernels of the colors, one launch each, are given to the device.
enum class ColorLaunches {
  automatic, ///< `graph` where the device can, else `separate`
  separate,  ///< one after the other
  graph,     ///< together, as one CUDA graph: see `ColorGraph`
};

} // namespace tessera
