// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// apply::Best: the operator without a matrix that is expected to be the fastest for a space and a machine,
/// and whether a matrix would be faster.

#include <tessera/core/allocate.hpp>
#include <tessera/strategies/best/planned_choice.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::apply {

/// Takes the variant of `RecomputingElementByElement` that the times measured on this machine predict to be
/// the fastest (`predict`), under the user's wishes: how the results of elements are added. The choice rests
/// on the mesh and the number of components and falls in `plan`, whose `choice()` says what was taken and
/// what came second. With `measure` it falls where the first operator is prepared, with that one's form and
/// scalar: before, there is no product to time.
struct Best : WithDefaultInstance<Best> {
  using WithDefaultInstance<Best>::plan;
  static constexpr const char* name = "Best";
  static constexpr const char* source = "by times measured on the machine";

  bool deterministic = false; ///< only variants with bitwise equal results in every run, on any backend
  double plan_bytes = ChoiceWishes().plan_bytes; ///< at most, of the plan on the device
  double products = ChoiceWishes().calls;        ///< expected; they share the cost of the plan
  bool measure = false; ///< plan the first candidates and time them with the first form that is prepared
  std::shared_ptr<const Calibration> calibration =
      nullptr; ///< times to choose by; null: `machine_calibration`

  static std::vector<std::pair<std::string, Best>> variants() {
    return {{"", {}}, {"/deterministic", {.deterministic = true}}};
  }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError for wishes that are not positive, or a damaged table of times; UnsupportedError if
  /// no
  ///   variant keeps to the wishes; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, tessera::detail::plan_variants<matrix_free::RecomputingElementByElement>(
                      "apply", exec, space, *this, wishes())};
  }

  /// That of the variant that comes first.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    return tessera::detail::first_variant<matrix_free::RecomputingElementByElement>(
               "apply", default_instance<ExecutionSpace>(), space, *this, wishes())
        .template cost<Element, Form, Scalar>(space);
  }

  ChoiceWishes wishes() const { return {deterministic, plan_bytes, products}; }
};

template <class Element, class ExecutionSpace>
class Best::Plan {
  using Taken = matrix_free::RecomputingElementByElement::Plan<Element, ExecutionSpace>;

public:
  Plan(const ExecutionSpace& exec, tessera::detail::PlannedVariants<Taken, ExecutionSpace> variants)
      : exec_(exec), variants_(std::move(variants)) {}

  /// Of the variant that is taken, or of the first one until the choice has fallen.
  const PlanReport& report() const { return variants_.taken().report(); }
  /// What was taken, the prediction or its time, and what came second, in a line.
  const std::string& choice() const { return variants_.why(); }

  /// As `MatrixFreePlan::prepare`. \throws also UnsupportedError, with the reason of each, if no variant that
  /// is
  ///   to be timed takes the form
  template <class Scalar = double, class Stored = Scalar, class Form>
  auto prepare(const Form& form) const {
    variants_.settle([&](const Taken& plan) {
      const auto op = plan.template prepare<Scalar, Stored>(form);
      using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
      const auto x = allocate<Vector>(exec_, "Tessera::Best::x", op.rows()),
                 y = allocate<Vector>(exec_, "Tessera::Best::y", op.rows());
      Kokkos::deep_copy(exec_, x, Scalar(1));
      return [op, x, y, exec = exec_] { op.apply(exec, x, y); };
    });
    return variants_.taken().template prepare<Scalar, Stored>(form);
  }

private:
  ExecutionSpace exec_;
  mutable tessera::detail::PlannedVariants<Taken, ExecutionSpace>
      variants_; ///< one, once the choice has fallen
};

/// The seconds of products with and without a matrix, the assembly among them.
struct MatrixOrNot {
  double with_matrix = 0, without = 0;
  bool matrix_is_faster() const { return with_matrix < without; }
};

/// What all products that `best` expects take: by a matrix in compressed rows, which is assembled once by the
/// fastest strategy and whose product reads values, columns and vectors at the copy's rate, or by `best`'s
/// own operator. The graph is taken as given.
/// \throws as `best.plan`
template <class Element, class ExecutionSpace>
MatrixOrNot matrix_or_not(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                          const SparsityGraph<ExecutionSpace>& graph, const Best& best) {
  const auto table = best.calibration ? best.calibration : machine_calibration(exec);
  ChoiceProblem problem = tessera::detail::choice_problem("apply", exec, space);
  const auto first_seconds = [&](const std::string& family) {
    problem.family = family;
    std::vector<ChoiceCandidate> candidates;
    for (const std::string& strategy : strategies_of(*table, family))
      candidates.push_back({.name = strategy, .cost = {}});
    const auto order =
        ranking(*table, problem, candidates, {.plan_bytes = best.plan_bytes, .calls = best.products});
    if (order.empty())
      throw UnsupportedError(std::string("apply::matrix_or_not: no times of ") + family + " are known for " +
                             Element::name);
    return family == "apply" ? order.front().seconds * best.products + order.front().plan_seconds
                             : order.front().seconds + order.front().plan_seconds;
  };
  const double bytes = static_cast<double>(graph.num_entries()) * (sizeof(double) + sizeof(Ordinal)) +
                       graph.num_rows() * (sizeof(Offset) + 2.0 * sizeof(double));
  return {.with_matrix = first_seconds("assembly") + best.products * bytes / table->bytes_per_second,
          .without = first_seconds("apply")};
}

} // namespace TESSERA_KERNELS::apply
