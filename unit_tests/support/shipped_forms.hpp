// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A form of every type that the library ships, for tests that follow its list: a type without a sample does
// not compile.

#include <tessera/core/forms/shipped.hpp>

#include <tuple>
#include <type_traits>

namespace tessera::test {

/// \name With different coefficients in two materials.
///@{
template <class ExecutionSpace>
Helmholtz<> sample_form(std::type_identity<Helmholtz<>>) {
  return {.sigma = CellField::per_material<ExecutionSpace>({1.0, 7.5}),
          .lambda = CellField::per_material<ExecutionSpace>({2.0, 0.25}),
          .source = CellField::per_material<ExecutionSpace>({1.0, -3.0})};
}
template <class ExecutionSpace, int Dimension, class BodyForce>
LinearElasticity<Dimension, BodyForce>
sample_form(std::type_identity<LinearElasticity<Dimension, BodyForce>>) {
  LinearElasticity<Dimension, BodyForce> form{.young = CellField::per_material<ExecutionSpace>({1.0, 20.0}),
                                              .poisson = CellField::per_material<ExecutionSpace>({0.3, 0.2})};
  for (int d = 0; d < Dimension; ++d) form.body_force[d] = 0.5 - d;
  return form;
}
///@}

/// Calls visit(form) with a sample of each form that the library ships for a dimension.
template <class ExecutionSpace, int Dimension, class Visit>
void for_each_shipped_form(const Visit& visit) {
  [&]<class... Form>(std::type_identity<std::tuple<Form...>>) {
    (visit(sample_form<ExecutionSpace>(std::type_identity<Form>())), ...);
  }(std::type_identity<ShippedForms<Dimension>>());
}

} // namespace tessera::test
