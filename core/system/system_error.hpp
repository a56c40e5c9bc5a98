// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The error of an assembled system against the oracle.

#include <tessera/core/system/deviation.hpp>
#include <tessera/core/system/reference_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tessera {

/// Largest difference between a system and the reference, entry by entry relative to the sum of the absolute
/// values of the products that the entry is made of: the rounding of a sum whose terms cancel is no error.
struct SystemError {
  double matrix = 0;
  double rhs = 0;
  double max() const { return std::max(matrix, rhs); }
};

namespace detail {

/// Copies the values of some rows, one row after the other.
template <class Values>
struct GatherRows {
  using ExecutionSpace = typename Values::execution_space;
  Kokkos::View<const Offset*, ExecutionSpace> begin;   ///< of each row, among the values
  Kokkos::View<const Offset*, ExecutionSpace> row_map; ///< of each row, among those that are copied
  Values values;
  Kokkos::View<typename Values::non_const_value_type*, ExecutionSpace> gathered;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    for (Offset k = row_map(r); k < row_map(r + 1); ++k) gathered(k) = values(begin(r) + k - row_map(r));
  }
};

template <class Values>
struct CountNonFinite {
  Values values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    if (!Kokkos::isfinite(values(k))) ++count;
  }
};

/// Whether all numbers are finite.
template <class Values>
bool all_finite_in(const Values& values) {
  using Range = Kokkos::RangePolicy<typename Values::execution_space, Kokkos::IndexType<std::int64_t>>;
  std::int64_t count = 0;
  Kokkos::parallel_reduce("Tessera::system_error::count_non_finite",
                          Range(0, static_cast<std::int64_t>(values.extent(0))),
                          CountNonFinite<Values>{values}, count);
  return count == 0;
}

/// The values of the reference's rows on the host: of a sample few of all.
template <class Scalar, class Values>
std::vector<Scalar> values_of_rows(const Values& values, const ReferenceSystem& reference) {
  using ExecutionSpace = typename Values::execution_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto on_device = [](const std::vector<Offset>& list) {
    return Kokkos::create_mirror_view_and_copy(
        ExecutionSpace(), Kokkos::View<const Offset*, Kokkos::HostSpace>(list.data(), list.size()));
  };
  const Kokkos::View<Scalar*, ExecutionSpace> gathered(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::system_error::gathered"),
      reference.values.size());
  Kokkos::parallel_for(
      "Tessera::system_error::gather_rows", Range(0, static_cast<std::int64_t>(reference.rows.size())),
      GatherRows<Values>{on_device(reference.begin), on_device(reference.row_map), values, gathered});
  return host_vector<Scalar>(gathered);
}

} // namespace detail

/// Measures the error of an assembled system in the rows of the reference, whose values alone are copied to
/// the host. NaN or infinity anywhere, in other rows too, gives infinity.
template <class Scalar, class System>
SystemError system_error(const System& system, const ReferenceSystem& reference) {
  const auto relative = [](double worst, double found, double expected, double scale) {
    return found == expected ? worst : worse_of(worst, std::abs(found - expected) / scale);
  };
  SystemError error;
  if (!detail::all_finite_in(system.values())) error.matrix = INFINITY;
  if (!detail::all_finite_in(system.rhs())) error.rhs = INFINITY;
  const auto values = detail::values_of_rows<Scalar>(system.values(), reference);
  for (std::size_t k = 0; k < values.size(); ++k)
    error.matrix = relative(error.matrix, values[k], reference.values[k], reference.scale[k]);
  const auto rhs = detail::host_vector<Scalar>(system.rhs());
  for (std::size_t r = 0; r < reference.rows.size(); ++r)
    error.rhs = relative(error.rhs, rhs[reference.rows[r]], reference.rhs[r], reference.rhs_scale[r]);
  return error;
}

} // namespace tessera
