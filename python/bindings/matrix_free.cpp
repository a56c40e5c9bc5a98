// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_free.hpp"

#include <tessera/strategies/best/residual.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/catalogue/detail/by_name.hpp>

#include "lists.hpp"
#include "streams.hpp"
#include "vectors.hpp"

namespace tessera::python {

namespace {

using ResidualStrategies = std::tuple<residual::Best, residual::RecomputingResidual>;

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

template <class Space, class Shipped>
std::shared_ptr<AnyResidual> plan_residual(const Space& space, const Shipped& shipped,
                                           const std::string& strategy) {
  return catalogue::detail::make_by_name<ResidualStrategies>(
      "residual", strategy, [&](const auto& variant) -> std::shared_ptr<AnyResidual> {
        const auto exec = instance();
        auto plan = variant.strategy.plan(exec, space);
        return make_kept<ResidualOf<Space, decltype(plan), Shipped>>(exec, variant.name, space,
                                                                     std::move(plan), shipped);
      });
}

} // namespace

template <class Compute>
Kokkos::View<double*, Exec> Operator::computed(const std::string& label, const Compute& compute) const {
  const auto exec = instance();
  const auto vector = allocate<Kokkos::View<double*, Exec>>(exec, label, rows());
  compute(exec, vector);
  exec.fence("Tessera::python::computed");
  return vector;
}

Operator::Operator(const Form& form, std::unique_ptr<const tessera::AnyOperator<Exec>> op)
    : form_(form), op_(std::move(op)) {}

void Operator::apply(const Located<const double>& x, const Located<double>& y) const {
  const auto exec = instance();
  compute_vector(exec, x, y, [&](const auto& from, const auto& to) { op_->apply(exec, from, to); });
}

Kokkos::View<double*, Exec> Operator::load() const {
  return computed("Tessera::python::load", [&](const Exec& exec, const auto& f) { op_->load(exec, f); });
}

Kokkos::View<double*, Exec> Operator::diagonal() const {
  return computed("Tessera::python::diagonal",
                  [&](const Exec& exec, const auto& d) { op_->diagonal(exec, d); });
}

template <class Space>
std::shared_ptr<AnyResidual> residual_of(const Space& space, const ResidualForm& form,
                                         const std::string& strategy) {
  if constexpr (ElementsOf<Space>::order == 0) // `NoSpace`
    throw UnsupportedError("Residual: there are no elements");
  else
    return std::visit([&](const auto& shipped) { return plan_residual(space, shipped, strategy); }, form);
}

std::vector<StrategyInfo> residual_strategies() { return catalogue::detail::infos_of<ResidualStrategies>(); }

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type.
#define TESSERA_RESIDUAL(...)                                                                                \
  template std::shared_ptr<AnyResidual> residual_of(const __VA_ARGS__&, const ResidualForm&,                 \
                                                    const std::string&);
#define TESSERA_RESIDUAL_ELEMENT(Element) TESSERA_RESIDUAL(FunctionSpace<Element, Exec>)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_RESIDUAL_ELEMENT)
TESSERA_FOR_EACH_LIST(TESSERA_RESIDUAL)

} // namespace tessera::python
