// SPDX-License-Identifier: BSD-3-Clause
// What a program has that instantiates a strategy of the catalogue's itself.

#include <tessera/strategies/assembly/element_atomic.hpp>

#include "speed.hpp"

namespace {

void assemble(const Space& exec, const Triangles& space, const System& system) {
  auto own = tessera::assembly::ElementAtomic().plan(exec, space, system.graph());
#ifdef __OPTIMIZE__
  report("own", own, space, system);
#else
  own.assemble(tessera::LinearElasticity<2>{}, system); // takes long and is compared with nothing
#endif
}

const bool has_own = [] {
  assemble_by_own = assemble;
  return true;
}();

} // namespace
