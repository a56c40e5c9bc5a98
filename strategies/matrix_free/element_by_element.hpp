// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementByElement: the operator by stored element matrices (paper 5, section 2.4).

#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>
#include <tessera/strategies/matrix_free/detail/stored_elements.hpp>
#include <tessera/strategies/matrix_free/detail/stored_product.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::matrix_free {

/// How `ElementByElement` shares an element's rows among threads.
enum class Threads {
  element, ///< one thread per element; on the host, a vector lane
  node,    ///< one thread per node: the rows of its components
  dof,     ///< one thread per degree of freedom, a row each
};

/// p = A (K_e y_e): all entries of the element matrices are stored once, interleaved over 32 elements (on the
/// host: over the lanes of a vector), and each product reads them all.
///
/// With a thread per node or degree of freedom a team takes a block of elements and shares their values
/// through scratch memory. Deterministic with colors and with gathered results.
struct ElementByElement : WithDefaultInstance<ElementByElement> {
  using WithDefaultInstance<ElementByElement>::plan;
  static constexpr const char* name = "ElementByElement";
  static constexpr const char* source = "paper 5, section 2.4";

  Threads threads = Threads::element;
  Conflicts conflicts = Conflicts::atomics;
  ColorLaunches color_launches = ColorLaunches::automatic;

  /// Bitwise equal from run to run, whatever the backend.
  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace, class Kernel, class Scalar, class Stored>
  class Operator;
  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError; UnsupportedError if the scratch memory cannot hold a block's values, or a
  /// graph
  ///   of launches is wanted where there is none
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    require_offered(name, conflicts, {Conflicts::atomics, Conflicts::colors, Conflicts::gather});
    return {exec, space, *this};
  }

  /// Element matrices, connectivity and vectors; two flops a number.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    const double numbers = static_cast<double>(space.mesh().num_elements()) * Element::nodes *
                           Element::nodes * Form::components * Form::components;
    Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, conflicts);
    cost.bytes += numbers * sizeof(Scalar);
    cost.flops += 2 * numbers;
    return cost;
  }

  static std::vector<std::pair<std::string, ElementByElement>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}},
            {"/node", {.threads = Threads::node}},
            {"/dof", {.threads = Threads::dof}},
            {"/dof/colors", {.threads = Threads::dof, .conflicts = Conflicts::colors}}};
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar, class Stored>
class ElementByElement::Operator
    : public MatrixFreeOperator<ElementByElement::Operator<Element, ExecutionSpace, Kernel, Scalar, Stored>,
                                Element, ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;
  using Layout = detail::FullLayout<Element::nodes, Base::components>;
  using Block = detail::FullBlock<Element, ExecutionSpace, Scalar, Stored, Base::components>;

public:
  static constexpr const char* strategy_name = ElementByElement::name;

  /// Computes and stores the element matrices. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           Threads threads, const ElementOrder<Element, ExecutionSpace>& order,
           const ResultGather<Element, ExecutionSpace>& gather, const ColorGraph<ExecutionSpace>& color_graph)
      : Base(space, kernel), threads_(threads), order_(order), gather_(gather), color_graph_(color_graph),
        launches_(color_graph_.template prepare<Block>(exec)),
        buffer_(gather.template buffer<Scalar>(exec, Element::nodes * Base::components)),
        blocks_(exec, order, detail::full_block_width<ExecutionSpace, Scalar>(), Layout::entries,
                "Tessera::ElementByElement::matrices") {
    detail::StoreElements<Layout, Element, ExecutionSpace, Scalar, Stored, Kernel>::run(
        exec, kernel, order_, blocks_, this->status(), "Tessera::ElementByElement::store");
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

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    const auto launch = [&](const ExecutionSpace& instance) { launch_ranges(instance, x, y); };
    color_graph_.template run<Block>(exec, launch, x.data(), y.data());
  }

private:
  void launch_ranges(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                     const typename Base::Vector& y) const {
    if (gather_.conflicts != Conflicts::gather) this->clear(exec, x, y);
    const auto sink = gather_.template sink<Base::components>(this->equations(), y, buffer_,
                                                              this->space().mesh().num_elements());
    for (int r = 0; r < order_.ranges(); ++r) {
      const Block block{order_.mesh,
                        blocks_.values,
                        sink,
                        x,
                        order_.offsets[r],
                        order_.offsets[r + 1],
                        blocks_.first_block[r],
                        threads_ == Threads::node ? Base::components : 1};
      if (threads_ == Threads::element)
        detail::run_by_elements(exec, block);
      else
        detail::run_by_rows(exec, block);
    }
    gather_.template finish<Base::components>(exec, sink, x, y);
  }

  Threads threads_;
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ColorGraph<ExecutionSpace> color_graph_;
  std::string launches_;
  Kokkos::View<Scalar*, ExecutionSpace> buffer_;
  detail::StoredElements<ExecutionSpace, Stored> blocks_;
};

template <class Element, class ExecutionSpace>
class ElementByElement::Plan
    : public MatrixFreePlan<ElementByElement::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementByElement::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const ElementByElement& strategy)
      : Base(exec, space), threads_(strategy.threads),
        order_(element_order(exec, space.mesh(), strategy.conflicts)),
        gather_(exec, space.mesh(), strategy.conflicts),
        color_graph_(strategy_name, strategy.color_launches, strategy.conflicts == Conflicts::colors) {
    this->prepared(order_.bytes + gather_.bytes());
  }

  template <class Scalar, class Stored, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar, Stored> make(const Kernel& kernel) const {
    return {this->exec(), this->space(), kernel, threads_, order_, gather_, color_graph_};
  }

private:
  Threads threads_;
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ColorGraph<ExecutionSpace> color_graph_;
};

} // namespace TESSERA_KERNELS::matrix_free
