// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The scalar of element kernels whose threads own whole elements.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/element_system.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

/// A pack on host execution spaces, so that
/// the lanes of a vector register hold neighbouring elements; `Scalar` itself on devices.
template <class ExecutionSpace, class Scalar>
using element_real_t = std::conditional_t<runs_on_host<ExecutionSpace>, NativePack<Scalar>, Scalar>;

/// Bytes of a core's first cache that the matrices of a pack's elements may take: the rows of the system that
/// they are added to need the rest.
inline constexpr std::size_t system_cache_bytes = 16384;

/// The same where the thread keeps the elements' matrices: half as many lanes where those of all take more.
template <class ExecutionSpace, class Scalar, class Element, class Kernel>
using system_real_t =
    std::conditional_t<runs_on_host<ExecutionSpace> &&
                           (sizeof(element_system_t<Element, Kernel, NativePack<Scalar>>) >
                            system_cache_bytes),
                       Pack<Scalar, lanes_v<NativePack<Scalar>> / 2>, element_real_t<ExecutionSpace, Scalar>>;

} // namespace tessera
