// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementAtomic: a thread per element, atomic additions into the system, the modern baseline; on hosts parts
/// of elements, without atomics.

#include <tessera/core/forms/detail/affine_entries.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/all_affine.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/parts/element_parts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace TESSERA_KERNELS::assembly {

/// Each thread computes one element and adds its entries atomically; on hosts, where an atomic addition costs
/// as much as several plain ones, threads take parts of neighbouring elements in a fixed order
/// (`OrderedParts`), one element in each vector lane, and none is needed.
///
/// Minimal preprocessing: the offsets of the elements' entries, and on hosts the parts, along the Hilbert
/// curve where the mesh's order scatters neighbours. No restriction on the mesh. Every value is
/// read, modified and written once per element that touches it, and zeroed before: it wins where the values
/// stay in the cache, which parts see to. On devices not deterministic: the order of additions varies. On
/// hosts every run has the same bits, with any number of threads.
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

  /// Input once, the offsets of every entry, and read-modify-write of each value; on devices zeros before.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = element_wise_cost<Element, Form, Scalar>(space, graph);
    if constexpr (runs_on_host<ExecutionSpace>) // zeros are written in the cache
      cost.bytes -= output_bytes<Scalar>(graph);
    return cost;
  }
};

namespace detail {

/// Integrates elements and adds each to the system.
///
/// \tparam Affine promises that all elements are affine: the kernel then has no code for others, and as many
///   threads run as its few registers allow.
template <class Element, class ExecutionSpace, class Scalar, class Kernel, bool Affine>
struct AddElements {
  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  ElementToValues<Element, ExecutionSpace> map;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;

  KOKKOS_FUNCTION void operator()(Ordinal element) const {
    const Cell<Element, Scalar> cell = mesh.template cell<Scalar>(element);
    if constexpr (tessera::detail::HasAffineForm<Element, Kernel, Scalar>)
      if (Affine || is_affine(cell)) {
        const AffineCell<Element, Scalar> affine(cell);
        const tessera::detail::AffineEntries<Element, Kernel, Scalar> entries{kernel.over(affine)};
        if (!tessera::detail::is_valid(affine.geometry, entries.integral)) status.fail(kernel, cell);
        add(entries, element);
        return;
      }
    if constexpr (!Affine) {
      element_system_t<Element, Kernel, Scalar> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      add(local, element);
    }
  }

private:
  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Local& local, Ordinal element) const {
    Ordinal node[Element::nodes];
    for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(element, n);
    scatter<Element, Kernel>(
        local, 0, node, system, [&](int i, int j) { return map.position(element, i, j); },
        AtomicAdd<ExecutionSpace>());
  }
};

/// Clears the rows that a part is the first to have, integrates its elements, one in each lane of `Real`, and
/// adds them to the system.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AddPart {
  using Real = system_real_t<ExecutionSpace, Scalar, Element, Kernel>;
  using Local = element_system_t<Element, Kernel, Real>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in the parts' order
  ElementToValues<Element, ExecutionSpace> map;
  OrderedParts<ExecutionSpace> parts;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  bool affine; ///< all elements are

  void operator()(Ordinal place) const {
    if (!system.add)
      parts.for_first_nodes(place, [&](Ordinal first, Ordinal last) { clear_rows(first, last); });
    Local local; // filled with zeros, once for all elements
    const Ordinal end = parts.end(place);
    for (Ordinal first = parts.begin(place); first < end; first += lanes_v<Real>) {
      integrate_pack(first, local);
      add(first, std::min<Ordinal>(first + lanes_v<Real>, end), local);
    }
  }

