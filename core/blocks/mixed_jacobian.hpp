// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms and their Jacobians on mixed meshes.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

namespace tessera {

/// Weak forms by block as they are.
template <class Function>
BlockForms<Function> as_weak_form(const BlockForms<Function>& forms) {
  return forms;
}

/// The Jacobian of a weak form, or of one by block, at u: that of each block of a mixed mesh. u is shared,
/// not copied. \throws ArgumentError for a view of another length, where a plan takes it
template <class Form, class List, class ExecutionSpace, class Values>
auto jacobian(const Form& form, const MixedMesh<List, ExecutionSpace>&, const Values& u) {
  return by_block(
      [form, u](const auto& mesh) { return jacobian(detail::form_of_block(form, mesh), mesh, u); });
}

} // namespace tessera
