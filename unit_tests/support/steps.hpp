// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The three steps of every strategy behind one interface, for what the families promise alike.

#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

/// One strategy on one problem.
class Steps {
public:
  Steps(std::string who, std::string region) : who_(std::move(who)), region_(std::move(region)) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  virtual ~Steps() = default;

  const std::string& who() const { return who_; }
  /// How the label of the numeric step's region ends.
  const std::string& region() const { return region_; }

  virtual void plan() = 0;
  virtual void prepare() = 0;
  /// The numeric step, without waiting, and what waits and throws.
  virtual void enqueue() = 0;
  virtual void check() = 0;
  /// The numeric step with all that is left to do before it.
  virtual void run() = 0;
  virtual PlanReport report() const = 0;
  /// What the numeric step wrote.
  virtual std::vector<double> result() const = 0;
  /// Whether the numeric step can be asked for before `prepare`, and what was prepared is kept.
  virtual bool keeps_what_was_prepared() const { return true; }

private:
  std::string who_, region_;
};

template <class Element, class ExecutionSpace, class Form>
class AssemblySteps final : public Steps {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;

  AssemblySteps(const ExecutionSpace& exec, const std::string& who, const Space& space, const Form& form)
      : Steps(who, "::assemble"), exec_(exec), space_(space), form_(form), system_(exec, space) {
    Kokkos::deep_copy(system_.values(), unset);
    Kokkos::deep_copy(system_.rhs(), unset);
  }

  void plan() override { plan_ = make_assembly(exec_, who(), space_, system_.graph()); }
  void prepare() override { plan_->prepare(form_, double()); }
  void enqueue() override { plan_->enqueue(form_, system_); }
  void check() override { plan_->check(form_, system_); }
  void run() override { plan_->assemble(form_, system_); }
  PlanReport report() const override { return plan_->report(); }
  std::vector<double> result() const override {
    auto all = to_host(system_.values());
    const auto rhs = to_host(system_.rhs());
    all.insert(all.end(), rhs.begin(), rhs.end());
    return all;
  }

  static constexpr double unset = 3;

private:
  ExecutionSpace exec_;
  Space space_;
  Form form_;
  LinearSystem<double, ExecutionSpace> system_;
  std::unique_ptr<AnyAssembly<Element, ExecutionSpace>> plan_;
};

/// Entries between -1 and 1.
template <class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace> sines(std::size_t count, double size) {
  const Kokkos::View<double*, ExecutionSpace> view(
      Kokkos::view_alloc("Tessera::Test::sines", Kokkos::WithoutInitializing), count);
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < count; ++i) host(i) = size * std::sin(static_cast<double>(3 * i + 1));
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Strategy, class Element, class ExecutionSpace, class Form>
class OperatorSteps final : public Steps {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Plan = decltype(std::declval<Strategy>().plan(std::declval<ExecutionSpace>(), std::declval<Space>()));
  using Operator = decltype(std::declval<Plan>().prepare(std::declval<Form>()));

  OperatorSteps(const ExecutionSpace& exec, const Variant<Strategy>& variant, const Space& space,
                const Form& form)
      : Steps(variant.name, "::apply"), exec_(exec), strategy_(variant.strategy), space_(space), form_(form) {
  }

  void plan() override { plan_.emplace(strategy_.plan(exec_, space_)); }
  void prepare() override {
    operator_.emplace(plan_->prepare(form_));
    x_ = sines<ExecutionSpace>(operator_->rows(), 1);
    y_ = Kokkos::View<double*, ExecutionSpace>(Kokkos::view_alloc(exec_, "Tessera::Test::y"),
                                               operator_->rows());
  }
  void enqueue() override { operator_->apply(exec_, x_, y_); }
  void check() override { exec_.fence("Tessera::Test::check"); }
  void run() override {
    prepare();
    enqueue();
    check();
  }
  PlanReport report() const override { return operator_ ? operator_->report() : plan_->report(); }
  std::vector<double> result() const override { return to_host(y_); }
  bool keeps_what_was_prepared() const override { return false; }

private:
  ExecutionSpace exec_;
  Strategy strategy_;
  Space space_;
  Form form_;
  std::optional<Plan> plan_;
  std::optional<Operator> operator_;
  Kokkos::View<double*, ExecutionSpace> x_, y_;
};

