// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Matrix-free strategies by name, compiled for a few elements, a file each.

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

/// The elements that operators are compiled for, in double precision.
using OperatorElements = std::tuple<Tri<1>, Quad<1>, Tet<1>, Hex<1>>;

/// An operator of some matrix-free strategy, prepared, and what its cost model says.
template <class ExecutionSpace>
struct NamedOperator {
  StrategyInfo info;
  PlanReport report;
  Cost cost;
  Cost bound; ///< the least that any operator moves and computes
  std::function<void(const ExecutionSpace&, const Kokkos::View<const double*, ExecutionSpace>& x,
                     const Kokkos::View<double*, ExecutionSpace>& y)>
      apply;
};

/// All matrix-free strategies and their variants, in the catalogue's order.
std::vector<StrategyInfo> operator_strategies();

/// The named strategy's operator, for the elements of `OperatorElements` and the shipped forms.
/// \throws ArgumentError for an unknown name; what `plan` and `prepare` throw
template <class Element, class ExecutionSpace, class Form>
std::optional<NamedOperator<ExecutionSpace>>
make_operator(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form);

} // namespace tessera::tools
