#pragma once

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tessera::test {

/// Every execution space that Kokkos was built with, as the types of a typed test suite.
using ExecutionSpaces = ::testing::Types<Kokkos::DefaultExecutionSpace
#if defined(KOKKOS_ENABLE_OPENMP) && (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP))
                                         ,
                                         Kokkos::OpenMP
#endif
#if defined(KOKKOS_ENABLE_SERIAL) && (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) ||           \
                                      defined(KOKKOS_ENABLE_OPENMP) || defined(KOKKOS_ENABLE_THREADS))
                                         ,
                                         Kokkos::Serial
#endif
                                         >;

/// Names a typed test after its execution space: `Coloring/Serial.IsValid`.
struct ExecutionSpaceName {
  template <class ExecutionSpace>
  static std::string GetName(int) {
    return ExecutionSpace::name();
  }
};

/// Expects that `action` throws `Exception` with `part` in its message.
template <class Exception, class Action>
void expect_throw_with(Action&& action, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown, expected a message with: " << part;
  } catch (const Exception& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << "message: " << error.what() << "\nexpected part: " << part;
  }
}

} // namespace tessera::test
