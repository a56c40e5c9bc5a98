// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner's way for affine elements with integrals known in advance: lists and launches.

#include <tessera/core/allocate.hpp>
#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/affine_rows.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_path.hpp>
#include <tessera/strategies/assembly/detail/row_owner/element_rows.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace TESSERA_KERNELS::assembly::detail {

/// Marks nodes that have an element around them that is not affine.
template <class Element, class ExecutionSpace>
struct MarkBentNodes {
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<std::uint8_t*, ExecutionSpace> bent;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& count) const {
    bool affine = true;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      affine = affine && is_affine(mesh.template cell<double>(incidence.elements(k)));
    bent(node) = affine ? 0 : 1;
    count += affine ? 0 : 1;
  }
};

/// The nodes around which all elements are affine have their rows from reference tensors (`KindRows`,
/// `AffineRows`), the others by quadrature (`ElementRows`).
template <class Element, class ExecutionSpace>
class AffinePath {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;

  /// \throws OutOfMemoryError
  AffinePath(const ExecutionSpace& exec, const Space& space, const Graph& graph) {
    const auto mesh = space.mesh().kernel();
    const Ordinal nodes = space.mesh().num_nodes();
    places_.incidence = node_to_element(exec, mesh.connectivity, nodes);
    bent_ = allocate<decltype(bent_)>(exec, "Tessera::RowOwner::bent", nodes);
    take_coordinates(exec, space, graph);
  }

  /// Makes the lists of a form's rows where they are missing.
  /// \throws OutOfMemoryError
  template <class Kernel>
  void make_ready(const ExecutionSpace& exec, const Space& space, const Graph& graph) {
    if constexpr (by_kinds<Kernel>) {
      if (!kinds_) kinds_.emplace(exec, space, graph, places_.incidence);
    } else {
      if (places_.place.extent(0) == 0) tessera::detail::find_row_places(exec, space, graph, places_);
    }
  }

  /// Looks at the elements' shapes once more, and makes what nodes with bent elements need.
  /// \throws UnsupportedError for rows beyond 65535 entries; OutOfMemoryError
  void take_coordinates(const ExecutionSpace& exec, const Space& space, const Graph& graph) {
    const Ordinal nodes = space.mesh().num_nodes();
    Ordinal count = 0;
    Kokkos::parallel_reduce(
        "Tessera::RowOwner::mark_bent_nodes", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
        MarkBentNodes<Element, ExecutionSpace>{space.mesh().kernel(), places_.incidence, bent_}, count);
    bent_nodes_ = allocate<decltype(bent_nodes_)>(exec, "Tessera::RowOwner::bent_nodes", count);
    if (count == 0) return;
    const auto bent = bent_;
    const auto list = bent_nodes_;
    Kokkos::parallel_scan(
        "Tessera::RowOwner::list_bent_nodes", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
        KOKKOS_LAMBDA(const Ordinal node, Ordinal& place, const bool final) {
          if (final && bent(node) != 0) list(place) = node;
          place += bent(node);
        });
    if (!rows_) rows_.emplace(exec, space, graph);
  }

  std::size_t bytes() const {
    return places_.bytes() + (kinds_ ? kinds_->bytes() : 0) + bytes_of(bent_) + bytes_of(bent_nodes_) +
           (rows_ ? rows_->bytes() : 0);
  }
  bool all_affine() const { return bent_nodes_.extent(0) == 0; }

  /// Whether the scratch of a team holds the rows of a node, and 16 bits the place of a value.
  template <class Scalar, class Kernel>
  bool fits(const Space& space, const Kernel& kernel, const Status<ExecutionSpace>& status) const {
    if constexpr (by_kinds<Kernel>)
      return kinds_->template fits<Scalar, Kernel>();
    else
      return places_.fit() && affine_rows<Scalar>(space, kernel, {}, status).fits();
  }

  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
           const SystemKernel<ExecutionSpace, Scalar>& system, const Status<ExecutionSpace>& status) const {
    if constexpr (by_kinds<Kernel>)
      kinds_->run(exec, space, kernel, system, status, bent_or_none());
    else
      affine_rows<Scalar>(space, kernel, system, status).run(exec);
    if (!all_affine()) rows_->run(exec, space, kernel, system, status, bent_nodes_);
  }

private:
  /// Whether a form's rows are computed kind by kind of node: on devices, unless they are too long.
  template <class Kernel>
  static constexpr bool by_kinds =
      !runs_on_host<ExecutionSpace> && kind_entries<Element, Kernel> <= kind_entries_at_most;

  Kokkos::View<const std::uint8_t*, ExecutionSpace> bent_or_none() const {
    return all_affine() ? Kokkos::View<const std::uint8_t*, ExecutionSpace>() : bent_;
  }

  template <class Scalar, class Kernel>
  AffineRows<Element, ExecutionSpace, Scalar, Kernel>
  affine_rows(const Space& space, const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system,
              const Status<ExecutionSpace>& status) const {
    using Rows = AffineRows<Element, ExecutionSpace, Scalar, Kernel>;
    return {kernel,
            space.mesh().kernel(),
            places_,
            bent_or_none(),
            system,
            status,
            space.mesh().num_nodes(),
            Rows::choose_lanes()};
  }

  tessera::detail::NodeRowPlaces<Element, ExecutionSpace>
      places_; ///< the incidence; of other forms than `by_kinds` all
  std::optional<KindPath<Element, ExecutionSpace>> kinds_; ///< of forms `by_kinds`
  Kokkos::View<std::uint8_t*, ExecutionSpace> bent_;
  Kokkos::View<Ordinal*, ExecutionSpace> bent_nodes_;
  std::optional<ElementPath<Element, ExecutionSpace>> rows_; ///< where some nodes are bent
};

} // namespace TESSERA_KERNELS::assembly::detail
