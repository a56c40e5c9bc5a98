// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RecomputingElementByElement: the operator by elements whose matrices are never stored.

#include <tessera/strategies/common/all_affine.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>
#include <tessera/strategies/element_loops/element_sweep.hpp>
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

namespace detail {

/// K_e x_e of an element from coordinates and coefficients, as loops over elements take it (`ElementWork`).
template <bool Affine, class Kernel>
struct RecomputedProduct {
  Kernel kernel;
  static constexpr int components = Kernel::components;
  static constexpr bool all_free = false;
  static constexpr bool reports = false; // operators have checked the elements
  template <class Element>
  static constexpr bool by_rows = Element::affine_simplex; // others' products take as long or longer by rows
  template <class Element, class Real>
  static constexpr bool asks_for_nodes = !tessera::detail::HasAction<Element, Kernel, Real>;

  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void act(const Cell<Element, Real>& cell,
                                       const Real (&u)[Element::nodes * components],
                                       Real (&v)[Element::nodes * components]) const {
    tessera::act<Affine>(kernel, cell, u, v);
  }
};

} // namespace detail

/// Each thread (on the host, each lane of a vector) computes K_e x_e of an element from coordinates and
/// coefficients: one gradient for linear simplices, sums factorised by axes for bilinear quadrilaterals and
/// trilinear hexahedra, no quadrature at all where these are affine, and quadrature with the points'
/// gradients for everything else. Nothing is stored but the mesh. Paper 5 calls it compute bound (section 1);
/// processors with ten flops a byte made it the fastest of all. Where atomics add, and on devices where
/// results are gathered, linear tetrahedra are taken by fans, as residuals take them (`ElementSweep`): each
/// node is read and added to once for up to six.
///
/// Deterministic with colors, gathered results and patches, and on hosts without any of them: parts of
/// neighbouring elements take the atomics' place there, in a fixed order, whose lists have 4 bytes a node
/// and, where the mesh scatters neighbours, a second connectivity. Fans have 8 bytes a tetrahedron. Colors
/// keep a second connectivity; gathering, one result per element and degree of freedom and the elements
/// around each node; patches, about 12 bytes per linear element, 10 to 16 per node of a patch, and a sum per
/// patch for each node that several share. The patches lie along the Hilbert curve whatever the elements'
/// order, and a thread takes two neighbours at a time where their nodes make a pair (`ElementPair`): the
/// fastest for linear simplices and wherever elements have no order.
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

  /// See `sweep_cost`.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = element_loops::sweep_cost<Element, Form, Scalar>(space, conflicts);
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
  using Sweep = element_loops::ElementSweep<Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const Sweep& sweep, bool affine, const ColorGraph<ExecutionSpace>& color_graph)
      : Base(space, kernel), sweep_(sweep), affine_(affine), color_graph_(color_graph),
        launches_(color_graph_.template prepare<Loop<false>>(exec)),
        buffer_(sweep.template buffer<Scalar>(exec, Base::components)),
        targets_(sweep.template patch_targets<Base::components>(exec, this->equations())) {
    sweep_.separate(exec);
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return sweep_.bytes() + bytes_of(buffer_) + bytes_of(targets_); }
  /// For reports.
  std::string path() const {
    return sweep_.cells() +
           std::string(affine_ ? " as affine images of the reference element" : " in general geometry") +
           ", results by " + sweep_.results_by();
  }
  /// How the colors are launched, for reports.
  const std::string& launches() const { return launches_; }
  /// Whether all elements are treated as affine images of the reference element.
  bool affine() const { return affine_; }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    if constexpr (is_multilinear_shape<Element>)
      if (affine_) return run<true>(exec, x, y);
    run<false>(exec, x, y);
  }

private:
  template <bool Affine>
  using Loop = typename Sweep::template ColorLoop<detail::RecomputedProduct<Affine, Kernel>, Scalar>;

  template <bool Affine>
  void run(const ExecutionSpace& exec, const typename Base::ConstVector& x,
           const typename Base::Vector& y) const {
    const detail::RecomputedProduct<Affine, Kernel> product{this->kernel()};
    const auto launch = [&](const ExecutionSpace& instance) {
      sweep_.run("Tessera::RecomputingElementByElement::apply", instance, product, this->equations(), x, y,
                 buffer_, targets_);
    };
    color_graph_.template run<Loop<Affine>>(exec, launch, x.data(), y.data());
  }

  Sweep sweep_;
  bool affine_;
  ColorGraph<ExecutionSpace> color_graph_;
  std::string launches_;
  typename Base::Vector buffer_;
  typename Sweep::Numbers targets_;
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
      : Base(exec, space), sweep_(exec, space, strategy.conflicts), geometry_(strategy.geometry),
        color_graph_(strategy_name, strategy.color_launches, strategy.conflicts == Conflicts::colors) {
    this->prepared(sweep_.bytes());
  }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {this->exec(),
            this->space(),
            kernel,
            sweep_,
            tessera::detail::is_multilinear<Element, Kernel> && all_affine(),
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

  element_loops::ElementSweep<Element, ExecutionSpace> sweep_;
  Geometry geometry_;
  ColorGraph<ExecutionSpace> color_graph_;
};

} // namespace TESSERA_KERNELS::matrix_free
