// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a catalogue says of a strategy.

#include <string>

namespace tessera {

/// A strategy of a catalogue as tables show it.
struct StrategyInfo {
  std::string name;   ///< what `make_assembly` and its like take, without regard to case
  std::string source; ///< paper and section
  bool deterministic; ///< bitwise equal from run to run on any backend
};

} // namespace tessera
