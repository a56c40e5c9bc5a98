#pragma once

/// \file
/// RowOwner: whoever owns a node computes and writes its rows, every value exactly once.

#include <tessera/strategies/assembly/row_owner/corner_rows.hpp>
#include <tessera/strategies/assembly/row_owner/element_rows.hpp>
#include <tessera/strategies/assembly/row_owner/star_rows.hpp>
#include <tessera/strategies/common/assembly_plan.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace tessera::assembly {

namespace detail {

/// The compact lists for the elements that have them.
template <class Element, class ExecutionSpace>
struct CompactLists {
  struct type {};
};
template <class Element, class ExecutionSpace>
  requires Element::affine_simplex
struct CompactLists<Element, ExecutionSpace> {
  using type = NodeStars<Element, ExecutionSpace>;
};
template <class ExecutionSpace>
struct CompactLists<Hex<1>, ExecutionSpace> {
  using type = NodeCells<ExecutionSpace>;
};

} // namespace detail

/// The rows of a node are computed by one thread from the elements around it: no value is zeroed, read back
/// or written twice, no addition is atomic, and the result is the same in every run.
///
/// An element is computed once for each of its nodes, its row only. Where arithmetic is cheap against memory,
/// as for linear simplices on today's devices, that costs nothing; it is the opposite end of the scale from
/// strategies that store element matrices. Linear simplices take their closed form and a compact plan
/// (`NodeStars`), trilinear hexahedra with three components their moments (`NodeCells`, `CornerMoments`);
/// other elements are integrated row by row.
struct RowOwner {
  static constexpr const char* name = "RowOwner";
  static constexpr const char* source = "owner computes; cf. paper 1, LocalNZ (section 4.4)";
  static constexpr bool deterministic = true;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space; UnsupportedError for a node with more than
  /// 256
  ///   neighbours (linear simplices) or rows beyond 65535 entries (others); OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, graph};
  }

  /// Coordinates, the plan's lists and the beginnings of rows read once, every value written once.
  /// Arithmetic: a row with its geometry is taken for half an element; every element is computed once per
  /// node.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
    const double pairs = static_cast<double>(space.mesh().num_elements()) * Element::nodes;
    const double neighbors = static_cast<double>(graph.num_entries()) / (Form::components * Form::components);
    double bytes_per_pair = sizeof(Ordinal) + 1 + Element::nodes * sizeof(std::uint16_t), list_bytes = 0;
    if constexpr (Element::affine_simplex) {
      bytes_per_pair = sizeof(typename NodeStars<Element, ExecutionSpace>::Corners);
      list_bytes = neighbors * sizeof(Ordinal) - bytes_of(space.mesh().connectivity());
    } else if constexpr (std::is_same_v<Element, Hex<1>> && Form::components == 3) {
      bytes_per_pair = sizeof(Ordinal) + sizeof(std::uint64_t);
      list_bytes =
          neighbors * (sizeof(Ordinal) + sizeof(std::uint64_t)) - bytes_of(space.mesh().connectivity());
    }
    cost.bytes += pairs * bytes_per_pair + list_bytes + bytes_of(graph.row_map);
    cost.flops *= Element::nodes / 2.0;
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class RowOwner::Plan : public AssemblyPlan<RowOwner::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RowOwner::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph)
      : Base(exec, space, graph) {
    if constexpr (Element::affine_simplex) {
      compact_ = node_stars(exec, space.mesh());
      slice_room_ = most_neighbors(exec, compact_, 1);
      window_room_ = most_neighbors(exec, compact_, Compact::window / Compact::width);
      this->prepared(compact_.bytes());
    } else if constexpr (has_moments) {
      if (space.components() == 3)
        compact_ = node_cells(exec, space.mesh());
      else
        lists_ = element_lists();
      this->prepared(lists_ ? lists_->bytes() : compact_.bytes());
    } else {
      lists_ = element_lists();
      this->prepared(lists_->bytes());
    }
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if constexpr (tessera::detail::HasClosedForm<Element, Kernel, Scalar>) {
      if constexpr (requires { kernel.uniform(); })
        if (const auto uniform = kernel.uniform(); uniform && star_rows<false>(*uniform, system)) return;
      if (star_rows<true>(kernel, system)) return;
    } else if constexpr (has_moments && Kernel::components == 3 &&
                         tessera::detail::HasMoments<Element, Kernel, Scalar>) {
      const auto& mesh = this->space().mesh();
      if (detail::CornerRows<ExecutionSpace, Scalar, Kernel>{kernel, mesh.kernel(), compact_, system,
                                                             this->status(), mesh.num_nodes()}
              .run(this->exec()))
        return;
    }
    if (!lists_) lists_ = element_lists();
    const auto& mesh = this->space().mesh();
    detail::ElementRows<Element, ExecutionSpace, Scalar, Kernel>{
        kernel, mesh.kernel(), lists_->incidence, lists_->map, system, this->status()}
        .run(this->exec(), mesh.num_nodes());
  }

private:
  using Compact = typename detail::CompactLists<Element, ExecutionSpace>::type;
  static constexpr bool has_moments = std::is_same_v<Element, Hex<1>>;

  /// What rows by quadrature need.
  struct ElementLists {
    NodeToElement<ExecutionSpace> incidence;
    ElementToValues<Element, ExecutionSpace> map;
    std::size_t bytes() const {
      return bytes_of(incidence.offsets) + bytes_of(incidence.elements) + bytes_of(incidence.local_nodes) +
             bytes_of(map.position);
    }
  };

  ElementLists element_lists() const {
    const auto& mesh = this->space().mesh();
    return {node_to_element(this->exec(), mesh.kernel().connectivity, mesh.num_nodes()),
            element_to_values(this->exec(), this->space(), this->graph())};
  }

  /// \return false if a team's neighbours do not fit into scratch
  template <bool ReadsElements, class Kernel, class Scalar>
  bool star_rows(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    using Rows = detail::StarRows<Element, ExecutionSpace, Scalar, Kernel, ReadsElements>;
    const Rows rows{kernel,         this->space().mesh().kernel(),
                    compact_,       system,
                    this->status(), Rows::staged ? window_room_ : slice_room_};
    return rows.run(this->exec());
  }

  Compact compact_; // linear simplices, and trilinear hexahedra with three components
  int slice_room_ = 0, window_room_ = 0;
  mutable std::optional<ElementLists> lists_; // other elements, and simplices without a closed form
};

} // namespace tessera::assembly
