// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Allocation of uninitialised views with a readable error.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <new>
#include <stdexcept>
#include <string>

namespace tessera {

namespace detail {

/// Throws what is being handled as OutOfMemoryError if it says that memory is short, else as it is.
template <class ExecutionSpace>
[[noreturn]] void rethrow_as_out_of_memory(const std::string& label, const char* memory_space,
                                           std::size_t bytes) {
  const auto fail = [&](const char* what) {
    return OutOfMemoryError("cannot allocate " + std::to_string(bytes) + " bytes in " + memory_space +
                            " for " + label + ": " + what);
  };
  try {
    throw;
  } catch (const std::bad_alloc& e) {
    throw fail(e.what());
  } catch (const std::runtime_error& e) { // Kokkos::Experimental::BadAlloc, where Kokkos has it, is one
    throw fail(e.what());
  }
}

template <class View, class ExecutionSpace, class... Extents>
View allocate_uninitialised(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  try {
    return View(Kokkos::view_alloc(exec, label, Kokkos::WithoutInitializing), extents...);
  } catch (...) {
    rethrow_as_out_of_memory<ExecutionSpace>(label, View::memory_space::name(),
                                             View::required_allocation_size(extents...));
  }
}

template <class View, class ExecutionSpace, class... Extents>
View allocate_zeros(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  const View view = allocate_uninitialised<View>(exec, label, extents...);
  Kokkos::deep_copy(exec, view, typename View::value_type{});
  return view;
}

} // namespace detail

/// An uninitialised view in the memory of `exec`.
///
/// \param label starts with `Tessera::`
/// \throws OutOfMemoryError naming the label and the bytes wanted
template <class View, class ExecutionSpace, class... Extents>
View allocate(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  return detail::allocate_uninitialised<View>(exec, label, static_cast<std::size_t>(extents)...);
}

/// A view in the memory of `exec`, filled with zeros on `exec`.
///
/// \throws OutOfMemoryError naming the label and the bytes wanted
template <class View, class ExecutionSpace, class... Extents>
View allocate_zeroed(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  return detail::allocate_zeros<View>(exec, label, static_cast<std::size_t>(extents)...);
}

/// Bytes that a view occupies.
template <class View>
std::size_t bytes_of(const View& view) {
  return view.span() * sizeof(typename View::value_type);
}

} // namespace tessera
