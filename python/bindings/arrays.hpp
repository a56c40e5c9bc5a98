// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Between arrays of Python and views: what goes in is copied, what comes out is viewed.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::python {

/// Where the module computes: the last of the library's execution spaces, which is Kokkos' default.
using Exec = std::tuple_element_t<std::tuple_size_v<ExecutionSpaces> - 1, ExecutionSpaces>;

/// Deletes what holds views. Python frees some objects after Kokkos has been finalized, where views may not
/// be freed any more: the end of the process, which is near, frees those.
struct DeleteBeforeFinalize {
  template <class T>
  void operator()(T* object) const {
    if (!Kokkos::is_finalized()) delete object;
  }
};

template <class T, class... Arguments>
std::shared_ptr<T> make_kept(Arguments&&... arguments) {
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...), DeleteBeforeFinalize());
}

/// Memory of an array that Python hands over, row by row: on the host, or where `Exec` computes.
template <class T>
struct Located {
  T* data = nullptr;
  std::size_t count = 0;
  bool on_device = false;
};

/// Memory that Python is shown as an array; `owner` keeps it. Strides count entries.
template <class T>
struct Array {
  T* data = nullptr;
  std::vector<std::size_t> extents;
  std::vector<std::int64_t> strides;
  std::shared_ptr<const void> owner;
};

/// The memory of a view, wherever it lies; the array shares it.
template <class View>
Array<typename View::value_type> array_of(const View& view) {
  Array<typename View::value_type> array{view.data(), {}, {}, make_kept<View>(view)};
  for (std::size_t r = 0; r < View::rank(); ++r) {
    array.extents.push_back(view.extent(r));
    array.strides.push_back(static_cast<std::int64_t>(view.stride(r)));
  }
  return array;
}

/// The same on the host: a copy, where the view lies elsewhere.
template <class View>
Array<typename View::value_type> host_array_of(const View& view) {
  // A mirror has entries that can be written.
  const auto array = array_of(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view));
  return {array.data, array.extents, array.strides, array.owner};
}

/// A copy, in the memory of `Exec`, of values that lie row by row on the host.
template <class View>
View copy_in(const std::string& label, const typename View::const_value_type* host, std::size_t rows) {
  const auto exec = default_instance<Exec>();
  const View view = allocate<View>(exec, label, rows);
  const auto mirror = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view);
  for (std::size_t i = 0; i < rows; ++i) {
    if constexpr (View::rank() == 1)
      mirror(i) = host[i];
    else
      for (std::size_t j = 0; j < mirror.extent(1); ++j) mirror(i, j) = host[i * mirror.extent(1) + j];
  }
  Kokkos::deep_copy(exec, view, mirror);
  exec.fence("Tessera::python::copy_in");
  return view;
}

/// A copy, in the memory of `Exec`, of values that lie row by row; those on the device do not pass the host.
template <class View>
View copy_in(const std::string& label, const Located<typename View::const_value_type>& from,
             std::size_t rows) {
  if (!from.on_device) return copy_in<View>(label, from.data, rows);
  const auto exec = default_instance<Exec>();
  const View view = allocate<View>(exec, label, rows);
  Kokkos::deep_copy(exec, view,
                    Kokkos::View<typename View::const_data_type, Kokkos::LayoutRight, Exec>(from.data, rows));
  exec.fence("Tessera::python::copy_in");
  return view;
}

template <class View, class T>
View copy_in(const std::string& label, const std::vector<T>& host) {
  return copy_in<View>(label, host.data(), host.size());
}

} // namespace tessera::python
