// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Runs every strategy asked for on one backend.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/best/machine.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>
#include <tessera/strategies/catalogue/any_residual.hpp>

#include "stokes.hpp"
#include "support/agreement.hpp"
#include "support/problem/problem.hpp"
#include "support/report/fingerprint.hpp"
#include "support/report/result.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/picture.hpp>
#endif
#include <tessera/strategies/best/planned_choice.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::tools {

/// What is compared, beyond the problem.
struct Comparison {
  Problem problem;
  std::string family = "assembly";     ///< or "apply": products without a matrix; or "residual"
  std::vector<std::string> strategies; ///< names of the family's catalogue
  std::string scalar = "double";
  int repetitions = 30;
  double seconds_limit = 60.0; ///< of the timed assemblies of one strategy, three at least
  bool check = true, check_all = false;
  std::string picture;                            ///< PNG file for the mesh and its sets; empty: none
  std::shared_ptr<const Calibration> predictions; ///< times to predict by; null: no predictions
  std::function<void(const std::string&)> progress;
};

/// Fills in what a family's strategies have in common: times, and what they mean beside the models.
template <class Seconds>
void note_times(Result& r, const Seconds& seconds, const Comparison& comparison, const Machine& machine,
                const Cost& cost, const Cost& bound) {
  r.seconds_median = median(seconds);
  r.seconds_min = *std::min_element(seconds.begin(), seconds.end());
  r.seconds_max = *std::max_element(seconds.begin(), seconds.end());
  r.ns_per_element = r.elements == 0 ? 0 : r.seconds_median / r.elements * 1e9;
  const double coefficients = coefficient_bytes(comparison.problem) * r.elements;
  const auto seconds_of = [&](const Cost& model) {
    return std::max((model.bytes + coefficients) / machine.bytes_per_second,
                    model.flops / machine.flops_per_second);
  };
  r.gb_per_s = (cost.bytes + coefficients) / r.seconds_median * 1e-9;
  r.gflop_per_s = cost.flops / r.seconds_median * 1e-9;
  r.bandwidth_share = r.gb_per_s * 1e9 / machine.bytes_per_second;
  r.model_ratio = r.seconds_median / seconds_of(cost);
  r.bound_ratio = r.seconds_median / seconds_of(bound);
  r.cost = cost;
  r.error = -1;
}

/// What is the same for all strategies of a comparison.
template <class Scalar, class Space, class ExecutionSpace>
Result begin_result(const std::string& name, const Comparison& comparison, const std::string& element,
                    const Space& space, const LinearSystem<Scalar, ExecutionSpace>& system,
                    double graph_seconds) {
  Result r;
  r.strategy = name;
  r.elements = space.mesh().num_elements();
  r.unknowns = system.num_rows();
  r.nonzeros = static_cast<std::int64_t>(system.graph().num_entries());
  r.graph_seconds = graph_seconds;
  r.backend = backend_name<ExecutionSpace>();
  r.element = element;
  r.form = comparison.problem.form;
  r.scalar = comparison.scalar;
  r.mesh = comparison.problem.mesh_name();
  return r;
}

inline void note_plan(Result& r, const StrategyInfo& info, const PlanReport& report) {
  r.source = info.source;
  r.plan_seconds = report.total_seconds();
  r.plan_bytes = static_cast<std::int64_t>(report.bytes);
  r.path = report.path;
}

/// Runs a measurement, or notes why the strategy cannot be run: others may do without what it needs.
template <class Measurement>
void measure_or_note(Result& r, const Measurement& measurement) {
  try {
    measurement();
  } catch (const UnsupportedError& error) {
    r.unsupported = error.what();
  } catch (const OutOfMemoryError& error) {
    r.unsupported = error.what();
  }
}

/// Plans the named strategy for a form: one of the catalogue's, or `Stokes`.
template <class Form, class Element, class ExecutionSpace>
auto plan_named(const ExecutionSpace& exec, const std::string& name,
                const FunctionSpace<Element, ExecutionSpace>& space,
                const SparsityGraph<ExecutionSpace>& graph) {
  if constexpr (is_shipped<Form, Element::dimension>)
    return make_assembly(exec, name, space, graph);
  else
    return make_stokes_assembly(exec, name, space, graph);
}

/// What an earlier strategy wrote must not count for the next one.
template <class Scalar, class ExecutionSpace>
void forget(const LinearSystem<Scalar, ExecutionSpace>& system) {
  Kokkos::deep_copy(system.values(), Scalar(NAN));
  Kokkos::deep_copy(system.rhs(), Scalar(NAN));
}

/// What a plan or an operator says of itself.
struct Named {
  StrategyInfo info;
  PlanReport report;
  Cost cost, bound; ///< by the strategy's model, and the least that any strategy moves and computes
};

