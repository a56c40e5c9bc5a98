// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// `plan` without an execution space instance, and for mixed meshes, for the strategies of all families.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/space/function_space.hpp>

namespace tessera {

/// Base of a strategy: `plan(space, ...)` is `plan(exec, space, ...)` on the default instance, and for a
/// `MixedSpace` a plan of plans, one for each block with elements, which `strategies/blocks/` makes. The
/// strategy says `using WithDefaultInstance<Strategy>::plan`.
template <class Strategy>
struct WithDefaultInstance {
  template <class Element, class ExecutionSpace, class... Others>
  auto plan(const FunctionSpace<Element, ExecutionSpace>& space, const Others&... others) const {
    return static_cast<const Strategy&>(*this).plan(default_instance<ExecutionSpace>(), space, others...);
  }
  template <class List, class ExecutionSpace, class... Others>
  auto plan(const ExecutionSpace& exec, const MixedSpace<List, ExecutionSpace>& space,
            const Others&... others) const {
    return plan_blocks(static_cast<const Strategy&>(*this), exec, space, others...);
  }
  template <class List, class ExecutionSpace, class... Others>
  auto plan(const MixedSpace<List, ExecutionSpace>& space, const Others&... others) const {
    return plan(default_instance<ExecutionSpace>(), space, others...);
  }
};

} // namespace tessera
