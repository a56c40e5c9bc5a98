// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The oracle over the blocks of a mixed mesh.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/system/reference_assembly.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

/// As `reference_assembly` of one block, summed over all. \param form one for all blocks, or `by_block`
template <class First, class... Others, class ExecutionSpace, class Form>
ReferenceSystem
reference_assembly(const Form& form, const MixedSpace<Blocks<First, Others...>, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph, std::size_t most_rows = SIZE_MAX) {
  // Constraints and loads, which all blocks share, come with the first.
  const auto& first = space.template block<First>();
  ReferenceSystem system =
      reference_assembly(detail::form_of_block(form, first.mesh()), first, graph, most_rows);
  const auto add = [&]<class Element>(const FunctionSpace<Element, ExecutionSpace>& block) {
    const auto own = detail::form_of_block(form, block.mesh());
    using OwnForm = std::remove_cvref_t<decltype(own)>;
    const detail::ReferenceAssembly<Element, ExecutionSpace, OwnForm> added(own, block, system);
  };
  (add(space.template block<Others>()), ...);
  return system;
}

} // namespace tessera
