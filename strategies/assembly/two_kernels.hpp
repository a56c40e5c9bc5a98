// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// TwoKernels: geometry in one kernel, a thread per entry of the element matrix in another (paper 2,
/// section 4.4).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/lane_options.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/lanes/colored_elements.hpp>
#include <tessera/strategies/assembly/detail/lanes/lane_geometry.hpp>
#include <tessera/strategies/assembly/detail/lanes/lane_scatter.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::assembly {

/// For each colour a first kernel writes the inverse Jacobians and weights of all quadrature points to
/// memory; in a second a team shares an element, each thread computing entries of its matrix, 576 for a
/// hexahedron's elasticity.
///
/// Threads of a warp compute the same pair of components of neighbouring node pairs, so that they do not
/// diverge; the matrix then goes through scratch to the system, row by row. The geometry of one colour costs
/// (dimension^2 + 1) scalars a point and element of memory, taken by `prepare`, and is written
/// and read once. Deterministic with colours, not with atomics.
struct TwoKernels : WithDefaultInstance<TwoKernels> {
  using WithDefaultInstance<TwoKernels>::plan;
  /// How the first kernel's lanes add up the Jacobians.
  JacobianSum jacobian = JacobianSum::scratch;
  Conflicts conflicts = Conflicts::colors;

  static constexpr const char* name = "TwoKernels";
  static constexpr const char* source = "paper 2, section 4.4";

  /// Bitwise equal from run to run, whatever the backend.
  bool deterministic() const { return conflicts == Conflicts::colors; }

  /// Ours, and the paper's choices.
  static std::vector<std::pair<std::string, TwoKernels>> variants() {
    return {{"", {}}, {"/paper2", {.jacobian = JacobianSum::shuffle}}};
  }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space; UnsupportedError for rows beyond 65535
  ///   entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    require_offered(name, conflicts, {Conflicts::atomics, Conflicts::colors});
    return {exec, space, graph, *this};
  }

  /// That of strategies that share an element, and the geometry written and read.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
            const SparsityGraph<ExecutionSpace>& graph) const {
    using Kernel = decltype(form_kernel(Form{}));
    constexpr double points = Tabulation<Element, Kernel::template degree<Element>>::points;
    Cost cost = detail::lane_cost<Element, Form, Scalar>(space, graph, conflicts);
    cost.bytes += 2 * points * (Element::dimension * Element::dimension + 1) * sizeof(Scalar) *
                  space.mesh().num_elements();
    return cost;
  }
};

namespace detail {

/// Both kernels; the elements begin ... end - 1 of the plan's order.
template <class ElementType, class ExecutionSpace, class Scalar, class Kernel>
struct TwoKernelsAssembly {
  using Element = ElementType;
  using Real = element_real_t<ExecutionSpace, Scalar>;
  static constexpr int components = Kernel::components;
  static constexpr int degree = Kernel::template degree<Element>;
  static constexpr int points = Tabulation<Element, degree>::points;
  static constexpr int dimension = Element::dimension;
  static constexpr int columns = Element::nodes * components;
  /// Lanes of the first kernel: one per component of the gradients, up to a warp.
  static constexpr int geometry_lanes =
      has_lanes_v<ExecutionSpace>
          ? std::min(warp_lanes,
                     static_cast<int>(std::bit_ceil(static_cast<unsigned>(points * dimension * dimension))))
          : 1;
  /// Node rows of the matrix that the second kernel computes at a time: about a thousand entries.
  static constexpr int rows = std::clamp(1024 / (components * columns), 1, Element::nodes);
  static constexpr int entries = rows * components * columns;
  using Workspace = ElementWorkspace<Element, Kernel, points, rows, Real, false>;
  /// What the first kernel needs of an element.
  using GeometryWorkspace = ElementWorkspace<Element, Kernel, points, 1, Real, true>;
  using Basis = BasisDerivatives<Workspace, degree, false>;
  using GeometryBasis = BasisDerivatives<GeometryWorkspace, degree, false>;
  static constexpr int size = dimension * dimension;

  using GeometryView = Kokkos::View<Real* [points][size + 1], Kokkos::LayoutRight, ExecutionSpace>;

  struct Geometry {};
  struct Assembly {};
  using GeometryPolicy = Kokkos::TeamPolicy<ExecutionSpace, Geometry>;
  using AssemblyPolicy = Kokkos::TeamPolicy<ExecutionSpace, Assembly>;
  using Member = typename AssemblyPolicy::member_type;

  Kernel kernel;
  ElementInput<Element, ExecutionSpace> input;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  JacobianSum jacobian;
  bool atomic;
  Ordinal begin, end;
  /// Inverse Jacobian by rows and weight of each point.
  GeometryView geometry;

