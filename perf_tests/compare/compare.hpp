#pragma once

/// \file
/// Runs every strategy asked for on one backend.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/reference_assembly.hpp>
#include <tessera/strategies/any_assembly.hpp>

#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/result.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk_picture.hpp>
#endif
#include <tessera/strategies/common/traffic.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// What is compared, beyond the problem.
struct Comparison {
  Problem problem;
  std::vector<std::string> strategies; ///< names of the catalogue
  std::string scalar = "double";
  int repetitions = 30;
  double seconds_limit = 60.0; ///< of the timed assemblies of one strategy, three at least
  bool check = true;
  std::string picture; ///< PNG file for the mesh and its sets; empty: none
  std::function<void(const std::string&)> progress;
};

template <class Scalar>
constexpr double agreement_tolerance = std::is_same_v<Scalar, double> ? 1e-13 : 1e-5;

/// Plans, times and checks one strategy.
template <class Scalar, class Element, class ExecutionSpace, class Form>
Result measure(const std::string& name, const Comparison& comparison, const Machine& machine,
               const Form& form, const FunctionSpace<Element, ExecutionSpace>& space,
               const LinearSystem<Scalar, ExecutionSpace>& system, const ReferenceSystem* reference) {
  Result r;
  r.strategy = name;
  r.elements = space.mesh().num_elements();
  r.unknowns = system.num_rows();
  r.nonzeros = static_cast<std::int64_t>(system.graph().num_entries());
  try {
    const ExecutionSpace exec;
    const auto plan = make_assembly(name, space, system.graph(), exec);
    r.source = plan->info().source;
    r.deterministic = plan->info().deterministic || exec.concurrency() == 1;
    plan->prepare(form, Scalar());
    r.plan_seconds = plan->report().total_seconds();
    r.plan_bytes = static_cast<std::int64_t>(plan->report().bytes);
    const auto seconds = time_repeatedly(
        exec, comparison.repetitions, [&] { plan->assemble(form, system); }, comparison.seconds_limit);
    r.seconds_median = median(seconds);
    r.seconds_min = *std::min_element(seconds.begin(), seconds.end());
    r.seconds_max = *std::max_element(seconds.begin(), seconds.end());
    r.ns_per_element = r.elements == 0 ? 0 : r.seconds_median / r.elements * 1e9;

    const double coefficients = coefficient_bytes(comparison.problem) * r.elements;
    const auto seconds_of = [&](const Cost& cost) {
      return std::max((cost.bytes + coefficients) / machine.bytes_per_second,
                      cost.flops / machine.flops_per_second);
    };
    const Cost cost = plan->cost(form, Scalar());
    const Cost bound = compulsory_cost<Element, Form, Scalar>(space, system.graph());
    r.gb_per_s = (cost.bytes + coefficients) / r.seconds_median * 1e-9;
    r.gflop_per_s = cost.flops / r.seconds_median * 1e-9;
    r.bandwidth_share = r.gb_per_s * 1e9 / machine.bytes_per_second;
    r.model_ratio = r.seconds_median / seconds_of(cost);
    r.bound_ratio = r.seconds_median / seconds_of(bound);
    r.error = -1;
    if (reference) {
      r.error = system_error<Scalar>(system, *reference).max();
      r.agrees = r.error <= agreement_tolerance<Scalar>;
    }
  } catch (const UnsupportedError& error) {
    r.unsupported = error.what();
  }
  return r;
}

template <class Scalar, class Element, class ExecutionSpace, class Form>
std::vector<Result> compare_form(const Comparison& comparison, const Machine& machine, const Form& form,
                                 const Mesh<Element, ExecutionSpace>& mesh) {
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  comparison.progress("graph");
  const ExecutionSpace exec;
  sparsity_graph(exec, space); // the first build on a device also loads its code
  exec.fence("Tessera::tools::compare");
  const Kokkos::Timer timer;
  const auto graph = sparsity_graph(exec, space);
  exec.fence("Tessera::tools::compare");
  const double graph_seconds = timer.seconds();
  const LinearSystem<Scalar, ExecutionSpace> system(graph, exec);
  ReferenceSystem reference;
  if (comparison.check) {
    comparison.progress("oracle");
    reference = reference_assembly(form, space, system.graph());
  }
  std::vector<Result> results;
  for (const std::string& name : comparison.strategies) {
    comparison.progress(name);
    // What an earlier strategy wrote must not count for this one.
    Kokkos::deep_copy(system.values(), Scalar(NAN));
    Kokkos::deep_copy(system.rhs(), Scalar(NAN));
    results.push_back(measure<Scalar>(name, comparison, machine, form, space, system,
                                      comparison.check ? &reference : nullptr));
    results.back().graph_seconds = graph_seconds;
    results.back().backend = backend_name<ExecutionSpace>();
    results.back().element = Element::name;
    results.back().form = comparison.problem.form;
    results.back().scalar = comparison.scalar;
    results.back().mesh = comparison.problem.mesh_name();
  }
  return results;
}

/// Compares on one backend with one element.
template <class Element, class ExecutionSpace>
std::vector<Result> compare_on(const Comparison& comparison, const Machine& machine) {
  const auto mesh = make_mesh<Element, ExecutionSpace>(comparison.problem, ExecutionSpace());
#ifdef TESSERA_HAVE_VTK
  if (!comparison.picture.empty())
    io::draw_mesh(comparison.picture, mesh, {.title = comparison.problem.mesh_name() + ", " + Element::name});
#endif
  const auto with_form = [&](const auto& form) {
    return comparison.scalar == "double" ? compare_form<double>(comparison, machine, form, mesh)
                                         : compare_form<float>(comparison, machine, form, mesh);
  };
  if (comparison.problem.form == "elasticity")
    return with_form(
        make_elasticity<ExecutionSpace, Element::dimension>(comparison.problem, mesh.num_elements()));
  return with_form(make_helmholtz<ExecutionSpace>(comparison.problem, mesh.num_elements()));
}

} // namespace tessera::tools
