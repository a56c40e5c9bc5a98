// SPDX-License-Identifier: BSD-3-Clause
#include "device_array.hpp"

#include <tessera/core/error.hpp>

#include "module.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <numeric>
#include <type_traits>

namespace tessera::python {

namespace {

/// Copies a strided array of one or two indices row by row, and counts the numbers that T has not.
template <class T, class From>
struct Convert {
  const From* from;
  T* to;
  std::int64_t columns, row_stride, column_stride;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& lost) const {
    const From value = from[i / columns * row_stride + i % columns * column_stride];
    to[i] = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>) {
      bool changed = static_cast<From>(to[i]) != value;
      if constexpr (std::is_signed_v<From> && !std::is_signed_v<T>) changed = changed || value < 0;
      lost += changed ? 1 : 0;
    }
  }
};

/// Calls `use` with a null pointer of the type of the tensor's entries; whether it is one of `Known`.
template <class... Known, class Use>
bool with_type(const DeviceArray::Tensor& tensor, const Use& use) {
  const auto try_one = [&]<class T>(const T* type) {
    if (tensor.dtype() != nb::dtype<T>()) return false;
    use(type);
    return true;
  };
  return (try_one(static_cast<const Known*>(nullptr)) || ...);
}

bool lies_row_by_row(const DeviceArray::Tensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t r = tensor.ndim(); r-- > 0;) {
    if (tensor.shape(r) != 1 && tensor.stride(r) != expected) return false;
    expected *= static_cast<std::int64_t>(tensor.shape(r));
  }
  return true;
}

nb::dlpack::dtype type_of(const std::string& name) {
  const auto code = name.size() < 3 || name[0] == '>' ? '?' : name[1];
  const auto kind = code == 'f'   ? nb::dlpack::dtype_code::Float
                    : code == 'i' ? nb::dlpack::dtype_code::Int
                    : code == 'u' ? nb::dlpack::dtype_code::UInt
                    : code == 'c' ? nb::dlpack::dtype_code::Complex
                                  : nb::dlpack::dtype_code::Bool; // whom no call takes
  const int bytes = code == '?' ? 1 : std::stoi(name.substr(2));
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(8 * bytes), 1};
}

} // namespace

template <class T>
DeviceArray DeviceArray::zeros(const std::vector<std::size_t>& shape) {
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const auto exec = default_instance<Exec>();
  const auto view = allocate_zeroed<Kokkos::View<T*, Exec>>(exec, "Tessera::python::DeviceArray", size);
  exec.fence("Tessera::python::DeviceArray");
  return DeviceArray(Tensor(view.data(), shape.size(), shape.data(), owner_of(array_of(view)), nullptr,
                            nb::dtype<T>(), device_type(), device_id()));
}

DeviceArray DeviceArray::from_capsule(nb::object capsule) {
  DeviceArray array(nb::cast<Tensor>(capsule));
  instance().fence("Tessera::python::from_capsule"); // its producer has made the stream wait
  return array;
}

DeviceArray DeviceArray::from_interface(nb::object owner, std::uintptr_t address,
                                        const std::vector<std::size_t>& shape,
                                        const std::optional<std::vector<std::int64_t>>& strides,
                                        const std::string& type, std::optional<Stream> stream) {
  if (stream) wait_for(*stream);
  const auto dtype = type_of(type);
  std::vector<std::int64_t> entries = strides.value_or(std::vector<std::int64_t>());
  for (std::int64_t& stride : entries) stride /= dtype.bits / 8;
  return DeviceArray(Tensor(reinterpret_cast<void*>(address), shape.size(), shape.data(), owner,
                            strides ? entries.data() : nullptr, dtype, device_type(), device_id()));
}

std::vector<std::size_t> DeviceArray::shape() const {
  std::vector<std::size_t> shape;
  for (std::size_t r = 0; r < tensor_.ndim(); ++r) shape.push_back(tensor_.shape(r));
  return shape;
}

