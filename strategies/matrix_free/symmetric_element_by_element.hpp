// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// SymmetricElementByElement: the operator by the symmetric half of the element matrices (paper 5, section
/// 3).

#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>
#include <tessera/strategies/cuda/shuffle.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>
#include <tessera/strategies/matrix_free/detail/stored_elements.hpp>
#include <tessera/strategies/matrix_free/detail/symmetric_product.hpp>

#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::matrix_free {

/// Only n(n+1)/2 numbers of each n x n element matrix are stored and read. A thread per node takes the
/// diagonal block of its node and, round by round, one block that it shares with another node's thread: both
/// read it (a broadcast), one uses it as it is and the other transposed. The rounds pair nodes as a
/// round-robin tournament pairs players, which is the equal work of the paper's figures 3 to 5 for any number
/// of nodes (an odd one leaves each node out once). As many elements as have room share the lanes of a Kokkos
/// thread; they pass values by shuffles or through that thread's scratch memory, and no team waits for
/// another.
///
/// On the host a thread takes a vector of elements and their whole half matrices.
/// Deterministic with colors and with gathered results.
struct SymmetricElementByElement : WithDefaultInstance<SymmetricElementByElement> {
  using WithDefaultInstance<SymmetricElementByElement>::plan;
  static constexpr const char* name = "SymmetricElementByElement";
  static constexpr const char* source = "paper 5, section 3";

  /// Who computes an element.
  enum class Lanes {
    automatic, ///< `elements` on the host and for elements of up to 8 nodes, whose values fit registers
    nodes,     ///< a lane per node; lanes pass values by shuffles where there are, as the paper does
    nodes_in_scratch, ///< the same through scratch memory
    elements,         ///< a lane per element; each number is read by one lane
  };
  Lanes lanes = Lanes::automatic;
  Conflicts conflicts = Conflicts::atomics;
  ColorLaunches color_launches = ColorLaunches::automatic;

  /// Bitwise equal from run to run, whatever the backend.
  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace, class Kernel, class Scalar, class Stored>
  class Operator;
  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError; UnsupportedError if a graph of launches is wanted where there is none
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    require_offered(name, conflicts, {Conflicts::atomics, Conflicts::colors, Conflicts::gather});
    return {exec, space, *this};
  }

  /// The half of the element matrices, connectivity and vectors; two flops for each number of the full
  /// matrix.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    constexpr double n = Element::nodes * Form::components;
    const double elements = space.mesh().num_elements();
    Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, conflicts);
    cost.bytes += elements * n * (n + 1) / 2 * sizeof(Scalar);
    cost.flops += 2 * elements * n * n;
    return cost;
  }

  static std::vector<std::pair<std::string, SymmetricElementByElement>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}},
            {"/nodes", {.lanes = Lanes::nodes}},
            {"/nodes/colors", {.lanes = Lanes::nodes, .conflicts = Conflicts::colors}},
            {"/nodes/scratch", {.lanes = Lanes::nodes_in_scratch}},
            {"/nodes/scratch/colors", {.lanes = Lanes::nodes_in_scratch, .conflicts = Conflicts::colors}},
            {"/elements", {.lanes = Lanes::elements}}};
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar, class Stored>
class SymmetricElementByElement::Operator
    : public MatrixFreeOperator<
          SymmetricElementByElement::Operator<Element, ExecutionSpace, Kernel, Scalar, Stored>, Element,
          ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;
  using Layout = detail::PairLayout<Element::nodes, Base::components>;
  using Half = detail::HalfBlocks<Element, ExecutionSpace, Scalar, Stored, Base::components>;

