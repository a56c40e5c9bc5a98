// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly strategies by name for Stokes' equations with Taylor and Hood's pair, compiled for a few
/// elements, a file each.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <memory>
#include <string>
#include <tuple>

namespace tessera::tools {

/// The elements that Stokes' equations are compiled for.
using StokesElements = std::tuple<Tri<2>, Tet<2>>;

template <class Element, class ExecutionSpace>
using StokesAssembly = AnyAssembly<Element, ExecutionSpace, std::tuple<Stokes<Element::dimension>>>;

/// Plans the named strategy, for the elements of `StokesElements`. \throws as `make_own_assembly`
template <class Element, class ExecutionSpace>
std::unique_ptr<StokesAssembly<Element, ExecutionSpace>>
make_stokes_assembly(const ExecutionSpace& exec, const std::string& name,
                     const FunctionSpace<Element, ExecutionSpace>& space,
                     const SparsityGraph<ExecutionSpace>& graph);

} // namespace tessera::tools
