// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the sources of the bindings share.

#include "arrays.hpp"
#include "device_array.hpp"
#include "streams.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace tessera::python {

namespace nb = nanobind;

/// Arrays that come in lie row by row, are of the very type, and complete; the package sees to it.
template <class T, std::size_t rank>
using HostArray = nb::ndarray<const T, nb::ndim<rank>, nb::c_contig, nb::device::cpu>;
/// \name On the host, or where `Exec` computes.
///@{
template <class T, std::size_t rank>
using GivenArray = nb::ndarray<const T, nb::ndim<rank>, nb::c_contig>;
using GivenDoubles = nb::ndarray<const double, nb::c_contig>;
using WritableDoubles = nb::ndarray<double, nb::c_contig>;
///@}

template <class HostArray>
auto to_vector(const HostArray& array) {
  return std::vector(array.data(), array.data() + array.size());
}

template <class GivenArray>
auto located(const GivenArray& array) {
  using Entry = std::remove_pointer_t<decltype(array.data())>;
  return Located<Entry>{array.data(), array.size(), array.device_type() != nb::device::cpu::value};
}

/// What keeps an array's memory, for Python.
template <class T>
nb::capsule owner_of(const Array<T>& array) {
  using Owner = std::shared_ptr<const void>;
  return {new Owner(array.owner), [](void* held) noexcept { delete static_cast<Owner*>(held); }};
}

/// A NumPy array of memory on the host.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(const Array<T>& array) {
  return {array.data, array.extents.size(), array.extents.data(), owner_of(array), array.strides.data()};
}

/// The same of memory of `Exec`: a NumPy array on the host, else a `DeviceArray`.
template <class T>
auto to_array(const Array<T>& array) {
  if constexpr (runs_on_host<Exec>)
    return to_numpy(array);
  else
    return DeviceArray(nb::ndarray<nb::ro>(array.data, array.extents.size(), array.extents.data(),
                                           owner_of(array), array.strides.data(), nb::dtype<T>(),
                                           DeviceArray::device_type(), device_id()));
}

/// Lets Python act on signals that have come: Ctrl-C raises KeyboardInterrupt.
inline void hear_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_errors(nb::module_& extension);
void bind_devices(nb::module_& extension);
void bind_problems(nb::module_& extension);
void bind_pictures(nb::module_& extension);
void bind_solvers(nb::module_& extension);

} // namespace tessera::python
