// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowLocal: a thread per node's rows, which computes the elements around the node (paper 1, Table III).

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_lists.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

namespace TESSERA_KERNELS::assembly {

/// Each thread owns the rows of one node, computes the elements around it one after the other (on the host,
/// one per vector lane) in its registers, and adds its rows of them.
///
/// Neither element data nor atomics, at the price of computing every element once per node. Choose it for
/// linear simplices, whose arithmetic is cheaper than any traffic. Deterministic. The plan holds 5 bytes for
/// each node of each element and 2 for each of its node pairs.
struct RowLocal : WithDefaultInstance<RowLocal> {
  using WithDefaultInstance<RowLocal>::plan;
  static constexpr const char* name = "RowLocal";
  static constexpr const char* source = "paper 1, Table III";
  static constexpr bool deterministic = true;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space; UnsupportedError for rows beyond 65535
  ///   entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph};
  }

  /// Input and row lists read, output written, once each; every element computed by each of its nodes.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = detail::row_cost<Element, Form, Scalar>(space, graph);
    cost.flops += (Element::nodes - 1) * compulsory_cost<Element, Form, Scalar>(space, graph).flops;
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class RowLocal::Plan : public AssemblyPlan<RowLocal::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RowLocal::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph),
        lists_(detail::row_lists(
            exec, space, graph,
            node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes()),
            detail::MeshElementNumber())) {
    this->prepared(lists_.bytes());
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Rows = AssembleRows<Kernel, Scalar>;
    const auto& mesh = this->space().mesh();
    Kokkos::parallel_for(
        "Tessera::RowLocal::assemble",
        by_value<Rows>(Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, mesh.num_nodes())),
        Rows{kernel, {mesh.kernel(), lists_, system}, this->status()});
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AssembleRows {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    using Data = detail::element_data_t<Element, Kernel, Scalar>;
    Kernel kernel;
    detail::RowWriter<Element, ExecutionSpace, Scalar> rows;
    Status<ExecutionSpace> status;

    KOKKOS_FUNCTION void operator()(Ordinal node) const {
      for (int a = 0; a < Kernel::components; ++a)
        if (rows.has_row(node, a)) rows.clear(node, a);
      const Offset end = rows.lists.offsets(node + 1);
      for (Offset p = rows.lists.offsets(node); p < end; p += lanes_v<Real>) add_elements(node, p, end);
    }

    /// As many elements of the node's list as there are lanes.
    KOKKOS_FUNCTION void add_elements(Ordinal node, Offset first, Offset end) const {
      Cell<Element, Real> cell;
      for (int lane = 0; lane < lanes_v<Real>; ++lane) {
        cell.element[lane] = rows.lists.elements(first + lane < end ? first + lane : end - 1);
        cell.material[lane] = rows.mesh.material(cell.element[lane]);
      }
      gather_coordinates(cell, [&](int lane, int n, int d) {
        return rows.mesh.coordinates(rows.mesh.connectivity(cell.element[lane], n), d);
      });
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane)
        for (int a = 0; a < Kernel::components; ++a)
          add_row(node, first + lane, local, lane, a, cell.element[lane]);
    }

    template <class Local>
    KOKKOS_FUNCTION void add_row(Ordinal node, Offset p, const Local& local, int lane, int a,
                                 Ordinal e) const {
      if (!rows.has_row(node, a)) return;
      const auto& equations = rows.system.equations;
      const int i = rows.lists.local_nodes(p);
      Scalar load = lane_of(local.load[i](a), lane);
      if (equations.constrained)
        load -= Data::template prescribed_load<Scalar>(local, lane, i, a, equations,
                                                       [&](int n) { return rows.mesh.connectivity(e, n); });
      rows.add(node, a, p, e, [&](int j, int b) { return Scalar(lane_of(local(i, a, j, b), lane)); }, load);
    }
  };

private:
  detail::RowLists<ExecutionSpace> lists_;
};

} // namespace TESSERA_KERNELS::assembly
