// SPDX-License-Identifier: BSD-3-Clause
// VTK's formats are read in a child process. Counters in memory that it shares with its parent let libFuzzer
// see which inputs lead to new code of this library there; VTK itself is not instrumented.
//
// Not to be instrumented: Clang would take the declarations below for its own.

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {

// How often each piece of code has run.
extern std::uint8_t __start___sancov_cntrs, __stop___sancov_cntrs;

/// Called by libFuzzer before all else. The whole pages of the counters are shared, not those at both ends,
/// where other variables are.
int LLVMFuzzerInitialize(int*, char***) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(&__start___sancov_cntrs) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(&__stop___sancov_cntrs) / page * page;
  if (first < end && ::mmap(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    std::abort();
  return 0;
}
}
