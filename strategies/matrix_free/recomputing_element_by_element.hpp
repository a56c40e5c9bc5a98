// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RecomputingElementByElement: the operator by elements whose matrices are never stored.

#include <tessera/strategies/common/all_affine.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/parts/element_parts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>
#include <tessera/strategies/element_loops/element_kernels.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/element_loops/patch_kernels.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::matrix_free {

/// How `RecomputingElementByElement` sees quadrilaterals and hexahedra of order one.
enum class Geometry {
  automatic, ///< affine if every element is, to the rounding of its coordinates; checked when prepared
  general,   ///< a Jacobian at every quadrature point
};

/// Each thread (on the host, each lane of a vector) computes K_e x_e of an element from coordinates and
/// coefficients: one gradient for linear simplices, sums factorised by axes for bilinear quadrilaterals and
/// trilinear hexahedra, no quadrature at all where these are affine, and quadrature with the points'
/// gradients for everything else. Nothing is stored but the mesh. Paper 5 calls it compute bound (section 1);
/// processors with ten flops a byte made it the fastest of all.
///
/// Deterministic with colors, gathered results and patches, and on hosts without any of them: parts of
/// neighbouring elements take the atomics' place there, in a fixed order, whose lists have 4 bytes a node
/// and, where the mesh scatters neighbours, a second connectivity. Colors keep a second connectivity;
/// gathering, one result per element and degree of freedom and the elements around each node; patches, about
/// 12 bytes per linear element, 10 to 16 per node of a patch, and a sum per patch for each node that several
/// share. The patches lie along the Hilbert curve whatever the elements' order, and a thread takes two
/// neighbours at a time where their nodes make a pair (`ElementPair`): the fastest for linear simplices and
/// wherever elements have no order.
struct RecomputingElementByElement : WithDefaultInstance<RecomputingElementByElement> {
  using WithDefaultInstance<RecomputingElementByElement>::plan;
  static constexpr const char* name = "RecomputingElementByElement";
  static constexpr const char* source = "paper 5, section 1 (recalculated element matrices)";

  Conflicts conflicts = Conflicts::atomics;
  Geometry geometry = Geometry::automatic;
  ColorLaunches color_launches = ColorLaunches::automatic;

  /// Bitwise equal from run to run, whatever the backend.
  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace, class Kernel, class Scalar>
  class Operator;
  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError; UnsupportedError if a graph of launches is wanted where there is none
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space, *this};
  }

  /// Mesh, x and y once; y is zeroed before, or element results written and read.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, conflicts);
    cost.bytes += bytes_of(space.mesh().coordinates());
    cost.flops =
        static_cast<double>(flops_of_action<Element>(form_kernel(Form{}))) * space.mesh().num_elements();
    return cost;
  }

  static std::vector<std::pair<std::string, RecomputingElementByElement>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/colors/separate", {.conflicts = Conflicts::colors, .color_launches = ColorLaunches::separate}},
            {"/gather", {.conflicts = Conflicts::gather}},
            {"/patches", {.conflicts = Conflicts::patches}},
            {"/general", {.geometry = Geometry::general}}};
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar>
class RecomputingElementByElement::Operator
    : public MatrixFreeOperator<
          RecomputingElementByElement::Operator<Element, ExecutionSpace, Kernel, Scalar>, Element,
          ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;
  using Numbers = typename ElementPatches<Element, ExecutionSpace>::Numbers;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const ElementOrder<Element, ExecutionSpace>& order,
           const ResultGather<Element, ExecutionSpace>& gather,
           const ElementPatches<Element, ExecutionSpace>& patches, const OrderedParts<ExecutionSpace>& parts,
           bool affine, const ColorGraph<ExecutionSpace>& color_graph)
      : Base(space, kernel), order_(order), gather_(gather), patches_(patches), parts_(parts),
        affine_(affine), color_graph_(color_graph),
        launches_(color_graph_.template prepare<Loop<Product<false>>>(exec)),
        buffer_(
            gather.conflicts == Conflicts::patches
                ? allocate<typename Base::Vector>(exec, "Tessera::RecomputingElementByElement::sums",
                                                  static_cast<Offset>(patches.num_sums) * Base::components)
                : gather.template buffer<Scalar>(exec, Element::nodes * Base::components)),
        targets_(allocate<Numbers>(exec, "Tessera::RecomputingElementByElement::targets",
                                   this->equations().constrained ? patches.nodes.extent(0) : 0)) {
    if (parts_.count() > 0) parts_.renew_progress(exec); // operators of a plan may work at the same time
    Kokkos::parallel_for("Tessera::RecomputingElementByElement::targets",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, targets_.extent(0)),
                         detail::PatchTargets<Base::components, ExecutionSpace>{
                             {this->equations()}, patches_.nodes, targets_});
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const {
    return order_.bytes + gather_.bytes() + patches_.bytes() + parts_.bytes() + bytes_of(buffer_) +
           bytes_of(targets_);
  }
  /// For reports.
  const char* path() const {
    return affine_ ? "elements as affine images of the reference element" : "elements in general geometry";
  }
  /// How the colors are launched, for reports.
  const std::string& launches() const { return launches_; }
  /// Whether all elements are treated as affine images of the reference element.
  bool affine() const { return affine_; }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    if (affine_)
      run<true>(exec, x, y);
    else
      run<false>(exec, x, y);
  }

