// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementLocalProduct: the operator by the assembly ElementLocal, which adds to a vector instead of a matrix
/// (paper 1, sections 4.1 and 5).

#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/color_graph.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>
#include <tessera/strategies/matrix_free/detail/element_product.hpp>

#include <string>

namespace TESSERA_KERNELS::matrix_free {

/// Elements of one color share no node: each thread computes an element's matrix as an assembly does,
/// multiplies it by the element's values of x and adds the result to y without atomics; colors run one after
/// the other.
///
/// Deterministic, and stores nothing but a connectivity sorted by color. Where an element's matrix is not
/// needed as a whole RecomputingElementByElement has fewer flops: linear simplices, whose matrix is a closed
/// form, and forms that offer nothing else are where this one can compete.
struct ElementLocalProduct : WithDefaultInstance<ElementLocalProduct> {
  using WithDefaultInstance<ElementLocalProduct>::plan;
  static constexpr const char* name = "ElementLocalProduct";
  static constexpr const char* source = "paper 1, sections 4.1 and 5";
  static constexpr bool deterministic = true;

  ColorLaunches color_launches = ColorLaunches::automatic;

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

  /// Mesh once; x read and y read and written once per color.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, Conflicts::colors);
    cost.bytes += bytes_of(space.mesh().coordinates());
    cost.flops = detail::flops_of_integrated_products<Element, Form>(space);
    return cost;
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar>
class ElementLocalProduct::Operator
    : public MatrixFreeOperator<ElementLocalProduct::Operator<Element, ExecutionSpace, Kernel, Scalar>,
                                Element, ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;

public:
  static constexpr const char* strategy_name = ElementLocalProduct::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const ElementOrder<Element, ExecutionSpace>& order, const ColorGraph<ExecutionSpace>& color_graph)
      : Base(space, kernel), order_(order), color_graph_(color_graph),
        launches_(color_graph_.template prepare<AddColor>(exec)) {
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return order_.bytes; }
  /// How the colors are launched, for reports.
  const std::string& launches() const { return launches_; }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    const auto launch = [&](const ExecutionSpace& instance) { launch_colors(instance, x, y); };
    color_graph_.template run<AddColor>(exec, launch, x.data(), y.data());
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  struct AddColor {
    using Product = detail::IntegratedProduct<Element, ExecutionSpace, Kernel, Scalar>;
    using Real = typename Product::Real;
    Product product;
    typename Base::Vector y;
    Ordinal begin, end; ///< the color's elements

    KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
      const Ordinal first = begin + chunk * lanes_v<Real>;
      Real v[Product::dofs];
      product([&](int lane) { return first + lane < end ? first + lane : end - 1; }, v);
      for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane) add(first + lane, v, lane);
    }

    KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal element, const Real (&v)[Product::dofs], int lane) const {
      constexpr int components = Product::components;
      TESSERA_UNROLL(unroll_up_to_8<Product::nodes>)
      for (int n = 0; n < Product::nodes; ++n) {
        Scalar value[components];
        for (int a = 0; a < components; ++a) value[a] = lane_of(v[n * components + a], lane);
        product.node_values.write(y, product.mesh.connectivity(element, n), value, PlainAdd());
      }
    }
  };

private:
  void launch_colors(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                     const typename Base::Vector& y) const {
    this->clear(exec, x, y);
    constexpr int lanes = lanes_v<typename AddColor::Real>;
    for (int color = 0; color < order_.ranges(); ++color) {
      const Ordinal begin = order_.offsets[color], end = order_.offsets[color + 1];
      Kokkos::parallel_for(
          "Tessera::ElementLocalProduct::add_color",
          by_value<AddColor>(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (end - begin + lanes - 1) / lanes)),
          AddColor{{this->kernel(), order_.mesh, {this->equations()}, x}, y, begin, end});
    }
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ColorGraph<ExecutionSpace> color_graph_;
  std::string launches_;
};

template <class Element, class ExecutionSpace>
class ElementLocalProduct::Plan
    : public MatrixFreePlan<ElementLocalProduct::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementLocalProduct::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const ElementLocalProduct& strategy)
      : Base(exec, space), order_(color_order(exec, space.mesh())),
        color_graph_(strategy_name, strategy.color_launches) {
    this->prepared(order_.bytes);
  }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {this->exec(), this->space(), kernel, order_, color_graph_};
  }

private:
  ElementOrder<Element, ExecutionSpace> order_;
  ColorGraph<ExecutionSpace> color_graph_;
};

} // namespace TESSERA_KERNELS::matrix_free
