// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators and residuals without a matrix, by the strategies that `Best` chooses among.

#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "by_block.hpp"
#include "problem.hpp"

namespace tessera::python {

/// Whether they are compiled for a space's elements.
template <class Space>
inline constexpr bool is_matrix_free = ElementsOf<Space>::order == 1;

/// \throws UnsupportedError that names the elements
template <class Space>
[[noreturn]] void refuse_order(const char* what, const Space& space) {
  throw UnsupportedError(std::string(what) + ": compiled for elements of order one, not for " +
                         names_of(space.mesh()));
}
template <int list>
[[noreturn]] void refuse_order(const char* what, const NoSpace<list>&) {
  throw UnsupportedError(std::string(what) + ": there are no elements");
}

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
/// \throws UnsupportedError for elements of higher order; as `AnySpace::make_operator`
template <class Space>
std::shared_ptr<AnyOperator> operator_of(const Space& space, const Form& form, const std::string& strategy);
template <class Space>
std::shared_ptr<AnyResidual> residual_of(const Space& space, const ResidualForm& form,
                                         const std::string& strategy);

std::vector<StrategyInfo> operator_strategies();
std::vector<StrategyInfo> residual_strategies();

} // namespace tessera::python
