// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Memory for the many arrays of a set-up in few allocations: on devices each of these costs tens of
/// microseconds, and giving one back waits for all kernels.

#include <tessera/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::sparse::detail {

/// Arrays that are given back all at once, when the pool ends or is cleared: small ones share chunks, large
/// ones have their own. A chunk is labelled by the pool and by what it was made for, and a view that lies in
/// one cannot have a label: `label_of` says what lies where.
template <class ExecutionSpace>
class Pool {
public:
  /// \param label  of the pool, starts with `Tessera::`.
  /// \param chunk  bytes of a chunk.
  explicit Pool(std::string label, std::size_t chunk = 0) : label_(std::move(label)), chunk_(chunk) {}

  /// An uninitialised array that must not be used longer than the pool.
  /// \param what  it is.
  /// \throws OutOfMemoryError as `allocate`
  template <class View, class... Extents>
  View take(const ExecutionSpace& exec, const std::string& what, Extents... extents) {
    const std::size_t bytes =
        whole_lines(View::required_allocation_size(static_cast<std::size_t>(extents)...));
    return View(reinterpret_cast<typename View::pointer_type>(take_bytes(exec, what, bytes)),
                static_cast<std::size_t>(extents)...);
  }

  /// Makes room for arrays that are taken next, in one chunk.
  /// \param what   they are.
  /// \param bytes  of each.
  void reserve(const ExecutionSpace& exec, const std::string& what,
               std::initializer_list<std::size_t> bytes) {
    std::size_t sum = 0;
    for (const std::size_t own : bytes) sum += whole_lines(own);
    for (const Chunk& chunk : chunks_)
      if (chunk.memory.extent(0) - chunk.used >= sum) return;
    add_chunk_for(exec, what, sum);
  }

  /// The pool's label and the array's that lies at an address; empty if none does.
  std::string label_of(const void* address) const {
    const auto* const byte = static_cast<const char*>(address);
    for (const Chunk& chunk : chunks_) {
      if (byte < chunk.memory.data() || byte >= chunk.memory.data() + chunk.used) continue;
      const auto place = static_cast<std::size_t>(byte - chunk.memory.data());
      const auto after = std::find_if(chunk.arrays.rbegin(), chunk.arrays.rend(),
                                      [&](const Array& array) { return array.begin <= place; });
      return label_ + "::" + after->what;
    }
    return {};
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
    for (std::size_t k = 0; k < chunks_.size(); ++k) {
      Chunk& chunk = chunks_[k];
      chunk.used = k < used.size() ? used[k] : 0;
      std::erase_if(chunk.arrays, [&](const Array& array) { return array.begin >= chunk.used; });
    }
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
  struct Array {
    std::size_t begin; // byte of its chunk
    std::string what;
  };
  struct Chunk {
    Kokkos::View<char*, ExecutionSpace> memory;
    std::size_t used;
    std::vector<Array> arrays; // by their place
  };

  static std::size_t whole_lines(std::size_t bytes) {
    constexpr std::size_t line = 256; // arrays start at multiples of so many bytes
    return (bytes + line - 1) / line * line;
  }

  char* take_bytes(const ExecutionSpace& exec, const std::string& what, std::size_t bytes) {
    auto chunk = std::find_if(chunks_.rbegin(), chunks_.rend(), [&](const Chunk& some) {
      return some.memory.extent(0) - some.used >= bytes; // what is reserved lies in the last
    });
    if (chunk == chunks_.rend()) {
      add_chunk_for(exec, what, bytes);
      chunk = chunks_.rbegin();
    }
    chunk->arrays.push_back({chunk->used, what});
    return chunk->memory.data() + std::exchange(chunk->used, chunk->used + bytes);
  }

  void add_chunk_for(const ExecutionSpace& exec, const std::string& what, std::size_t bytes) {
    const std::size_t extent = 2 * bytes > chunk_ ? bytes : chunk_;
    chunks_.push_back(
        {allocate<Kokkos::View<char*, ExecutionSpace>>(exec, label_ + "::" + what, extent), 0, {}});
  }

  std::string label_;
  std::size_t chunk_;
  std::vector<Chunk> chunks_;
};

} // namespace tessera::solvers::sparse::detail