/// Times and checks `assemble()` into a system.
template <class Scalar, class ExecutionSpace, class Assemble>
void measure_system(Result& r, const Comparison& comparison, const Machine& machine, const Named& named,
                    const LinearSystem<Scalar, ExecutionSpace>& system, const ReferenceSystem* reference,
                    const Assemble& assemble) {
  const ExecutionSpace exec;
  note_plan(r, named.info, named.report);
  const auto seconds = time_repeatedly(exec, comparison.repetitions, assemble, comparison.seconds_limit);
  note_times(r, seconds, comparison, machine, named.cost, named.bound);
  r.deterministic = repeats(exec, 4, assemble, system.values(), system.rhs());
  r.agrees = r.deterministic || !named.info.deterministic;
  if (!reference) return;
  r.checked_rows = static_cast<std::int64_t>(reference->rows.size());
  r.error = system_error<Scalar>(system, *reference).max();
  r.agrees = r.agrees && r.error <= agreement_tolerance<Scalar>;
}

/// Plans, times and checks one assembly strategy.
template <class Scalar, class Element, class ExecutionSpace, class Form>
void measure_assembly(Result& r, const Comparison& comparison, const Machine& machine, const Form& form,
                      const FunctionSpace<Element, ExecutionSpace>& space,
                      const LinearSystem<Scalar, ExecutionSpace>& system, const ReferenceSystem* reference) {
  forget(system);
  const auto plan = plan_named<Form>(ExecutionSpace(), r.strategy, space, system.graph());
  plan->prepare(form, Scalar());
  const Named named{plan->info(), plan->report(), plan->cost(form, Scalar()),
                    compulsory_cost<Element, Form, Scalar>(space, system.graph())};
  measure_system(r, comparison, machine, named, system, reference, [&] { plan->assemble(form, system); });
}

/// The largest error of y = K x, or of the residual y = K x - f, over the rows of the oracle's K and f, each
/// relative to the absolute numbers that it is the sum of.
inline double product_error(const ReferenceSystem& reference, const std::vector<double>& x,
                            const std::vector<double>& y, bool residual = false) {
  double largest = 0;
  for (std::size_t i = 0; i < reference.rows.size(); ++i) {
    double sum = residual ? -reference.rhs[i] : 0, scale = residual ? reference.rhs_scale[i] : 0;
    for (Offset k = reference.row_map[i]; k < reference.row_map[i + 1]; ++k) {
      sum += reference.values[k] * x[reference.columns[k]];
      scale += reference.scale[k] * std::abs(x[reference.columns[k]]);
    }
    largest = worse_of(largest, std::abs(y[reference.rows[i]] - sum) / (scale > 0 ? scale : 1.0));
  }
  return largest;
}

/// Times and checks y(x) of one strategy without a matrix: a product or a residual.
/// \param compute `compute(x, y)`
template <class ExecutionSpace, class Compute>
void measure_vector(Result& r, const Comparison& comparison, const Machine& machine, const Named& named,
                    const ReferenceSystem* reference, const Compute& compute) {
  const ExecutionSpace exec;
  note_plan(r, named.info, named.report);
  std::vector<double> values(r.unknowns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.0 + static_cast<double>(i));
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  const Vector x("Tessera::tools::x", values.size()), y("Tessera::tools::y", values.size());
  Kokkos::deep_copy(x, Kokkos::View<const double*, Kokkos::HostSpace>(values.data(), values.size()));
  Kokkos::deep_copy(y, NAN);
  const auto run = [&] { compute(x, y); };
  const auto seconds = time_repeatedly(exec, comparison.repetitions, run, comparison.seconds_limit);
  note_times(r, seconds, comparison, machine, named.cost, named.bound);
  r.deterministic = repeats(exec, 4, run, y);
  r.agrees = r.deterministic || !named.info.deterministic;
  if (!reference) return;
  r.checked_rows = static_cast<std::int64_t>(reference->rows.size());
  r.error =
      product_error(*reference, values, detail::host_vector<double>(y), comparison.family == "residual");
  r.agrees = r.agrees && r.error <= agreement_tolerance<double>;
}

/// Plans, prepares, times and checks one strategy of a family without a matrix.
template <class Element, class ExecutionSpace, class Form>
void measure_without_matrix(Result& r, const Comparison& comparison, const Machine& machine, const Form& form,
                            const FunctionSpace<Element, ExecutionSpace>& space,
                            const ReferenceSystem* reference) {
  const ExecutionSpace exec;
  const auto measure = [&](const auto& made, const auto& compute) {
    const Named named{made.info(), made.report(), made.cost(), made.compulsory_cost()};
    measure_vector<ExecutionSpace>(r, comparison, machine, named, reference, compute);
  };
  if (comparison.family == "apply") {
    const auto op = make_operator(exec, r.strategy, space, form);
    measure(*op, [&](const auto& x, const auto& y) { op->apply(exec, x, y); });
  } else {
    const auto weak = form.weak();
    const auto residual = make_residual(exec, r.strategy, space, weak);
    measure(*residual, [&](const auto& x, const auto& y) { residual->integrate(weak, x, y); });
  }
}

