// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Times of residuals in the paper's setting and in the whole one.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/residual/detail/element_arrays.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tessera::paper3 {

/// Median of the seconds that `run` takes, after two calls to warm up.
template <class ExecutionSpace, class Run>
double median_seconds(const ExecutionSpace& exec, int repetitions, const Run& run) {
  std::vector<double> seconds;
  for (int i = -2; i < repetitions; ++i) {
    exec.fence();
    const Kokkos::Timer timer;
    run();
    exec.fence();
    if (i >= 0) seconds.push_back(timer.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// A box of about `cells` elements.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> box_of(double cells) {
  constexpr int d = Element::dimension;
  constexpr double of_cube = io::detail::BoxLattice<Element>::parts;
  const int n = std::max(1, static_cast<int>(std::lround(std::pow(cells / of_cube, 1.0 / d))));
  if constexpr (d == 2)
    return io::box_mesh<Element, ExecutionSpace>({{n, n}, {1.0, 1.0}});
  else
    return io::box_mesh<Element, ExecutionSpace>({{n, n, n}, {1.0, 1.0, 1.0}});
}

/// Nodal values of a smooth function, small enough for the neo-Hookean body.
template <class Scalar, class Element, class ExecutionSpace>
Kokkos::View<const Scalar*, ExecutionSpace> smooth_values(const Mesh<Element, ExecutionSpace>& mesh,
                                                          int components) {
  const Kokkos::View<Scalar*, ExecutionSpace> u("Tessera::Paper3::u",
                                                static_cast<std::size_t>(mesh.num_nodes()) * components);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto host = Kokkos::create_mirror_view(u);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    const std::size_t node = i / components;
    host(i) =
        static_cast<Scalar>(0.05 * std::sin(3 * x(node, 0) + i % components) * std::cos(2 * x(node, 1)));
  }
  Kokkos::deep_copy(u, host);
  return u;
}

/// Seconds of one residual from nodal vector to nodal vector.
template <class Scalar, class Strategy, class Form, class Element, class ExecutionSpace>
double whole_seconds(const ExecutionSpace& exec, const Strategy& strategy, const Form& form,
                     const Mesh<Element, ExecutionSpace>& mesh, int repetitions) {
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const auto u = smooth_values<Scalar>(mesh, Form::components);
  const Kokkos::View<Scalar*, ExecutionSpace> r("Tessera::Paper3::r", u.extent(0));
  auto plan = strategy.plan(exec, space);
  return median_seconds(exec, repetitions, [&] { plan.integrate(form, u, r); });
}

/// Seconds of one residual in the paper's setting, of several in a row, by straight simplices.
template <class Scalar, class Strategy, class Form, class Element, class ExecutionSpace>
double element_seconds(const ExecutionSpace& exec, const Strategy& strategy, const Form& form,
                       const Mesh<Element, ExecutionSpace>& mesh, int repetitions) {
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const auto weak = as_weak_form(form);
  using Kernel = decltype(weak.kernel(mesh.kernel()));
  const auto arrays = residual::element_arrays<Kernel::template degree<Element>>(
      exec, mesh, smooth_values<Scalar>(mesh, Form::components), Form::components, true);
  auto plan = strategy.plan(exec, space);
  plan.template prepare<Scalar>(weak);
  // The kernels' time, not what a call waits for.
  constexpr int in_a_row = runs_on_host<ExecutionSpace> ? 1 : 10;
  const double seconds = median_seconds(exec, repetitions, [&] {
    for (int i = 0; i < in_a_row; ++i) plan.enqueue_elements(weak, arrays);
  });
  plan.check();
  return seconds / in_a_row;
}

} // namespace tessera::paper3
