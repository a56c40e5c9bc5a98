// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators and residuals without a matrix, by the strategies that `Best` chooses among.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "problem.hpp"
#include <tuple>

namespace tessera::python {

/// What they are compiled for.
using MatrixFreeElements = std::tuple<Tri<1>, Quad<1>, Tet<1>, Hex<1>>;

template <class Element, class List>
inline constexpr bool is_in = false;
template <class Element, class... Elements>
inline constexpr bool is_in<Element, std::tuple<Elements...>> = (std::is_same_v<Element, Elements> || ...);
template <class Element>
inline constexpr bool is_matrix_free = is_in<Element, MatrixFreeElements>;

/// \throws UnsupportedError that names the element, and `MatrixFreeElements`
[[noreturn]] void refuse_element(const std::string& what, const char* element);

/// The weak form behind what Python hands over.
template <int dimension, class Shipped>
auto weak_of(const Shipped& shipped) {
  if constexpr (std::is_same_v<Shipped, NeoHookeanSolid>)
    return weak_form(NeoHookean<dimension>{shipped.shear, shipped.lame});
  else
    return shipped;
}

/// \throws UnsupportedError for other elements than `MatrixFreeElements`; as `AnySpace::make_operator`
template <class Element>
std::shared_ptr<AnyOperator> operator_of(const FunctionSpace<Element, Exec>& space, const Form& form,
                                         const std::string& strategy);
template <class Element>
std::shared_ptr<AnyResidual> residual_of(const FunctionSpace<Element, Exec>& space, const ResidualForm& form,
                                         const std::string& strategy);

std::vector<StrategyInfo> operator_strategies();
std::vector<StrategyInfo> residual_strategies();

} // namespace tessera::python
