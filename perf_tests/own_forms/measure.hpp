// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The assemblies that Best chooses among, measured and predicted for forms of an application.

#include <string>

namespace tessera::tools {

/// Cases, and those in which the strategy that comes first takes at most 1.1 and more than 1.5 times as long
/// as the fastest; times, and those that the prediction is within 30 % of.
struct Hits {
  int cases = 0, close = 0, slow = 0, times = 0, predicted = 0;
};

/// Measures both forms on meshes of one element, prints a line for each strategy, and counts. Defined in
/// measure_impl.hpp, instantiated in a source for each element.
template <class Element, class ExecutionSpace>
void measure_own_forms(const ExecutionSpace& exec, int cells, Hits& hits);

} // namespace tessera::tools
