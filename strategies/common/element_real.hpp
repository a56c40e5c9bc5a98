#pragma once

/// \file
/// The scalar of element kernels whose threads own whole elements.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/execution_spaces.hpp>

#include <type_traits>

namespace tessera {

/// A pack on host execution spaces, so that
/// the lanes of a vector register hold neighbouring elements; `Scalar` itself on devices.
template <class ExecutionSpace, class Scalar>
using element_real_t = std::conditional_t<runs_on_host<ExecutionSpace>, NativePack<Scalar>, Scalar>;

} // namespace tessera
