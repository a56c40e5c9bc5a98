// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One strategy behind the AnyAssembly interface; instantiated in one source file per strategy and element.

#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/detail/by_name.hpp>
#include <tessera/strategies/common/variant.hpp>

namespace tessera::catalogue::detail {

/// Plans one variant of a strategy for the shipped forms. Defined in make_plan_impl.hpp, instantiated in
/// generated sources.
template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const ExecutionSpace& exec, const Variant<Strategy>& variant,
          const FunctionSpace<Element, ExecutionSpace>& space, const SparsityGraph<ExecutionSpace>& graph);

} // namespace tessera::catalogue::detail
