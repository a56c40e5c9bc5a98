// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the sources of the bindings share.

#include "arrays.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace tessera::python {

namespace nb = nanobind;

/// Arrays that come in are on the host, row by row, of the very type; the package sees to it.
template <class T, std::size_t rank>
using HostArray = nb::ndarray<const T, nb::ndim<rank>, nb::c_contig, nb::device::cpu>;
template <class T>
using WritableHostArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class HostArray>
auto to_vector(const HostArray& array) {
  return std::vector(array.data(), array.data() + array.size());
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

/// The device of DLPack that `Exec` computes on.
inline int dlpack_device() {
  const std::string name = backend_name<Exec>();
  return name == "cuda"   ? nb::device::cuda::value
         : name == "hip"  ? nb::device::rocm::value
         : name == "sycl" ? nb::device::oneapi::value
                          : nb::device::cpu::value;
}

/// The same of memory of `Exec`: a NumPy array on the host, else what other packages take by DLPack.
template <class T>
auto to_array(const Array<T>& array) {
  if constexpr (runs_on_host<Exec>)
    return to_numpy(array);
  else
    return nb::ndarray<T>(array.data, array.extents.size(), array.extents.data(), owner_of(array),
                          array.strides.data(), nb::dtype<T>(), dlpack_device());
}

void bind_errors(nb::module_& module);
void bind_problems(nb::module_& module);
void bind_pictures(nb::module_& module);
void bind_solvers(nb::module_& module);

} // namespace tessera::python
