// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of affine elements from reference tensors: the lanes of a thread share a node.

#include <tessera/core/forms/detail/affine_entries.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/strategies/assembly/common/node_row_places.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// Forms and elements whose rows `AffineRows` can compute.
template <class Element, class Kernel, class Scalar>
concept HasAffineRows = requires(Kernel k, AffineCell<Element, Scalar> c) { k.over(c); };

/// Computes the rows of a node in scratch and writes each value once. The lanes of the node's thread first
/// integrate an element each, then go through these elements together, a lane a column.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AffineRows {
  static constexpr int components = Kernel::components;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Integral = tessera::detail::affine_integral_t<Element, Kernel, Scalar>;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  tessera::detail::NodeRowPlaces<Element, ExecutionSpace> places;
  Kokkos::View<const std::uint8_t*, ExecutionSpace>
      bent; ///< node: whether an element around it is not affine; or empty
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal nodes;
  int lanes = 1; ///< of a node

  /// As many lanes as an element has nodes, rounded up to what a device has; one on hosts.
  static int choose_lanes() {
    return std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(Element::nodes))),
                    Policy::vector_length_max());
  }
  std::size_t scratch_bytes() const {
    return Scratch<Scalar>::shmem_size(places.longest) + Scratch<Scalar>::shmem_size(lanes * components) +
           Scratch<Integral>::shmem_size(lanes);
  }
  /// Whether the scratch of a team holds the rows of a node.
  bool fits() const { return scratch_bytes() <= scratch_limit<ExecutionSpace>(); }

  void run(const ExecutionSpace& exec) const {
    const std::size_t each = scratch_bytes(), all = scratch_limit<ExecutionSpace>();
    const int wanted = std::max(1, team_threads<ExecutionSpace>("RowOwner", 0) / lanes);
    const int threads = std::max(1, std::min(wanted, static_cast<int>(all / each)));
    auto policy = by_value<AffineRows>(Policy(exec, (nodes + threads - 1) / threads, threads, lanes));
    policy.set_scratch_size(0, Kokkos::PerThread(each));
    Kokkos::parallel_for("Tessera::RowOwner::affine_rows", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal node = team.league_rank() * team.team_size() + team.team_rank();
    if (node >= nodes || (bent.extent(0) > 0 && bent(node) != 0)) return;
    const auto& equations = system.equations;
    const Ordinal first = equations.first_equation(node), rows = equations.equations_of(node);
    const Offset begin = system.row_map(first);
    const auto width = rows == 0 ? 0 : static_cast<Ordinal>(system.row_map(first + 1) - begin);
    const Scratch<Scalar> sums(team.thread_scratch(0), places.longest);
    const Scratch<Scalar> loads(team.thread_scratch(0), lanes * components);
    const Scratch<Integral> integrals(team.thread_scratch(0), lanes);
    const auto each_lane = [&](Ordinal count, const auto& body) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), body);
      vector_fence();
    };
    each_lane(rows * width, [&](Ordinal k) { sums(k) = Scalar(0); });
    each_lane(lanes * components, [&](Ordinal k) { loads(k) = Scalar(0); });
    const Offset end = places.incidence.offsets(node + 1);
    for (Offset batch = places.incidence.offsets(node); batch < end; batch += lanes) {
      const Ordinal count = Kokkos::min(static_cast<Ordinal>(end - batch), static_cast<Ordinal>(lanes));
      each_lane(count, [&](Ordinal k) { integrals(k) = integrate(places.incidence.elements(batch + k)); });
      for (Ordinal k = 0; k < count; ++k)
        each_lane(Element::nodes, [&](int j) { add(node, batch + k, j, width, integrals(k), sums, loads); });
    }
    each_lane(rows * width, [&](Ordinal k) { system.values(begin + k) = sums(k); });
    each_lane(components, [&](int a) {
      if (equations.is_constrained(node, a)) return;
      Scalar sum = 0;
      for (int lane = 0; lane < lanes; ++lane) sum += loads(lane * components + a);
      system.rhs(equations.equation(node, a)) = sum;
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION Integral integrate(Ordinal element) const {
    const auto cell = mesh.template cell<Scalar>(element);
    const AffineCell<Element, Scalar> affine(cell);
    const Integral integral = kernel.over(affine);
    if (!tessera::detail::is_valid(affine.geometry, integral)) status.fail(element);
    return integral;
  }

  /// Adds the block of column j of the k-th element around nodes; the first lane adds the load, too.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal node, Offset k, int j, Ordinal width, const Integral& integral,
                                       const Scratch<Scalar>& sums, const Scratch<Scalar>& loads) const {
    const auto& equations = system.equations;
    const int own = places.incidence.local_nodes(k);
    const Ordinal place = places.place(k, j);
    const auto block = integral.stiffness(own, j);
    Scalar* const load = &loads(j % lanes * components);
    if (j == 0) {
      const auto of_node = integral.load(own);
      for (int a = 0; a < components; ++a) load[a] += of_node(a);
    }
    if (!equations.constrained) {
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < components; ++b) sums(a * width + place + b) += block(a, b);
      return;
    }
    const Ordinal column = mesh.connectivity(places.incidence.elements(k), j);
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node, a)) continue;
      Scalar* const row = &sums(equations.rank(node, a) * width + place);
      for (int b = 0; b < components; ++b)
        if (equations.is_constrained(column, b))
          load[a] -= block(a, b) * Scalar(equations.prescribed(column * components + b));
        else
          row[equations.rank(column, b)] += block(a, b);
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
