// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How elements of a form are integrated, for reports.

#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/integrate_element.hpp>

namespace tessera {

/// How `integrate` computes an element of a form's kernel, for reports.
template <class Element, class Kernel, class Scalar>
constexpr const char* integration_path() {
  if constexpr (detail::HasClosedForm<Element, Kernel, Scalar>)
    return "elements in closed form";
  else if constexpr (detail::HasAffineForm<Element, Kernel, Scalar>)
    return "affine elements by reference tensors, others by quadrature";
  else if constexpr (detail::HasMoments<Element, Kernel, Scalar>)
    return "elements by moments";
  else
    return "elements by quadrature";
}

} // namespace tessera
