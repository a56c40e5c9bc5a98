// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Values on nodes or elements, on the host, for files.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// A named field: `item x component` values on the nodes or elements of a mesh. How many components there are
/// follows from the number of items.
struct Field {
  std::string name;
  std::vector<double> values;

  Field() = default;
  Field(std::string field_name, std::vector<double> field_values)
      : name(std::move(field_name)), values(std::move(field_values)) {}

  /// Copies a view of rank 1, (item * components + component), or of rank 2, (item, component), from any
  /// memory space, after all work that was queued on its execution space.
  template <class T, class... Properties>
  Field(std::string field_name, const Kokkos::View<T, Properties...>& view) : name(std::move(field_name)) {
    using View = Kokkos::View<T, Properties...>;
    static_assert(View::rank() == 1 || View::rank() == 2,
                  "tessera::io::Field: the view must have rank 1 or 2");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    values.reserve(host.size());
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if constexpr (View::rank() == 1)
        values.push_back(static_cast<double>(host(i)));
      else
        for (std::size_t c = 0; c < host.extent(1); ++c) values.push_back(static_cast<double>(host(i, c)));
    }
  }
};

/// The field of a name. \throws ArgumentError that lists the fields there are
const Field& find_field(const std::vector<Field>& fields, const std::string& name);

} // namespace tessera::io
