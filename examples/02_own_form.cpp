// 02: a form of one's own, in one's own file.
//
//   -div(a(x) grad u) + b . grad u + c u = f, with diffusion a(x) = 1 + x, advection b = (1, 2) and reaction
//   c = 3.
//
// A form is the integrand at one point and nothing else; every strategy can assemble it, on every element and
// backend. This one is not symmetric: it says so, and the element matrices are then computed whole. The
// right-hand side belongs to u = x^2 + y, which second-order elements hold exactly: K u - f must vanish to
// rounding, and it must do so for strategies that have nothing in common.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Tri<2>;

// The pointwise part, evaluated by kernels; `Real` is a number, or on the host a vector register of them.
struct DiffusionAdvectionReaction {
  double reaction = 3;

  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  // a and f are linear in x: one degree more than the mass matrix needs.
  template <class AnyElement>
  static constexpr int degree = 2 * AnyElement::order + 1;

  // What a test function i and a trial function j make at a point whose coefficients are known.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real diffusion, reaction, source;

    KOKKOS_FUNCTION tessera::Matrix<Real, 1> stiffness(int i, int j) const {
      tessera::Matrix<Real, 1> k;
      const Real advection = point.gradient(j, 0) + point.gradient(j, 1) + point.gradient(j, 1);
      k(0, 0) = diffusion * tessera::gradient_product(point, i, j) +
                (advection + reaction * point.value(j)) * point.value(i);
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
    const Real x = point.position(0), y = point.position(1);
    // -div((1 + x) (2 x, 1)) + (1, 2) . (2 x, 1) + c (x^2 + y)
    const Real source =
        Real(Value(-2)) - Value(4) * x + (Value(2) * x + Value(2)) + Value(reaction) * (x * x + y);
    return {point, x + Value(1), Real(Value(reaction)), source};
  }
};

// Largest entry of K u - f for the nodal values of u.
template <class Strategy>
double residual(const Strategy& strategy, const tessera::FunctionSpace<Element, ExecutionSpace>& space) {
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = strategy.plan(space, system.graph());
  plan.assemble(DiffusionAdvectionReaction{}, system);

  // Interior equations only: at the sides the flux a n.grad u would be a load.
  const auto x = space.mesh().coordinates();
  const auto row_map = system.graph().row_map;
  const auto columns = system.graph().columns;
  const auto values = system.values();
  const auto rhs = system.rhs();
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::residual", Kokkos::RangePolicy<ExecutionSpace>(0, system.num_rows()),
      KOKKOS_LAMBDA(int row, double& most) {
        const bool inside =
            x(row, 0) > 1e-9 && x(row, 0) < 1 - 1e-9 && x(row, 1) > 1e-9 && x(row, 1) < 1 - 1e-9;
        double sum = -rhs(row);
        for (auto k = row_map(row); k < row_map(row + 1); ++k)
          sum += values(k) * (x(columns(k), 0) * x(columns(k), 0) + x(columns(k), 1));
        if (inside) most = tessera::worse_of(most, Kokkos::abs(sum));
      },
      Kokkos::Max<double>(largest));
  std::printf("%-16s residual %.1e\n", Strategy::name, largest);
  return largest;
}

int run() {
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{20, 20}, {1.0, 1.0}});
  const tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  const double largest = std::max({residual(tessera::assembly::ElementAtomic{}, space),
                                   residual(tessera::assembly::ElementLocal{}, space),
                                   residual(tessera::assembly::NzGlobal{.symmetric = false}, space)});
  return largest < 1e-12 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "02_own_form: " << error.what() << '\n';
    return 2;
  }
}
