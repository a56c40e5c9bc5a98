#pragma once

/// \file
/// ElementAtomic: a thread per element, atomic additions into the system; the modern baseline.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/all_affine.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

namespace tessera::assembly {

/// Each thread computes one element (on the host, one per vector lane) and adds its entries atomically.
///
/// Minimal preprocessing (the offsets of the element's entries) and no restriction on the mesh. Every value
/// is read, modified and written once per element that touches it, and zeroed before: it wins where the
/// values stay in the cache. Not deterministic where several threads run: the order of additions varies.
struct ElementAtomic : WithDefaultInstance<ElementAtomic> {
  using WithDefaultInstance<ElementAtomic>::plan;
  static constexpr const char* name = "ElementAtomic";
  static constexpr const char* source = "the modern baseline";
  static constexpr bool deterministic = false;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space; UnsupportedError for rows beyond 65535
  ///   entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph};
  }

  /// Input once, the offsets of every entry, and read-modify-write of each entry of each element.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return element_wise_cost<Element, Form, Scalar>(space, graph);
  }
};

namespace detail {

/// Integrates elements, one in each lane of `Real`, and adds each to the system.
///
/// \tparam Affine promises that all elements are affine. On devices the kernel then has no code for others,
/// and as
///   many threads run as its few registers allow.
template <class Element, class ExecutionSpace, class Scalar, class Kernel, bool Affine>
struct AddElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  ElementToValues<Element, ExecutionSpace> map;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal num_elements;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = chunk * lanes_v<Real>;
    const Cell<Element, Real> cell = mesh.template cell<Real>(first);
    if constexpr (tessera::detail::HasAffineForm<Element, Kernel, Real> && lanes_v<Real> == 1)
      if (Affine || is_affine(cell)) {
        const AffineCell<Element, Real> affine(cell);
        const tessera::detail::AffineEntries<Element, Kernel, Real> entries{kernel.over(affine)};
        if (!tessera::detail::is_valid(affine.geometry, entries.integral)) status.fail(kernel, cell);
        add(entries, 0, first);
        return;
      }
    if constexpr (!Affine) {
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real> && first + lane < num_elements; ++lane)
        add(local, lane, first + lane);
    }
  }

private:
  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Local& local, int lane, Ordinal element) const {
    Ordinal node[Element::nodes];
    for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(element, n);
    scatter<Element>(
        local, lane, node, system, [&](int i, int j) { return map.position(element, i, j); },
        AtomicAdd<ExecutionSpace>());
  }
};

} // namespace detail

template <class Element, class ExecutionSpace>
class ElementAtomic::Plan
    : public AssemblyPlan<ElementAtomic::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementAtomic::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph), map_(element_to_values(exec, space, graph)) {
    take_coordinates();
    this->prepared(bytes_of(map_.position));
  }

  /// Looks at the elements' shapes once more.
  void take_coordinates() { all_affine_ = all_affine(this->exec(), this->space().mesh()); }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    this->clear(this->exec(), system);
    constexpr bool has_affine_kernel =
        tessera::detail::HasAffineForm<Element, Kernel, Real> && lanes_v<Real> == 1;
    if (has_affine_kernel && all_affine_)
      add_elements<has_affine_kernel>(kernel, system);
    else
      add_elements<false>(kernel, system);
  }

private:
  template <bool Affine, class Kernel, class Scalar>
  void add_elements(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    const auto& mesh = this->space().mesh();
    const Ordinal chunks = (mesh.num_elements() + lanes_v<Real> - 1) / lanes_v<Real>;
    using Add = detail::AddElements<Element, ExecutionSpace, Scalar, Kernel, Affine>;
    Kokkos::parallel_for("Tessera::ElementAtomic::assemble",
                         by_value<Add>(Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, chunks)),
                         Add{kernel, mesh.kernel(), map_, system, this->status(), mesh.num_elements()});
  }

  ElementToValues<Element, ExecutionSpace> map_;
  bool all_affine_ = false;
};

} // namespace tessera::assembly
