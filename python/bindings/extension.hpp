// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What an extension of Python with forms of its own includes: the spaces and systems of tessera_fem in C++.
/// It is built against the same Kokkos, as a shared library, and with the same nanobind; it imports
/// tessera_fem before it is used.

#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>

#include "module.hpp"
#include "problem.hpp"
#include "vectors.hpp"
#include <nanobind/stl/shared_ptr.h>

namespace tessera::python {

/// The library's space behind `tessera_fem.Space.handle`, which shares its constraints and loads.
/// \throws ArgumentError for a mesh of other elements
template <class Element>
const FunctionSpace<Element, Exec>& space_of(const AnySpace& space) {
  if (space.element() != Element::name)
    throw ArgumentError(std::string("the form is compiled for ") + Element::name + ", the mesh is of " +
                        space.element());
  return *static_cast<const FunctionSpace<Element, Exec>*>(space.function_space());
}

} // namespace tessera::python
