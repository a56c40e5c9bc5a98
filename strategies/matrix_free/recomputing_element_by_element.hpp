#pragma once

/// \file
/// RecomputingElementByElement: the operator by elements whose matrices are never stored.

#include <tessera/strategies/common/matrix_free_operator.hpp>
#include <tessera/strategies/common/matrix_free_traffic.hpp>
#include <tessera/strategies/matrix_free/detail/recomputing_kernels.hpp>

#include <utility>
#include <vector>

namespace tessera::matrix_free {

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
/// Deterministic with colors, gathered results and patches. Colors keep a second connectivity; gathering, one
/// result per element and degree of freedom and the elements around each node; patches, a connectivity along
/// the Hilbert curve and two bytes per element node and about ten per node.
struct RecomputingElementByElement {
  static constexpr const char* name = "RecomputingElementByElement";
  static constexpr const char* source = "paper 5, section 1 (recalculated element matrices)";

  Races races = Races::atomics;
  Geometry geometry = Geometry::automatic;
  int patch_elements =
      0; ///< of `Races::patches`, at most 65535 / nodes; 0: as many as scratch memory suggests

  bool deterministic() const { return races != Races::atomics; }

  template <class Element, class ExecutionSpace, class Kernel, class Scalar>
  class Operator;
  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, *this};
  }

  /// Mesh, x and y once; y is zeroed before, or element results written and read.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, races);
    cost.bytes += bytes_of(space.mesh().coordinates());
    cost.flops =
        static_cast<double>(flops_of_action<Element>(form_kernel(Form{}))) * space.mesh().num_elements();
    return cost;
  }

  static std::vector<std::pair<std::string, RecomputingElementByElement>> variants() {
    return {{"", {}},
            {"-Colors", {.races = Races::colors}},
            {"-Gather", {.races = Races::gather}},
            {"-Patches", {.races = Races::patches}},
            {"-General", {.geometry = Geometry::general}}};
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar>
class RecomputingElementByElement::Operator
    : public MatrixFreeOperator<
          RecomputingElementByElement::Operator<Element, ExecutionSpace, Kernel, Scalar>, Element,
          ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const ElementOrder<Element, ExecutionSpace>& order,
           const ResultGather<Element, ExecutionSpace>& gather,
           const ElementPatches<Element, ExecutionSpace>& patches, bool affine)
      : Base(space, kernel), order_(order), gather_(gather), patches_(patches), affine_(affine),
        buffer_(gather.races == Races::patches
                    ? allocate<typename Base::Vector>(exec, "Tessera::RecomputingElementByElement::sums",
                                                      static_cast<Offset>(patches.sums) * Base::components)
                    : gather.template buffer<Scalar>(exec, Element::nodes * Base::components)) {
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return order_.bytes + gather_.bytes() + patches_.bytes() + bytes_of(buffer_); }
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
  void run(const ExecutionSpace& exec, const typename Base::ConstVector& x,
           const typename Base::Vector& y) const {
    if constexpr (Affine && !is_multilinear_shape<Element>)
      return;
    else {
      using Product = detail::ElementProduct<Affine, Element, ExecutionSpace, Kernel, Scalar>;
      const Product product{this->kernel(), order_.mesh, {this->equations()}, x};
      if (gather_.races == Races::patches)
        run_patches(exec, product, x, y);
      else
        run_elements(exec, product, x, y);
    }
  }

  template <class Product>
  void run_elements(const ExecutionSpace& exec, const Product& product, const typename Base::ConstVector& x,
                    const typename Base::Vector& y) const {
    if (gather_.races != Races::gather) this->clear(exec, x, y);
    constexpr int lanes = lanes_v<typename Product::Real>;
    const auto sink = gather_.template sink<Base::components>(this->equations(), y, buffer_,
                                                              this->space().mesh().num_elements());
    for (int r = 0; r < order_.ranges(); ++r) {
      const Ordinal begin = order_.offsets[r], end = order_.offsets[r + 1];
      Kokkos::parallel_for(
          "Tessera::RecomputingElementByElement::apply",
          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, sink.work_items((end - begin + lanes - 1) / lanes)),
          detail::RecomputingLoop<Product, Element>{product, sink, begin, end});
    }
    gather_.template finish<Base::components>(exec, sink, x, y);
  }

  template <class Product>
  void run_patches(const ExecutionSpace& exec, const Product& product, const typename Base::ConstVector& x,
                   const typename Base::Vector& y) const {
    using Loop = detail::PatchLoop<Product, Element>;
    const Loop loop{product, patches_, buffer_, y};
    const std::size_t scratch = Loop::scratch_bytes(patches_);
    const int threads = runs_on_host<ExecutionSpace> ? 1 : patches_.size;
    if (patches_.patches > 0)
      Kokkos::parallel_for("Tessera::RecomputingElementByElement::apply_patches",
                           team_policy(exec, strategy_name, loop, patches_.patches, threads, scratch), loop);
    Kokkos::parallel_for(
        "Tessera::RecomputingElementByElement::shared_nodes",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(patches_.shared_nodes.extent(0))),
        detail::SharedNodes<Base::components, Element, ExecutionSpace, Scalar>{
            patches_, {this->equations()}, buffer_, x, y});
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ElementPatches<Element, ExecutionSpace> patches_;
  bool affine_;
  Kokkos::View<Scalar*, ExecutionSpace> buffer_;
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
      : Base(exec, space), gather_(exec, space.mesh(), strategy.races) {
    if (strategy.races == Races::patches) {
      if (strategy.patch_elements < 0 || strategy.patch_elements > 65535 / Element::nodes)
        throw ArgumentError("RecomputingElementByElement: patch_elements must lie between 0 and " +
                            std::to_string(65535 / Element::nodes) + ", got " +
                            std::to_string(strategy.patch_elements));
      int size = strategy.patch_elements > 0 ? strategy.patch_elements
                                             : detail::patch_size(Element::nodes * space.components());
      const std::size_t node_bytes = (Element::dimension + space.components()) * sizeof(double),
                        element_bytes = Element::nodes * space.components() * sizeof(double);
      for (;; size /= 2) { // until values and results of double fit
        patches_ = element_patches(exec, space.mesh(), size);
        const std::size_t scratch = patches_.most_nodes * node_bytes + size * element_bytes + 64;
        if (scratch <= scratch_limit<ExecutionSpace>() || size == 1) break;
      }
      order_ = patches_.order;
    } else
      order_ = element_order(exec, space.mesh(), strategy.races);
    if constexpr (is_multilinear_shape<Element>)
      if (strategy.geometry == Geometry::automatic) {
        Ordinal bent = 0;
        Kokkos::parallel_reduce("Tessera::RecomputingElementByElement::count_bent",
                                Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.mesh().num_elements()),
                                detail::CountBentElements<Element, ExecutionSpace>{space.mesh().kernel()},
                                bent);
        affine_ = bent == 0;
      }
    this->prepared(order_.bytes + gather_.bytes() + patches_.bytes());
  }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {this->exec(),
            this->space(),
            kernel,
            order_,
            gather_,
            patches_,
            affine_ && tessera::detail::is_multilinear<Element, Kernel>};
  }

private:
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<Element, ExecutionSpace> gather_;
  ElementPatches<Element, ExecutionSpace> patches_;
  bool affine_ = false;
};

} // namespace tessera::matrix_free
