// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From a form to what its kernels copy, and whether it can be integrated over a space.

#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/error.hpp>

#include <string>
#include <tuple>

namespace tessera {

namespace detail {

/// Forms with functions on sides beside those inside elements (`WeakForm::on_sides`), and their Jacobians.
template <class Form>
concept HasSideTerms = requires(const Form& form) { form.side_terms(); };

/// The parts on sides of a form, a tuple; of one without them an empty one.
template <class Form>
auto side_terms_of(const Form& form) {
  if constexpr (HasSideTerms<Form>)
    return form.side_terms();
  else
    return std::tuple<>();
}

/// The pointwise part of a form inside elements: what its `kernel()` returns, or the form itself if it has
/// none.
template <class Form>
auto element_kernel(const Form& form) {
  if constexpr (requires { form.kernel(); })
    return form.kernel();
  else
    return form;
}

} // namespace detail

/// The pointwise part of a form, which is all of it.
template <class Form>
auto form_kernel(const Form& form) {
  static_assert(
      !detail::HasSideTerms<Form>,
      "tessera: functions on sides (`on_sides`) are for plans and their operators, Newton, right-hand sides, "
      "reactions and check_jacobian; `reference_assembly` and counts of operations do not know them");
  return detail::element_kernel(form);
}

/// Checks a form by its own `check(mesh)` or `check<ExecutionSpace>(materials, elements)`, if it has one.
/// \throws what the form's check throws
template <class ExecutionSpace, class Form, class Mesh>
void check_form_on(const Form& form, const Mesh& mesh) {
  if constexpr (requires { form.check(mesh); })
    form.check(mesh);
  else if constexpr (requires { form.template check<ExecutionSpace>(1, 1); })
    form.template check<ExecutionSpace>(mesh.num_materials(), mesh.num_elements());
}

/// Checks a form against a space, and by the form's own `check` if it has one.
/// \throws ArgumentError for other components per node or linear ones, and what the form's check throws
template <class ExecutionSpace, class Form, class Space>
void check_form(const std::string& who, const Form& form, const Space& space) {
  if (Form::components != space.components())
    throw ArgumentError(who + ": the form has " + std::to_string(Form::components) +
                        " components per node, the space has " + std::to_string(space.components()));
  if (linear_components_of<Form>() != space.linear_components())
    throw ArgumentError(who + ": the form has " + std::to_string(linear_components_of<Form>()) +
                        " linear components, the space has " + std::to_string(space.linear_components()));
  check_form_on<ExecutionSpace>(form, space.mesh());
}

} // namespace tessera
