// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Coefficients of a form: a number, one number per material or per element (`CellField`), or anything that
/// can be called with a position.

#include <tessera/core/allocate.hpp>
#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/fields/function_of_position.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera {

/// A coefficient that is constant in every element: the same everywhere, one value per material, or one per
/// element. Converts from a number; copies share their values.
class CellField {
public:
  enum class Kind { constant, per_material, per_element };

  CellField(double value = 0.0) : constant_(value) {}

  /// `values[m]` for the elements of material m. The values are copied into the memory of `ExecutionSpace`,
  /// and kept on the host too, so that checking them asks nothing of the device.
  /// \throws OutOfMemoryError; Error where Kokkos is not initialized
  template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
  static CellField per_material(const std::vector<double>& values) {
    const auto exec = default_instance<ExecutionSpace>();
    const auto device = allocate<Kokkos::View<double*, ExecutionSpace>>(
        exec, "Tessera::CellField::per_material", values.size());
    Kokkos::deep_copy(exec, device,
                      Kokkos::View<const double*, Kokkos::HostSpace>(values.data(), values.size()));
    exec.fence("Tessera::CellField::per_material");
    return CellField(Kind::per_material, device, [device, values] { return values; });
  }

  /// `values(e)` for element e, of a View<double*> or View<const double*>. The view is shared, not copied.
  /// \throws ArgumentError for values that do not follow each other in memory
  template <class Value, class... Properties>
    requires std::is_same_v<std::remove_const_t<Value>, double>
  static CellField per_element(const Kokkos::View<Value*, Properties...>& values) {
    if (values.extent(0) > 1 && values.stride(0) != 1)
      throw ArgumentError("CellField::per_element: the view's values are " +
                          std::to_string(values.stride(0)) + " apart; copy them into a view without gaps");
    return CellField(Kind::per_element, values, [values] {
      std::vector<double> host(values.extent(0));
      Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(host.data(), host.size()), values);
      return host;
    });
  }

  Kind kind() const { return kind_; }
  double constant() const { return constant_; }

  /// Number of values; 1 for a constant.
  std::size_t size() const { return size_; }

  /// Name of the memory space that holds the values; empty for a constant.
  const std::string& memory_space() const { return memory_space_; }

  /// The values in the memory named by memory_space(); null for a constant.
  const double* data() const { return data_; }

  /// All values on the host, in the order of materials or elements; one value for a constant.
  std::vector<double> host_values() const { return copy_to_host_ ? copy_to_host_() : std::vector{constant_}; }

private:
  template <class View, class CopyToHost>
  CellField(Kind kind, const View& values, const CopyToHost& copy_to_host)
      : kind_(kind), data_(values.data()), size_(values.extent(0)), memory_space_(View::memory_space::name()),
        copy_to_host_(copy_to_host) {}

  Kind kind_ = Kind::constant;
  double constant_ = 0.0;
  const double* data_ = nullptr;
  std::size_t size_ = 1;
  std::string memory_space_;
  std::function<std::vector<double>()> copy_to_host_; // owns the view
};

/// What a CellField is inside a kernel.
struct CellFieldKernel {
  CellField::Kind kind;
  double constant;
  const double* data;

  /// Value in the element (or the elements, lane by lane) that `cell` describes.
  template <class Real, class Cell>
  KOKKOS_FORCEINLINE_FUNCTION Real in(const Cell& cell) const {
    if (kind == CellField::Kind::constant) return Real(value_type_t<Real>(constant));
    return from_lanes<Real>([&](int lane) {
      const Ordinal index = kind == CellField::Kind::per_material ? cell.material[lane] : cell.element[lane];
      return value_type_t<Real>(data[index]);
    });
  }
};

/// Whether a coefficient is known to be zero everywhere.
KOKKOS_FORCEINLINE_FUNCTION bool known_to_vanish(const CellFieldKernel& field) {
  return field.kind == CellField::Kind::constant && field.constant == 0;
}
template <class Coefficient>
KOKKOS_FORCEINLINE_FUNCTION bool known_to_vanish(const Coefficient&) {
  return false;
}

/// A field known to be the same everywhere: kernels made with it do not look at the element.
struct UniformFieldKernel {
  double constant;

  template <class Real, class Cell>
  KOKKOS_FORCEINLINE_FUNCTION Real in(const Cell&) const {
    return Real(value_type_t<Real>(constant));
  }
};

/// The field with its value in one element ready: whoever asks it again does not wait for the memory.
template <class Cell>
KOKKOS_FORCEINLINE_FUNCTION CellFieldKernel fetched(const CellFieldKernel& field, const Cell& cell) {
  return {CellField::Kind::constant, field.template in<double>(cell), nullptr};
}
template <class Field, class Cell>
KOKKOS_FORCEINLINE_FUNCTION Field fetched(const Field& field, const Cell&) {
  return field;
}

/// A field's value in the element (or the elements, lane by lane) at hand, fetched beforehand.
template <class Value>
struct FetchedFieldKernel {
  Value value;

  template <class Real, class Cell>
  KOKKOS_FORCEINLINE_FUNCTION Real in(const Cell&) const {
    return value;
  }
};

