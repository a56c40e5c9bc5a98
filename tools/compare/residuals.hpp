// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Residual strategies by name, compiled for a few elements, a file each.

#include <tessera/core/cost.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::tools {

/// The elements that residuals are compiled for, in double precision: those of paper 3's measurements.
using ResidualElements = std::tuple<Tri<1>, Tet<1>>;

/// A residual from nodal vector to nodal vector by some strategy, and what its cost model says.
template <class ExecutionSpace>
struct NamedResidual {
  StrategyInfo info;
  PlanReport report;
  Cost cost;
  Cost bound; ///< the least that any residual moves and computes
  std::function<void(const Kokkos::View<const double*, ExecutionSpace>& u,
                     const Kokkos::View<double*, ExecutionSpace>& r)>
      integrate;
};

/// All residual strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> residual_strategies();

/// The named strategy's residual of a shipped form written as f0 and f1: K u - f.
/// \throws ArgumentError for an unknown name; what `plan` and `prepare` throw
template <class Element, class ExecutionSpace, class Form>
std::optional<NamedResidual<ExecutionSpace>>
make_residual(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form);

} // namespace tessera::tools
