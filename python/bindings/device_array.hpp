// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Arrays in the memory of a device, for Python: taken and handed out by DLPack and CUDA's array interface.

#include "arrays.hpp"
#include "streams.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <vector>

namespace tessera::python {

namespace nb = nanobind;

/// An array where `Exec` computes; it keeps the memory, whoever's it is. Nothing is pending on it: calls of
/// the module return when they have ended on the device.
class DeviceArray {
public:
  using Tensor = nb::ndarray<nb::ro>;

  explicit DeviceArray(Tensor tensor) : tensor_(std::move(tensor)) {}
  /// Zeros, row by row.
  template <class T>
  static DeviceArray zeros(const std::vector<std::size_t>& shape);
  /// Another's, by a capsule that was given `current_stream()`; waits until the values are there.
  static DeviceArray from_capsule(nb::object capsule);
  /// Another's, by what its `__cuda_array_interface__` says; waits for `stream`.
  /// \param type as "<f8"; \param strides in bytes
  static DeviceArray from_interface(nb::object owner, std::uintptr_t address,
                                    const std::vector<std::size_t>& shape,
                                    const std::optional<std::vector<std::int64_t>>& strides,
                                    const std::string& type, std::optional<Stream> stream);

  /// DLPack's number of the kind of device that `Exec` computes on.
  static int device_type() {
    const std::string name = backend_name<Exec>();
    return name == "cuda"   ? nb::device::cuda::value
           : name == "hip"  ? nb::device::rocm::value
           : name == "sycl" ? nb::device::oneapi::value
                            : nb::device::cpu::value;
  }

  const Tensor& tensor() const { return tensor_; }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(tensor_.data()); }
  std::vector<std::size_t> shape() const;
  /// As NumPy names it.
  std::string type() const;
  /// A new capsule. \throws nb::buffer_error for another device, and where a copy is asked for
  nb::object capsule(const std::optional<std::pair<int, int>>& device, bool copy) const;
  nb::dict interface() const;
  /// A copy on the host, a NumPy array.
  nb::object numpy() const;
  DeviceArray copy() const;

  /// Itself if it lies row by row and is of type T, else a copy that does.
  /// \throws ArgumentError that begins with `what`, for another rank, a negative stride, numbers of another
  ///   kind, and whole numbers that T has not
  template <class T>
  DeviceArray dense(const std::string& what, std::size_t rank) const;

private:
  Tensor tensor_;
};

} // namespace tessera::python
