// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What Kokkos does while a function of the library runs, as Kokkos Tools are told.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

/// A kernel launched, memory allocated, a fence, or a region entered.
struct Event {
  enum class Kind { kernel, allocation, fence, region } kind;
  std::string label;
  std::uint32_t device = 0; ///< execution space and instance of a kernel or a fence
};

inline std::ostream& operator<<(std::ostream& out, const Event& event) {
  static const char* const names[] = {"kernel", "allocation", "fence", "region"};
  return out << names[static_cast<int>(event.kind)] << " '" << event.label << "'";
}

/// Records events for as long as it lives; one at a time.
class Recorder {
public:
  Recorder() {
    namespace Tools = Kokkos::Tools::Experimental;
    events() = {};
    const auto kernel = [](const char* label, const std::uint32_t device, std::uint64_t*) {
      events().push_back({Event::Kind::kernel, label, device});
    };
    Tools::set_begin_parallel_for_callback(kernel);
    Tools::set_begin_parallel_reduce_callback(kernel);
    Tools::set_begin_parallel_scan_callback(kernel);
    Tools::set_begin_fence_callback([](const char* label, const std::uint32_t device, std::uint64_t*) {
      events().push_back({Event::Kind::fence, label, device});
    });
    Tools::set_allocate_data_callback(
        [](const Kokkos::Tools::SpaceHandle, const char* label, const void*, const std::uint64_t bytes) {
          // Kokkos 4.7 allocates no bytes at each launch of teams on CUDA.
          if (bytes > 0) events().push_back({Event::Kind::allocation, label});
        });
    Tools::set_push_region_callback(
        [](const char* label) { events().push_back({Event::Kind::region, label}); });
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { Kokkos::Tools::Experimental::set_callbacks({}); }

  static std::vector<Event>& events() {
    static std::vector<Event> all;
    return all;
  }
};

/// The events of a call.
template <class Action>
std::vector<Event> events_of(Action&& action) {
  const Recorder recorder;
  action();
  return Recorder::events();
}

/// An instance of an execution space that is not the default one, where the space has more than one.
template <class ExecutionSpace>
ExecutionSpace other_instance() {
  return Kokkos::Experimental::partition_space(ExecutionSpace(), 1, 1)[0];
}

/// Ours, an operation of Kokkos on a view (whose own label is tested where it is allocated), or one of Kokkos
/// Kernels.
inline bool is_readable(const std::string& label) {
  return label.starts_with("Tessera::") || label.starts_with("Kokkos::") ||
         label.starts_with("KokkosSparse::");
}

/// Expects something to have happened, with readable labels and, on the device, on the given instance alone.
template <class ExecutionSpace>
void expect_annotated(const ExecutionSpace& exec, const std::vector<Event>& events, const std::string& who) {
  namespace Tools = Kokkos::Tools::Experimental;
  EXPECT_TRUE(std::any_of(events.begin(), events.end(),
                          [](const Event& event) { return event.label.starts_with("Tessera::"); }))
      << who << " did nothing that was seen";
  const auto type = Tools::identifier_from_devid(Tools::device_id(exec)).type;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::fence) continue; // Kokkos' memory spaces fence by their own names
    EXPECT_TRUE(is_readable(event.label)) << who << ": " << event;
    if (event.kind == Event::Kind::kernel && Tools::identifier_from_devid(event.device).type == type) {
      EXPECT_EQ(event.device, Tools::device_id(exec)) << who << " on another instance: " << event;
    }
  }
}

/// Expects a region of the library whose label ends so, entered before anything else but Kokkos Tools' own
/// fences happened.
inline void expect_region(const std::vector<Event>& events, const std::string& ending,
                          const std::string& who) {
  const auto first = std::find_if(events.begin(), events.end(), [](const Event& event) {
    return event.kind != Event::Kind::fence || !event.label.starts_with("Kokkos::Tools::");
  });
  ASSERT_NE(first, events.end()) << who << " did nothing that was seen";
  EXPECT_TRUE(first->kind == Event::Kind::region && first->label.starts_with("Tessera::") &&
              first->label.ends_with(ending))
      << who << ": " << *first << " is no region that ends in " << ending;
}

/// Expects no fence of the whole device, which would stop all other instances; but for those of Kokkos Tools,
/// which are ours, and of freeing memory, which are Kokkos'.
inline void expect_no_global_fence(const std::vector<Event>& events, const std::string& who) {
  namespace Tools = Kokkos::Tools::Experimental;
  constexpr std::uint32_t instance_bits = (1u << Tools::num_instance_bits) - 1;
  const auto global =
      Tools::int_for_synchronization_reason(Tools::SpecialSynchronizationCases::GlobalDeviceSynchronization);
  for (const Event& event : events) {
    if (event.kind != Event::Kind::fence || event.label.starts_with("Kokkos::Tools::") ||
        event.label.find("deallocate") != std::string::npos)
      continue;
    EXPECT_NE(event.device & instance_bits, global & instance_bits) << who << ": " << event;
  }
}

} // namespace tessera::test
