// SPDX-License-Identifier: BSD-3-Clause
#include "mixed.hpp"

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_reference.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include "compare.hpp"
#include <algorithm>
#include <array>
#include <type_traits>

namespace tessera::tools {

namespace {

/// The input that the blocks share is read once.
template <class Form, class Scalar, class... Elements, class ExecutionSpace>
Cost compulsory_cost_of(const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space,
                        const SparsityGraph<ExecutionSpace>& graph) {
  Cost cost{static_cast<double>(bytes_of(space.mesh().coordinates())) + output_bytes<Scalar>(graph), 0};
  space.for_each_block([&]<class Element>(const FunctionSpace<Element, ExecutionSpace>& block) {
    cost.bytes += static_cast<double>(bytes_of(block.mesh().connectivity()));
    cost.flops += compulsory_cost<Element, Form, Scalar>(block, graph).flops;
  });
  return cost;
}

StrategyInfo info_of(const std::string& name) {
  const std::vector<StrategyInfo> all = assembly_strategies();
  return *std::find_if(all.begin(), all.end(), [&](const StrategyInfo& info) { return info.name == name; });
}

template <class Scalar, class Form, class... Elements, class ExecutionSpace>
std::vector<Result> compare_forms(const Comparison& comparison, const Machine& machine,
                                  const std::array<Form, sizeof...(Elements)>& forms,
                                  const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh) {
  using List = Blocks<Elements...>;
  const ExecutionSpace exec;
  const MixedSpace<List, ExecutionSpace> space(mesh, Form::components);
  const auto form = by_block([&]<class Element>(const Mesh<Element, ExecutionSpace>&) {
    return forms[List::template number<Element>];
  });
  comparison.progress("graph");
  const auto [graph, graph_seconds] = timed_graph(exec, space);
  const LinearSystem<Scalar, ExecutionSpace> system(exec, graph);
  ReferenceSystem reference;
  if (comparison.check) {
    comparison.progress("oracle");
    reference = reference_assembly(form, space, graph, rows_to_check(graph.num_rows(), comparison.check_all));
  }
  std::vector<Result> results;
  for (const std::string& name : comparison.strategies) {
    comparison.progress(name);
    Result r = begin_result(name, comparison, name_of(List()), space, system, graph_seconds);
    measure_or_note(r, [&] {
      forget(system);
      auto plan = make_assembly(exec, name, space, graph);
      plan.template prepare<Scalar>(form);
      const Named named{info_of(name), plan.report(), plan.template cost<Scalar>(form),
                        compulsory_cost_of<Form, Scalar>(space, graph)};
      measure_system(r, comparison, machine, named, system, comparison.check ? &reference : nullptr,
                     [&] { plan.assemble(form, system); });
    });
    results.push_back(r);
  }
  return results;
}

template <class... Elements, class ExecutionSpace>
std::vector<Result> compare_mesh(const Comparison& comparison, const Machine& machine,
                                 const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh) {
  const auto with_forms = [&](const auto& form_of) {
    const std::array forms{form_of(mesh.template block<Elements>().num_elements())...};
    return comparison.scalar == "double" ? compare_forms<double>(comparison, machine, forms, mesh)
                                         : compare_forms<float>(comparison, machine, forms, mesh);
  };
  constexpr int dimension = Blocks<Elements...>::dimension;
  const Problem& problem = comparison.problem;
  if (problem.form == "elasticity")
    return with_forms(
        [&](Ordinal elements) { return make_elasticity<ExecutionSpace, dimension>(problem, elements); });
  return with_forms([&](Ordinal elements) { return make_helmholtz<ExecutionSpace>(problem, elements); });
}

} // namespace

bool is_mixed(const std::string& name) {
  return with_mixed_elements(name, [](const auto&) {});
}

template <class ExecutionSpace>
std::vector<Result> compare_mixed(const Comparison& comparison, const Machine& machine) {
  if (comparison.family != "assembly")
    throw ArgumentError("--family " + comparison.family + " is for meshes of one element type");
  if (comparison.problem.form == "stokes")
    throw ArgumentError("--form stokes is for meshes of one element type");
  std::vector<Result> results;
  with_mixed_elements(comparison.problem.element, [&]<class List>(std::type_identity<List>) {
    const auto mesh = make_mixed_mesh<List>(ExecutionSpace(), comparison.problem);
#ifdef TESSERA_HAVE_VTK
    if (!comparison.picture.empty())
      io::draw_mesh(comparison.picture, mesh,
                    {.title = comparison.problem.mesh_name() + ", " + name_of(List())});
#endif
    results = compare_mesh(comparison, machine, mesh);
  });
  return results;
}

#define TESSERA_INSTANTIATE(Result, Space)                                                                   \
  template std::vector<Result> compare_mixed<Space>(const Comparison&, const Machine&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, Result)

} // namespace tessera::tools
