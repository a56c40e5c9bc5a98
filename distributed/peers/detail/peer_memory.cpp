// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/peers/detail/peer_memory.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace tessera::distributed::detail {

namespace {

/// The ranks' memory on the host is one piece, whose parts begin at pages.
constexpr std::size_t piece_of_host = 4096;

std::size_t whole_pieces(std::size_t bytes, std::size_t piece) {
  return std::max<std::size_t>(1, (bytes + piece - 1) / piece) * piece;
}

/// Collective: whether it holds on all ranks.
bool on_all(const Communicator& ranks, bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, ranks.own());
  return all != 0;
}

MPI_Comm ranks_of_host(const Communicator& ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks.own(), MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &host);
  return host;
}

bool share_a_host(const Communicator& ranks) {
  MPI_Comm host = ranks_of_host(ranks);
  int size = 0;
  MPI_Comm_size(host, &size);
  MPI_Comm_free(&host);
  return on_all(ranks, size == ranks.size());
}

#ifdef KOKKOS_ENABLE_CUDA
/// CUDA gives memory out in pieces of this size: a handle shares all of a piece, which has to be ours alone.
constexpr std::size_t piece_of_device = std::size_t{2} << 20;

/// Collective: whether no two ranks have the same device.
bool have_devices_of_their_own(const Communicator& ranks) {
  cudaDeviceProp properties{};
  int device = 0;
  bool known = cudaGetDevice(&device) == cudaSuccess;
  known = known && cudaGetDeviceProperties(&properties, device) == cudaSuccess;
  using Name = std::array<char, sizeof(properties.uuid.bytes)>;
  Name own{};
  std::memcpy(own.data(), properties.uuid.bytes, own.size());
  std::vector<Name> names(to_size(ranks.size()));
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, names.data(),
                static_cast<int>(own.size()), MPI_CHAR, ranks.own());
  std::sort(names.begin(), names.end());
  return on_all(ranks, known && std::adjacent_find(names.begin(), names.end()) == names.end());
}
#endif

} // namespace

bool are_peers(const Communicator& ranks, bool on_device) {
  if (!share_a_host(ranks)) return false;
  if (!on_device) return true;
#ifdef KOKKOS_ENABLE_CUDA
  return have_devices_of_their_own(ranks);
#else
  return false; // written for CUDA's devices
#endif
}

class PeerMemory::State {
public:
  State(const Communicator& ranks, std::size_t bytes, bool on_device) : ranks_(ranks) {
    if (on_device && share_device_memory(bytes)) return;
    share_host_memory(bytes, on_device);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || std::uncaught_exceptions() > 0) return;
    Kokkos::fence("Tessera::PeerMemory::~PeerMemory");
    MPI_Barrier(ranks_.own());
    release();
  }

  std::byte* of(int rank) const { return parts_[to_size(rank)]; }
  bool is_on_devices() const { return device_memory_ != nullptr; }

private:
#ifdef KOKKOS_ENABLE_CUDA
  /// Collective: whether each rank has memory of its device, and the others' have come to it.
  bool share_device_memory(std::size_t bytes) {
    const std::size_t size = whole_pieces(bytes, piece_of_device);
    cudaIpcMemHandle_t own{};
    bool made = cudaMalloc(&device_memory_, size) == cudaSuccess;
    made =
        made && cudaMemset(device_memory_, 0, size) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    made = made && cudaIpcGetMemHandle(&own, device_memory_) == cudaSuccess;
    std::vector<cudaIpcMemHandle_t> handles(to_size(ranks_.size()));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, handles.data(), sizeof own, MPI_BYTE, ranks_.own());
    bool shared = on_all(ranks_, made);
    parts_.assign(to_size(ranks_.size()), nullptr);
    for (int rank = 0; shared && rank < ranks_.size(); ++rank) {
      void* there = device_memory_;
      shared = rank == ranks_.rank() || cudaIpcOpenMemHandle(&there, handles[to_size(rank)],
                                                             cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
      if (shared) parts_[to_size(rank)] = static_cast<std::byte*>(there);
    }
    if (on_all(ranks_, shared)) return true;
    close_device_memory();
    cudaGetLastError(); // what has been found out is no failure of the next call
    return false;
  }

  void close_device_memory() {
    for (int rank = 0; rank < ranks_.size(); ++rank)
      if (rank != ranks_.rank() && parts_[to_size(rank)] != nullptr)
        cudaIpcCloseMemHandle(parts_[to_size(rank)]);
    MPI_Barrier(ranks_.own()); // no rank has it open
    if (device_memory_ != nullptr) cudaFree(device_memory_);
    device_memory_ = nullptr;
  }

  void map_host_memory(std::byte* memory, std::size_t size) {
    void* there = nullptr;
    if (cudaHostRegister(memory, size, cudaHostRegisterMapped) != cudaSuccess ||
        cudaHostGetDevicePointer(&there, memory, 0) != cudaSuccess) {
      cudaGetLastError();
      throw UnsupportedError("PeerMemory: the device cannot reach memory that processes of the host share");
    }
    mapped_ = memory;
    for (std::byte*& part : parts_) part = static_cast<std::byte*>(there) + (part - memory);
  }
  void unmap_host_memory() {
    if (mapped_ != nullptr) cudaHostUnregister(mapped_);
  }
#else
  bool share_device_memory(std::size_t) { return false; }
  void close_device_memory() {}
  void map_host_memory(std::byte*, std::size_t) {}
  void unmap_host_memory() {}
#endif

  void share_host_memory(std::size_t bytes, bool on_device) {
    host_ = ranks_of_host(ranks_);
    const std::size_t size = whole_pieces(bytes, piece_of_host);
    void* own = nullptr;
    MPI_Comm_set_errhandler(host_, MPI_ERRORS_RETURN);
    const int failure = MPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, host_,
                                                static_cast<void*>(&own), &window_);
    agree(ranks_, [&] {
      if (failure != MPI_SUCCESS)
        throw OutOfMemoryError("PeerMemory: " + std::to_string(size) + " bytes that ranks share");
    });
    parts_.clear();
    std::size_t all = 0;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      MPI_Aint length = 0;
      int unit = 0;
      void* base = nullptr;
      MPI_Win_shared_query(window_, rank, &length, &unit, static_cast<void*>(&base));
      parts_.push_back(static_cast<std::byte*>(base));
      all += static_cast<std::size_t>(length);
    }
    std::memset(own, 0, size);
    agree(ranks_, [&] {
      if (on_device) map_host_memory(parts_.front(), all);
    }); // and nobody writes before all is zero
  }

  /// Collective.
  void release() {
    if (is_on_devices()) close_device_memory();
    unmap_host_memory();
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    if (host_ != MPI_COMM_NULL) MPI_Comm_free(&host_);
  }

  Communicator ranks_;
  MPI_Comm host_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  void* device_memory_ = nullptr;
  [[maybe_unused]] void* mapped_ = nullptr; ///< host memory that the device knows
  std::vector<std::byte*> parts_;           ///< rank
};

PeerMemory::PeerMemory(const Communicator& ranks, std::size_t bytes, bool on_device) {
  if (!are_peers(ranks, on_device))
    throw UnsupportedError(on_device ? "PeerMemory: the ranks have no CUDA devices of their own on one host"
                                     : "PeerMemory: the ranks run on several hosts");
  state_ = std::make_shared<State>(ranks, bytes, on_device);
}

std::byte* PeerMemory::of(int rank) const { return state_->of(rank); }
bool PeerMemory::is_on_devices() const { return state_->is_on_devices(); }

} // namespace tessera::distributed::detail
