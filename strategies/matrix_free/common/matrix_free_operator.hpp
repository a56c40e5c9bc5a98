// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What operators without an assembled matrix share: equations and constraints, right-hand side, diagonal;
/// and the base of their plans.

#include <tessera/core/cost.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/form.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/space/natural_terms.hpp>
#include <tessera/strategies/common/check_coefficients.hpp>
#include <tessera/strategies/common/check_symmetry.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/plan_state.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>
#include <tessera/strategies/matrix_free/common/operator_on_sides.hpp>
#include <tessera/strategies/matrix_free/detail/element_totals.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace tessera {

/// Base of matrix-free operators: y = K x over the equations of a space, K the matrix that an assembly plan
/// would give for the same form, constraints and Robin sides. An operator has a member
/// `multiply(exec, x, y)`; it writes every entry of y.
///
/// An operator serves one thread at a time: products that meet another thread's throw ArgumentError, and so
/// do those of an operator that was moved from.
template <class Operator, class ElementType, class ExecutionSpace, class KernelType, class ScalarType>
class MatrixFreeOperator {
public:
  using Element = ElementType;
  using Kernel = KernelType;
  using Scalar = ScalarType;
  using scalar_type = Scalar;
  using execution_space = ExecutionSpace;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;
  static constexpr int components = Kernel::components;
  /// node x row x column
  using Blocks = Kokkos::View<Scalar* [components][components], ExecutionSpace>;

  /// Seconds that plan and preparation took, the operator's bytes besides the mesh and the vectors, and how
  /// element data is computed.
  const PlanReport& report() const { return report_; }

  /// Keeps a copy of the form, whose memory the kernel reads. Plans call it.
  template <class Form>
  void keep(const Form& form) {
    form_ = std::make_shared<const Form>(form);
  }

  /// Closes the operator's preparation. Plans call it.
  void prepared(const PlanReport& plan, double seconds) {
    const auto* const made = static_cast<const Operator*>(this);
    report_ = {plan.seconds, made->bytes(), seconds, integration_path<Element, Kernel, Scalar>()};
    if constexpr (requires { made->path(); }) report_.path = made->path();
    if constexpr (requires { made->launches(); }) report_.path += made->launches();
  }

  /// Number of equations.
  std::size_t rows() const { return equations_.count; }

  /// y = K x on `exec`, without waiting for it. x and y are distinct and have `rows()` entries.
  /// \throws ArgumentError for other extents, or if other degrees of freedom have been constrained or the
  ///   mesh has been moved since the operator was prepared
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    const auto call = use_.begin(Operator::strategy_name);
    check_extent("x", x.extent(0));
    check_extent("y", y.extent(0));
    if (x.data() == y.data() && rows() > 0) throw ArgumentError(name() + ": x and y must be distinct");
    const Kokkos::Profiling::ScopedRegion region("Tessera::" + name() + "::apply");
    static_cast<const Operator*>(this)->multiply(exec, x, y);
    const auto robin = space_.robin(exec);
    detail::for_each_robin_node(exec, "Tessera::MatrixFreeOperator::add_robin_product", robin,
                                detail::AddRobinProduct<ExecutionSpace, Scalar>{robin, equations_, x, y});
  }

  /// The right-hand side of `rows()` entries: loads of the form and of the space, entries of constrained
  /// columns times prescribed values moved over, prescribed values in rows that the space keeps.
  /// Deterministic. Waits for `exec`; colors the elements for the time of the call. \throws ArgumentError as
  /// `apply`; FormError naming an element that cannot be integrated
  void load(const ExecutionSpace& exec, const Vector& f) const {
    const auto call = use_.begin(Operator::strategy_name);
    check_extent("f", f.extent(0));
    Kokkos::deep_copy(exec, f, Scalar(0));
    totals(Total::load, f, {})
        .run(exec, color_order(exec, space_.mesh()), "Tessera::MatrixFreeOperator::load");
    status_.check(exec, name(), space_.mesh());
    detail::add_natural_loads(exec, space_, equations_, f);
    detail::set_prescribed_rows(exec, equations_, f);
    exec.fence("Tessera::MatrixFreeOperator::load");
  }

  /// The components x components blocks on the diagonal, one per node; rows and columns of constrained
  /// components are the identity's. Deterministic; waits for `exec`. \throws as `load`
  Blocks diagonal_blocks(const ExecutionSpace& exec) const {
    const auto call = use_.begin(Operator::strategy_name);
    const Blocks blocks(Kokkos::view_alloc(exec, std::string("Tessera::MatrixFreeOperator::diagonal_blocks")),
                        space_.mesh().num_nodes());
    totals(Total::blocks, {}, blocks)
        .run(exec, color_order(exec, space_.mesh()), "Tessera::MatrixFreeOperator::diagonal_blocks");
    const auto robin = space_.robin(exec);
    detail::for_each_robin_node(exec, "Tessera::MatrixFreeOperator::add_robin_blocks", robin,
                                detail::AddRobinBlocks<ExecutionSpace, Blocks>{robin, blocks});
    if (equations_.constrained)
      Kokkos::parallel_for("Tessera::MatrixFreeOperator::constrained_blocks",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space_.mesh().num_nodes()),
                           matrix_free::detail::FinishBlocks<Blocks, ExecutionSpace>{blocks, equations_});
    status_.check(exec, name(), space_.mesh());
    return blocks;
  }

  /// The diagonal of K, `rows()` entries. Deterministic; waits for `exec`. \throws as `load`
  void diagonal(const ExecutionSpace& exec, const Vector& d) const {
    check_extent("d", d.extent(0));
    matrix_free::detail::set_diagonal(exec, diagonal_blocks(exec), equations_, d);
  }

