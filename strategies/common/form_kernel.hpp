#pragma once

/// \file
/// From a form to what its kernels copy, and how elements of it are integrated.

#include <tessera/core/element_system.hpp>

namespace tessera {

/// The pointwise part of a form: what its `kernel()` returns, or the form itself if it has none.
template <class Form>
auto form_kernel(const Form& form) {
  if constexpr (requires { form.kernel(); })
    return form.kernel();
  else
    return form;
}

/// How `integrate` computes an element of a form's kernel, for reports.
template <class Element, class Kernel, class Scalar>
constexpr const char* integration_path() {
  if constexpr (detail::HasClosedForm<Element, Kernel, Scalar>)
    return "elements in closed form";
  else if constexpr (detail::HasMoments<Element, Kernel, Scalar>)
    return "elements by moments";
  else
    return "elements by quadrature";
}

} // namespace tessera
