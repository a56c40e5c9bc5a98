#pragma once

/// \file
/// RecomputingElementByElement: the operator by elements whose matrices are never stored.

#include <tessera/core/element_action.hpp>
#include <tessera/strategies/common/matrix_free_operator.hpp>
#include <tessera/strategies/common/matrix_free_traffic.hpp>

#include <cmath>
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
/// trilinear hexahedra, no quadrature at all where these are affine, and quadrature with the points' gradients
/// for everything else. Nothing is stored but the mesh. Paper 5 calls it compute bound (section 1); processors
/// with ten flops a byte made it the fastest of all.
///
/// Deterministic with colors and with gathered results. Colors keep a second connectivity; gathering, one
/// result per element and degree of freedom and the elements around each node.
struct RecomputingElementByElement {
  static constexpr const char* name = "RecomputingElementByElement";
  static constexpr const char* source = "paper 5, section 1 (recalculated element matrices)";

  Races races = Races::atomics;
  Geometry geometry = Geometry::automatic;

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
    cost.flops = static_cast<double>(flops_of_action<Element>(form_kernel(Form{}))) * space.mesh().num_elements();
    return cost;
  }

  static std::vector<std::pair<std::string, RecomputingElementByElement>> variants() {
    return {{"", {}},
            {"-Colors", {.races = Races::colors}},
            {"-Gather", {.races = Races::gather}},
            {"-General", {.geometry = Geometry::general}}};
  }
};

namespace detail {

template <bool Affine, class Element, class ExecutionSpace, class Kernel, class Scalar>
struct RecomputingLoop {
  static constexpr int c = Kernel::components, dofs = Element::nodes * c;
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  ResultSink<Element::nodes, c, ExecutionSpace, Scalar> sink;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;
  Ordinal begin, end;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = begin + chunk * lanes_v<Real>;
    const int lanes = end - first < lanes_v<Real> ? end - first : lanes_v<Real>;
    Real u[dofs], v[dofs];
    if constexpr (lanes_v<Real> == 1) {
      Ordinal node[Element::nodes];
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(first, n);
      Cell<Element, Real> cell;
      cell.element[0] = mesh.number(first);
      cell.material[0] = mesh.material(first);
      mesh.set_coordinates(cell, node);
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) {
        Scalar value[c];
        sink.node_values.read(x, node[n], value);
        for (int a = 0; a < c; ++a) u[n * c + a] = value[a];
      }
      act<Affine>(kernel, cell, u, v);
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) {
        Scalar value[c];
        for (int a = 0; a < c; ++a) value[a] = v[n * c + a];
        sink.add(first, n, node[n], value);
      }
    } else {
      const Cell<Element, Real> cell = mesh.template cell<Real>(first);
      for (int lane = 0; lane < lanes_v<Real>; ++lane)
        for (int n = 0; n < Element::nodes; ++n) {
          Scalar value[c];
          sink.node_values.read(x, mesh.connectivity(first + (lane < lanes ? lane : 0), n), value);
          for (int a = 0; a < c; ++a) u[n * c + a].set(lane, value[a]);
        }
      act<Affine>(kernel, cell, u, v);
      for (int lane = 0; lane < lanes; ++lane)
        for (int n = 0; n < Element::nodes; ++n) {
          Scalar value[c];
          for (int a = 0; a < c; ++a) value[a] = v[n * c + a][lane];
          sink.add(first + lane, n, mesh.connectivity(first + lane, n), value);
        }
    }
  }
};

