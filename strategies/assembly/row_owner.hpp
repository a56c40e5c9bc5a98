// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner: whoever owns a node computes and writes its rows, every value exactly once.

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/affine_path.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/corner_path.hpp>
#include <tessera/strategies/assembly/detail/row_owner/element_rows.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_path.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace TESSERA_KERNELS::assembly {

/// The rows of a node are computed by one thread from the elements around it: no value is zeroed, read back
/// or written twice, no addition is atomic, and the result is the same in every run.
///
/// An element is computed once for each of its nodes, its row only. Where arithmetic is cheap against memory,
/// as for linear simplices on today's devices, that costs nothing; it is the opposite end of the scale from
/// strategies that store element matrices. `prepare` chooses the path by the form and makes its lists: forms
/// with a closed form on linear simplices take compact ones (`NodeStars`), forms with moments and three
/// components on trilinear hexahedra the cells around each node (`NodeCells`, `CornerMoments`), if scratch
/// holds their rows; on other affine elements forms with constant coefficients take reference tensors, rows
/// in scratch again (`KindRows`, `AffineRows`); everything else is integrated row by row. Trilinear hexahedra
/// need a positive Jacobian at the centre too. Coefficients that vary by material or element add the numbers
/// of elements to the stars.
struct RowOwner : WithDefaultInstance<RowOwner> {
  using WithDefaultInstance<RowOwner>::plan;
  static constexpr const char* name = "RowOwner";
  static constexpr const char* source = "owner computes; cf. paper 1, LocalNZ (section 4.4)";
  static constexpr bool deterministic = true;

  /// Scratch of a team of linear simplices' nodes; 0: chosen for the device. Nodes that are too crowded for
  /// it have a launch of their own.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or the scratch is negative;
  ///   UnsupportedError for more scratch than a team can have. The plan's `prepare` throws UnsupportedError
  ///   for a node with more than 256 neighbours (stars) or rows beyond 65535 entries (quadrature)
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
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
      bytes_per_pair = sizeof(typename detail::NodeStars<Element, ExecutionSpace>::Corners);
      list_bytes = neighbors * sizeof(Ordinal) - bytes_of(space.mesh().connectivity());
    } else if constexpr (std::is_same_v<Element, Hex<1>> && Form::components == 3) {
      bytes_per_pair = sizeof(Ordinal) + sizeof(std::uint64_t);
      list_bytes =
          neighbors * (sizeof(Ordinal) + sizeof(std::uint64_t)) - bytes_of(space.mesh().connectivity());
    } else if constexpr (!runs_on_host<ExecutionSpace>) {
      using Lists = detail::KindLists<Element, ExecutionSpace>;
      bytes_per_pair = sizeof(detail::ElementAround) + sizeof(Ordinal) * Lists::corners +
                       sizeof(std::uint32_t) * Lists::words;
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
      : Base(exec, space, graph), scratch_bytes_(options.scratch_bytes) {
    scratch_budget<ExecutionSpace>(name, scratch_bytes_); // throws here, where the option is given
    this->prepared(0);
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel& kernel) {
    const std::size_t held = bytes();
    std::string path = make_path<Scalar>(kernel);
    this->hold(bytes(), held);
    return path;
  }
  template <class Scalar, class Kernel>
  bool is_ready(const Kernel& kernel) const {
    if constexpr (has_stars<Kernel, Scalar>)
      return stars_->is_ready(kernel);
    else
      return true;
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto run = [&](const auto& path) {
      path->run(this->exec(), this->space(), kernel, system, this->status());
    };
    if constexpr (has_stars<Kernel, Scalar>) {
      run(stars_);
    } else {
      if constexpr (detail::HasCornerRows<Element, Kernel, Scalar>)
        if (corners_ &&
            corners_->template fits<Scalar>(this->space(), kernel, system.equations, this->status()))
          return run(corners_);
      if constexpr (detail::HasAffineRows<Element, Kernel, Scalar>)
        if (affine_ && affine_->template fits<Scalar>(this->space(), kernel, this->status()))
          return run(affine_);
      run(rows_);
    }
  }

  /// Looks at the elements' shapes once more, where they matter.
  void take_coordinates() {
    if (affine_) affine_->take_coordinates(this->exec(), this->space(), this->graph());
  }

  /// Rows do not say which element they could not integrate.
  /// \throws what `StarPath::name_failure` throws
  template <class Kernel, class Scalar>
    requires tessera::detail::HasClosedForm<Element, Kernel, Scalar>
  void name_failure(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    stars_->name_failure(this->exec(), this->space(), kernel, system, this->status());
  }

private:
  template <class Kernel, class Scalar>
  static constexpr bool has_stars = tessera::detail::HasClosedForm<Element, Kernel, Scalar>;
  /// In place of a path that an element does not have.
  struct NoPath {
    std::size_t bytes() const { return 0; }
  };
  template <bool Exists, class Path>
  using PathIf = std::optional<std::conditional_t<Exists, Path, NoPath>>;

  /// Makes the lists of the form's path. \return its name
  template <class Scalar, class Kernel>
  std::string make_path(const Kernel& kernel) {
    const auto& exec = this->exec();
    if constexpr (has_stars<Kernel, Scalar>) {
      if (!stars_) stars_.emplace(exec, this->space(), scratch_bytes_);
      stars_->make_ready(exec, this->space(), kernel);
      return "stars of nodes in scratch, elements in closed form";
    } else {
      if constexpr (detail::HasCornerRows<Element, Kernel, Scalar>) {
        const bool had = corners_.has_value();
        if (!had) corners_.emplace(exec, this->space());
        if (corners_->template fits<Scalar>(this->space(), kernel, this->graph().equations, this->status()))
          return "cells around nodes in scratch, elements by moments";
        if (!had) corners_.reset();
      }
      if constexpr (detail::HasAffineRows<Element, Kernel, Scalar>) {
        if (!affine_) affine_.emplace(exec, this->space(), this->graph());
        affine_->template make_ready<Kernel>(exec, this->space(), this->graph());
        if (affine_->template fits<Scalar>(this->space(), kernel, this->status()))
          return affine_->all_affine()
                     ? "rows in scratch, elements by reference tensors"
                     : "rows in scratch, elements by reference tensors; by quadrature around bent elements";
        affine_.reset();
      }
      if (!rows_) rows_.emplace(exec, this->space(), this->graph());
      return "rows in place, elements by quadrature";
    }
  }
  std::size_t bytes() const {
    const auto of = [](const auto& path) { return path ? path->bytes() : 0; };
    return of(stars_) + of(corners_) + of(affine_) + of(rows_);
  }

  long scratch_bytes_;
  PathIf<Element::affine_simplex, detail::StarPath<Element, ExecutionSpace>> stars_;
  PathIf<std::is_same_v<Element, Hex<1>>, detail::CornerPath<ExecutionSpace>> corners_;
  std::optional<detail::AffinePath<Element, ExecutionSpace>> affine_;
  std::optional<detail::ElementPath<Element, ExecutionSpace>> rows_;
};

} // namespace TESSERA_KERNELS::assembly
