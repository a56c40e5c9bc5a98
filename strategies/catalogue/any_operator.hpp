// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A matrix-free operator by a strategy chosen by name at run time.

#include <tessera/core/cost.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/catalogue/strategy_info.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// y = K x in double precision by some strategy, K the matrix that an assembly plan would give for the same
/// form and space. It is of one type for all elements and forms: what solves with it is compiled once.
template <class ExecutionSpace>
class AnyOperator {
public:
  using Scalar = double;
  using scalar_type = Scalar;
  using execution_space = ExecutionSpace;
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  virtual ~AnyOperator() = default;

  /// Name, source and determinism of the strategy.
  virtual const StrategyInfo& info() const = 0;
  /// Seconds that plan and preparation took, and the operator's bytes.
  virtual const PlanReport& report() const = 0;
  /// Bytes and flops of one product by the strategy's cost model.
  virtual Cost cost() const = 0;
  /// The least that any operator moves and computes.
  virtual Cost compulsory_cost() const = 0;

  /// \name As `MatrixFreeOperator`'s: vectors of `rows()` entries, one for each equation.
  ///@{
  virtual std::size_t rows() const = 0;
  virtual void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const = 0;
  virtual void load(const ExecutionSpace& exec, const Vector& f) const = 0;
  virtual void diagonal(const ExecutionSpace& exec, const Vector& d) const = 0;
  ///@}
};

/// Whether `make_operator` is compiled for an element: on devices, whose compilers take most of a minute for
/// it, for elements of first order alone.
template <class Element, class ExecutionSpace>
inline constexpr bool has_any_operator = runs_on_host<ExecutionSpace> || Element::order == 1;

/// All matrix-free strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> operator_strategies();

/// The operator of a form that the library ships, over a space, by the named strategy; compiled in the
/// library `Tessera::catalogue`. Of a form with other values, or where the mesh has been moved, make another.
/// \throws ArgumentError for an unknown name, listing those there are; UnsupportedError for an element that
///   it is not compiled for (`has_any_operator`); what the strategy's `plan` and `prepare` throw
template <class Element, class ExecutionSpace, class Form>
  requires is_shipped<Form, Element::dimension>
std::unique_ptr<AnyOperator<ExecutionSpace>>
make_operator(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form);

/// The same on the default instance.
template <class Element, class ExecutionSpace, class Form>
  requires is_shipped<Form, Element::dimension>
std::unique_ptr<AnyOperator<ExecutionSpace>>
make_operator(const std::string& name, const FunctionSpace<Element, ExecutionSpace>& space,
              const Form& form) {
  return make_operator(default_instance<ExecutionSpace>(), name, space, form);
}

} // namespace tessera