/// Counts elements bent by more than the rounding of their coordinates.
template <class Element, class ExecutionSpace>
struct CountBentElements {
  MeshKernel<Element, ExecutionSpace> mesh;

  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& bent) const {
    constexpr int d = Element::dimension;
    double largest = 0;
    double x[Element::nodes][d];
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < d; ++a) {
        x[n ^ ((n >> 1) & 1)][a] = mesh.coordinates(mesh.connectivity(e, n), a);
        largest = Kokkos::max(largest, Kokkos::abs(x[n ^ ((n >> 1) & 1)][a]));
      }
    double bend = 0; // distance of each corner from where the edges at corner 0 put it
    for (int n = 3; n < Element::nodes; ++n)
      for (int a = 0; a < d; ++a) {
        double corner = x[0][a];
        for (int k = 0; k < d; ++k)
          if (n >> k & 1) corner += x[1 << k][a] - x[0][a];
        bend = Kokkos::max(bend, Kokkos::abs(x[n][a] - corner));
      }
    if (!(bend <= 8 * Kokkos::Experimental::epsilon_v<double> * largest)) ++bent;
  }
};

} // namespace detail

template <class Element, class ExecutionSpace, class Kernel, class Scalar>
class RecomputingElementByElement::Operator
    : public MatrixFreeOperator<RecomputingElementByElement::Operator<Element, ExecutionSpace, Kernel, Scalar>,
                                Element, ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const ElementOrder<Element, ExecutionSpace>& order, const ResultGather<ExecutionSpace>& gather, bool affine)
      : Base(space, kernel), order_(order), gather_(gather), affine_(affine),
        buffer_(gather.template buffer<Scalar>(exec, Element::nodes * Base::components)) {
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return order_.bytes + gather_.bytes() + bytes_of(buffer_); }
  /// Whether all elements are treated as affine images of the reference element.
  bool affine() const { return affine_; }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x, const typename Base::Vector& y) const {
    if (affine_) run<true>(exec, x, y);
    else run<false>(exec, x, y);
  }

private:
  template <bool Affine>
  void run(const ExecutionSpace& exec, const typename Base::ConstVector& x, const typename Base::Vector& y) const {
    if constexpr (Affine && !is_multilinear_shape<Element>) return;
    else {
      if (gather_.races != Races::gather) this->clear(exec, x, y);
      using Loop = detail::RecomputingLoop<Affine, Element, ExecutionSpace, Kernel, Scalar>;
      constexpr int lanes = lanes_v<typename Loop::Real>;
      const auto sink = gather_.template sink<Element::nodes, Base::components>(this->equations(), y, buffer_,
                                                                                this->space().mesh().num_elements());
      for (int r = 0; r < order_.ranges(); ++r) {
        const Ordinal begin = order_.offsets[r], end = order_.offsets[r + 1];
        Kokkos::parallel_for("Tessera::RecomputingElementByElement::apply",
                             Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (end - begin + lanes - 1) / lanes),
                             Loop{this->kernel(), order_.mesh, sink, x, begin, end});
      }
      gather_.template finish<Base::components>(exec, sink, x, y);
    }
  }

  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<ExecutionSpace> gather_;
  bool affine_;
  Kokkos::View<Scalar*, ExecutionSpace> buffer_;
};

template <class Element, class ExecutionSpace>
class RecomputingElementByElement::Plan
    : public MatrixFreePlan<RecomputingElementByElement::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RecomputingElementByElement::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const RecomputingElementByElement& strategy)
      : Base(exec, space), order_(element_order(exec, space.mesh(), strategy.races)),
        gather_(exec, space.mesh(), strategy.races) {
    if constexpr (is_multilinear_shape<Element>)
      if (strategy.geometry == Geometry::automatic) {
        Ordinal bent = 0;
        Kokkos::parallel_reduce("Tessera::RecomputingElementByElement::count_bent",
                                Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.mesh().num_elements()),
                                detail::CountBentElements<Element, ExecutionSpace>{space.mesh().kernel()}, bent);
        affine_ = bent == 0;
      }
    this->prepared(order_.bytes + gather_.bytes());
  }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {this->exec(), this->space(), kernel, order_, gather_, affine_ && tessera::detail::is_multilinear<Element, Kernel>};
  }

private:
  ElementOrder<Element, ExecutionSpace> order_;
  ResultGather<ExecutionSpace> gather_;
  bool affine_ = false;
};

} // namespace tessera::matrix_free
