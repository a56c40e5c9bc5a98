// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The sweep over all elements, from vector to vector, that operators and residuals share: in which order,
/// how many at a time, and how results are added.

#include <tessera/core/cost.hpp>
#include <tessera/strategies/common/parts/element_parts.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/element_loops/detail/element_loop.hpp>
#include <tessera/strategies/element_loops/detail/fan_loop.hpp>
#include <tessera/strategies/element_loops/detail/host_loop.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/element_loops/patch_kernels.hpp>
#include <tessera/strategies/element_loops/result_gather.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace TESSERA_KERNELS::element_loops {

/// Whether there are fans of the elements. Triangles around a corner lie in two rows of a mesh: halves of
/// fans lost to single triangles.
template <class Element>
inline constexpr bool has_fans = Element::affine_simplex && Element::dimension == 3;

/// Whether a sweep takes elements by fans: where results are added at once, and on devices where they are
/// gathered.
template <class Element, class ExecutionSpace>
constexpr bool takes_fans(Conflicts conflicts) {
  return has_fans<Element> && (conflicts == Conflicts::atomics ||
                               (conflicts == Conflicts::gather && !runs_on_host<ExecutionSpace>));
}

/// Bytes of a sweep: mesh and vectors once, and results as `Conflicts` adds them; fans, each of six elements,
/// take the place of connectivity and of element results.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost sweep_cost(const FunctionSpace<Element, ExecutionSpace>& space, Conflicts conflicts) {
  Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, conflicts);
  cost.bytes += bytes_of(space.mesh().coordinates());
  if constexpr (has_fans<Element>)
    if (takes_fans<Element, ExecutionSpace>(conflicts)) {
      using Fan = ElementFan<Element>;
      const double elements = space.mesh().num_elements(), fans = elements / Fan::most,
                   fewer_nodes = elements * Element::nodes - fans * Fan::nodes;
      cost.bytes += fans * sizeof(typename Fan::Members) - fewer_nodes * sizeof(Ordinal);
      if (conflicts == Conflicts::gather)
        cost.bytes -= fewer_nodes * (2 * Form::components * sizeof(Scalar) + sizeof(Ordinal) + 1);
    }
  return cost;
}

/// What a sweep keeps of a mesh: elements in order, or fans or patches of them, and the lists by which
/// results meet. Copies share the memory.
///
/// Hosts add by parts where `Conflicts::atomics` is asked for, and compute by `RowPacks` or `ElementPacks`;
/// devices by `FanLoop` or `ElementLoop`, and both by `PatchLoop` where patches are.
template <class Element, class ExecutionSpace>
class ElementSweep {
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  template <class Action, class Scalar>
  using Work = ElementWork<Action, Element, ExecutionSpace, Scalar>;
  template <class Scalar>
  using In = Kokkos::View<const Scalar*, ExecutionSpace>;
  template <class Scalar>
  using Out = Kokkos::View<Scalar*, ExecutionSpace>;

public:
  /// The kernel of a color, for graphs of launches on devices.
  template <class Action, class Scalar>
  using ColorLoop = detail::ElementLoop<Work<Action, Scalar>>;
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  /// \throws OutOfMemoryError
  ElementSweep(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
               Conflicts conflicts)
      : by_fans_(takes_fans<Element, ExecutionSpace>(conflicts)),
        by_parts_(on_host && conflicts == Conflicts::atomics), patches_(patches_of(exec, space, conflicts)),
        order_(order_of(exec, space.mesh(), conflicts)), fans_(fans_of(exec)),
        gather_(gather_of(exec, space.mesh(), conflicts)) {
    if constexpr (on_host)
      if (by_parts_) parts_ = parts_of(exec, space.mesh().num_nodes());
  }

