// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The kernels of all colors as one CUDA graph.

#include <tessera/core/error.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera {

namespace detail {

#ifdef KOKKOS_ENABLE_CUDA

/// \throws Error with CUDA's message
inline void require_success(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw Error(std::string("ColorGraph: ") + call + ": " + cudaGetErrorString(status));
}

/// The instance on which launches are captured. Its stream is nobody else's: what other threads launch on
/// the caller's instance meanwhile must not get into the graph. One in a process, until Kokkos is finalized.
class CaptureInstance {
public:
  static CaptureInstance& get() {
    static CaptureInstance instance;
    return instance;
  }

  /// What `launch(exec)` launches, ready to run.
  template <class Launch>
  cudaGraphExec_t capture(const Launch& launch) {
    const std::lock_guard lock(mutex_);
    open();
    // Relaxed: Kokkos asks for a team's scratch of no bytes, which looks like an allocation.
    require_success(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      launch(*exec_);
    } catch (...) {
      if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      throw;
    }
    require_success(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiateWithFlags(&executable, graph, 0);
    cudaGraphDestroy(graph);
    require_success(status, "cudaGraphInstantiateWithFlags");
    return executable;
  }

private:
  void open() {
    if (exec_) return;
    require_success(cudaSetDevice(Kokkos::Cuda().cuda_device()), "cudaSetDevice");
    require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    exec_.emplace(stream_);
    Kokkos::push_finalize_hook([] { get().close(); });
  }
  void close() {
    exec_.reset();
    cudaStreamDestroy(stream_);
  }

  std::mutex mutex_;
  cudaStream_t stream_ = nullptr;
  std::optional<Kokkos::Cuda> exec_;
};

/// A graph and the arguments that are in it.
class CapturedLaunches {
public:
  CapturedLaunches() = default;
  ~CapturedLaunches() { forget(); }
  CapturedLaunches(const CapturedLaunches&) = delete;
  CapturedLaunches& operator=(const CapturedLaunches&) = delete;

  template <class Launch, class... Arguments>
  void run(const Kokkos::Cuda& exec, const Launch& launch, const Arguments&... arguments) {
    const std::lock_guard lock(mutex_);
    if (!repeats(arguments...)) {
      forget();
      launch(exec);
      return;
    }
    if (executable_ == nullptr) executable_ = CaptureInstance::get().capture(launch);
    require_success(cudaGraphLaunch(executable_, exec.cuda_stream()), "cudaGraphLaunch");
  }

private:
  /// Whether the call has the types and the bytes of the one before; remembers them.
  template <class... Arguments>
  bool repeats(const Arguments&... arguments) {
    static constexpr char mark = 0; // its address stands for the types
    bool same = types_ == &mark;
    types_ = &mark;
    bytes_.resize((sizeof(Arguments) + ...));
    std::byte* at = bytes_.data();
    const auto compare = [&](const void* value, std::size_t size) {
      same = std::memcmp(at, value, size) == 0 && same;
      std::memcpy(at, value, size);
      at += size;
    };
    (compare(&arguments, sizeof(Arguments)), ...);
    return same;
  }
  /// A graph that is running ends first.
  void forget() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  std::mutex mutex_;
  const void* types_ = nullptr;
  std::vector<std::byte> bytes_;
  cudaGraphExec_t executable_ = nullptr;
};

#endif

} // namespace detail

/// Launches that come one after the other, each a color, given to a CUDA device as one graph: it starts a
/// kernel as soon as the one before has ended, where the host takes longer for a launch than a small color
/// for its elements.
///
/// A graph holds the values of its kernels' arguments. So a call is launched kernel by kernel the first time,
/// and captured when it comes a second time with the same arguments, byte by byte; from then on the graph
/// runs, until other arguments come. Nothing is captured while Kokkos Tools listen, which are to see each
/// kernel, nor where the application itself is capturing the stream. Copies share the graph.
template <class ExecutionSpace>
class ColorGraph {
public:
  /// \param colored whether the strategy's options make it launch colors
  /// \throws UnsupportedError if a graph is wanted where there are no colors or no CUDA
  ColorGraph(const std::string& who, ColorLaunches wanted, bool colored = true)
      : who_(who), wanted_(wanted), colored_(colored) {
    if (wanted != ColorLaunches::graph) return;
    if (!colored)
      throw UnsupportedError(who + ": ColorLaunches::graph needs colors, and its options choose another way");
    if (!has_graphs)
      throw UnsupportedError(who + ": ColorLaunches::graph needs CUDA, this plan runs on " +
                             ExecutionSpace::name());
  }

  /// Chooses for kernels of this functor; returns what a report adds to its path.
  /// \throws UnsupportedError with the bytes, if a graph is wanted and the functor is too large for one
  template <class Functor>
  std::string prepare([[maybe_unused]] const ExecutionSpace& exec) {
    if (!colored_) return "";
    std::string hindrance;
    if constexpr (!fits_by_value<Functor>)
      hindrance = "kernels take " + std::to_string(sizeof(Functor)) + " bytes of arguments, too many for one";
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (has_graphs) {
      if (exec.cuda_device() != Kokkos::Cuda().cuda_device())
        hindrance = "the plan runs on device " + std::to_string(exec.cuda_device()) + ", graphs on device " +
                    std::to_string(Kokkos::Cuda().cuda_device());
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
      hindrance = "Kokkos waits for every kernel where it checks bounds";
#endif
      if (hindrance.empty() && wanted_ != ColorLaunches::separate) {
        if (!captured_) captured_ = std::make_shared<detail::CapturedLaunches>();
        return ", colors in one CUDA graph";
      }
    }
#endif
    if (wanted_ == ColorLaunches::graph)
      throw UnsupportedError(who_ + ": no graph of launches: " + hindrance);
    return ", color by color";
  }

  /// Does what `launch(exec)` does, which launches kernels of this functor, copies and fills on the instance
  /// that it is given, and waits for nothing.
  /// \param arguments everything that the kernels' arguments depend on and that may differ from call to call
  template <class Functor, class Launch, class... Arguments>
  void run(const ExecutionSpace& exec, const Launch& launch,
           [[maybe_unused]] const Arguments&... arguments) const {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (has_graphs && fits_by_value<Functor>)
      if (captured_ && !Kokkos::Tools::profileLibraryLoaded() && !is_captured(exec)) {
        captured_->run(exec, launch, arguments...);
        return;
      }
#endif
    launch(exec);
  }

private:
#ifdef KOKKOS_ENABLE_CUDA
  static constexpr bool has_graphs = std::is_same_v<ExecutionSpace, Kokkos::Cuda>;

  static bool is_captured(const Kokkos::Cuda& exec) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(exec.cuda_stream(), &status) != cudaSuccess ||
           status != cudaStreamCaptureStatusNone;
  }
  std::shared_ptr<detail::CapturedLaunches> captured_;
#else
  static constexpr bool has_graphs = false;
#endif

  std::string who_;
  ColorLaunches wanted_;
  bool colored_;
};

} // namespace tessera