public:
  static constexpr const char* strategy_name = SymmetricElementByElement::name;

  /// Computes and stores the halves of the element matrices. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel, Lanes lanes,
           const ElementOrder<Element, ExecutionSpace>& order,
           const ResultGather<Element, ExecutionSpace>& gather, const ColorGraph<ExecutionSpace>& color_graph)
      : Base(space, kernel), lanes_(lanes), order_(order), gather_(gather), color_graph_(color_graph),
        launches_(color_graph_.template prepare<LanePerNode>(exec)),
        buffer_(gather.template buffer<Scalar>(exec, Element::nodes * Base::components)),
        blocks_(exec, order,
                lanes == Lanes::elements ? detail::symmetric_width<ExecutionSpace, Scalar>()
                                         : warp_lanes / Element::nodes,
                Layout::entries, "Tessera::SymmetricElementByElement::matrices") {
    detail::StoreElements<Layout, Element, ExecutionSpace, Scalar, Stored, Kernel>::run(
        exec, kernel, order_, blocks_, this->status(), "Tessera::SymmetricElementByElement::store");
    this->status().check(exec, strategy_name, this->space().mesh());
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const {
    return bytes_of(blocks_.values) + order_.bytes + gather_.bytes() + bytes_of(buffer_);
  }
  /// How the colors are launched, for reports.
  const std::string& launches() const { return launches_; }
  /// The part of `bytes()` that fills up blocks.
  std::size_t alignment_bytes() const { return blocks_.alignment_bytes(this->space().mesh().num_elements()); }
  /// Numbers stored for each element.
  static constexpr int numbers_per_element() { return Layout::entries; }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    const auto launch = [&](const ExecutionSpace& instance) { launch_ranges(instance, x, y); };
    color_graph_.template run<LanePerNode>(exec, launch, x.data(), y.data());
  }

private:
  using LanePerNode = detail::LanePerNode<Half, has_shuffles<ExecutionSpace>>;

  void launch_ranges(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                     const typename Base::Vector& y) const {
    if (gather_.conflicts != Conflicts::gather) this->clear(exec, x, y);
    const auto sink = gather_.template sink<Base::components>(this->equations(), y, buffer_,
                                                              this->space().mesh().num_elements());
    for (int r = 0; r < order_.ranges(); ++r) {
      const Half half{order_.mesh,           blocks_.values,        sink, x, order_.offsets[r],
                      order_.offsets[r + 1], blocks_.first_block[r]};
      if (lanes_ == Lanes::elements)
        detail::run_lane_per_element(exec, half);
      else if (lanes_ == Lanes::nodes)
        detail::run_lane_per_node<has_shuffles<ExecutionSpace>>(exec, half);
      else
        detail::run_lane_per_node<false>(exec, half);
    }
    gather_.template finish<Base::components>(exec, sink, x, y);
  }

  Lanes lanes_; ///< never `automatic`
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ColorGraph<ExecutionSpace> color_graph_;
  std::string launches_;
  Kokkos::View<Scalar*, ExecutionSpace> buffer_;
  detail::StoredElements<ExecutionSpace, Stored> blocks_;
};

template <class Element, class ExecutionSpace>
class SymmetricElementByElement::Plan
    : public MatrixFreePlan<SymmetricElementByElement::Plan<Element, ExecutionSpace>, Element,
                            ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = SymmetricElementByElement::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space,
       const SymmetricElementByElement& strategy)
      : Base(exec, space), lanes_(chosen(strategy.lanes)),
        order_(element_order(exec, space.mesh(), strategy.conflicts)),
        gather_(exec, space.mesh(), strategy.conflicts),
        color_graph_(strategy_name, strategy.color_launches, strategy.conflicts == Conflicts::colors) {
    this->prepared(order_.bytes + gather_.bytes());
  }

  template <class Scalar, class Stored, class Kernel>
  auto make(const Kernel& kernel) const {
    if constexpr (!Kernel::symmetric) {
      throw UnsupportedError(
          "SymmetricElementByElement: the form's element matrices are not symmetric, and half of "
          "them is not enough; use ElementByElement or RecomputingElementByElement");
    } else {
      return Operator<Element, ExecutionSpace, Kernel, Scalar, Stored>(this->exec(), this->space(), kernel,
                                                                       lanes_, order_, gather_, color_graph_);
    }
  }

private:
  static Lanes chosen(Lanes lanes) {
    if (lanes != Lanes::automatic) return lanes;
    return runs_on_host<ExecutionSpace> || Element::nodes <= 8 ? Lanes::elements : Lanes::nodes_in_scratch;
  }

  Lanes lanes_;
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ColorGraph<ExecutionSpace> color_graph_;
};

} // namespace TESSERA_KERNELS::matrix_free
