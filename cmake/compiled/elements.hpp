// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What depends on an element and the execution space, compiled once for every element, in elements.cpp.

#include <tessera/cmake/compiled/spaces.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/assembly/common/assembly_state.hpp>
#include <tessera/strategies/common/node_blocks.hpp>

namespace tessera {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_ASSEMBLY_STATE(Prefix, Scalar, Element, Space)                                               \
  Prefix template void detail::AssemblyState<Element, Space>::check_system(                                  \
      const LinearSystem<Scalar, Space>&) const;                                                             \
  Prefix template void detail::finish_system(const Space&, const FunctionSpace<Element, Space>&,             \
                                             const SparsityGraph<Space>&,                                    \
                                             const SystemKernel<Space, Scalar>&);

#define TESSERA_ELEMENT(Prefix, Element, Space)                                                              \
  Prefix template class Mesh<Element, Space>;                                                                \
  Prefix template class FunctionSpace<Element, Space>;                                                       \
  Prefix template std::string detail::first_wrong_side(const Space&, const Mesh<Element, Space>&,            \
                                                       const typename Mesh<Element, Space>::SideSet&);       \
  Prefix template SidePoints<Element, Space> side_points(const Space&, const Mesh<Element, Space>&,          \
                                                         const typename Mesh<Element, Space>::SideSet&);     \
  Prefix template SparsityGraph<Space> sparsity_graph(const Space&, const FunctionSpace<Element, Space>&,    \
                                                      const NodeToElement<Space>&);                          \
  Prefix template SparsityGraph<Space> sparsity_graph(const Space&, const FunctionSpace<Element, Space>&);   \
  Prefix template ElementToValues<Element, Space> element_to_values(                                         \
      const Space&, const FunctionSpace<Element, Space>&, const SparsityGraph<Space>&,                       \
      const typename MeshKernel<Element, Space>::Connectivity&);                                             \
  Prefix template NodeBlocks<Space> node_blocks(const Space&, const Mesh<Element, Space>&, Partitioner,      \
                                                Ordinal, int);                                               \
  Prefix template class detail::PlanState<Element, Space>;                                                   \
  Prefix template class detail::AssemblyState<Element, Space>;                                               \
  TESSERA_ASSEMBLY_STATE(Prefix, double, Element, Space)                                                     \
  TESSERA_ASSEMBLY_STATE(Prefix, float, Element, Space)
// NOLINTEND(bugprone-macro-parentheses)
#define TESSERA_ELEMENT_OF(Element, ...) TESSERA_FOR_EACH_SPACE(TESSERA_ELEMENT, __VA_ARGS__, Element)

#ifndef TESSERA_DEFINE_ELEMENTS
TESSERA_FOR_EACH_ELEMENT(TESSERA_ELEMENT_OF, extern)
#endif

} // namespace tessera
