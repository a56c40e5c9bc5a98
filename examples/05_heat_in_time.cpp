// SPDX-License-Identifier: BSD-3-Clause
// 05: heat conduction in time, each step solved by multigrid on one hierarchy.
//
//   du/dt = div(k(u) grad u) in a bar without flux through its surface, k(u) = 1 + u^2.
//
// Implicit Euler with the conductivity of the step before: (u, v) / dt + (k(u_old) grad u, grad v) = (u_old,
// v) / dt. The matrix changes in every step, its pattern never: the plan is made once, and so are the
// hierarchy's order, aggregates and patterns; `refresh` fills in the new values. No heat enters or leaves, so
// that its total must stay.

#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<1>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

// One step from the temperatures `u`.
struct HeatStep {
  double step;                                   // dt
  Kokkos::View<const double*, ExecutionSpace> u; // node
  tessera::MeshKernel<Element, ExecutionSpace> mesh;

  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class AnyElement>
  static constexpr int degree = 2 * AnyElement::order;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real conductivity, capacity, source;

    KOKKOS_FUNCTION tessera::Matrix<Real, 1> stiffness(int i, int j) const {
      tessera::Matrix<Real, 1> k;
      k(0, 0) = conductivity * tessera::gradient_product(point, i, j) +
                capacity * tessera::value_type_t<Real>(point.value(i) * point.value(j));
      return k;
    }
    KOKKOS_FUNCTION tessera::Vector<Real, 1> load(int i) const {
      tessera::Vector<Real, 1> f;
      f(0) = source * point.value(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    using Real = typename Point::real_type;
    using Value = tessera::value_type_t<Real>;
    Real temperature = Real(Value(0));
    for (int n = 0; n < Point::element_type::nodes; ++n)
      temperature += tessera::from_lanes<Real>([&](int lane) {
                       return Value(u(mesh.connectivity(point.cell().element[lane], n)));
                     }) *
                     point.value(n);
    const Real capacity = Real(Value(1 / step));
    return {point, Real(Value(1)) + temperature * temperature, capacity, capacity * temperature};
  }
};

double sum(const Vector& x) {
  double total = 0;
  Kokkos::parallel_reduce(
      "App::sum", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += x(i); }, total);
  return total;
}

int run() {
  constexpr double step = 0.02;
  constexpr int steps = 12;
  const ExecutionSpace exec;
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{32, 8, 8}, {4.0, 1.0, 1.0}});
  const tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = tessera::assembly::Best{}.plan(space, system.graph());

  const Vector u("App::u", space.num_dofs());
  const auto x = mesh.coordinates();
  Kokkos::parallel_for(
      "App::start", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n) { u(n) = x(n, 0) < 1 ? 3 : 0; });
  const HeatStep form{step, u, mesh.kernel()};
  plan.prepare(form);
  plan.assemble(form, system);
  tessera::solvers::Multigrid multigrid(system, space);
  const double heat = step * sum(system.rhs());
  int most = 0;
  double lost = 0;
  for (int n = 0; n < steps; ++n) {
    if (n > 0) {
      plan.assemble(form, system);
      multigrid.refresh(system);
    }
    const auto& graph = system.graph();
    const tessera::solvers::CrsOperator<double, ExecutionSpace> a(exec, graph.row_map, graph.columns,
                                                                  system.values());
    lost = std::abs(step * sum(system.rhs()) - heat) / heat;
    // The temperatures before the step are the first guess.
    const auto result =
        tessera::solvers::cg(exec, a, multigrid, system.rhs(), u, {.relative_tolerance = 1e-10});
    most = std::max(most, result.iterations);
    std::printf("step %2d: %2d iterations, heat lost so far %.1e\n", n + 1, result.iterations, lost);
  }
  std::printf("set-up %.1f ms, refresh %.1f ms\n", 1e3 * multigrid.report().setup_seconds,
              1e3 * multigrid.report().refresh_seconds);
  return most <= 16 && lost < 1e-8 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "05_heat_in_time: " << error.what() << '\n';
    return 2;
  }
}
