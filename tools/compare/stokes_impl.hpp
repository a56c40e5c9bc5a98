// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compiles all assembly strategies for Stokes' equations on an element; included by one source per element.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/catalogue/own_assembly.hpp>

#include "stokes.hpp"

namespace tessera::tools {

template <class Element, class ExecutionSpace>
std::unique_ptr<StokesAssembly<Element, ExecutionSpace>>
make_stokes_assembly(const ExecutionSpace& exec, const std::string& name,
                     const FunctionSpace<Element, ExecutionSpace>& space,
                     const SparsityGraph<ExecutionSpace>& graph) {
  return make_own_assembly<Stokes<Element::dimension>>(exec, name, space, graph);
}

#define TESSERA_STOKES_ON(Element, Space)                                                                    \
  template std::unique_ptr<StokesAssembly<Element, Space>> make_stokes_assembly(                             \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&, const SparsityGraph<Space>&);
#define TESSERA_STOKES(Element) TESSERA_FOR_EACH_SPACE(TESSERA_STOKES_ON, Element)

} // namespace tessera::tools
