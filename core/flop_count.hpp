#pragma once

/// \file
/// A scalar that counts its operations: flops are counted in the code that runs, not by hand.

#include <tessera/core/element_system.hpp>
#include <tessera/core/mesh.hpp>

namespace tessera {

/// A double that adds to `count` with every addition, subtraction, multiplication and division.
struct CountedReal {
  double value;
  inline static thread_local long count = 0;

  CountedReal(double v = 0) : value(v) {}
  CountedReal operator-() const { return -value; }
  friend CountedReal operator+(CountedReal a, CountedReal b) { return ++count, a.value + b.value; }
  friend CountedReal operator-(CountedReal a, CountedReal b) { return ++count, a.value - b.value; }
  friend CountedReal operator*(CountedReal a, CountedReal b) { return ++count, a.value * b.value; }
  friend CountedReal operator/(CountedReal a, CountedReal b) { return ++count, a.value / b.value; }
  CountedReal& operator+=(CountedReal b) { return *this = *this + b; }
  CountedReal& operator-=(CountedReal b) { return *this = *this - b; }
  CountedReal& operator*=(CountedReal b) { return *this = *this * b; }
  double operator[](int) const { return value; }
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
