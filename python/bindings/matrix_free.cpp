// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_free.hpp"

#include <tessera/strategies/best/apply.hpp>
#include <tessera/strategies/best/residual.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "lists.hpp"
#include "streams.hpp"
#include "vectors.hpp"

namespace tessera::python {

namespace {

using OperatorStrategies = std::tuple<apply::Best, matrix_free::RecomputingElementByElement>;
using ResidualStrategies = std::tuple<residual::Best, residual::RecomputingResidual>;

template <class Op>
class OperatorOf final : public AnyOperator {
public:
  OperatorOf(const std::string& strategy, const Form& form, Op op)
      : strategy_(strategy), form_(form), op_(std::move(op)) {}

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
  Form form_; // has the memory of the blocks' coefficients
  Op op_;
};

template <class Space, class Plan, class Shipped>
class ResidualOf final : public AnyResidual {
public:
  ResidualOf(const Exec& exec, const std::string& strategy, const Space& space, Plan plan,
             const Shipped& form)
      : exec_(exec), strategy_(strategy), space_(space), plan_(std::move(plan)),
        form_(weak_over(space, form)) {
    plan_.template prepare<double>(form_);
  }

  Report report() const override { return {strategy_, plan_.report()}; }
  std::size_t dofs() const override { return to_size(space_.num_dofs()); }
  void set_form(const ResidualForm& form) override { form_ = weak_over(space_, std::get<Shipped>(form)); }
  void integrate(const Located<const double>& u, const Located<double>& r) override {
    default_instance<Exec>(); // refuses after Kokkos' end
    compute_vector(exec_, u, r, [&](const auto& from, const auto& to) { plan_.integrate(form_, from, to); });
  }

private:
  Exec exec_;
  std::string strategy_;
  Space space_;
  Plan plan_;
  decltype(weak_over(std::declval<const Space&>(), std::declval<const Shipped&>())) form_;
};

/// \param whole has the memory of `own`, which is the same in as many dimensions as the mesh has
template <class Space, class OwnForm>
std::shared_ptr<AnyOperator> plan_operator(const Space& space, const Form& whole, const OwnForm& own,
                                           const std::string& strategy) {
  return tessera::detail::make_by_name<OperatorStrategies>(
      strategy, [&](const auto& variant) -> std::shared_ptr<AnyOperator> {
        auto op = variant.strategy.plan(instance(), space).template prepare<double>(form_over(space, own));
        return make_kept<OperatorOf<decltype(op)>>(variant.name, whole, std::move(op));
      });
}

template <class Space, class Shipped>
std::shared_ptr<AnyResidual> plan_residual(const Space& space, const Shipped& shipped,
                                           const std::string& strategy) {
  return tessera::detail::make_by_name<ResidualStrategies>(
      strategy, [&](const auto& variant) -> std::shared_ptr<AnyResidual> {
        const auto exec = instance();
        auto plan = variant.strategy.plan(exec, space);
        return make_kept<ResidualOf<Space, decltype(plan), Shipped>>(exec, variant.name, space,
                                                                     std::move(plan), shipped);
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

template <class Space>
std::shared_ptr<AnyOperator> operator_of(const Space& space, const Form& form, const std::string& strategy) {
  using Elements = ElementsOf<Space>;
  if constexpr (!is_matrix_free<Space>) {
    refuse_order("Operator", space);
  } else {
    if (const auto* const helmholtz = std::get_if<Helmholtz<>>(&form))
      return plan_operator(space, form, *helmholtz, strategy);
    if (const auto* const elasticity = std::get_if<Elasticity>(&form))
      return plan_operator(space, form, elasticity_in<Elements::dimension>(*elasticity), strategy);
    throw UnsupportedError("Operator: there is none of Stokes; assemble a System");
  }
}

template <class Space>
std::shared_ptr<AnyResidual> residual_of(const Space& space, const ResidualForm& form,
                                         const std::string& strategy) {
  if constexpr (!is_matrix_free<Space>) {
    refuse_order("Residual", space);
  } else {
    return std::visit([&](const auto& shipped) { return plan_residual(space, shipped, strategy); }, form);
  }
}

std::vector<StrategyInfo> operator_strategies() { return infos<OperatorStrategies>(); }
std::vector<StrategyInfo> residual_strategies() { return infos<ResidualStrategies>(); }

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type.
#define TESSERA_MATRIX_FREE(...)                                                                             \
  template std::shared_ptr<AnyOperator> operator_of(const __VA_ARGS__&, const Form&, const std::string&);    \
  template std::shared_ptr<AnyResidual> residual_of(const __VA_ARGS__&, const ResidualForm&,                 \
                                                    const std::string&);
#define TESSERA_MATRIX_FREE_ELEMENT(Element) TESSERA_MATRIX_FREE(FunctionSpace<Element, Exec>)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_MATRIX_FREE_ELEMENT)
TESSERA_FOR_EACH_LIST(TESSERA_MATRIX_FREE)

} // namespace tessera::python