std::string DeviceArray::type() const {
  const auto type = tensor_.dtype();
  const std::string bits = std::to_string(int(type.bits));
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
  case nb::dlpack::dtype_code::Float:
    return "float" + bits;
  case nb::dlpack::dtype_code::Int:
    return "int" + bits;
  case nb::dlpack::dtype_code::UInt:
    return "uint" + bits;
  case nb::dlpack::dtype_code::Complex:
    return "complex" + bits;
  case nb::dlpack::dtype_code::Bool:
    return "bool";
  default:
    return "DLPack's type " + std::to_string(int(type.code)) + " of " + bits + " bits";
  }
}

nb::object DeviceArray::capsule(const std::optional<std::pair<int, int>>& device, bool copy) const {
  if (device && *device != std::pair(tensor_.device_type(), tensor_.device_id()))
    throw nb::buffer_error("the array lies on a device; numpy() copies it to the host");
  if (copy) throw nb::buffer_error("the array is handed out without a copy; copy() makes one");
  return nb::cast(tensor_, nb::rv_policy::reference);
}

nb::dict DeviceArray::interface() const {
  const std::string name = type();
  const int bytes = tensor_.dtype().bits / 8;
  nb::dict dict;
  dict["shape"] = nb::tuple(nb::cast(shape()));
  dict["typestr"] = "<" + std::string(1, name.front()) + std::to_string(bytes);
  dict["data"] = nb::make_tuple(address(), false);
  if (lies_row_by_row(tensor_)) {
    dict["strides"] = nb::none();
  } else {
    nb::list strides;
    for (std::size_t r = 0; r < tensor_.ndim(); ++r) strides.append(tensor_.stride(r) * bytes);
    dict["strides"] = nb::tuple(strides);
  }
  dict["stream"] = nb::none(); // nothing is pending
  dict["version"] = 3;
  return dict;
}

nb::object DeviceArray::numpy() const {
  nb::object result;
  const bool known =
      with_type<double, float, std::int32_t, std::int64_t, std::uint64_t>(tensor_, [&]<class T>(const T*) {
        const DeviceArray rows = dense<T>("numpy", tensor_.ndim());
        const Kokkos::View<const T*, Exec> from(static_cast<const T*>(rows.tensor_.data()), tensor_.size());
        const Kokkos::View<T*, Kokkos::HostSpace> to("Tessera::python::numpy", tensor_.size());
        Kokkos::deep_copy(to, from);
        Array<T> array = array_of(to);
        array.extents = shape();
        array.strides.assign(array.extents.size(), 1);
        for (std::size_t r = array.extents.size(); r-- > 1;)
          array.strides[r - 1] = array.strides[r] * static_cast<std::int64_t>(array.extents[r]);
        result = nb::cast(to_numpy(array));
      });
  if (!known) throw UnsupportedError("numpy: the array's entries are " + type());
  return result;
}

DeviceArray DeviceArray::copy() const {
  DeviceArray result = *this;
  const bool known =
      with_type<double, float, std::int32_t, std::int64_t, std::uint64_t>(tensor_, [&]<class T>(const T*) {
        const DeviceArray rows = dense<T>("copy", tensor_.ndim());
        result = zeros<T>(shape());
        Kokkos::deep_copy(
            Kokkos::View<T*, Exec>(reinterpret_cast<T*>(result.address()), tensor_.size()),
            Kokkos::View<const T*, Exec>(reinterpret_cast<const T*>(rows.address()), tensor_.size()));
      });
  if (!known) throw UnsupportedError("copy: the array's entries are " + type());
  return result;
}

