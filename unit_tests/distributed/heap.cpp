// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <mutex>
#include <new>

namespace tessera::test {

Heap& heap() {
  static Heap heap;
  return heap;
}

namespace {

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

void count(std::int64_t bytes) {
  const std::lock_guard guard(lock());
  heap().used += bytes;
  heap().peak = std::max(heap().peak, heap().used);
}

void* allocate(std::size_t size) {
  void* const memory = std::malloc(std::max(size, std::size_t{1}));
  if (memory == nullptr) throw std::bad_alloc();
  count(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}

} // namespace
} // namespace tessera::test

// In place of the standard library's; its other forms call these. CUDA compiles them for the device too,
// which has no exceptions.
void* operator new(std::size_t size) { return tessera::test::allocate(size); }
void operator delete(void* memory) noexcept {
  if (memory != nullptr) tessera::test::count(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
