// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Operators that go through the rows: each gathers its entries from the element matrices around its node.

#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>
#include <tessera/strategies/matrix_free/detail/rows/sliced_incidence.hpp>

#include <string>

namespace TESSERA_KERNELS::matrix_free::detail {

/// Entries of an element matrix by rows, one element after the other.
template <int Nodes, int Components>
struct RowMajorLayout {
  static constexpr int dofs = Nodes * Components;
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const Visit& visit) {
    for (int i = 0; i < Nodes; ++i)
      for (int a = 0; a < Components; ++a)
        for (int j = 0; j < Nodes; ++j)
          for (int b = 0; b < Components; ++b)
            visit((i * Components + a) * dofs + j * Components + b, i, a, j, b);
  }
};

/// `Rows` rows of one node by one thread: 1, or all of its components.
template <int Rows, class Element, class ExecutionSpace, class Scalar, class Stored, int Components>
struct RowGather {
  static constexpr int nodes = Element::nodes, dofs = nodes * Components;
  MeshKernel<Element, ExecutionSpace> mesh;
  SlicedIncidence<ExecutionSpace> incidence;
  Kokkos::View<const Stored*, ExecutionSpace> matrices;
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal unit) const {
    constexpr int width = SlicedIncidence<ExecutionSpace>::width, per_node = Components / Rows;
    const Ordinal node = unit / per_node;
    const int component = Rows == Components ? 0 : unit % per_node;
    Scalar sum[Rows] = {};
    for (Offset k = incidence.offsets(node / width) + node % width; k < incidence.offsets(node / width + 1);
         k += width) {
      const Ordinal e = incidence.elements(k);
      if (e < 0) break;
      const Stored* const row = matrices.data() + static_cast<Offset>(e) * (dofs * dofs) +
                                (incidence.local_nodes(k) * Components + component) * dofs;
      for (int j = 0; j < nodes; ++j) {
        Scalar u[Components];
        node_values.read(x, mesh.connectivity(e, j), u);
        for (int a = 0; a < Rows; ++a)
          for (int b = 0; b < Components; ++b) sum[a] += Scalar(row[a * dofs + j * Components + b]) * u[b];
      }
    }
    const auto& equations = node_values.equations;
    for (int a = 0; a < Rows; ++a) {
      const int c = component + a;
      if (!equations.is_constrained(node, c))
        y(equations.equation(node, c)) = sum[a];
      else if (!equations.removed)
        y(equations.equation(node, c)) = x(equations.equation(node, c));
    }
  }
};

/// The operator of `Strategy` with `Strategy::rows_of<components>` rows a thread; deterministic.
template <class Strategy, class Element, class ExecutionSpace, class Kernel, class Scalar, class Stored>
class RowGatherOperator
    : public MatrixFreeOperator<RowGatherOperator<Strategy, Element, ExecutionSpace, Kernel, Scalar, Stored>,
                                Element, ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<RowGatherOperator, Element, ExecutionSpace, Kernel, Scalar>;
  static constexpr int c = Base::components, dofs = Element::nodes * c;

public:
  static constexpr const char* strategy_name = Strategy::name;

  /// Computes and stores the element matrices. Plans call it.
  RowGatherOperator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
                    const SlicedIncidence<ExecutionSpace>& incidence)
      : Base(space, kernel), incidence_(incidence),
        blocks_(exec, mesh_order(space.mesh()), 1, dofs * dofs,
                std::string("Tessera::") + Strategy::name + "::matrices") {
    using Store =
        StoreElements<RowMajorLayout<Element::nodes, c>, Element, ExecutionSpace, Scalar, Stored, Kernel>;
    Store::run(exec, kernel, mesh_order(space.mesh()), blocks_, this->status(),
               std::string("Tessera::") + Strategy::name + "::store");
    this->status().check(exec, strategy_name, this->space().mesh());
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return bytes_of(blocks_.values) + incidence_.bytes(); }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    constexpr int rows = Strategy::template rows_of<c>;
    const auto& mesh = this->space().mesh();
    using Gather = RowGather<rows, Element, ExecutionSpace, Scalar, Stored, c>;
    Kokkos::parallel_for(
        std::string("Tessera::") + Strategy::name + "::apply",
        by_value<Gather>(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_nodes() * (c / rows))),
        Gather{mesh.kernel(), incidence_, blocks_.values, {this->equations()}, x, y});
  }

private:
  SlicedIncidence<ExecutionSpace> incidence_;
  StoredElements<ExecutionSpace, Stored> blocks_;
};

/// The plan of `Strategy`: the elements around each node.
template <class Strategy, class Element, class ExecutionSpace>
class RowGatherPlan
    : public MatrixFreePlan<RowGatherPlan<Strategy, Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = MatrixFreePlan<RowGatherPlan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = Strategy::name;

  RowGatherPlan(const ExecutionSpace& exec, const typename Base::Space& space)
      : Base(exec, space),
        incidence_(sliced_incidence(exec, space.mesh().connectivity(), space.mesh().num_nodes())) {
    this->prepared(incidence_.bytes());
  }

  template <class Scalar, class Stored, class Kernel>
  RowGatherOperator<Strategy, Element, ExecutionSpace, Kernel, Scalar, Stored>
  make(const Kernel& kernel) const {
    return {this->exec(), this->space(), kernel, incidence_};
  }

private:
  SlicedIncidence<ExecutionSpace> incidence_;
};

/// Element matrices, connectivity and x once for each row that reads them from memory again, node lists, y.
/// Threads of one node that read the same element's connectivity and x meet in the cache.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost row_gather_cost(const FunctionSpace<Element, ExecutionSpace>& space) {
  constexpr double n = Element::nodes, dofs = n * Form::components;
  const double elements = space.mesh().num_elements();
  return {elements * (dofs * dofs * sizeof(Scalar) + n * (sizeof(Ordinal) + 1)) +
              static_cast<double>(bytes_of(space.mesh().connectivity())) +
              2.0 * space.num_dofs() * sizeof(Scalar),
          2 * elements * dofs * dofs};
}

} // namespace TESSERA_KERNELS::matrix_free::detail
