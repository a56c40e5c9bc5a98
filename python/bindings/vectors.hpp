// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Vectors of Python for the library's calls: themselves where `Exec` reads them, else copies.

#include "arrays.hpp"

namespace tessera::python {

/// Whether calls take an array as it is.
template <class T>
bool in_place(const Located<T>& array) {
  return runs_on_host<Exec> || array.on_device;
}

/// Values where `Exec` reads them: themselves, or a copy.
template <class T>
Kokkos::View<const T*, Exec> readable(const Located<const T>& values) {
  if (in_place(values)) return Kokkos::View<const T*, Exec>(values.data, values.count);
  const auto exec = default_instance<Exec>();
  const auto copy = allocate<Kokkos::View<T*, Exec>>(exec, "Tessera::python::readable", values.count);
  Kokkos::deep_copy(exec, copy, Kokkos::View<const T*, Kokkos::HostSpace>(values.data, values.count));
  exec.fence("Tessera::python::readable");
  return copy;
}

/// Calls `compute(x, y)` with vectors of `Exec`, and waits; y goes where its array lies.
template <class Compute>
void compute_vector(const Exec& exec, const Located<const double>& x, const Located<double>& y,
                    const Compute& compute) {
  const Kokkos::View<double*, Exec> computed =
      in_place(y) ? Kokkos::View<double*, Exec>(y.data, y.count)
                  : allocate<Kokkos::View<double*, Exec>>(exec, "Tessera::python::computed", y.count);
  compute(readable(x), computed);
  if (!in_place(y))
    Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(y.data, y.count), computed);
  exec.fence("Tessera::python::compute_vector");
}

/// The same with a vector that is read and written.
template <class Compute>
void update_vector(const Exec& exec, const Located<double>& x, const Compute& compute) {
  compute_vector(exec, Located<const double>{x.data, x.count, x.on_device}, x,
                 [&](const auto& before, const auto& after) {
                   if (after.data() != before.data()) Kokkos::deep_copy(exec, after, before);
                   compute(after);
                 });
}

} // namespace tessera::python
