// SPDX-License-Identifier: BSD-3-Clause
// Prints nanoseconds of processor time for an element: by the catalogue's ElementAtomic, and by the program's
// own where it has one.

#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#ifdef INSTANTIATES
#include <tessera/strategies/assembly/element_atomic.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>

using Space = Kokkos::DefaultHostExecutionSpace;

/// Seconds of the fastest of some runs.
template <class Run>
double seconds(const Run& run) {
  double best = 1e9;
  for (int repetition = 0; repetition < 12; ++repetition) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < 5; ++i) run();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 5);
  }
  return best;
}

int main() {
  // One thread: the system counts the processor time of the others by its ticks, which are longer than a run.
  const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_num_threads(1));
  const Space exec;
  const auto mesh = tessera::io::box_mesh<tessera::Hex<1>>(exec, {.cells = {12, 12, 12}});
  const tessera::FunctionSpace space(mesh, 3);
  const tessera::LinearSystem<double, Space> system(exec, space);
  const tessera::LinearElasticity<3> form{};
  const auto report = [&](const char* way, auto& plan) {
    plan.assemble(form, system);
    std::printf("hex1 %s %.1f\n", way,
                seconds([&] { plan.assemble(form, system); }) / mesh.num_elements() * 1e9);
  };
  const auto catalogue = tessera::make_assembly(exec, "ElementAtomic", space, system.graph());
  report("catalogue", *catalogue);
#ifdef INSTANTIATES
  auto own = tessera::assembly::ElementAtomic().plan(exec, space, system.graph());
#ifdef __OPTIMIZE__
  report("own", own);
#else
  own.assemble(form, system); // takes long and is compared with nothing
#endif
#endif
}
