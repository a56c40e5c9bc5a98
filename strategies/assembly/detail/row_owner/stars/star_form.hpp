// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a form may offer `StarRows` beyond its closed form `over(simplex)`:
///
/// - `row_sum()` of that: the sum of `stiffness(i, j)` over j, the same for each i. The entry of the node
///   itself is what the others leave of it.
/// - `static constexpr int cell_fields()` of its kernel: how many `CellField`s the closed form looks up, and
///   nothing else that varies from element to element; with `field(i)`, the `CellFieldKernel`s, those that
///   vary most often first, and `with_fields(fields)`, the kernel with an array of others, of one type, in
///   their place. Their values are then fetched before the elements are computed.

#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace TESSERA_KERNELS::assembly::detail {

/// Whether a kernel says which coefficients it looks up. Of others elements look them up themselves.
template <class Kernel>
concept NamesCellFields = requires { Kernel::cell_fields(); };

/// Coefficients of a form that are fetched before the elements are computed: those that it names, on devices.
template <class Kernel>
constexpr int fields_ahead(bool on_host) {
  if constexpr (NamesCellFields<Kernel>)
    return on_host ? 0 : Kernel::cell_fields();
  else
    return 0;
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

/// The kernel for coefficients that are numbers, if they all are.
template <NamesCellFields Kernel>
auto uniform_kernel(const Kernel& kernel) {
  constexpr int count = Kernel::cell_fields();
  if constexpr (count == 0) {
    return std::optional(kernel);
  } else {
    UniformFieldKernel fields[count];
    bool uniform = true;
    for (int i = 0; i < count; ++i) {
      uniform = uniform && !varies(kernel.field(i));
      fields[i] = {kernel.field(i).constant};
    }
    return uniform ? std::optional(kernel.with_fields(fields)) : std::nullopt;
  }
}

/// The kernel for fetched values of the first coefficients; the others are constant.
template <NamesCellFields Kernel, class Real, int Count>
KOKKOS_FORCEINLINE_FUNCTION auto kernel_with_values(const Kernel& kernel, const Real (&value)[Count]) {
  FetchedFieldKernel<Real> fields[Kernel::cell_fields()];
  for (int i = 0; i < Kernel::cell_fields(); ++i)
    fields[i] = {i < Count ? value[i] : Real(value_type_t<Real>(kernel.field(i).constant))};
  return kernel.with_fields(fields);
}

} // namespace TESSERA_KERNELS::assembly::detail
