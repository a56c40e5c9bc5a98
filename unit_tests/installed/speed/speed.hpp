// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>

using Space = Kokkos::DefaultHostExecutionSpace;
using Triangles = tessera::FunctionSpace<tessera::Tri<1>, Space>;
using System = tessera::LinearSystem<double, Space>;

/// Assembles by the program's own strategy; null in programs that have none.
extern void (*assemble_by_own)(const Space&, const Triangles&, const System&);

/// Nanoseconds of processor time for an element: those of the fastest of some runs.
template <class Plan>
void report(const char* way, Plan& plan, const Triangles& space, const System& system) {
  const tessera::LinearElasticity<2> form{};
  plan.assemble(form, system);
  double best = 1e9;
  for (int repetition = 0; repetition < 12; ++repetition) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < 5; ++i) plan.assemble(form, system);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 5);
  }
  std::printf("%s %.1f\n", way, best / space.mesh().num_elements() * 1e9);
}
