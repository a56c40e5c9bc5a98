// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The auxiliary fields of a weak form, all of them at once.

#include <tessera/core/weak_form/fields.hpp>
#include <tessera/core/weak_form/point_field.hpp>

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera::detail {

/// Numbers are kept as cell fields.
template <class Field>
using stored_field_t = std::conditional_t<std::is_arithmetic_v<Field>, CellField, Field>;

/// The fields' kernels on a mesh, a `FieldList`.
template <class... Fields, class Element, class ExecutionSpace>
auto kernels_of(const std::tuple<Fields...>& fields, const MeshKernel<Element, ExecutionSpace>& mesh) {
  return std::apply([&](const auto&... field) { return field_list(field_kernel(field, mesh)...); }, fields);
}

/// \param name what messages call a field, before its number
/// \throws as `check_field`
template <class... Fields, class MeshType>
void check_fields(const std::tuple<Fields...>& fields, const std::string& name, const MeshType& mesh,
                  int points) {
  int k = 0;
  std::apply(
      [&](const auto&... field) { (check_field(field, name + std::to_string(k++), mesh, points), ...); },
      fields);
}

} // namespace tessera::detail
