// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Connectivities of all elements as one type.

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// A connectivity whose type does not say how many nodes an element has. What merely passes over nodes takes
/// this, and is compiled once.
template <class Connectivity>
using AnyConnectivity =
    Kokkos::View<typename Connectivity::const_value_type**, typename Connectivity::array_layout,
                 typename Connectivity::device_type, typename Connectivity::memory_traits>;

} // namespace tessera::detail
