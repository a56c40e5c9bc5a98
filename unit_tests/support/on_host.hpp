// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// A view that the host can read, with the contents of `view`.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// A view of the device that `fill(view)` has filled on the host.
template <class View, class Fill>
View filled_on_host(const char* label, std::size_t length, const Fill& fill) {
  const View view(label, length);
  const auto host = Kokkos::create_mirror_view(view);
  fill(host);
  Kokkos::deep_copy(view, host);
  return view;
}

} // namespace tessera::test