  template <class W>
  static constexpr std::size_t scratch_bytes() {
    return sizeof(W) + alignof(W);
  }
  /// Chunks of work for so many elements.
  static Ordinal chunks(Ordinal elements) { return (elements + lanes_v<Real> - 1) / lanes_v<Real>; }
  Ordinal chunks() const { return chunks(end - begin); }

  KOKKOS_FUNCTION void operator()(Geometry, const Member& team) const {
    auto& work = *static_cast<GeometryWorkspace*>(
        team.thread_scratch(int{level})
            .get_shmem_aligned(sizeof(GeometryWorkspace), alignof(GeometryWorkspace)));
    const GeometryBasis basis(team, int{level});
    const Ordinal chunk = team.league_rank() * team.team_size() + team.team_rank();
    const Ordinal first = begin + chunk * lanes_v<Real>;
    if (first >= end) return;
    const VectorLanes<Member, geometry_lanes> lanes{team};
    read_element(lanes, work, input, system, first, end);
    if (!inverse_jacobians(lanes, work, basis, 0, points, jacobian))
      status.fail(kernel, cell_of(work, input, first, end));
    lanes.for_each(points * (size + 1), [&](int k) {
      const int q = k / (size + 1), entry = k % (size + 1);
      geometry(chunk, q, entry) =
          entry == size ? work.weight[q] : work.of.geometry.inverse[q][entry / dimension][entry % dimension];
    });
  }

  KOKKOS_FUNCTION void operator()(Assembly, const Member& team) const {
    auto& work = *static_cast<Workspace*>(
        team.team_scratch(int{level}).get_shmem_aligned(sizeof(Workspace), alignof(Workspace)));
    const Basis basis(team, int{level});
    const Ordinal chunk = team.league_rank(), first = begin + chunk * lanes_v<Real>;
    const TeamLanes<Member> lanes{team};
    read_element(lanes, work, input, system, first, end);
    lanes.for_each(points * (size + 1), [&](int k) {
      const int q = k / (size + 1), entry = k % (size + 1);
      (entry == size ? work.weight[q] : work.of.geometry.inverse[q][entry / dimension][entry % dimension]) =
          geometry(chunk, q, entry);
    });
    gradients(lanes, work, basis, 0, points);
    const auto cell = cell_of(work, input, first, end);
    bool good = lane_load<degree, false>(lanes, work, kernel, cell, 0, points);
    const ValueAdder<ExecutionSpace, Scalar> add{system.values.data(), atomic};
    for (int row = 0; row < Element::nodes; row += rows) {
      lanes.for_each(items, [&](int k) { compute_item(work, cell, row, k, good); });
      for (int p = 0; p < lanes_v<Real> && first + p < end; ++p)
        add_rows<rows>(lanes, work, input, system, add, p, first + p, row,
                       [](int i, int j) { return i * Element::nodes + j; });
    }
    for (int p = 0; p < lanes_v<Real> && first + p < end; ++p) add_load(lanes, work, system, atomic, p);
    if (!good) status.fail(kernel, cell);
  }

  /// Items of work in the rows computed at a time: entries on devices; on the host, whose threads need not do
  /// what their neighbours do, node pairs.
  static constexpr int pairs = rows * Element::nodes;
  static constexpr int items = has_lanes_v<ExecutionSpace> ? entries : pairs;

  /// Item k of the rows from node `row` on; entries of the same pair of components are neighbours.
  template <class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION void compute_item(Workspace& work, const AnyCell& cell, int row, int k,
                                                bool& good) const {
    const int i = row + k % pairs / Element::nodes, j = k % Element::nodes;
    if (i >= Element::nodes) return;
    Matrix<Real, components> block;
    // Each case keeps what its entry needs of the block and no more.
    TESSERA_UNROLL_ON_GPUS(components * components)
    for (int ab = 0; ab < components * components; ++ab)
      if (items == pairs ? ab == 0 : ab == k / pairs)
        for_each_kept_point<degree>(work, kernel, cell, 0, points,
                                    [&](const auto& integrand, const auto& point) {
                                      const auto stiffness = integrand.stiffness(i, j);
                                      for (int cd = 0; cd < components * components; ++cd)
                                        if (items == pairs || cd == ab)
                                          block.entry[cd] += point.weight() * stiffness.entry[cd];
                                    });
    TESSERA_UNROLL_ON_GPUS(components * components)
    for (int ab = 0; ab < components * components; ++ab)
      if (items == pairs || ab == k / pairs)
        work.of.matrix[(i - row) * components + ab / components][j * components + ab % components] =
            block.entry[ab];
    // Entries that this item does not keep are zero; those of the first pair are all looked at.
    if (k % pairs == 0) good = good && all_finite(sum_of_entries(block));
  }

