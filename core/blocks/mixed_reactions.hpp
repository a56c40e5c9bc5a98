// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reactions of a mixed mesh's supports.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/detail/add_vector.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/space/reactions.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// As `reactions` on a mesh of one type, with a form for all blocks or one by block (`by_block`): the sum of
/// what the elements of all blocks need, loads and Robin sides taken once.
/// \throws as there
template <class List, class ExecutionSpace, class Form, class Solution>
Kokkos::View<double*, ExecutionSpace> reactions(const ExecutionSpace& exec, const Form& form,
                                                const MixedSpace<List, ExecutionSpace>& space,
                                                const Solution& u) {
  Kokkos::View<double*, ExecutionSpace> sum;
  space.for_each_block([&](const auto& block) {
    const bool first = !sum.is_allocated();
    const auto own = reactions(exec, detail::form_of_block(form, block.mesh()),
                               first ? block : block.without_natural_terms(), u);
    if (first)
      sum = own;
    else
      detail::add_vector(exec, sum, own);
  });
  exec.fence("Tessera::reactions");
  return sum;
}

} // namespace tessera
