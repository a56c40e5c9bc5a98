// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compiles all residual strategies for an element; included by one source per element.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "residuals.hpp"
#include <array>

namespace tessera::tools {

/// `Helmholtz` by f0 and f1: fields sigma, lambda and f.
struct WeakHelmholtz {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.template a<1>() * p.u - p.template a<2>();
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
};

/// `LinearElasticity` by f0 and f1: fields Young's modulus and Poisson's ratio.
template <int Dimension>
struct WeakElasticity {
  std::array<double, Dimension> body_force = {};
  bool plane_stress = false;

  static constexpr int components = Dimension;
  static constexpr bool symmetric = true, uses_value = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    Vector<double, Dimension> f;
    for (int a = 0; a < Dimension; ++a) f(a) = -body_force[a];
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    const auto young = p.template a<0>(), nu = p.template a<1>();
    const auto shear = young / (2.0 * (1.0 + nu));
    const auto lame = 2.0 * shear * nu / (1.0 - (plane_stress ? 1.0 : 2.0) * nu);
    auto stress = shear * (p.grad_u + transpose(p.grad_u));
    const auto pressure = lame * trace(p.grad_u);
    for (int a = 0; a < Dimension; ++a) stress(a, a) += pressure;
    return stress;
  }
};

inline auto as_weak(const Helmholtz<>& form) {
  return weak_form(WeakHelmholtz{}, form.sigma, form.lambda, form.source);
}
template <int Dimension, class BodyForce>
auto as_weak(const LinearElasticity<Dimension, BodyForce>& form) {
  const WeakElasticity<Dimension> physics{form.body_force, Dimension == 2 && form.plane == Plane::stress};
  return weak_form(physics, form.young, form.poisson);
}

template <class Element, class ExecutionSpace, class Form>
std::optional<NamedResidual<ExecutionSpace>>
make_residual(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
  const auto weak = as_weak(form);
  using Weak = std::remove_const_t<decltype(weak)>;
  return tessera::detail::make_by_name<ResidualCatalogue>(name, [&](const auto& variant) {
    auto plan = variant.strategy.plan(exec, space);
    plan.template prepare<double>(weak);
    NamedResidual<ExecutionSpace> named{
        tessera::detail::info_of(variant), plan.report(),
        variant.strategy.template cost<Element, Weak, double>(space),
        compulsory_residual_cost<Element, Weak, double>(space),
        [plan, weak](const auto& u, const auto& r) mutable { plan.integrate(weak, u, r); }};
    return std::optional(std::move(named));
  });
}

#define TESSERA_RESIDUAL(Element, Space, Number)                                                             \
  template std::optional<NamedResidual<Space>> make_residual(                                                \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&,                                \
      const std::tuple_element_t<Number, ShippedForms<Element::dimension>>&);
#define TESSERA_RESIDUALS_ON(Element, Space) TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_RESIDUAL, Element, Space)
#define TESSERA_RESIDUALS(Element) TESSERA_FOR_EACH_SPACE(TESSERA_RESIDUALS_ON, Element)

} // namespace tessera::tools