private:
  template <bool Affine>
  using Product = detail::ElementProduct<Affine, Element, ExecutionSpace, Kernel, Scalar>;
  template <class AnyProduct>
  using Loop = detail::RecomputingLoop<AnyProduct, Element>;

  template <bool Affine>
  void run(const ExecutionSpace& exec, const typename Base::ConstVector& x,
           const typename Base::Vector& y) const {
    if constexpr (Affine && !is_multilinear_shape<Element>)
      return;
    else {
      const Product<Affine> product{this->kernel(), order_.mesh, {this->equations()}, x};
      if (gather_.conflicts == Conflicts::patches)
        run_patches(exec, product, x, y);
      else
        run_elements(exec, product, x, y);
    }
  }

  template <class AnyProduct>
  void run_elements(const ExecutionSpace& exec, const AnyProduct& product,
                    const typename Base::ConstVector& x, const typename Base::Vector& y) const {
    const auto launch = [&](const ExecutionSpace& instance) { launch_ranges(instance, product, x, y); };
    color_graph_.template run<Loop<AnyProduct>>(exec, launch, x.data(), y.data());
  }

  template <class AnyProduct>
  void launch_ranges(const ExecutionSpace& exec, const AnyProduct& product,
                     const typename Base::ConstVector& x, const typename Base::Vector& y) const {
    if constexpr (on_host)
      if (gather_.conflicts == Conflicts::atomics) return run_parts(exec, product, x, y);
    if (gather_.conflicts != Conflicts::gather) this->clear(exec, x, y);
    constexpr int lanes = lanes_v<typename AnyProduct::Real>;
    const auto sink = gather_.template sink<Base::components>(this->equations(), y, buffer_,
                                                              this->space().mesh().num_elements());
    for (int r = 0; r < order_.ranges(); ++r) {
      const Ordinal begin = order_.offsets[r], end = order_.offsets[r + 1];
      Kokkos::parallel_for("Tessera::RecomputingElementByElement::apply",
                           by_value<Loop<AnyProduct>>(Kokkos::RangePolicy<ExecutionSpace>(
                               exec, 0, sink.work_items((end - begin + lanes - 1) / lanes))),
                           Loop<AnyProduct>{product, sink, begin, end});
    }
    gather_.template finish<Base::components>(exec, sink, x, y);
  }

  template <class AnyProduct>
  void run_parts(const ExecutionSpace& exec, const AnyProduct& product, const typename Base::ConstVector& x,
                 const typename Base::Vector& y) const {
    using Clear = ClearResult<ExecutionSpace, Scalar>;
    auto sink = gather_.template sink<Base::components>(this->equations(), y, buffer_,
                                                        this->space().mesh().num_elements());
    sink.conflicts = Conflicts::colors; // parts at work share no node
    for_each_part("Tessera::RecomputingElementByElement::apply", exec, parts_,
                  detail::RecomputingPart<Loop<AnyProduct>, Clear>{
                      {product, sink, 0, 0}, parts_, {this->equations(), x, y}});
  }

  template <class AnyProduct>
  void run_patches(const ExecutionSpace& exec, const AnyProduct& product, const typename Base::ConstVector& x,
                   const typename Base::Vector& y) const {
    const detail::PatchLoop<AnyProduct, Element> loop{product, patches_, targets_, buffer_, y};
    if (patches_.patches > 0)
      Kokkos::parallel_for("Tessera::RecomputingElementByElement::apply_patches", loop.policy(exec), loop);
    using Sum = detail::SumPatches<Base::components, Element, ExecutionSpace, Scalar>;
    Kokkos::parallel_for("Tessera::RecomputingElementByElement::sum_patches",
                         Sum::policy(exec, patches_.shared_nodes.extent(0)),
                         Sum{patches_, {this->equations()}, buffer_, x, y});
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ElementPatches<Element, ExecutionSpace> patches_;
  OrderedParts<ExecutionSpace> parts_; ///< on hosts in place of atomics
  bool affine_;
  ColorGraph<ExecutionSpace> color_graph_;
  std::string launches_;
  typename Base::Vector buffer_;
  Numbers targets_; ///< of patches, where a component is constrained
};

template <class Element, class ExecutionSpace>
class RecomputingElementByElement::Plan
    : public MatrixFreePlan<RecomputingElementByElement::Plan<Element, ExecutionSpace>, Element,
                            ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space,
       const RecomputingElementByElement& strategy)
      : Base(exec, space), gather_(exec, space.mesh(), strategy.conflicts), geometry_(strategy.geometry),
        color_graph_(strategy_name, strategy.color_launches, strategy.conflicts == Conflicts::colors) {
    if (strategy.conflicts == Conflicts::patches) {
      patches_ = detail::fitting_patches(exec, space.mesh(), space.components());
      order_ = patches_.order;
    } else
      order_ = element_order(exec, space.mesh(), strategy.conflicts);
    if constexpr (runs_on_host<ExecutionSpace>)
      if (strategy.conflicts == Conflicts::atomics) {
        const auto elements = element_parts(exec, space.mesh());
        order_ = elements.order;
        parts_ = elements.parts;
      }
    this->prepared(order_.bytes + gather_.bytes() + patches_.bytes() + parts_.bytes());
  }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {
        this->exec(), this->space(), kernel, order_,
        gather_,      patches_,      parts_, tessera::detail::is_multilinear<Element, Kernel> && all_affine(),
        color_graph_};
  }

private:
  /// Whether every element is an affine image of the reference element, and the options let that be used.
  bool all_affine() const {
    if constexpr (is_multilinear_shape<Element>) {
      return geometry_ != Geometry::general && tessera::all_affine(this->exec(), this->space().mesh());
    } else {
      return false;
    }
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ElementPatches<Element, ExecutionSpace> patches_;
  OrderedParts<ExecutionSpace> parts_; ///< on hosts in place of atomics
  Geometry geometry_;
  ColorGraph<ExecutionSpace> color_graph_;
};

} // namespace TESSERA_KERNELS::matrix_free