  std::size_t bytes() const {
    return order_.bytes + gather_.bytes() + patches_.bytes() + fans_.bytes() + parts_.bytes();
  }
  /// What is taken at a time, for reports.
  const char* cells() const { return by_fans_ ? "fans of elements" : "elements"; }
  /// How results meet, for reports.
  const char* results_by() const { return by_parts_ ? "parts" : to_string(gather_.conflicts); }

  /// For a copy that may run at the same time as the other. \throws OutOfMemoryError
  void separate(const ExecutionSpace& exec) {
    if (parts_.count() > 0) parts_.renew_progress(exec);
  }
  /// Room for the results that `run` keeps on the way. \throws OutOfMemoryError
  template <class Scalar>
  Out<Scalar> buffer(const ExecutionSpace& exec, int components) const {
    const Offset results = gather_.conflicts == Conflicts::patches  ? patches_.num_sums
                           : gather_.conflicts == Conflicts::gather ? gather_.elements * cell_nodes()
                                                                    : 0;
    return allocate<Out<Scalar>>(exec, "Tessera::ElementSweep::buffer", results * components);
  }
  /// Where the nodes of patches lie in vectors with constraints. \throws OutOfMemoryError
  template <int Components>
  Numbers patch_targets(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations) const {
    const auto targets = allocate<Numbers>(exec, "Tessera::ElementSweep::patch_targets",
                                           equations.constrained ? patches_.nodes.extent(0) : 0);
    Kokkos::parallel_for(
        "Tessera::ElementSweep::patch_targets",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, targets.extent(0)),
        detail::PatchTargets<Components, ExecutionSpace>{{equations}, patches_.nodes, targets});
    return targets;
  }

  /// y = the sum of the action's results in all elements; x in rows that keep a constrained component.
  /// \param label of the kernels
  /// \param buffer,targets of `buffer` and `patch_targets`, for these components and equations
  template <class Action, class Scalar>
  void run(const std::string& label, const ExecutionSpace& exec, const Action& action,
           const Equations<ExecutionSpace>& equations, const In<Scalar>& x, const Out<Scalar>& y,
           const Out<Scalar>& buffer, const Numbers& targets) const {
    const Work<Action, Scalar> work{action, order_.mesh, {equations}, x};
    if (gather_.conflicts == Conflicts::patches) return by_patches(label, exec, work, y, buffer, targets);
    const ClearResult<ExecutionSpace, Scalar> clear{equations, x, y};
    if (!by_parts_ && gather_.conflicts != Conflicts::gather)
      clear.all_rows(exec, "Tessera::ElementSweep::clear");
    const auto sink = gather_.template sink<Action::components>(equations, y, buffer, gather_.elements);
    if constexpr (on_host)
      by_packs(label, exec, work, sink);
    else
      by_threads(label, exec, work, sink);
    gather_.template finish<Action::components>(exec, sink, x, y);
  }