/// " tri1 tet1"
template <class... Elements>
std::string names_of(const std::tuple<Elements...>&) {
  return ((std::string(" ") + Elements::name) + ...);
}

/// The graph of a space, with the seconds that it took.
template <class ExecutionSpace, class Space>
std::pair<SparsityGraph<ExecutionSpace>, double> timed_graph(const ExecutionSpace& exec, const Space& space) {
  sparsity_graph(exec, space); // the first build on a device also loads its code
  exec.fence("Tessera::tools::compare");
  const Kokkos::Timer timer;
  const auto graph = sparsity_graph(exec, space);
  exec.fence("Tessera::tools::compare");
  return {graph, timer.seconds()};
}

template <class Scalar, class Element, class ExecutionSpace, class Form>
std::vector<Result> compare_form(const Comparison& comparison, const Machine& machine, const Form& form,
                                 const Mesh<Element, ExecutionSpace>& mesh) {
  if (comparison.family != "assembly" && !std::is_same_v<Scalar, double>)
    throw ArgumentError("--family " + comparison.family + " is compiled for double precision");
  const FunctionSpace<Element, ExecutionSpace> space(
      mesh, {.components = Form::components, .linear_components = linear_components_of<Form>()});
  comparison.progress("graph");
  const ExecutionSpace exec;
  const auto [graph, graph_seconds] = timed_graph(exec, space);
  const LinearSystem<Scalar, ExecutionSpace> system(exec, graph);
  ReferenceSystem reference;
  if (comparison.check) {
    comparison.progress("oracle");
    reference = reference_assembly(form, space, graph, rows_to_check(graph.num_rows(), comparison.check_all));
  }
  const ReferenceSystem* const oracle = comparison.check ? &reference : nullptr;
  ChoiceProblem problem = tessera::detail::choice_problem(comparison.family.c_str(), exec, space);
  problem.scalar = comparison.scalar;
  std::vector<Result> results;
  for (const std::string& name : comparison.strategies) {
    comparison.progress(name);
    Result r = begin_result(name, comparison, Element::name, space, system, graph_seconds);
    measure_or_note(r, [&] {
      if (comparison.family == "assembly")
        measure_assembly(r, comparison, machine, form, space, system, oracle);
      else if constexpr (is_shipped<Form, Element::dimension> && std::is_same_v<Scalar, double>)
        measure_without_matrix(r, comparison, machine, form, space, oracle);
      if (comparison.predictions && is_shipped<Form, Element::dimension>)
        if (const auto prediction = predict(*comparison.predictions, problem, {.name = name, .cost = r.cost}))
          r.predicted_seconds = prediction->seconds;
    });
    results.push_back(r);
  }
  return results;
}

/// Compares assemblies of Stokes' equations.
/// \throws ArgumentError for other families, and elements that they are not compiled for
template <class Element, class ExecutionSpace>
std::vector<Result> compare_stokes(const Comparison& comparison, const Machine& machine,
                                   const Mesh<Element, ExecutionSpace>& mesh) {
  if (comparison.family != "assembly") throw ArgumentError("--form stokes is for --family assembly");
  if constexpr (!is_in<Element, StokesElements>) {
    throw ArgumentError("--form stokes is compiled for the elements" + names_of(StokesElements()));
  } else {
    Stokes<Element::dimension> form;
    form.body_force[Element::dimension - 1] = comparison.problem.source_term();
    return comparison.scalar == "double" ? compare_form<double>(comparison, machine, form, mesh)
                                         : compare_form<float>(comparison, machine, form, mesh);
  }
}

/// Compares on one backend with one element.
template <class Element, class ExecutionSpace>
std::vector<Result> compare_on(const Comparison& comparison, const Machine& machine) {
  const auto mesh = make_mesh<Element, ExecutionSpace>(ExecutionSpace(), comparison.problem);
#ifdef TESSERA_HAVE_VTK
  if (!comparison.picture.empty())
    io::draw_mesh(comparison.picture, mesh, {.title = comparison.problem.mesh_name() + ", " + Element::name});
#endif
  if (comparison.problem.form == "stokes") return compare_stokes(comparison, machine, mesh);
  return with_form<Element, ExecutionSpace>(
      comparison.problem, mesh.num_elements(), [&](const auto& form, const auto&) {
        return comparison.scalar == "double" ? compare_form<double>(comparison, machine, form, mesh)
                                             : compare_form<float>(comparison, machine, form, mesh);
      });
}

} // namespace tessera::tools
