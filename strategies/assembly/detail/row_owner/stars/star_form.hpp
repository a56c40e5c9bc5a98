// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a form may offer `StarRows` beyond its closed form.

#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace TESSERA_KERNELS::assembly::detail {

/// What is known of a form's kernel. Of most nothing: its elements look up their coefficients themselves.
template <class Kernel>
struct StarForm {
  static constexpr int fields = 0;
  static constexpr bool knows_row_sum = false;
};

/// Coefficients of a form that are fetched before the elements are computed: those that it lets one fetch, on
/// devices.
template <class Kernel>
constexpr int fields_ahead(bool on_host) {
  return on_host ? 0 : StarForm<Kernel>::fields;
}

/// Values of a coefficient in some elements. No condition stands between two loads.
template <int count, class Scalar, class Mesh>
KOKKOS_FORCEINLINE_FUNCTION void fetch_values(const CellFieldKernel& field, const Mesh& mesh,
                                              const Ordinal (&element)[count], Scalar (&value)[count]) {
  Ordinal index[count];
  for (int i = 0; i < count; ++i) index[i] = element[i];
  if (field.kind == CellField::Kind::per_material)
    for (int i = 0; i < count; ++i) index[i] = mesh.material(element[i]);
  if (varies(field))
    for (int i = 0; i < count; ++i) value[i] = static_cast<Scalar>(field.data[index[i]]);
  else
    for (int i = 0; i < count; ++i) value[i] = static_cast<Scalar>(field.constant);
}

/// `Helmholtz` whose coefficients are constant in every element knows what its entries in a row add up to.
template <class Sigma, class Lambda, class Source>
struct StarForm<HelmholtzKernel<Sigma, Lambda, Source>> {
  static constexpr int fields = 0;
  static constexpr bool knows_row_sum = true;

  /// The sum of `stiffness(i, j)` over j: gradients add up to zero.
  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION static Matrix<Real, 1>
  row_sum(const HelmholtzOnSimplex<Element, Real>& integral) {
    Matrix<Real, 1> sum;
    sum(0, 0) = integral.mass * value_type_t<Real>(Element::nodes + 1);
    return sum;
  }
};

/// With a `CellField` for each coefficient it can besides be made for one number each, and for fetched
/// values.
template <>
struct StarForm<HelmholtzKernel<CellFieldKernel, CellFieldKernel, CellFieldKernel>>
    : StarForm<HelmholtzKernel<UniformFieldKernel, UniformFieldKernel, UniformFieldKernel>> {
  using Kernel = HelmholtzKernel<CellFieldKernel, CellFieldKernel, CellFieldKernel>;
  using Uniform = HelmholtzKernel<UniformFieldKernel, UniformFieldKernel, UniformFieldKernel>;
  static constexpr int fields = 3;

  /// The coefficients, those that vary most often first.
  KOKKOS_FORCEINLINE_FUNCTION static const CellFieldKernel& field(const Kernel& kernel, int i) {
    return i == 0 ? kernel.sigma : i == 1 ? kernel.lambda : kernel.source;
  }

  /// The kernel for coefficients that are numbers, if they all are.
  static std::optional<Uniform> uniform(const Kernel& kernel) {
    for (int i = 0; i < fields; ++i)
      if (varies(field(kernel, i))) return std::nullopt;
    return Uniform{{kernel.sigma.constant}, {kernel.lambda.constant}, {kernel.source.constant}};
  }

  /// The kernel for fetched values of the first coefficients; the others are constant.
  template <class Real, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static auto fetched(const Kernel& kernel, const Real (&value)[Count]) {
    using Field = FetchedFieldKernel<Real>;
    const auto known = [&](int i) {
      return i < Count ? value[i] : Real(value_type_t<Real>(field(kernel, i).constant));
    };
    return HelmholtzKernel<Field, Field, Field>{{known(0)}, {known(1)}, {known(2)}};
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
