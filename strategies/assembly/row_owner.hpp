#pragma once

/// \file
/// RowOwner: whoever owns a node computes and writes its rows, every value exactly once.

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/row_owner/corner_rows.hpp>
#include <tessera/strategies/assembly/row_owner/element_rows.hpp>
#include <tessera/strategies/assembly/row_owner/name_star_failure.hpp>
#include <tessera/strategies/assembly/row_owner/star_rows.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
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
/// other elements are integrated row by row. Trilinear hexahedra need a positive Jacobian at the centre too.
///
/// The numbers of elements join the plan of linear simplices at the first form whose coefficients vary by
/// material or element.
struct RowOwner {
  static constexpr const char* name = "RowOwner";
  static constexpr const char* source = "owner computes; cf. paper 1, LocalNZ (section 4.4)";
  static constexpr bool deterministic = true;

  /// Scratch of a team of linear simplices' nodes; 0: chosen for the device. Nodes that are too crowded for
  /// it have a launch of their own.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or the scratch is negative;
  ///   UnsupportedError for more scratch than a team can have, a node with more than 256 neighbours (linear
  ///   simplices) or rows beyond 65535 entries (others); OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, graph, *this};
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

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const RowOwner& options)
      : Base(exec, space, graph) {
    if constexpr (Element::affine_simplex) {
      compact_ = node_stars(exec, space.mesh(), limits(options.scratch_bytes));
      room_ = most_neighbors(exec, compact_, 0, compact_.num_fitting);
      crowded_room_ = most_neighbors(exec, compact_, compact_.num_fitting, compact_.num_windows());
      crowded_room_ /= Compact::width; // alone a node needs no padding
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
        if (const auto uniform = kernel.uniform()) return star_rows<0>(*uniform, system);
      if (!elements_) elements_ = star_elements(this->exec(), this->space().mesh(), compact_);
      varying_star_rows(kernel, system);
    } else {
      const auto& mesh = this->space().mesh();
      if constexpr (has_moments && Kernel::components == 3 &&
                    tessera::detail::HasMoments<Element, Kernel, Scalar>)
        if (detail::CornerRows<ExecutionSpace, Scalar, Kernel>{kernel, mesh.kernel(), compact_, system,
                                                               this->status(), mesh.num_nodes()}
                .run(this->exec()))
          return;
      if (!lists_) lists_ = element_lists();
      detail::ElementRows<Element, ExecutionSpace, Scalar, Kernel>{
          kernel, mesh.kernel(), lists_->incidence, lists_->map, system, this->status()}
          .run(this->exec(), mesh.num_nodes());
    }
  }

  /// Rows do not say which element they could not integrate.
  /// \throws FormError if no element shows it alone: a sum overflowed, or a determinant is zero to rounding
  template <class Kernel, class Scalar>
    requires tessera::detail::HasClosedForm<Element, Kernel, Scalar>
  void name_failure(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>&) const {
    this->status().reset();
    const auto& mesh = this->space().mesh();
    detail::NameStarFailure<Element, ExecutionSpace, Scalar, Kernel>{kernel, mesh.kernel(), this->status()}
        .run(this->exec(), mesh.num_elements());
    if (!this->status().failed(this->exec()))
      throw FormError(std::string(name) +
                      ": what elements add at a node is not finite, or a Jacobian is zero "
                      "to rounding; the values of the system are unspecified");
  }

private:
  using Compact = typename detail::CompactLists<Element, ExecutionSpace>::type;
  using Elements = StarElements<ExecutionSpace>;
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

  /// What a team's scratch holds. Where two threads share a node, nine teams share the 228 KB of a
  /// multiprocessor of an H100 or H200, a KB and a half of each taken by the system (measured:
  /// docs/performance/owner_computes.md); coefficients that vary join them if there is room.
  StarLimits limits(long wanted) const {
    const int components = this->space().components(), threads = detail::star_threads<Compact>(components);
    const std::size_t limit = scratch_limit<ExecutionSpace>(), share = threads > 1 ? 24320 : limit;
    const std::size_t budget = scratch_budget<ExecutionSpace>(name, wanted, share);
    const std::size_t bytes = wanted > 0 ? budget : std::min(budget, share);
    const std::size_t loads = threads > 1 ? Compact::window * components * sizeof(double) : 0;
    const std::size_t neighbor = detail::star_numbers<Compact>(components, threads) * sizeof(double);
    const auto without = [&](std::size_t all) { return all < loads ? 0 : all - loads; };
    constexpr std::size_t element = Compact::on_host ? 0 : 3 * sizeof(double);
    return {static_cast<int>(without(bytes) / neighbor), without(limit), neighbor, element};
  }

  /// Where only the first coefficient of a form varies, as is usual, the others need no table.
  template <class Kernel, class Scalar>
  void varying_star_rows(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    constexpr int fields = detail::fields_in_table<Kernel>(Compact::on_host);
    if constexpr (fields > 1) {
      bool others = false;
      for (int i = 1; i < fields; ++i) others = others || varies(kernel.field(i));
      if (!others) {
        star_rows_of<1, false>(kernel, system);
        return star_rows_of<fields, true>(kernel, system);
      }
    }
    star_rows<std::max(fields, 1)>(kernel, system);
  }

  template <int Varying, class Kernel, class Scalar>
  void star_rows(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    star_rows_of<Varying, false>(kernel, system);
    star_rows_of<Varying, true>(kernel, system);
  }

  template <int Varying, bool Crowded, class Kernel, class Scalar>
  void star_rows_of(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    detail::StarRows<Element, ExecutionSpace, Scalar, Kernel, Varying, Crowded>{
        kernel,
        this->space().mesh().kernel(),
        compact_,
        Varying > 0 ? *elements_ : Elements(),
        system,
        this->status(),
        Crowded ? crowded_room_ : room_}
        .run(this->exec());
  }

  Compact compact_;                 // linear simplices, and trilinear hexahedra with three components
  int room_ = 0, crowded_room_ = 0; ///< neighbours of a team of nodes that fit, and of a crowded one
  mutable std::optional<Elements> elements_;  // linear simplices with coefficients that vary
  mutable std::optional<ElementLists> lists_; // other elements, and simplices without a closed form
};

} // namespace tessera::assembly
