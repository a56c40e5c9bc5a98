// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Boxes and the oracle for every element, and errors against it, which nearly all tests and tools use,
// compiled once, in meshes.cpp.

#include <tessera/cmake/compiled/elements.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/io/generate/box.hpp>

namespace tessera {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_MESHES(Prefix, Element, Space)                                                               \
  Prefix template Mesh<Element, Space> io::box_mesh(const Space&, const io::Box&);                           \
  Prefix template Mesh<Element, Space> hilbert_renumbered(const Space&, const Mesh<Element, Space>&);        \
  Prefix template ReferenceSystem reference_assembly(                                                        \
      const Helmholtz<>&, const FunctionSpace<Element, Space>&, const SparsityGraph<Space>&, std::size_t);   \
  Prefix template ReferenceSystem reference_assembly(const LinearElasticity<Element::dimension>&,            \
                                                     const FunctionSpace<Element, Space>&,                   \
                                                     const SparsityGraph<Space>&, std::size_t);
#define TESSERA_ERRORS(Prefix, Space)                                                                        \
  Prefix template SystemError system_error<double>(const LinearSystem<double, Space>&,                       \
                                                   const ReferenceSystem&);                                  \
  Prefix template SystemError system_error<float>(const LinearSystem<float, Space>&, const ReferenceSystem&);
// NOLINTEND(bugprone-macro-parentheses)
#define TESSERA_MESHES_OF(Element, ...) TESSERA_FOR_EACH_SPACE(TESSERA_MESHES, __VA_ARGS__, Element)

#ifndef TESSERA_DEFINE_MESHES
TESSERA_FOR_EACH_ELEMENT(TESSERA_MESHES_OF, extern)
TESSERA_FOR_EACH_SPACE(TESSERA_ERRORS, extern)
#endif

} // namespace tessera
