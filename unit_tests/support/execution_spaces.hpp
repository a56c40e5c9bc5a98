// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/execution_spaces.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace tessera::test {

namespace detail {
template <class Tuple>
struct AsTypes;
template <class... Types>
struct AsTypes<std::tuple<Types...>> {
  using type = ::testing::Types<Types...>;
};
} // namespace detail

/// Every execution space that Kokkos was built with, as the types of a typed test suite.
using ExecutionSpaceTypes = detail::AsTypes<tessera::ExecutionSpaces>::type;

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