  /// Kernels take copies: device code has no references to it.
  static constexpr int level = element_scratch_level_v<ExecutionSpace>;

  /// \throws UnsupportedError if the scratch of a team does not hold an element
  static void check_scratch() {
    const auto available = static_cast<std::size_t>(AssemblyPolicy::scratch_size_max(level));
    constexpr std::size_t bytes = std::max(scratch_bytes<Workspace>(), scratch_bytes<GeometryWorkspace>());
    if (bytes > available)
      throw UnsupportedError("TwoKernels: an element " + std::string(Element::name) + " with " +
                             std::to_string(components) + " components needs " + std::to_string(bytes) +
                             " bytes of team scratch, the device has " + std::to_string(available));
  }

  void run(const ExecutionSpace& exec) const {
    if (end == begin) return;
    const auto available = static_cast<std::size_t>(AssemblyPolicy::scratch_size_max(level));
    constexpr std::size_t bytes = scratch_bytes<Workspace>();
    constexpr std::size_t geometry_bytes = scratch_bytes<GeometryWorkspace>();
    int elements = has_lanes_v<ExecutionSpace> ? 128 / geometry_lanes : 1;
    while (elements > 1 && elements * geometry_bytes > available) elements /= 2;
    GeometryPolicy geometry_policy(exec, (chunks() + elements - 1) / elements, elements, geometry_lanes);
    geometry_policy.set_scratch_size(level, Kokkos::PerThread(geometry_bytes));
    Kokkos::parallel_for("Tessera::TwoKernels::geometry", by_value<TwoKernelsAssembly>(geometry_policy),
                         *this);

    auto sizing = by_value<TwoKernelsAssembly>(AssemblyPolicy(exec, chunks(), 1));
    sizing.set_scratch_size(level, Kokkos::PerTeam(bytes));
    const int threads =
        has_lanes_v<ExecutionSpace>
            ? std::min(sizing.team_size_max(*this, Kokkos::ParallelForTag()) / warp_lanes * warp_lanes,
                       (entries + warp_lanes - 1) / warp_lanes * warp_lanes)
            : 1;
    auto policy = by_value<TwoKernelsAssembly>(AssemblyPolicy(exec, chunks(), threads));
    policy.set_scratch_size(level, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("Tessera::TwoKernels::assemble", policy, *this);
  }
};

} // namespace detail

template <class Element, class ExecutionSpace>
class TwoKernels::Plan
    : public AssemblyPlan<TwoKernels::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = TwoKernels::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const TwoKernels& options)
      : Base(exec, space, graph), options_(options),
        elements_(exec, space, graph, options.conflicts, detail::PositionOrder::rows) {
    this->prepared(elements_.input.bytes());
  }

  /// Takes the memory for the geometry of the largest colour.
  /// \throws UnsupportedError if the scratch of a team does not hold an element; OutOfMemoryError
  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) {
    using Assembly = detail::TwoKernelsAssembly<Element, ExecutionSpace, Scalar, Kernel>;
    Assembly::check_scratch();
    const std::size_t bytes =
        Assembly::GeometryView::required_allocation_size(Assembly::chunks(elements_.largest_color()));
    if (const std::size_t old = geometry_.extent(0); old < bytes) {
      geometry_ = {};
      geometry_ = allocate<decltype(geometry_)>(this->exec(), "Tessera::TwoKernels::geometry", bytes);
      this->hold(bytes, old);
    }
    return "elements by quadrature, geometry first";
  }

  void take_coordinates() { detail::copy_coordinates(this->exec(), this->space().mesh(), elements_.input); }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Assembly = detail::TwoKernelsAssembly<Element, ExecutionSpace, Scalar, Kernel>;
    using Geometry = typename Assembly::GeometryView;
    this->clear(this->exec(), system);
    const Geometry geometry(reinterpret_cast<typename Geometry::pointer_type>(geometry_.data()),
                            Assembly::chunks(elements_.largest_color()));
    elements_.for_each_color([&](Ordinal begin, Ordinal end) {
      Assembly{kernel,
               elements_.input,
               system,
               this->status(),
               options_.jacobian,
               options_.conflicts == Conflicts::atomics,
               begin,
               end,
               geometry}
          .run(this->exec());
    });
  }

private:
  TwoKernels options_;
  detail::ColoredElements<Element, ExecutionSpace> elements_;
  Kokkos::View<char*, ExecutionSpace> geometry_; ///< of any scalar
};

} // namespace TESSERA_KERNELS::assembly
