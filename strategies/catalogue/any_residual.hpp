// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A residual strategy chosen by name at run time, with its plan for one space and form.

#include <tessera/core/cost.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/catalogue/strategy_info.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// The steps of a residual plan for one weak form, in double precision, by some strategy. It is of one type
/// for all elements.
template <class ExecutionSpace, class Form>
class AnyResidual {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  virtual ~AnyResidual() = default;

  /// Name, source and determinism of the strategy.
  virtual const StrategyInfo& info() const = 0;
  /// Seconds and bytes of the plan and of what was prepared.
  virtual const PlanReport& report() const = 0;
  /// Bytes and flops of one residual by the strategy's cost model.
  virtual Cost cost() const = 0;
  /// The least that any residual moves and computes.
  virtual Cost compulsory_cost() const = 0;

  /// \name What the strategy's plan does under these names; throws what it throws.
  /// u and r have an entry for each degree of freedom, node * components + component; the form may have other
  /// values than the one that the plan was made for.
  ///@{
  virtual void integrate(const Form& form, const ConstVector& u, const Vector& r) = 0;
  virtual void enqueue(const Form& form, const ConstVector& u, const Vector& r) const = 0;
  virtual void check() const = 0;
  ///@}
};

/// Whether `make_residual` is compiled for an element: on devices for linear simplices alone, see
/// `has_any_operator`.
template <class Element, class ExecutionSpace>
inline constexpr bool has_any_residual =
    runs_on_host<ExecutionSpace> || (Element::order == 1 && Element::affine_simplex);

/// All residual strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> residual_strategies();

/// Plans the named strategy for a space and prepares it for a shipped form's weak form, `form.weak()`;
/// compiled in the library `Tessera::catalogue`.
/// \throws ArgumentError for an unknown name, listing those there are; UnsupportedError for an element that
///   it is not compiled for (`has_any_residual`); what the strategy's `plan` and `prepare` throw
template <class Element, class ExecutionSpace, class Form>
  requires is_shipped_weak<Form, Element::dimension>
std::unique_ptr<AnyResidual<ExecutionSpace, Form>>
make_residual(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form);

/// The same on the default instance.
template <class Element, class ExecutionSpace, class Form>
  requires is_shipped_weak<Form, Element::dimension>
std::unique_ptr<AnyResidual<ExecutionSpace, Form>>
make_residual(const std::string& name, const FunctionSpace<Element, ExecutionSpace>& space,
              const Form& form) {
  return make_residual(default_instance<ExecutionSpace>(), name, space, form);
}

} // namespace tessera
