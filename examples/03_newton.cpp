// 03: Newton's method on one plan.
//
//   -div(k(u) grad u) = q in the unit cube, k(u) = 1 + u, u = 0 on two opposite faces.
//
// The mesh does not change between the steps, so the plan is made once; each step is an assembly and a solve.
// A step solves the linearised problem for the correction du,
//
//   (k(u) grad du, grad v) + (k'(u) du grad u, grad v) = (q, v) - (k(u) grad u, grad v).
//
// The form reads the present u from a view, element by element: it is handed to the same plan again and again
// while the view's contents change. Dropping the second term would give Picard's iteration, symmetric and
// linearly convergent; here the tangent is not symmetric, and BiCGStab, the application's own dozen of lines,
// solves it. The problem has a closed form: with U = u + u^2 / 2 it is -U'' = q, so that u = sqrt(1 + q x (1
// - x)) - 1.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<2>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
using System = tessera::LinearSystem<double, ExecutionSpace>;

// The tangent and the residual at the present u.
struct Tangent {
  double heat;
  Kokkos::View<const double*, ExecutionSpace> u; // node
  tessera::MeshKernel<Element, ExecutionSpace> mesh;

  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  template <class AnyElement>
  static constexpr int degree = 2 * AnyElement::order + 1;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real conductivity, heat;
    Real gradient[Point::dimension]; // of u

    KOKKOS_FUNCTION Real along_gradient(int i) const {
      Real sum = gradient[0] * point.gradient(i, 0);
      for (int d = 1; d < Point::dimension; ++d) sum += gradient[d] * point.gradient(i, d);
      return sum;
    }
    KOKKOS_FUNCTION tessera::Matrix<Real, 1> stiffness(int i, int j) const {
      tessera::Matrix<Real, 1> k;
      k(0, 0) = conductivity * tessera::gradient_product(point, i, j) + along_gradient(i) * point.value(j);
      return k;
    }
    KOKKOS_FUNCTION tessera::Vector<Real, 1> load(int i) const {
      tessera::Vector<Real, 1> f;
      f(0) = heat * point.value(i) - conductivity * along_gradient(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    using Real = typename Point::real_type;
    using Value = tessera::value_type_t<Real>;
    Integrand<Point> integrand{point, Real(Value(1)), Real(Value(heat)), {}};
    for (int n = 0; n < Point::element_type::nodes; ++n) {
      const Real value = tessera::from_lanes<Real>(
          [&](int lane) { return Value(u(mesh.connectivity(point.cell().element[lane], n))); });
      integrand.conductivity += value * point.value(n);
      for (int d = 0; d < Point::dimension; ++d) integrand.gradient[d] += value * point.gradient(n, d);
    }
    return integrand;
  }
};

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "App::dot", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += x(i) * y(i); }, sum);
  return sum;
}

// y = a x + b y
void axpby(double a, const Vector& x, double b, const Vector& y) {
  Kokkos::parallel_for(
      "App::axpby", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i) { y(i) = a * x(i) + b * y(i); });
}

// BiCGStab with Jacobi's preconditioner (H. A. van der Vorst 1992) on Tessera's operator; the number of
// iterations.
int solve(const System& system, const Vector& x) {
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const tessera::solvers::CrsOperator<double, ExecutionSpace> a(exec, graph.row_map, graph.columns,
                                                                system.values());
  const tessera::solvers::Jacobi<double, ExecutionSpace> m(exec, graph.row_map, graph.columns,
                                                           system.values());
  const auto vector = [&](const char* label) { return Vector(label, x.extent(0)); };
  const Vector r = vector("App::r"), r0 = vector("App::r0"), p = vector("App::p"), v = vector("App::v"),
               t = vector("App::t"), y = vector("App::y"), z = vector("App::z");
  Kokkos::deep_copy(exec, x, 0.0);
  Kokkos::deep_copy(exec, r, system.rhs());
  Kokkos::deep_copy(exec, r0, r);
  const double stop = 1e-10 * std::sqrt(dot(r, r));
  double rho = 1, alpha = 1, omega = 1;
  for (int iteration = 1; iteration <= 1000; ++iteration) {
    const double rho_new = dot(r0, r), beta = rho_new / rho * (alpha / omega);
    rho = rho_new;
    axpby(-omega, v, 1, p);
    axpby(1, r, beta, p);
    m.apply(exec, p, y);
    a.apply(exec, y, v);
    alpha = rho / dot(r0, v);
    axpby(-alpha, v, 1, r);
    m.apply(exec, r, z);
    a.apply(exec, z, t);
    omega = dot(t, r) / dot(t, t);
    axpby(alpha, y, 1, x);
    axpby(omega, z, 1, x);
    axpby(-omega, t, 1, r);
    if (std::sqrt(dot(r, r)) <= stop) return iteration;
  }
  throw tessera::SolverError("BiCGStab did not converge in 1000 iterations");
}

// Largest difference between u and the closed form at the nodes.
double error(const Space& space, const Vector& u, double heat) {
  const auto x = space.mesh().coordinates();
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, space.num_dofs()),
      KOKKOS_LAMBDA(int n, double& most) {
        const double exact = Kokkos::sqrt(1 + heat * x(n, 0) * (1 - x(n, 0))) - 1;
        most = Kokkos::fmax(most, Kokkos::abs(u(n) - exact));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

int run() {
  constexpr double heat = 12;
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{12, 3, 3}, {1.0, 1.0, 1.0}});
  Space space(mesh, /*components=*/1);
  // u starts at zero and has the prescribed values already: every correction is zero there.
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("xmax"), {0.0});
  const System system(space);
  auto plan = tessera::assembly::ElementAtomic{}.plan(space, system.graph());

  const Vector u("App::u", space.num_dofs()), correction("App::correction", system.num_rows());
  const Tangent form{heat, u, mesh.kernel()};
  double norm = 0;
  int step = 0;
  do {
    plan.assemble(form, system);
    const int iterations = solve(system, correction);
    axpby(1, space.expand(correction), 1, u);
    norm = std::sqrt(dot(correction, correction));
    std::printf("step %d: %d iterations, |correction| %.3e\n", ++step, iterations, norm);
  } while (norm > 1e-9 && step < 12);
  const double largest = error(space, u, heat);
  std::printf("largest error %.1e\n", largest);
  // Newton squares the error in each step; what is left is that of the elements.
  return norm <= 1e-9 && step <= 8 && largest < 1e-4 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "03_newton: " << error.what() << '\n';
    return 2;
  }
}
