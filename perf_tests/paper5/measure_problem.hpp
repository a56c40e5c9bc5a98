// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Every matrix-free operator on one problem; each problem is a source file of its own.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "measure.hpp"
#include "operators.hpp"
#include "support/agreement.hpp"
#include "support/allocated_bytes.hpp"
#include <string>

namespace tessera::tools {

/// Measures all operators of a form over a space.
template <class Element, class Form>
void measure_problem(const std::string& problem, const std::string& form_name, const Form& form,
                     const FunctionSpace<Element>& space, Measurement& m) {
  using Vector = TimedOperator::Vector;
  using ExecutionSpace = TimedOperator::ExecutionSpace;
  const ExecutionSpace exec;
  OperatorResult common;
  common.problem = problem;
  common.element = Element::name;
  common.form = form_name;
  common.elements = space.mesh().num_elements();
  common.nodes = space.mesh().num_nodes();
  const Ordinal n = space.equations().count;
  common.equations = n;
  OperatorTimer timer(m, common);
  {
    const Kokkos::Timer clock;
    const LinearSystem<double> system(space);
    make_assembly("ElementAtomic", space, system.graph())->assemble(form, system);
    const double seconds = clock.seconds();
    // The reference of all others is itself checked.
    const ReferenceSystem oracle =
        reference_assembly(form, space, system.graph(), rows_to_check(system.num_rows(), false));
    timer.add_assembled(system, seconds, system_error<double>(system, oracle).max());
  }
  for_each_operator([&](const auto& variant) {
    if (!m.wants(variant.name)) return;
    OperatorResult r = common;
    r.strategy = variant.name;
    const auto run = [&](const auto& op) {
      r.bytes = static_cast<std::int64_t>(op.bytes());
      r.mesh_bytes = bytes_of(space.mesh().connectivity());
      if (variant.name.starts_with("Recomputing")) r.mesh_bytes += bytes_of(space.mesh().coordinates());
      const Cost cost = variant.strategy.template cost<Element, Form, double>(space);
      r.model_bytes = cost.bytes;
      r.model_flops = cost.flops;
      const Vector f("Tessera::tools::load", n), d("Tessera::tools::diagonal", n);
      op.load(exec, f);
      op.diagonal(exec, d);
      timer.add(TimedOperator(op), f, d, r);
    };
    const AllocatedBytes<typename ExecutionSpace::memory_space> allocated;
    const Kokkos::Timer clock;
    const auto op = variant.strategy.plan(exec, space).template prepare<double>(form);
    r.prepare_seconds = clock.seconds();
    r.allocated = allocated.count();
    run(op);
    if constexpr (requires { op.alignment_bytes(); }) {
      r.strategy += float_storage;
      r.tolerance = 1e-6;
      if (m.wants(r.strategy) && has_float_storage(variant.name)) {
        const std::int64_t before = allocated.count();
        const auto op_of_floats = variant.strategy.plan(exec, space).template prepare<double, float>(form);
        r.allocated = allocated.count() - before;
        run(op_of_floats);
      }
    }
  });
}

} // namespace tessera::tools