/// A coefficient's value where `admissible(number)` holds in every lane, else NaN in the lanes where it does
/// not: what kernels make of that is not finite, and so they report the element.
template <class Real, class Admissible>
KOKKOS_FORCEINLINE_FUNCTION Real admissible_or_nan(const Real& value, const Admissible& admissible) {
  using Value = value_type_t<Real>;
  bool all = true;
  for (int lane = 0; lane < lanes_v<Real>; ++lane) all = all && admissible(lane_of(value, lane));
  if (all) return value;
  return from_lanes<Real>([&](int lane) {
    const Value number = lane_of(value, lane);
    return admissible(number) ? number : Kokkos::Experimental::quiet_NaN_v<Value>;
  });
}

/// For coefficients that must be greater than zero.
struct Positive {
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Value value) const {
    return value > 0;
  }
};

/// For coefficients that must not be less than zero.
struct NotNegative {
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Value value) const {
    return value >= 0;
  }
};

/// Kernels of coefficients that are constant in every element.
template <class Kernel>
inline constexpr bool is_field_kernel_v =
    std::is_same_v<Kernel, CellFieldKernel> || std::is_same_v<Kernel, UniformFieldKernel>;
template <class Value>
inline constexpr bool is_field_kernel_v<FetchedFieldKernel<Value>> = true;

/// Whether a field has values per material or element.
KOKKOS_FORCEINLINE_FUNCTION bool varies(const CellFieldKernel& field) {
  return field.kind != CellField::Kind::constant;
}

/// True for coefficients that are constant in every element.
template <class Coefficient>
inline constexpr bool is_cell_constant_v =
    std::is_same_v<Coefficient, CellField> || std::is_arithmetic_v<Coefficient>;

/// `value` for coefficients that a number can stand for; callables and tensors are value-initialised.
template <class Coefficient>
Coefficient default_coefficient([[maybe_unused]] double value) {
  if constexpr (std::is_convertible_v<double, Coefficient>)
    return value;
  else
    return {};
}

/// The device-side twin of a coefficient: a `CellFieldKernel` for a CellField, itself for a callable.
inline CellFieldKernel coefficient_kernel(const CellField& field) {
  return {.kind = field.kind(), .constant = field.constant(), .data = field.data()};
}
template <class Callable>
  requires(!std::is_convertible_v<Callable, CellField>)
Callable coefficient_kernel(const Callable& callable) {
  return callable;
}

/// Value of a coefficient's kernel at a quadrature point. A callable is called with the position
/// (`Vector<double, dimension>`), lane by lane, and returns a number.
template <class Coefficient, class Point>
KOKKOS_FORCEINLINE_FUNCTION typename Point::real_type coefficient_at(const Coefficient& coefficient,
                                                                     const Point& point) {
  using Real = typename Point::real_type;
  if constexpr (is_field_kernel_v<Coefficient>) {
    return coefficient.template in<Real>(point.cell());
  } else {
    static_assert(NumberAtPosition<Coefficient, Point::dimension>,
                  "a coefficient is a number, a CellField, or a const KOKKOS_FUNCTION of the position, a "
                  "Vector<double, dimension>, that returns a number");
    return from_lanes<Real>([&](int lane) {
      Vector<double, Point::dimension> x;
      for (int d = 0; d < Point::dimension; ++d) x(d) = lane_of(point.position(d), lane);
      return value_type_t<Real>(coefficient(x));
    });
  }
}

/// Checks a cell field on the host: its values are where `ExecutionSpace` can read them, there is one for
/// each element or material, and `admissible` holds for each.
/// \throws ArgumentError for values in the wrong memory, too few, or for other elements than the mesh's;
///   FormError naming the coefficient, the
///   material or element, and `requirement`.
template <class ExecutionSpace, class Admissible>
void check_cell_field(const CellField& field, const std::string& name, std::size_t materials,
                      std::size_t elements, const std::string& requirement, const Admissible& admissible) {
  using Kind = CellField::Kind;
  if (field.kind() != Kind::constant && field.memory_space() != ExecutionSpace::memory_space::name())
    throw ArgumentError(name + ": its values lie in " + field.memory_space() + ", the assembly runs in " +
                        ExecutionSpace::memory_space::name());
  const std::size_t wanted = field.kind() == Kind::per_material  ? materials
                             : field.kind() == Kind::per_element ? elements
                                                                 : 1;
  // More materials than the mesh has are no mistake, a value for an element that it does not have is one.
  if (field.kind() == Kind::per_element ? field.size() != wanted : field.size() < wanted)
    throw ArgumentError(name + ": " + std::to_string(field.size()) + " values given, the mesh has " +
                        std::to_string(wanted) +
                        (field.kind() == Kind::per_material ? " materials" : " elements"));
  // Values per element are checked by the kernels that read them (`admissible_or_nan`): no pass over them
  // more.
  if (field.kind() == Kind::per_element) return;
  const std::vector<double> values = field.host_values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || !admissible(values[i]))
      throw FormError(name + " must be " + requirement + ", got " + std::to_string(values[i]) +
                      (field.kind() == Kind::per_material ? " for material " + std::to_string(i) : ""));
}

} // namespace tessera