protected:
  MatrixFreeOperator(const Space& space, const Kernel& kernel)
      : space_(space), equations_(space.equations()), revision_(space.revision()),
        mesh_revision_(space.mesh().revision()), kernel_(kernel) {}

  /// Integrates every element once. \throws FormError naming one that cannot be integrated
  void check_elements(const ExecutionSpace& exec) const {
    totals(Total::nothing, {}, {}).run(exec, mesh_order(space_.mesh()), "Tessera::MatrixFreeOperator::check");
    status_.check(exec, name(), space_.mesh());
  }

  /// y = 0, or x in rows that keep a constrained component.
  void clear(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    ClearResult<ExecutionSpace, Scalar>{equations_, x, y}.all_rows(exec,
                                                                   "Tessera::MatrixFreeOperator::clear");
  }

  const Space& space() const { return space_; }
  const Equations<ExecutionSpace>& equations() const { return equations_; }
  const Kernel& kernel() const { return kernel_; }
  const Status<ExecutionSpace>& status() const { return status_; }
  static std::string name() { return Operator::strategy_name; }

private:
  using Total = matrix_free::detail::Total;

  void check_extent(const char* what, std::size_t extent) const {
    if (extent != rows())
      throw ArgumentError(name() + ": " + what + " has " + std::to_string(extent) +
                          " entries, the operator " + std::to_string(rows()) + " rows");
    if (space_.revision() != revision_)
      throw ArgumentError(name() + ": the space has got other constraints since the operator was prepared");
    if (space_.mesh().revision() != mesh_revision_)
      throw ArgumentError(name() +
                          ": the mesh has been moved since the operator was prepared; prepare it again");
  }
  matrix_free::detail::ElementTotals<Element, ExecutionSpace, Scalar, Kernel>
  totals(Total total, const Vector& load, const Blocks& blocks) const {
    status_.reset();
    return {kernel_, {}, equations_, status_, total, load, blocks, 0, 0};
  }

  Space space_;
  Equations<ExecutionSpace> equations_;
  std::size_t revision_, mesh_revision_;
  std::shared_ptr<const void> form_;
  Kernel kernel_;
  Status<ExecutionSpace> status_;
  InUse use_;
  PlanReport report_;
};

/// Base of the plans of matrix-free strategies: `plan` made what depends on the mesh, `prepare` makes what
/// depends on the form, its values included, and hands it out as an operator, whose `apply` computes. Where
/// `Mesh::move` has moved the mesh, or a form has got other values, `prepare` makes another operator.
///
/// A plan serves one thread at a time, as operators do. It has a `strategy_name` and a member
/// `make<Scalar, Stored>(kernel) const` that returns the operator.
template <class Plan, class Element, class ExecutionSpace>
class MatrixFreePlan : private detail::PlanState<Element, ExecutionSpace> {
  using State = detail::PlanState<Element, ExecutionSpace>;

public:
  using typename State::Space;

  /// Seconds and bytes that the plan took; what `prepare` took, operators report.
  const PlanReport& report() const { return this->report_; }

  /// The operator of a form on vectors of `Scalar`. Element data, where the strategy has any, is kept in
  /// `Stored` (float halves it) and multiplied and summed in `Scalar`. Waits until the operator is ready.
  /// Of forms with functions on sides it is an `OperatorOnSides`.
  /// \throws ArgumentError if the form has not the space's number of components; UnsupportedError for a form
  ///   that the strategy cannot take, or elements that single precision cannot (`check_range`); FormError for
  ///   coefficients out of range, for a form that says that it is symmetric and is not (`check_symmetry`), or
  ///   naming the first element that cannot be integrated; OutOfMemoryError with the bytes wanted
  template <class Scalar = double, class Stored = Scalar, class Form>
  auto prepare(const Form& form) const {
    const auto call = this->use_.begin(Plan::strategy_name);
    using Kernel = std::remove_const_t<decltype(detail::element_kernel(form))>;
    require_form_kernel<Kernel, Element, Scalar>();
    this->check_form(form);
    this->update_space();
    const Kernel kernel = detail::element_kernel(form);
    Preparation preparation(Plan::strategy_name, "prepare");
    this->template check_range<Scalar>();
    this->template check_range<Stored>();
    check_symmetry<Form>(exec(), Plan::strategy_name, space().mesh(), kernel);
    check_coefficients<Form>(exec(), Plan::strategy_name, space().mesh(), kernel);
    const auto& plan = static_cast<const Plan&>(*this);
    using Made = decltype(plan.template make<Scalar, Stored>(kernel));
    if constexpr (std::is_void_v<Made>) {
      plan.template make<Scalar, Stored>(kernel); // throws: there is no operator for such forms
    } else {
      Made made = plan.template make<Scalar, Stored>(kernel);
      exec().fence("Tessera::Plan::prepare");
      made.keep(form);
      made.prepared(report(), preparation.finish());
      if constexpr (detail::HasSideTerms<Form>)
        return with_sides(form, made);
      else
        return made;
    }
  }

protected:
  MatrixFreePlan(const ExecutionSpace& exec, const Space& space) : State(Plan::strategy_name, exec, space) {}

  using State::exec, State::space, State::prepared;

private:
  template <class Form, class Inside>
  OperatorOnSides<Inside> with_sides(const Form& form, const Inside& inside) const {
    Preparation preparation(Plan::strategy_name, "prepare");
    const auto sides = this->sides_.template matrices<Form::components>(
        exec(), Plan::strategy_name, space().mesh(), form.side_terms(), this->status());
    this->status().check(exec(), Plan::strategy_name, space().mesh(),
                         "has a side whose integrals are not finite");
    return {inside, space().equations(exec()), sides, preparation.finish()};
  }
};

} // namespace tessera
