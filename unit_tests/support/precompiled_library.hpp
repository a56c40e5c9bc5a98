// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What nearly all tests of strategies and solvers call; precompiled_core.hpp says how it is instantiated
// once.

#include <tessera/tessera.hpp>

#include "support/precompiled_core.hpp"

namespace tessera::test {

template <class Element, class Space>
void precompile_plans() {
  const Space exec;
  const FunctionSpace<Element, Space> space(io::box_mesh<Element, Space>({}), 1);
  residual::RecomputingResidual().plan(exec, space);
  assembly::ElementAtomic().plan(exec, space, sparsity_graph(exec, space));
  mesh_features(exec, space.mesh());
}

template <class Space>
void precompile_library() {
  precompile_plans<Tri<1>, Space>();
  precompile_plans<Quad<1>, Space>();
  precompile_plans<Tet<1>, Space>();
  precompile_plans<Hex<1>, Space>();
  const MixedSpace space(MixedBox(1, straight).mesh<Space>(), 1);
  sparsity_graph(Space(), space);
  boundary_sides(space.mesh());
}

#define TESSERA_PRECOMPILE_LIBRARY(Unused, Space) precompile_library<Space>();
inline void precompile_with_library() { TESSERA_FOR_EACH_SPACE(TESSERA_PRECOMPILE_LIBRARY, unused) }

} // namespace tessera::test
