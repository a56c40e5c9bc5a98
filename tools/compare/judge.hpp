// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How good the choices and predictions by a table of times are, by its own times or others.

#include <tessera/strategies/best/calibration.hpp>

#include <string>

namespace tessera::tools {

/// A text with a line for each family: in how many cases (element, form, scalar and mesh) the strategy that
/// comes first by a table takes at most 1.1 and 1.5 times as long as the fastest, plans left aside, and for
/// how many times the prediction is within 30 %; apart for the meshes that predictions rest on and for
/// others. Then a line for each case in which the choice takes more than 1.1 times as long.
/// \param times what was measured
/// \param table what is chosen and predicted by
std::string judgement(const Calibration& times, const Calibration& table);

} // namespace tessera::tools
