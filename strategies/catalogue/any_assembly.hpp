// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An assembly strategy chosen by name at run time, with its plan for one space.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/assembly/common/assembly_options.hpp>
#include <tessera/strategies/catalogue/strategy_info.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera {

/// The steps of an assembly plan for one form and one scalar.
template <class ExecutionSpace, class Form, class Scalar>
class AssemblyOf {
public:
  using System = LinearSystem<Scalar, ExecutionSpace>;

  virtual ~AssemblyOf() = default;

  /// \name What the strategy's plan does under these names; throws what it throws.
  ///@{
  virtual const PlanReport& prepare(const Form& form, Scalar, const AssemblyOptions& options = {}) = 0;
  virtual void assemble(const Form& form, const System& system, const AssemblyOptions& options = {}) = 0;
  virtual void enqueue(const Form& form, const System& system, const AssemblyOptions& options = {}) const = 0;
  virtual void check(const Form& form, const System& system) const = 0;
  ///@}

  /// Bytes and flops of one assembly by the strategy's cost model.
  virtual Cost cost(const Form& form, Scalar) const = 0;
};

namespace detail {

template <class ExecutionSpace, class Forms>
class AssemblyOfForms;
/// The steps of all forms in both scalars, as overloads.
template <class ExecutionSpace, class... Forms>
class AssemblyOfForms<ExecutionSpace, std::tuple<Forms...>>
    : public AssemblyOf<ExecutionSpace, Forms, double>...,
      public AssemblyOf<ExecutionSpace, Forms, float>... {
public:
  using AssemblyOf<ExecutionSpace, Forms, double>::prepare...,
      AssemblyOf<ExecutionSpace, Forms, float>::prepare...;
  using AssemblyOf<ExecutionSpace, Forms, double>::assemble...,
      AssemblyOf<ExecutionSpace, Forms, float>::assemble...;
  using AssemblyOf<ExecutionSpace, Forms, double>::enqueue...,
      AssemblyOf<ExecutionSpace, Forms, float>::enqueue...;
  using AssemblyOf<ExecutionSpace, Forms, double>::check...,
      AssemblyOf<ExecutionSpace, Forms, float>::check...;
  using AssemblyOf<ExecutionSpace, Forms, double>::cost..., AssemblyOf<ExecutionSpace, Forms, float>::cost...;

  template <class Form>
  static constexpr bool is_derived =
      (std::derived_from<Form, Forms> || ...) && !(std::is_same_v<Form, Forms> || ...);
  /// \name Forms derived from these would be taken for them, without what they change.
  ///@{
  template <class Form, class... Arguments>
    requires(is_derived<Form>)
  const PlanReport& prepare(const Form&, Arguments&&...) {
    return refuse<Form>();
  }
  template <class Form, class... Arguments>
    requires(is_derived<Form>)
  void assemble(const Form&, Arguments&&...) {
    refuse<Form>();
  }
  template <class Form, class... Arguments>
    requires(is_derived<Form>)
  void enqueue(const Form&, Arguments&&...) const {
    refuse<Form>();
  }
  ///@}

private:
  template <class Form>
  static const PlanReport& refuse() {
    static_assert(!is_derived<Form>,
                  "a form derived from one of the catalogue's is another form: plan it by make_own_assembly");
  }
};

} // namespace detail

/// A plan of some strategy of the catalogue, for the forms of a list. Plans for the forms that the library
/// ships are compiled in the library `Tessera::catalogue`; those for an application's own forms are compiled
/// where `own_assembly.hpp` is included.
template <class ElementType, class ExecutionSpace, class Forms = ShippedForms<ElementType::dimension>>
class AnyAssembly : public detail::AssemblyOfForms<ExecutionSpace, Forms> {
public:
  using Element = ElementType;

  /// Name, source and determinism of the strategy.
  virtual const StrategyInfo& info() const = 0;
  /// Seconds and bytes of the plan and of what was prepared.
  virtual const PlanReport& report() const = 0;
};

/// All assembly strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> assembly_strategies();

/// Plans the named strategy for a space.
/// \throws ArgumentError for an unknown name, listing those there are; what the strategy's `plan` throws
template <class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_assembly(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph);

/// The same on the default instance.
template <class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_assembly(const std::string& name, const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph) {
  return make_assembly(default_instance<ExecutionSpace>(), name, space, graph);
}

} // namespace tessera
