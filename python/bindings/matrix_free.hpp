// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators by the catalogue, and residuals by the strategies that `Best` chooses among.

#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>

#include "by_block.hpp"
#include "problem.hpp"
#include "streams.hpp"

namespace tessera::python {

/// The weak form behind what Python hands over.
template <int dimension, class Shipped>
auto weak_of(const Shipped& shipped) {
  if constexpr (std::is_same_v<Shipped, NeoHookeanSolid>)
    return weak_form(NeoHookean<dimension>{shipped.shear, shipped.lame});
  else
    return shipped;
}

/// The same as plans of a space take it; see `form_over`.
template <class Space, class Shipped>
auto weak_over(const Space& space, const Shipped& shipped) {
  return form_over(space, weak_of<ElementsOf<Space>::dimension>(shipped));
}

/// \param space a `FunctionSpace`, or a `ListSpace` over several element types
/// \throws as `AnySpace::make_operator`
template <class Space>
std::shared_ptr<Operator> operator_of(const Space& space, const Form& form, const std::string& strategy) {
  const auto make = [&](const auto& own) {
    return make_kept<Operator>(form, make_operator(instance(), strategy, space, form_over(space, own)));
  };
  if (const auto* const helmholtz = std::get_if<Helmholtz<>>(&form)) return make(*helmholtz);
  if (const auto* const elasticity = std::get_if<Elasticity>(&form))
    return make(elasticity_in<ElementsOf<Space>::dimension>(*elasticity));
  throw UnsupportedError("Operator: there is none of Stokes; assemble a System");
}
/// \throws as `AnySpace::make_residual`
template <class Space>
std::shared_ptr<AnyResidual> residual_of(const Space& space, const ResidualForm& form,
                                         const std::string& strategy);

std::vector<StrategyInfo> residual_strategies();

} // namespace tessera::python
