// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An error on one rank becomes the same error on all of them, so that none waits for a rank that has thrown.

#include <tessera/distributed/communicator.hpp>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// Collective: throws the failure of the lowest rank that has one, on every rank.
void raise_first_failure(const Communicator& ranks, const std::exception_ptr& failure);

} // namespace detail

/// Collective: what `work()` returns on this rank, unless it throws on some rank. One reduction of an integer
/// where it does not.
///
/// `work` must not communicate after a step that may throw on one rank alone.
/// \throws on every rank what the lowest rank threw, an Error of the same type with the text "rank 2: ..."
template <class Work>
std::invoke_result_t<Work> agree(const Communicator& ranks, const Work& work) {
  using Result = std::invoke_result_t<Work>;
  std::exception_ptr failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    detail::raise_first_failure(ranks, failure);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(work());
    } catch (...) {
      failure = std::current_exception();
    }
    detail::raise_first_failure(ranks, failure);
    return std::move(*result);
  }
}

/// A number that all ranks must have been given, and what messages call it: "the number of components".
struct Named {
  std::string name;
  double value;
};

/// Collective: checks that all ranks were given the same numbers.
/// \throws ArgumentError on every rank with the number of rank 0 and of the first that has another
void check_same(const Communicator& ranks, const std::vector<Named>& numbers);

} // namespace tessera::distributed
