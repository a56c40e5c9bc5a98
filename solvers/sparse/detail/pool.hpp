#pragma once

/// \file
/// Memory for the many arrays of a set-up in few allocations: on devices each of these costs tens of
/// microseconds, and giving one back waits for all kernels.

#include <tessera/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::sparse::detail {

/// Arrays that are given back all at once, when the pool ends or is cleared: small ones share chunks, large
/// ones have their own.
template <class ExecutionSpace>
class Pool {
public:
  /// \param chunk  bytes of a chunk.
  explicit Pool(std::size_t chunk = 0) : chunk_(chunk) {}

  /// An uninitialised array that must not be used longer than the pool.
  /// \throws OutOfMemoryError as `allocate`
  template <class View, class... Extents>
  View take(const ExecutionSpace& exec, Extents... extents) {
    const std::size_t bytes =
        whole_lines(View::required_allocation_size(static_cast<std::size_t>(extents)...));
    return View(reinterpret_cast<typename View::pointer_type>(room(exec, bytes)),
                static_cast<std::size_t>(extents)...);
  }

  /// Makes room for arrays that are taken next, in one chunk.
  /// \param bytes  of each.
  void reserve(const ExecutionSpace& exec, std::initializer_list<std::size_t> bytes) {
    std::size_t sum = 0;
    for (const std::size_t own : bytes) sum += whole_lines(own);
    for (const Chunk& chunk : chunks_)
      if (chunk.memory.extent(0) - chunk.used >= sum) return;
    add_chunk_for(exec, sum);
  }

  /// Gives all arrays back at once.
  void clear() { chunks_.clear(); }

  /// Bytes that arrays have taken, chunk by chunk.
  std::vector<std::size_t> used() const {
    std::vector<std::size_t> used;
    for (const Chunk& chunk : chunks_) used.push_back(chunk.used);
    return used;
  }
  /// Gives arrays back that were taken since then, all without an argument; their memory is kept for others.
  void rewind(const std::vector<std::size_t>& used = {}) {
    for (std::size_t k = 0; k < chunks_.size(); ++k) chunks_[k].used = k < used.size() ? used[k] : 0;
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Chunk& chunk : chunks_) sum += chunk.memory.extent(0);
    return sum;
  }

  /// Bytes of chunks that no array has taken.
  std::size_t unused() const {
    std::size_t sum = 0;
    for (const Chunk& chunk : chunks_) sum += chunk.memory.extent(0) - chunk.used;
    return sum;
  }

private:
  struct Chunk {
    Kokkos::View<char*, ExecutionSpace> memory;
    std::size_t used;
  };

  static std::size_t whole_lines(std::size_t bytes) {
    constexpr std::size_t line = 256; // arrays start at multiples of so many bytes
    return (bytes + line - 1) / line * line;
  }

  char* room(const ExecutionSpace& exec, std::size_t bytes) {
    for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) // what is reserved lies in the last
      if (chunk->memory.extent(0) - chunk->used >= bytes)
        return chunk->memory.data() + std::exchange(chunk->used, chunk->used + bytes);
    add_chunk_for(exec, bytes);
    chunks_.back().used = bytes;
    return chunks_.back().memory.data();
  }

  void add_chunk_for(const ExecutionSpace& exec, std::size_t bytes) {
    const std::size_t extent = 2 * bytes > chunk_ ? bytes : chunk_;
    chunks_.push_back(
        {allocate<Kokkos::View<char*, ExecutionSpace>>(exec, "Tessera::Multigrid::pool", extent), 0});
  }

  std::size_t chunk_;
  std::vector<Chunk> chunks_;
};

/// While it lives, this thread's arrays come from two pools.
template <class ExecutionSpace>
class PoolScope {
public:
  PoolScope(Pool<ExecutionSpace>& kept, Pool<ExecutionSpace>& temporary)
      : kept_(kept), temporary_(temporary), before_(std::exchange(current_, this)) {}
  ~PoolScope() { current_ = before_; }
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

  /// The pool of this thread, null if there is none.
  static Pool<ExecutionSpace>* kept() { return current_ == nullptr ? nullptr : &current_->kept_; }
  static Pool<ExecutionSpace>* temporary() { return current_ == nullptr ? nullptr : &current_->temporary_; }

private:
  Pool<ExecutionSpace>&kept_, &temporary_;
  PoolScope* before_;
  static inline thread_local PoolScope* current_ = nullptr;
};

/// Gives temporary arrays back at its end that were taken while it lived, if they come from a pool of their
/// own.
template <class ExecutionSpace>
class ReturnTemporaries {
public:
  ReturnTemporaries()
      : pool_(PoolScope<ExecutionSpace>::temporary() == PoolScope<ExecutionSpace>::kept()
                  ? nullptr
                  : PoolScope<ExecutionSpace>::temporary()) {
    if (pool_ != nullptr) used_ = pool_->used();
  }
  ~ReturnTemporaries() {
    if (pool_ != nullptr) pool_->rewind(used_);
  }
  ReturnTemporaries(const ReturnTemporaries&) = delete;
  ReturnTemporaries& operator=(const ReturnTemporaries&) = delete;

private:
  Pool<ExecutionSpace>* pool_;
  std::vector<std::size_t> used_;
};

/// An uninitialised array named after its use: from the pool of this thread's scope if there is one.
template <class View, class ExecutionSpace, class... Extents>
View make(const ExecutionSpace& exec, const char* what, Extents... extents) {
  if (auto* const pool = PoolScope<ExecutionSpace>::kept())
    return pool->template take<View>(exec, extents...);
  return allocate<View>(exec, std::string("Tessera::Multigrid::") + what, extents...);
}

/// One allocation for arrays that are made next, of so many bytes each.
template <class ExecutionSpace, class... Bytes>
void reserve(const ExecutionSpace& exec, Bytes... bytes) {
  if (auto* const pool = PoolScope<ExecutionSpace>::kept())
    pool->reserve(exec, {static_cast<std::size_t>(bytes)...});
}

/// The same as `make` for an array that the set-up, or a refresh, needs no longer than it takes.
template <class View, class ExecutionSpace, class... Extents>
View make_temporary(const ExecutionSpace& exec, const char* what, Extents... extents) {
  if (auto* const pool = PoolScope<ExecutionSpace>::temporary())
    return pool->template take<View>(exec, extents...);
  return allocate<View>(exec, std::string("Tessera::Multigrid::") + what, extents...);
}

/// The same in other memory if that suffices.
template <class View, class ExecutionSpace, class Room, class... Extents>
View make_in(const ExecutionSpace& exec, const char* what, const Room& room, Extents... extents) {
  if (bytes_of(room) >= View::required_allocation_size(static_cast<std::size_t>(extents)...))
    return View(reinterpret_cast<typename View::pointer_type>(room.data()),
                static_cast<std::size_t>(extents)...);
  return make_temporary<View>(exec, what, extents...);
}

} // namespace tessera::solvers::sparse::detail
