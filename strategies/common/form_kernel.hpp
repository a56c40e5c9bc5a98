#pragma once

/// \file
/// From a form to what its kernels copy.

namespace tessera {

/// The pointwise part of a form: what its `kernel()` returns, or the form itself if it has none.
template <class Form>
auto form_kernel(const Form& form) {
  if constexpr (requires { form.kernel(); })
    return form.kernel();
  else
    return form;
}

} // namespace tessera
