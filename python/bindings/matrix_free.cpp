// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_free.hpp"

#include <tessera/strategies/best/apply.hpp>
#include <tessera/strategies/best/residual.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "streams.hpp"
#include "vectors.hpp"
#include <compiled_elements.hpp>

namespace tessera::python {

namespace {

using OperatorStrategies = std::tuple<apply::Best, matrix_free::RecomputingElementByElement>;
using ResidualStrategies = std::tuple<residual::Best, residual::RecomputingResidual>;

template <class Op>
class OperatorOf final : public AnyOperator {
public:
  OperatorOf(const std::string& strategy, Op op) : strategy_(strategy), op_(std::move(op)) {}

  Report report() const override { return {strategy_, op_.report()}; }
  std::size_t rows() const override { return op_.rows(); }
  void apply(const Located<const double>& x, const Located<double>& y) const override {
    const auto exec = instance();
    compute_vector(exec, x, y, [&](const auto& from, const auto& to) { op_.apply(exec, from, to); });
  }
  Kokkos::View<double*, Exec> load() const override {
    return computed("Tessera::python::load",
                    [&](const Exec& exec, const auto& vector) { op_.load(exec, vector); });
  }
  Kokkos::View<double*, Exec> diagonal() const override {
    return computed("Tessera::python::diagonal",
                    [&](const Exec& exec, const auto& vector) { op_.diagonal(exec, vector); });
  }

private:
  template <class Compute>
  Kokkos::View<double*, Exec> computed(const std::string& label, const Compute& compute) const {
    const auto exec = instance();
    const auto vector = allocate<Kokkos::View<double*, Exec>>(exec, label, rows());
    compute(exec, vector);
    exec.fence("Tessera::python::computed");
    return vector;
  }

  std::string strategy_;
  Op op_;
};

template <class Plan, class Shipped, int dimension>
class ResidualOf final : public AnyResidual {
  using Weak = decltype(weak_of<dimension>(std::declval<const Shipped&>()));

public:
  ResidualOf(const Exec& exec, const std::string& strategy, Plan plan, Weak form, std::size_t dofs)
      : exec_(exec), strategy_(strategy), plan_(std::move(plan)), form_(std::move(form)), dofs_(dofs) {}

  Report report() const override { return {strategy_, plan_.report()}; }
  std::size_t dofs() const override { return dofs_; }
  void set_form(const ResidualForm& form) override { form_ = weak_of<dimension>(std::get<Shipped>(form)); }
  void integrate(const Located<const double>& u, const Located<double>& r) override {
    default_instance<Exec>(); // refuses after Kokkos' end
    compute_vector(exec_, u, r, [&](const auto& from, const auto& to) { plan_.integrate(form_, from, to); });
  }

private:
  Exec exec_;
  std::string strategy_;
  Plan plan_;
  Weak form_;
  std::size_t dofs_;
};

template <class Element, class ShippedForm>
std::shared_ptr<AnyOperator> plan_operator(const FunctionSpace<Element, Exec>& space, const ShippedForm& form,
                                           const std::string& strategy) {
  return tessera::detail::make_by_name<OperatorStrategies>(
      strategy, [&](const auto& variant) -> std::shared_ptr<AnyOperator> {
        auto op = variant.strategy.plan(instance(), space).template prepare<double>(form);
        return make_kept<OperatorOf<decltype(op)>>(variant.name, std::move(op));
      });
}

template <class Element, class Shipped>
std::shared_ptr<AnyResidual> plan_residual(const FunctionSpace<Element, Exec>& space, const Shipped& shipped,
                                           const std::string& strategy) {
  return tessera::detail::make_by_name<ResidualStrategies>(
      strategy, [&](const auto& variant) -> std::shared_ptr<AnyResidual> {
        const auto exec = instance();
        auto plan = variant.strategy.plan(exec, space);
        const auto form = weak_of<Element::dimension>(shipped);
        plan.template prepare<double>(form);
        return make_kept<ResidualOf<decltype(plan), Shipped, Element::dimension>>(
            exec, variant.name, std::move(plan), form, to_size(space.num_dofs()));
      });
}

template <class Catalogue>
std::vector<StrategyInfo> infos() {
  std::vector<StrategyInfo> found;
  for_each_strategy<Catalogue>(
      [&](const auto& variant) { found.push_back(tessera::detail::info_of(variant)); });
  return found;
}

} // namespace

void refuse_element(const std::string& what, const char* element) {
  std::string known;
  []<class... Elements>(std::tuple<Elements...>*, std::string& names) {
    ((names += (names.empty() ? "" : ", ") + std::string(Elements::name)), ...);
  }(static_cast<MatrixFreeElements*>(nullptr), known);
  throw UnsupportedError(what + ": compiled for " + known + ", not for " + element);
}

template <class Element>
std::shared_ptr<AnyOperator> operator_of(const FunctionSpace<Element, Exec>& space, const Form& form,
                                         const std::string& strategy) {
  if constexpr (!is_matrix_free<Element>) {
    refuse_element("Operator", Element::name);
  } else {
    if (const auto* const helmholtz = std::get_if<Helmholtz<>>(&form))
      return plan_operator(space, *helmholtz, strategy);
    if (const auto* const elasticity = std::get_if<Elasticity>(&form))
      return plan_operator(space, elasticity_in<Element::dimension>(*elasticity), strategy);
    throw UnsupportedError("Operator: there is none of Stokes; assemble a System");
  }
}

template <class Element>
std::shared_ptr<AnyResidual> residual_of(const FunctionSpace<Element, Exec>& space, const ResidualForm& form,
                                         const std::string& strategy) {
  if constexpr (!is_matrix_free<Element>) {
    refuse_element("Residual", Element::name);
  } else {
    return std::visit([&](const auto& shipped) { return plan_residual(space, shipped, strategy); }, form);
  }
}

std::vector<StrategyInfo> operator_strategies() { return infos<OperatorStrategies>(); }
std::vector<StrategyInfo> residual_strategies() { return infos<ResidualStrategies>(); }

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type.
#define TESSERA_MATRIX_FREE(Element)                                                                         \
  template std::shared_ptr<AnyOperator> operator_of(const FunctionSpace<Element, Exec>&, const Form&,        \
                                                    const std::string&);                                     \
  template std::shared_ptr<AnyResidual> residual_of(const FunctionSpace<Element, Exec>&,                     \
                                                    const ResidualForm&, const std::string&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_MATRIX_FREE)

} // namespace tessera::python