template <class T>
DeviceArray DeviceArray::dense(const std::string& what, std::size_t rank) const {
  if (tensor_.ndim() != rank || rank > 2)
    throw ArgumentError(what + ": an array of " + std::to_string(rank) + " indices is needed, got " +
                        std::to_string(tensor_.ndim()));
  for (std::size_t r = 0; r < rank; ++r)
    if (tensor_.stride(r) < 0)
      throw ArgumentError(what + ": a stride is negative, " + std::to_string(tensor_.stride(r)) +
                          " entries; copy the array first");
  if (tensor_.dtype() == nb::dtype<T>() && lies_row_by_row(tensor_)) return *this;
  DeviceArray result = *this;
  const auto convert = [&]<class From>(const From*) {
    result = zeros<T>(shape());
    const bool table = rank == 2;
    const auto exec = default_instance<Exec>();
    const Convert<T, From> kernel{static_cast<const From*>(tensor_.data()),
                                  reinterpret_cast<T*>(result.address()),
                                  table ? static_cast<std::int64_t>(tensor_.shape(1)) : 1,
                                  rank > 0 ? tensor_.stride(0) : 0, table ? tensor_.stride(1) : 0};
    std::int64_t lost = 0;
    Kokkos::parallel_reduce("Tessera::python::dense",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                                exec, 0, static_cast<std::int64_t>(tensor_.size())),
                            kernel, lost);
    if (lost > 0)
      throw ArgumentError(what + ": a number is " + (std::is_signed_v<T> ? "beyond 32 bits" : "negative"));
  };
  bool known = false;
  if constexpr (std::is_integral_v<T>)
    known = with_type<std::int32_t, std::int64_t, std::uint64_t>(tensor_, convert);
  else
    known = with_type<double, float, std::int32_t, std::int64_t>(tensor_, convert);
  if (!known)
    throw ArgumentError(
        what + (std::is_integral_v<T> ? ": int32 or int64 is needed, got " : ": float64 is needed, got ") +
        type());
  return result;
}

void bind_devices(nb::module_& extension) {
  nb::class_<DeviceArray>(
      extension, "DeviceArray",
      "An array on the device, for packages that take arrays by DLPack or by CUDA's array interface: "
      "torch.from_dlpack, cupy.from_dlpack, numba. It keeps its memory, and nothing is pending on it.")
      .def_prop_ro(
          "shape", [](const DeviceArray& a) { return nb::tuple(nb::cast(a.shape())); }, "as NumPy's")
      .def_prop_ro(
          "ndim", [](const DeviceArray& a) { return a.tensor().ndim(); }, "number of indices")
      .def_prop_ro(
          "size", [](const DeviceArray& a) { return a.tensor().size(); }, "number of entries")
      .def_prop_ro("dtype", &DeviceArray::type, "type of the entries, as NumPy names it")
      .def("numpy", &DeviceArray::numpy, nb::sig("def numpy(self) -> numpy.ndarray"),
           "A copy on the host, a NumPy array.")
      .def("copy", &DeviceArray::copy, "A copy on the device.")
      .def("__len__",
           [](const DeviceArray& a) {
             if (a.tensor().ndim() == 0) throw nb::type_error("len() of a DeviceArray without indices");
             return a.tensor().shape(0);
           })
      .def(
          "__dlpack__",
          [](const DeviceArray& a, const nb::object&, const nb::object&,
             const std::optional<std::pair<int, int>>& device,
             std::optional<bool> copy) { return a.capsule(device, copy.value_or(false)); },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__",
           [](const DeviceArray& a) { return std::pair(a.tensor().device_type(), a.tensor().device_id()); })
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::interface)
      .def("__array__",
           [](const DeviceArray&, const nb::args&, const nb::kwargs&) -> nb::object {
             throw UnsupportedError("the array lies on a device; numpy() copies it to the host");
           })
      .def("__repr__", [](const DeviceArray& a) {
        return "<DeviceArray of shape " + nb::cast<std::string>(nb::str(nb::tuple(nb::cast(a.shape())))) +
               ", " + a.type() + ">";
      });
  extension.def("device_array_of_capsule", &DeviceArray::from_capsule);
  extension.def("device_array_of_interface", &DeviceArray::from_interface, nb::arg(), nb::arg(), nb::arg(),
                nb::arg().none(), nb::arg(), nb::arg().none());
  extension.def("zeros", &DeviceArray::zeros<double>);
  extension.def("dense_doubles", &DeviceArray::dense<double>);
  extension.def("dense_ordinals", &DeviceArray::dense<Ordinal>);
  extension.def("dense_longs", &DeviceArray::dense<std::int64_t>);
  extension.def("dense_offsets", &DeviceArray::dense<Offset>);
  extension.def("device", [] { return std::pair(DeviceArray::device_type(), device_id()); });
  extension.def("use_stream", use_stream, nb::arg().none());
  extension.def("current_stream", current_stream);
}

} // namespace tessera::python
