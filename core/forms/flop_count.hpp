// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A scalar that counts its operations: flops are counted in the code that runs, not by hand.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>

namespace tessera {

/// A double that adds to `count` with every addition, subtraction, multiplication and division, on the host.
struct CountedReal {
  double value;
  inline static thread_local long count = 0;

  KOKKOS_FUNCTION CountedReal(double v = 0) : value(v) {}
  KOKKOS_FUNCTION CountedReal operator-() const { return -value; }
  KOKKOS_FUNCTION friend CountedReal operator+(CountedReal a, CountedReal b) {
    return counted(a.value + b.value);
  }
  KOKKOS_FUNCTION friend CountedReal operator-(CountedReal a, CountedReal b) {
    return counted(a.value - b.value);
  }
  KOKKOS_FUNCTION friend CountedReal operator*(CountedReal a, CountedReal b) {
    return counted(a.value * b.value);
  }
  KOKKOS_FUNCTION friend CountedReal operator/(CountedReal a, CountedReal b) {
    return counted(a.value / b.value);
  }
  KOKKOS_FUNCTION CountedReal& operator+=(CountedReal b) { return *this = *this + b; }
  KOKKOS_FUNCTION CountedReal& operator-=(CountedReal b) { return *this = *this - b; }
  KOKKOS_FUNCTION CountedReal& operator*=(CountedReal b) { return *this = *this * b; }
  KOKKOS_FUNCTION double operator[](int) const { return value; }

private:
  // Forms' functions are compiled for devices too, where threads have no number of their own.
  KOKKOS_FUNCTION static CountedReal counted(double result) {
    KOKKOS_IF_ON_HOST((++count;))
    return result;
  }
};

template <>
struct RealTraits<CountedReal> {
  using value_type = double;
  static constexpr int lanes = 1;
};

/// Flops of the element matrix and load of one element by `integrate`.
/// \param kernel a form's pointwise part without data in device memory (constant coefficients)
template <class Element, class Kernel>
long flops_per_element(const Kernel& kernel) {
  Cell<Element, CountedReal> cell{};
  const auto reference = Element::node_coordinates();
  for (int n = 0; n < Element::nodes; ++n)
    for (int d = 0; d < Element::dimension; ++d) cell.coordinates[n][d] = reference[n][d];
  element_system_t<Element, Kernel, CountedReal> system;
  CountedReal::count = 0;
  integrate(kernel, cell, system);
  return CountedReal::count;
}

} // namespace tessera
