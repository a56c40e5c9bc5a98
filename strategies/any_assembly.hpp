#pragma once

/// \file
/// An assembly strategy chosen by name at run time, with its plan for one space.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// A strategy of the catalogue as tables show it.
struct StrategyInfo {
  std::string name;   ///< what `make_assembly` takes
  std::string source; ///< paper and section
  bool deterministic; ///< bitwise equal from run to run on any backend
};

/// A plan of some strategy of the catalogue, for the forms that the library ships. Compiled in the library
/// `Tessera::catalogue`; a user's own form goes to the strategy's plan itself.
template <class Element, class ExecutionSpace>
class AnyAssembly {
public:
  using Elasticity = LinearElasticity<Element::dimension>;
  template <class Scalar>
  using System = LinearSystem<Scalar, ExecutionSpace>;

  virtual ~AnyAssembly() = default;

  /// Name, source and determinism of the strategy.
  virtual const StrategyInfo& info() const = 0;
  /// Seconds and bytes of the plan.
  virtual const PlanReport& report() const = 0;

  /// \name Assembly; throws what the plan's `assemble` throws.
  ///@{
  virtual void assemble(const Helmholtz<>& form, const System<double>& system) const = 0;
  virtual void assemble(const Helmholtz<>& form, const System<float>& system) const = 0;
  virtual void assemble(const Elasticity& form, const System<double>& system) const = 0;
  virtual void assemble(const Elasticity& form, const System<float>& system) const = 0;
  ///@}

  /// \name Bytes and flops of one assembly by the strategy's cost model.
  ///@{
  virtual Cost cost(const Helmholtz<>& form, double) const = 0;
  virtual Cost cost(const Helmholtz<>& form, float) const = 0;
  virtual Cost cost(const Elasticity& form, double) const = 0;
  virtual Cost cost(const Elasticity& form, float) const = 0;
  ///@}
};

/// All assembly strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> assembly_strategies();

/// Plans the named strategy for a space.
/// \throws ArgumentError for an unknown name, listing those there are; what the strategy's `plan` throws
template <class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_assembly(const std::string& name, const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph, const ExecutionSpace& exec = ExecutionSpace());

} // namespace tessera