template <class Strategy, class Element, class ExecutionSpace, class Form>
class ResidualSteps final : public Steps {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Plan = decltype(std::declval<Strategy>().plan(std::declval<ExecutionSpace>(), std::declval<Space>()));

  ResidualSteps(const ExecutionSpace& exec, const Variant<Strategy>& variant, const Space& space,
                const Form& form)
      : Steps(variant.name, "::integrate"), exec_(exec), strategy_(variant.strategy), space_(space),
        form_(form), u_(sines<ExecutionSpace>(static_cast<std::size_t>(space.num_dofs()), 0.002)),
        r_("Tessera::Test::r", u_.extent(0)) {}

  void plan() override { plan_.emplace(strategy_.plan(exec_, space_)); }
  void prepare() override { plan_->prepare(form_); }
  void enqueue() override { plan_->enqueue(form_, u_, r_); }
  void check() override { plan_->check(); }
  void run() override { plan_->integrate(form_, u_, r_); }
  PlanReport report() const override { return plan_->report(); }
  std::vector<double> result() const override { return to_host(r_); }

private:
  ExecutionSpace exec_;
  Strategy strategy_;
  Space space_;
  Form form_;
  std::optional<Plan> plan_;
  Kokkos::View<double*, ExecutionSpace> u_, r_;
};

/// Calls `visit(steps)` for every assembly strategy.
template <class Element, class ExecutionSpace, class Form, class Visit>
void for_each_assembly(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                       const Form& form, const Visit& visit) {
  for (const StrategyInfo& info : assembly_strategies()) {
    SCOPED_TRACE(info.name + " on " + Element::name);
    AssemblySteps<Element, ExecutionSpace, Form> steps(exec, info.name, space, form);
    visit(steps);
  }
}

/// Calls `visit(steps)` for every strategy of the three families.
/// \param form of assemblies and operators
/// \param weak of residuals
template <class Element, class ExecutionSpace, class Form, class Weak, class Visit>
void for_each_of_all_families(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                              const Form& form, const Weak& weak, const Visit& visit) {
  for_each_assembly(exec, space, form, visit);
  for_each_strategy<MatrixFreeCatalogue>([&]<class Strategy>(const Variant<Strategy>& variant) {
    SCOPED_TRACE(variant.name + " on " + Element::name);
    OperatorSteps<Strategy, Element, ExecutionSpace, Form> steps(exec, variant, space, form);
    visit(steps);
  });
  for_each_strategy<ResidualCatalogue>([&]<class Strategy>(const Variant<Strategy>& variant) {
    SCOPED_TRACE(variant.name + " on " + Element::name);
    ResidualSteps<Strategy, Element, ExecutionSpace, Weak> steps(exec, variant, space, weak);
    visit(steps);
  });
}

/// The coordinates of a mesh as they are, and bent in every element.
template <class MeshType>
struct Moves {
  using Coordinates = typename MeshType::Coordinates;
  Coordinates straight, bent;

  explicit Moves(const MeshType& mesh)
      : straight("Tessera::Test::straight", mesh.num_nodes()), bent("Tessera::Test::bent", mesh.num_nodes()) {
    const HostMesh<typename MeshType::Element, typename MeshType::execution_space> host(mesh);
    Kokkos::deep_copy(straight, host.coordinates);
    for (std::size_t n = 0; n < host.coordinates.extent(0); ++n) {
      host.coordinates(n, 0) *= 1.2 + 0.1 * host.coordinates(n, 1);
      host.coordinates(n, 1) *= 0.9;
    }
    Kokkos::deep_copy(bent, host.coordinates);
  }
};

} // namespace tessera::test
