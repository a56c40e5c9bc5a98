// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Forms that are made for each block of a mixed mesh.

#include <tessera/core/forms/form_kernel.hpp>

#include <type_traits>
#include <utility>

namespace tessera {

/// A form for each block: `of(mesh)` for its `Mesh`.
template <class Function>
struct BlockForms {
  Function of;
};

/// Where a plan of a mixed mesh takes a form, one by block in its place: `make(mesh)` gives that of a block's
/// `Mesh`, of one type for all blocks or of several. For coefficients by element, and Jacobians of weak
/// forms.
///
/// \code
/// plan.assemble(by_block([&](const auto& mesh) { return jacobian(weak, mesh, u); }), system);
/// \endcode
template <class Function>
BlockForms<std::decay_t<Function>> by_block(Function&& make) {
  return {std::forward<Function>(make)};
}

namespace detail {

/// The form of a block; one for all is itself.
template <class Form, class MeshType>
Form form_of_block(const Form& form, const MeshType&) {
  static_assert(
      !HasSideTerms<Form>,
      "tessera::WeakForm::on_sides: sides are those of one block's elements; on mixed meshes give a "
      "form by block, `by_block`, with each block's own set");
  return form;
}
template <class Function, class MeshType>
auto form_of_block(const BlockForms<Function>& forms, const MeshType& mesh) {
  return forms.of(mesh);
}

} // namespace detail
} // namespace tessera
