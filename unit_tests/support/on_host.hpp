#pragma once

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// A view that the host can read, with the contents of `view`.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

} // namespace tessera::test
