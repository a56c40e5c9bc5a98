// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the allocator gave out, as Kokkos Tools are told: the check on what plans and operators say of
/// themselves.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string_view>

namespace tessera::tools {

/// Counts the bytes that are allocated in a memory space and not yet freed, of what is allocated or freed
/// while it lives; one at a time.
template <class MemorySpace>
class AllocatedBytes {
public:
  AllocatedBytes() {
    namespace Tools = Kokkos::Tools::Experimental;
    live() = 0;
    Tools::set_allocate_data_callback(
        [](const Kokkos::Tools::SpaceHandle space, const char*, const void*, const std::uint64_t bytes) {
          if (is_counted(space)) live() += static_cast<std::int64_t>(bytes);
        });
    Tools::set_deallocate_data_callback(
        [](const Kokkos::Tools::SpaceHandle space, const char*, const void*, const std::uint64_t bytes) {
          if (is_counted(space)) live() -= static_cast<std::int64_t>(bytes);
        });
  }
  ~AllocatedBytes() {
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_allocate_data_callback(nullptr);
    Tools::set_deallocate_data_callback(nullptr);
  }
  AllocatedBytes(const AllocatedBytes&) = delete;
  AllocatedBytes& operator=(const AllocatedBytes&) = delete;

  std::int64_t count() const { return live(); }

private:
  static std::int64_t& live() {
    static std::int64_t bytes = 0;
    return bytes;
  }
  static bool is_counted(const Kokkos::Tools::SpaceHandle& space) {
    return std::string_view(space.name) == MemorySpace::name();
  }
};

} // namespace tessera::tools
