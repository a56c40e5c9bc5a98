// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/best/machine.hpp>

#include "forms.hpp"
#include "measure.hpp"
#include "support/problem/mesh_order.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tessera::tools {

/// Seconds of an assembly by each candidate of Best, of the least of 15.
template <class Form, class Element, class ExecutionSpace>
std::map<std::string, double> times_of(const ExecutionSpace& exec, const Form& form,
                                       const FunctionSpace<Element, ExecutionSpace>& space,
                                       const LinearSystem<double, ExecutionSpace>& system) {
  std::map<std::string, double> times;
  for_each_strategy<assembly::Best::Candidates<ExecutionSpace>>([&](const auto& variant) {
    try {
      auto plan = variant.strategy.plan(exec, space, system.graph());
      plan.prepare(form);
      const auto seconds = time_repeatedly(exec, 15, [&] { plan.assemble(form, system); }, 2.0);
      times[variant.name] = *std::min_element(seconds.begin(), seconds.end());
    } catch (const UnsupportedError&) { // Best takes another then
    }
  });
  return times;
}

template <class Form, class Element, class ExecutionSpace>
void measure_own_form(const ExecutionSpace& exec, const std::string& mesh_name, const Form& form,
                      const Mesh<Element, ExecutionSpace>& mesh, Hits& hits) {
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const LinearSystem<double, ExecutionSpace> system(exec, space);
  using Candidates = assembly::Best::Candidates<ExecutionSpace>;
  const auto order = tessera::detail::AssemblyRanking<Candidates, Element, ExecutionSpace>(exec, space)
                         .template order<Form, double>(exec, space, system.graph(), nullptr, {.calls = 1e9});
  const auto times = times_of(exec, form, space, system);
  double fastest = times.begin()->second;
  for (const auto& [name, seconds] : times) fastest = std::min(fastest, seconds);
  bool first = true;
  for (const Prediction& prediction : order) {
    const auto time = times.find(prediction.strategy);
    if (time == times.end()) continue;
    const double error = prediction.seconds / time->second;
    hits.times += std::isfinite(error);
    hits.predicted += error < 1.3 && error > 1 / 1.3;
    if (first) {
      ++hits.cases;
      hits.close += time->second <= 1.1 * fastest;
      hits.slow += time->second > 1.5 * fastest;
    }
    const double ns = 1e9 / mesh.num_elements();
    std::printf("%-6s %-22s %-9s %-24s %10.3f %10.3f %8.2f%s\n", Element::name, Form::name, mesh_name.c_str(),
                prediction.strategy.c_str(), time->second * ns, prediction.seconds * ns,
                time->second / fastest, first ? "  taken" : "");
    first = false;
  }
}

/// A coefficient by element, between 0.9 and 1.1.
template <class ExecutionSpace>
CellField by_element(const ExecutionSpace& exec, Ordinal elements) {
  const Kokkos::View<double*, ExecutionSpace> values("Tessera::own_forms::by_element", elements);
  Kokkos::parallel_for(
      "Tessera::own_forms::by_element", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
      KOKKOS_LAMBDA(Ordinal e) { values(e) = 0.9 + 0.2 * (e % 101) / 100.0; });
  exec.fence("Tessera::own_forms::by_element");
  return CellField::per_element(values);
}

template <class Element, class ExecutionSpace>
void measure_own_forms(const ExecutionSpace& exec, int cells, Hits& hits) {
  const auto box = io::box_mesh<Element>(exec, {.cells = {cells, cells, cells}});
  for (const char* const order : {"ordered", "shuffled"}) {
    const auto mesh = in_order(exec, box, order);
    const CellField coefficient = by_element(exec, mesh.num_elements());
    measure_own_form(exec, order, AnisotropicDiffusion<Element::dimension>{coefficient}, mesh, hits);
    measure_own_form(exec, order, CurlAndDivergence<Element::dimension>{coefficient}, mesh, hits);
  }
}

#define TESSERA_OWN_FORMS_ON(Element, Space)                                                                 \
  template void measure_own_forms<Element, Space>(const Space&, int, Hits&);
#define TESSERA_OWN_FORMS(Element) TESSERA_FOR_EACH_SPACE(TESSERA_OWN_FORMS_ON, Element)

} // namespace tessera::tools
