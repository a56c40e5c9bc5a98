// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Products and residuals with the import of ghosts' values under way.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace tessera::distributed {

namespace detail {

/// y += z, but for constrained rows, which both have.
template <class Values>
struct AddBorder {
  Equations<typename Values::execution_space> equations;
  Values y, z;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto node = static_cast<Ordinal>(i / equations.components);
    const int component = static_cast<int>(i % equations.components);
    if (equations.removed || !equations.is_constrained(node, component)) y(i) += z(i);
  }
};

/// The same on an instance. \param equations of the space of interior or border
template <class Scalar, class ExecutionSpace>
void add_border(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations,
                const Kokkos::View<Scalar*, ExecutionSpace>& y,
                const Kokkos::View<Scalar*, ExecutionSpace>& z) {
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;
  Kokkos::parallel_for("Tessera::SplitSum::add_border",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(y.extent(0))),
                       AddBorder<Values>{equations, y, z});
}

} // namespace detail

/// Sums what the interior and the border of a `SplitMesh` give for nodal values, with the import of the
/// ghosts' values under way while the interior is computed. Buffers are allocated when it is made, none
/// later.
///
/// Costs, beside the sum over all elements at once: a second launch, a vector, and its addition. It pays
/// where messages take longer than that: on one host they do not (docs/performance/ranks.md).
template <class Scalar, class ExecutionSpace>
class SplitSum {
public:
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Collective.
  /// \param space of the mesh or of a side; constrained rows must be kept (`zeroed`), if there are any
  /// \throws as NodeExchange
  template <class Cells>
  SplitSum(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
           const SpaceOn<Cells, ExecutionSpace>& space, Transfer transfer = Transfer::host)
      : exchange_(exec, mesh.import(), space.components(), transfer), equations_(space.equations(exec)),
        border_(allocate<Values>(exec, "Tessera::SplitSum::border", space.num_dofs())) {}

  /// y = interior + border for owned rows; the ghosts of x get their owners' values.
  /// \param interior `interior(x, y)` writes y from the interior's elements; so does `border` from its own
  /// \throws ArgumentError before a message, if x or y has not a value for each degree of freedom
  template <class Interior, class Border>
  void apply(const ExecutionSpace& exec, const Values& x, const Values& y, const Interior& interior,
             const Border& border) {
    if (y.extent(0) != border_.extent(0))
      throw ArgumentError("SplitSum: y has " + std::to_string(y.extent(0)) + " values for " +
                          std::to_string(border_.extent(0)) + " degrees of freedom");
    exchange_.begin(exec, x);
    interior(x, y);
    exchange_.end(exec, x);
    border(x, border_);
    detail::add_border(exec, equations_, y, border_);
  }

private:
  NodeExchange<Scalar, ExecutionSpace> exchange_;
  Equations<ExecutionSpace> equations_;
  Values border_;
};

} // namespace tessera::distributed
