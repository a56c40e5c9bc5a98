// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of any element by quadrature: a thread per node adds up its rows in place.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// A node's block row of one element: blocks (own, j) for every node j, and the load of the own node.
template <class Element, class Kernel, class Real>
struct ElementRow {
  Matrix<Real, Kernel::components> block[Element::nodes];
  Vector<Real, Kernel::components> load;

  /// Integrates row `own`. \return false if the element cannot be integrated, as `integrate` does
  KOKKOS_FUNCTION bool integrate(const Kernel& kernel, const Cell<Element, Real>& cell, int own) {
    constexpr int degree = Kernel::template degree<Element>, c = Kernel::components;
    bool positive = true;
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      const QuadraturePoint<Element, degree, Real> point(cell, q);
      positive = positive && all_positive(point.weight());
      const auto integrand = kernel.at(point);
      for (int j = 0; j < Element::nodes; ++j) {
        const auto k = integrand.stiffness(own, j);
        for (int ab = 0; ab < c * c; ++ab) block[j].entry[ab] += point.weight() * k.entry[ab];
      }
      const auto f = integrand.load(own);
      for (int a = 0; a < c; ++a) load(a) += point.weight() * f(a);
    }
    return positive && all_finite(sum_of_entries(block[0]) + sum_of_entries(load));
  }
};

/// Computes the rows of one node: sets them to zero, then adds the rows of the elements around it.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ElementRows {
  static constexpr int components = Kernel::components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeToElement<ExecutionSpace> incidence;
  ElementToValues<Element, ExecutionSpace> map;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes; ///< whose rows are wanted; empty: all nodes

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    const Ordinal node = nodes.extent(0) == 0 ? item : nodes(item);
    const auto& equations = system.equations;
    const int rows = equations.equations_of(node);
    const Ordinal first = equations.first_equation(node);
    for (Offset at = system.row_map(first); at < system.row_map(first + rows); ++at)
      system.values(at) = Scalar(0);
    Vector<Scalar, components> load;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
      const Ordinal element = incidence.elements(k);
      const int own = incidence.local_nodes(k);
      ElementRow<Element, Kernel, Scalar> row;
      if (!row.integrate(kernel, mesh.template cell<Scalar>(element), own)) status.fail(element);
      for (int a = 0; a < components; ++a)
        if (!equations.is_constrained(node, a)) load(a) += add(node, a, element, own, row);
    }
    for (int a = 0; a < components; ++a)
      if (!equations.is_constrained(node, a)) system.rhs(equations.equation(node, a)) = load(a);
  }

private:
  /// Adds one row of an element to the values. \return its part of the right-hand side
  KOKKOS_FUNCTION Scalar add(Ordinal node, int a, Ordinal element, int own,
                             const ElementRow<Element, Kernel, Scalar>& row) const {
    const auto& equations = system.equations;
    Scalar* const values = system.values.data() + system.row_map(equations.equation(node, a));
    Scalar load = row.load(a);
    for (int j = 0; j < Element::nodes; ++j) {
      const Ordinal column = mesh.connectivity(element, j);
      Scalar* const target = values + map.position(element, own, j);
      for (int b = 0; b < components; ++b)
        if (equations.is_constrained(column, b))
          load -= row.block[j](a, b) * Scalar(equations.prescribed(column * components + b));
        else
          target[equations.rank(column, b)] += row.block[j](a, b);
    }
    return load;
  }
};

/// What rows by quadrature need: the elements around each node, and where their entries go.
template <class Element, class ExecutionSpace>
class ElementPath {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// \throws UnsupportedError for rows beyond 65535 entries; OutOfMemoryError
  ElementPath(const ExecutionSpace& exec, const Space& space, const SparsityGraph<ExecutionSpace>& graph)
      : incidence_(node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes())),
        map_(element_to_values(exec, space, graph)) {}

  std::size_t bytes() const {
    return bytes_of(incidence_.offsets) + bytes_of(incidence_.elements) + bytes_of(incidence_.local_nodes) +
           bytes_of(map_.position);
  }

  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
           const SystemKernel<ExecutionSpace, Scalar>& system, const Status<ExecutionSpace>& status,
           const Kokkos::View<const Ordinal*, ExecutionSpace>& nodes = {}) const {
    const auto& mesh = space.mesh();
    const Ordinal items = nodes.extent(0) == 0 ? mesh.num_nodes() : nodes.extent_int(0);
    using Rows = ElementRows<Element, ExecutionSpace, Scalar, Kernel>;
    Kokkos::parallel_for("Tessera::RowOwner::element_rows",
                         by_value<Rows>(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, items)),
                         Rows{kernel, mesh.kernel(), incidence_, map_, system, status, nodes});
  }

private:
  NodeToElement<ExecutionSpace> incidence_;
  ElementToValues<Element, ExecutionSpace> map_;
};

} // namespace TESSERA_KERNELS::assembly::detail
