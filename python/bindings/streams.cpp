// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

namespace tessera::python {

namespace {

template <class Space>
struct StreamsOf {
  static constexpr bool exist = false;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct StreamsOf<Kokkos::Cuda> {
  static constexpr bool exist = true;
  static Stream of(const Kokkos::Cuda& exec) { return reinterpret_cast<Stream>(exec.cuda_stream()); }
  static Kokkos::Cuda on(Stream stream) { return Kokkos::Cuda(reinterpret_cast<cudaStream_t>(stream)); }
};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct StreamsOf<Kokkos::HIP> {
  static constexpr bool exist = true;
  static Stream of(const Kokkos::HIP& exec) { return reinterpret_cast<Stream>(exec.hip_stream()); }
  static Kokkos::HIP on(Stream stream) { return Kokkos::HIP(reinterpret_cast<hipStream_t>(stream)); }
};
#endif

/// The instance of `use_stream`, which Kokkos' end takes away.
std::optional<Exec>& chosen() {
  static std::optional<Exec> exec = [] {
    Kokkos::push_finalize_hook([] { chosen().reset(); });
    return std::optional<Exec>();
  }();
  return exec;
}

template <class Space>
void choose(std::optional<Stream> stream) {
  if constexpr (StreamsOf<Space>::exist) {
    chosen().reset();
    if (stream) chosen() = StreamsOf<Space>::on(*stream);
  } else {
    throw UnsupportedError("stream: the module computes by " + backend_name<Space>() +
                           ", which has no streams");
  }
}

template <class Space>
Stream stream_of([[maybe_unused]] const Space& exec) {
  if constexpr (StreamsOf<Space>::exist)
    return StreamsOf<Space>::of(exec);
  else
    return 0;
}

template <class Space>
void wait([[maybe_unused]] Stream stream) {
  if constexpr (StreamsOf<Space>::exist) StreamsOf<Space>::on(stream).fence("Tessera::python::wait_for");
}

} // namespace

Exec instance() {
  const auto usual = default_instance<Exec>(); // which throws after Kokkos' end
  return chosen().value_or(usual);
}

std::optional<Stream> use_stream(std::optional<Stream> stream) {
  const auto now = stream_of(instance());
  const auto before = chosen() ? std::optional(now) : std::nullopt;
  choose<Exec>(stream);
  return before;
}

Stream current_stream() { return stream_of(instance()); }

void wait_for(Stream stream) { wait<Exec>(stream); }

} // namespace tessera::python