private:
  void clear_rows(Ordinal first, Ordinal last) const {
    const Ordinal begin = system.equations.first_equation(first),
                  end = system.equations.first_equation(last) + system.equations.equations_of(last);
    const Offset entry = system.row_map(begin);
    std::memset(system.values.data() + entry, 0, (system.row_map(end) - entry) * sizeof(Scalar));
    std::memset(system.rhs.data() + begin, 0, to_size(end - begin) * sizeof(Scalar));
  }
  void integrate_pack(Ordinal first, Local& local) const {
    constexpr bool has_affine_form = tessera::detail::HasAffineForm<Element, Kernel, Real>;
    const bool known_affine = has_affine_form && affine;
    const Cell<Element, Real> cell =
        known_affine ? mesh.template affine_cell<Real>(first) : mesh.template cell<Real>(first);
    if (!integrate(kernel, cell, local, known_affine)) status.fail(kernel, mesh.template cell<Real>(first));
  }
  void add(Ordinal first, Ordinal end, const Local& local) const {
    if (!has_constraints(first, end)) {
      by_best_instructions<Real>([&]() TESSERA_INLINED {
        const LaneScatter<Element, ExecutionSpace, Scalar, Kernel> scatter(system);
        for (Ordinal element = first; element < end; ++element)
          scatter.add(local, element - first, &mesh.connectivity(element, 0), &map.position(element, 0, 0));
      });
      return;
    }
    for (Ordinal element = first; element < end; ++element) {
      Ordinal node[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(element, n);
      scatter<Element, Kernel>(
          local, element - first, node, system, [&](int i, int j) { return map.position(element, i, j); },
          PlainAdd());
    }
  }
  bool has_constraints(Ordinal first, Ordinal end) const {
    using Basis = ComponentBasis<Kernel, Element>;
    if (!system.equations.constrained) return false;
    bool any = false;
    for (Ordinal element = first; element < end; ++element)
      for (int n = 0; n < Element::nodes; ++n)
        any |= Basis::is_constrained(system.equations, mesh.connectivity(element, n), n);
    return any;
  }
};

} // namespace detail

template <class Element, class ExecutionSpace>
class ElementAtomic::Plan
    : public AssemblyPlan<ElementAtomic::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementAtomic::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph) {
    take_coordinates();
    if constexpr (on_host) {
      parts_ = element_parts(exec, space.mesh());
      map_ = element_to_values(exec, space, graph, parts_.order.mesh.connectivity);
      this->prepared(parts_.bytes() + bytes_of(map_.position));
    } else {
      map_ = element_to_values(exec, space, graph);
      this->prepared(bytes_of(map_.position));
    }
  }

  /// Looks at the elements' shapes once more, where kernels differ by them.
  void take_coordinates() { all_affine_ = all_affine(this->exec(), this->space().mesh()); }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if constexpr (on_host) {
      for_each_part("Tessera::ElementAtomic::assemble", this->exec(), parts_.parts,
                    detail::AddPart<Element, ExecutionSpace, Scalar, Kernel>{
                        kernel, parts_.order.mesh, map_, parts_.parts, system, this->status(), all_affine_});
    } else {
      this->clear(this->exec(), system);
      constexpr bool has_affine_kernel = tessera::detail::HasAffineForm<Element, Kernel, Scalar>;
      if (has_affine_kernel && all_affine_)
        add_elements<has_affine_kernel>(kernel, system);
      else
        add_elements<false>(kernel, system);
    }
  }

private:
  template <bool Affine, class Kernel, class Scalar>
  void add_elements(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto& mesh = this->space().mesh();
    using Add = detail::AddElements<Element, ExecutionSpace, Scalar, Kernel, Affine>;
    Kokkos::parallel_for(
        "Tessera::ElementAtomic::assemble",
        by_value<Add>(Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, mesh.num_elements())),
        Add{kernel, mesh.kernel(), map_, system, this->status()});
  }

  struct NoParts {};
  ElementToValues<Element, ExecutionSpace> map_;
  std::conditional_t<on_host, ElementParts<Element, ExecutionSpace>, NoParts> parts_;
  bool all_affine_ = false;
};

} // namespace TESSERA_KERNELS::assembly