private:
  struct NoFans {
    std::size_t bytes() const { return 0; }
  };
  using Fans = std::conditional_t<has_fans<Element>, ElementFans<Element, ExecutionSpace>, NoFans>;
  using Patches = ElementPatches<Element, ExecutionSpace>;

  static Patches patches_of(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                            Conflicts conflicts) {
    if (conflicts != Conflicts::patches) return {};
    return detail::fitting_patches(exec, space.mesh(), space.components());
  }
  ElementOrder<Element, ExecutionSpace>
  order_of(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, Conflicts conflicts) const {
    if (conflicts == Conflicts::patches) return patches_.order;
    if constexpr (on_host)
      if (by_parts_) return compact_order(exec, mesh);
    return element_order(exec, mesh, conflicts);
  }
  Fans fans_of(const ExecutionSpace& exec) const {
    if constexpr (has_fans<Element>)
      if (by_fans_) return element_fans(exec, order_.mesh);
    return {};
  }
  ResultGather<Element, ExecutionSpace> gather_of(const ExecutionSpace& exec,
                                                  const Mesh<Element, ExecutionSpace>& mesh,
                                                  Conflicts conflicts) const {
    if constexpr (has_fans<Element>)
      if (by_fans_) return {exec, fans_.nodes, mesh.num_nodes(), conflicts};
    return {exec, mesh, conflicts};
  }
  OrderedParts<ExecutionSpace> parts_of(const ExecutionSpace& exec, Ordinal nodes) const {
    if constexpr (has_fans<Element>)
      return ordered_parts(exec, fans_.nodes, nodes);
    else
      return ordered_parts(exec, order_.mesh.connectivity, nodes);
  }
  int cell_nodes() const {
    if constexpr (has_fans<Element>)
      if (by_fans_) return ElementFan<Element>::nodes;
    return Element::nodes;
  }

  template <class Work, class Sink>
  void by_threads(const std::string& label, const ExecutionSpace& exec, const Work& work,
                  const Sink& sink) const {
    if constexpr (has_fans<Element>)
      if (by_fans_) {
        using Loop = detail::FanLoop<Work>;
        Kokkos::parallel_for(label, by_value<Loop>(typename Loop::Policy(exec, 0, fans_.count())),
                             Loop{work, fans_, sink});
        return;
      }
    using Loop = detail::ElementLoop<Work>;
    for (int r = 0; r < order_.ranges(); ++r) {
      const Ordinal begin = order_.offsets[r], end = order_.offsets[r + 1];
      Kokkos::parallel_for(label,
                           by_value<Loop>(typename Loop::Policy(exec, 0, sink.work_items(end - begin))),
                           Loop{work, sink, begin, end});
    }
  }

  template <class Work, class Sink>
  void by_packs(const std::string& label, const ExecutionSpace& exec, const Work& work, Sink sink) const {
    using Fanned = detail::FannedElements<Element, ExecutionSpace>;
    using Single = detail::SingleElements<Element, ExecutionSpace>;
    if constexpr (has_fans<Element>)
      if (by_fans_) return packs_of(label, exec, detail::RowPacks<Work, Fanned>{work, {fans_}, sink});
    if constexpr (Work::Action::template by_rows<Element>)
      if (gather_.conflicts != Conflicts::gather)
        return packs_of(label, exec, detail::RowPacks<Work, Single>{work, {order_.mesh.connectivity}, sink});
    if (by_parts_) sink.conflicts = Conflicts::colors; // parts at work share no node
    packs_of(label, exec, detail::ElementPacks<Work>{work, sink});
  }
  template <class Loop>
  void packs_of(const std::string& label, const ExecutionSpace& exec, const Loop& loop) const {
    if (by_parts_) return for_each_part(label, exec, parts_, detail::PacksOfPart<Loop>{loop, parts_});
    for (int r = 0; r < order_.ranges(); ++r) {
      const detail::PacksOfRange<Loop> range{loop, order_.offsets[r], order_.offsets[r + 1]};
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, range.packs()), range);
    }
  }

  template <class Work, class Scalar>
  void by_patches(const std::string& label, const ExecutionSpace& exec, const Work& work,
                  const Out<Scalar>& y, const Out<Scalar>& sums, const Numbers& targets) const {
    const detail::PatchLoop<Work> loop{work, patches_, targets, sums, y};
    if (patches_.patches > 0) Kokkos::parallel_for(label + "_patches", loop.policy(exec), loop);
    using Sum = detail::SumPatches<Work::c, Element, ExecutionSpace, Scalar>;
    Kokkos::parallel_for(label + "_sums", Sum::policy(exec, patches_.shared_nodes.extent(0)),
                         Sum{patches_, {work.values.equations}, sums, work.x, y});
  }

  bool by_fans_, by_parts_;
  Patches patches_;
  ElementOrder<Element, ExecutionSpace> order_;
  Fans fans_;
  ResultGather<Element, ExecutionSpace> gather_;
  OrderedParts<ExecutionSpace> parts_; ///< on hosts in place of atomics
};

} // namespace TESSERA_KERNELS::element_loops
