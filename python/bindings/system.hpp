// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Systems of spaces of one element type and of several, behind the interface of problem.hpp.

#include <tessera/core/same_name.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/detail/named_plan.hpp>

#include "by_block.hpp"
#include "problem.hpp"
#include "streams.hpp"

namespace tessera::python {

/// \name A strategy of the catalogue by its name. \throws as `make_assembly`
///@{
template <class Element>
catalogue::detail::NamedPlan<Element, Exec> named_plan(const Exec& exec, const std::string& strategy,
                                                       const FunctionSpace<Element, Exec>& space,
                                                       const SparsityGraph<Exec>& graph) {
  return catalogue::detail::NamedPlan<Element, Exec>(make_assembly(exec, strategy, space, graph));
}
template <class List>
auto named_plan(const Exec& exec, const std::string& strategy, const MixedSpace<List, Exec>& space,
                const SparsityGraph<Exec>& graph) {
  return make_assembly(exec, strategy, space, graph);
}
///@}

template <class Space>
class SystemOf final : public AnySystem {
  using Elements = ElementsOf<Space>;
  using Graph = SparsityGraph<Exec>;
  using Assembly = decltype(named_plan(std::declval<const Exec&>(), std::string(),
                                       std::declval<const Space&>(), std::declval<const Graph&>()));
  using FlowAssembly = decltype(assembly::ElementAtomic{}.plan(
      std::declval<const Exec&>(), std::declval<const Space&>(), std::declval<const Graph&>()));

public:
  explicit SystemOf(const Space& space) : exec_(instance()), space_(space), system_(exec_, space) {}

  const LinearSystem<double, Exec>& system() const override { return system_; }

  Report assemble(const Form& form, const std::string& strategy) override {
    default_instance<Exec>(); // refuses after Kokkos' end, where a kept plan would end the process
    viscosity_.reset();
    if (const auto* const flow = std::get_if<SlowFlow>(&form)) return assemble_flow(*flow, strategy);
    if (!assembly_ || !same_name(strategy_, strategy)) {
      assembly_.emplace(named_plan(exec_, strategy, space_, system_.graph()));
      strategy_ = strategy;
    }
    form_ = form;
    if (const auto* const helmholtz = std::get_if<Helmholtz<>>(&form_))
      run(*helmholtz);
    else
      run(elasticity_in<Elements::dimension>(std::get<Elasticity>(form_)));
    return {strategy_, assembly_->report()};
  }

  bool has_flow() const override { return viscosity_.has_value(); }
  FlowParts flow() override {
    if constexpr (Elements::order == 2) {
      if (viscosity_) {
        constexpr int d = Elements::dimension;
        const LinearSystem<double, Exec> mass(exec_, system_.graph());
        flow_->assemble(PressureMass<d>{*viscosity_}, mass);
        return {d, mass, space_.mesh().coordinates()};
      }
    }
    throw ArgumentError("System: the form that was assembled last is not Stokes");
  }

private:
  template <class OwnForm>
  void run(const OwnForm& form) {
    assembly_->assemble(form_over(space_, form), system_, AssemblyOptions());
  }
  /// The catalogue has no plans for this form.
  Report assemble_flow(const SlowFlow& form, const std::string& strategy) {
    if constexpr (Elements::order == 2) {
      const char* const only = assembly::ElementAtomic::name;
      if (!same_name(strategy, "Best") && !same_name(strategy, only))
        throw UnsupportedError("Stokes: assembled by " + std::string(only) + " alone, not by " + strategy);
      if (!flow_) flow_.emplace(assembly::ElementAtomic{}.plan(exec_, space_, system_.graph()));
      flow_->assemble(stokes_in<Elements::dimension>(form), system_);
      viscosity_ = form.viscosity;
      return {only, flow_->report()};
    } else {
      throw UnsupportedError("Stokes: compiled for elements of second order, not for " +
                             names_of(space_.mesh()));
    }
  }

  Exec exec_;
  Space space_;
  LinearSystem<double, Exec> system_;
  Form form_; // has the memory of the blocks' coefficients
  std::string strategy_;
  std::optional<Assembly> assembly_;
  std::optional<FlowAssembly> flow_;
  std::optional<double> viscosity_; // of slow flow, if that was assembled last
};

} // namespace tessera::python
