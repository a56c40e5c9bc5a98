// SPDX-License-Identifier: BSD-3-Clause
// 13: the first ten frequencies of a beam, K x = omega^2 M x, by an eigensolver of the application's.
//
// Stiffness and mass are assembled on one graph; the mass matrix is the Jacobian of the weak form f0 = rho u.
// LOBPCG (A. Knyazev, SIAM J. Sci. Comput. 23 (2001) 517-541) asks for no more than products with both and a
// preconditioner: `CrsOperator` and `Multigrid`. A cantilever of 20 x 1 x 0.7 is compared with the theory of
// beams: bending with S. Timoshenko's correction, torsion with Saint-Venant's constant, and tension.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <vector>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<2>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Operator = tessera::solvers::CrsOperator<double, ExecutionSpace>;
using Dense = std::vector<std::vector<double>>; // symmetric, or columns of eigenvectors

constexpr double length = 20, height = 1, width = 0.7, poisson = 0.3; // Young's modulus and density are 1
constexpr int wanted = 10, block = 14;

struct Inertia {
  static constexpr int components = 3;
  static constexpr bool symmetric = true;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u;
  }
};

// Eigenvalues of a, ascending, and its eigenvectors as columns, by Jacobi's rotations.
std::vector<double> eigen(Dense a, Dense& vectors) {
  const std::size_t n = a.size();
  Dense v(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
  const auto rotate = [&](std::size_t p, std::size_t q) {
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
    const double c = 1 / std::hypot(t, 1.0), s = t * c;
    const auto turn = [&](double& x, double& y) {
      const double kept = x;
      x = c * x - s * y;
      y = s * kept + c * y;
    };
    for (std::size_t k = 0; k < n; ++k) turn(a[k][p], a[k][q]);
    for (std::size_t k = 0; k < n; ++k) turn(a[p][k], a[q][k]);
    for (std::size_t k = 0; k < n; ++k) turn(v[k][p], v[k][q]);
  };
  for (int sweep = 0; sweep < 12; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) rotate(p, q);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
  std::vector<double> values;
  vectors.assign(n, std::vector<double>(n));
  for (std::size_t j = 0; j < n; ++j) {
    values.push_back(a[order[j]][order[j]]);
    for (std::size_t i = 0; i < n; ++i) vectors[i][j] = v[i][order[j]];
  }
  return values;
}

Dense transpose(const Dense& a) {
  Dense b(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) b[j][i] = a[i][j];
  return b;
}
Dense product(const Dense& a, const Dense& b) {
  Dense c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

// A vector with its products.
struct Direction {
  Vector x, kx, mx;
};
using Basis = std::vector<Direction>;

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "App::dot", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, double& s) { s += x(i) * y(i); }, sum);
  return sum;
}

// y += factor x.
void add(double factor, const Vector& x, const Vector& y) {
  Kokkos::parallel_for(
      "App::add", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i) { y(i) += factor * x(i); });
}

// The sum of the directions from `first` on, each times its entry of a column of coefficients.
Vector combine(const Basis& basis, const Dense& coefficients, std::size_t column, std::size_t first) {
  const Vector sum("App::sum", basis[0].x.extent(0));
  for (std::size_t k = first; k < basis.size(); ++k) add(coefficients[k][column], basis[k].x, sum);
  return sum;
}

// The Ritz values of a basis and, as columns, what makes the Ritz vectors of it. What the basis has twice is
// left out, by the eigenvalues of its mass matrix.
std::vector<double> ritz(const Basis& basis, Dense& coefficients) {
  const std::size_t n = basis.size();
  Dense k(n, std::vector<double>(n)), m = k, vectors;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      k[i][j] = k[j][i] = dot(basis[i].x, basis[j].kx);
      m[i][j] = m[j][i] = dot(basis[i].x, basis[j].mx);
    }
  const auto masses = eigen(m, vectors);
  std::size_t first = 0;
  while (masses[first] < 1e-10 * masses.back()) ++first;
  const std::size_t kept = n - first;
  Dense t(n, std::vector<double>(kept)), turned;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < kept; ++j) t[i][j] = vectors[i][first + j] / std::sqrt(masses[first + j]);
  const auto values = eigen(product(transpose(t), product(k, t)), turned);
  coefficients = product(t, turned);
  return values;
}

// The smallest eigenvalues of K x = lambda M x, ascending.
template <class Preconditioner>
std::vector<double> lobpcg(const Operator& k, const Operator& m, const Preconditioner& preconditioner) {
  const ExecutionSpace exec;
  // Directions have the mass one, so that the sizes of a basis say which of them are new. Their products are
  // computed, not combined: what is left of combinations that cancel would not belong to the vectors.
  const auto direction = [&](const Vector& x, const Basis& without = {}) {
    for (const Direction& other : without) add(-dot(x, other.mx), other.x, x);
    const Direction of{x, Vector("App::kx", k.rows()), Vector("App::mx", k.rows())};
    m.apply(exec, x, of.mx);
    const double more = 1 / std::sqrt(dot(x, of.mx)) - 1;
    add(more, x, x);
    add(more, of.mx, of.mx);
    k.apply(exec, x, of.kx);
    return of;
  };
  Basis basis;
  for (int j = 0; j < block; ++j) {
    const Vector x("App::x", k.rows());
    Kokkos::parallel_for(
        "App::start", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)), KOKKOS_LAMBDA(int i) {
          x(i) = Kokkos::sin(1e4 * Kokkos::sin(12.9898 * (i + 1) + 78.233 * (j + 1)));
        });
    basis.push_back(direction(x));
  }
  for (int iteration = 1; iteration <= 60; ++iteration) {
    Dense coefficients;
    const auto values = ritz(basis, coefficients);
    Basis next, residuals, last;
    double worst = 0;
    for (std::size_t j = 0; j < block; ++j) next.push_back(direction(combine(basis, coefficients, j, 0)));
    for (std::size_t j = 0; j < block; ++j) {
      if (basis.size() > block) last.push_back(direction(combine(basis, coefficients, j, block), next));
      const Vector r("App::r", k.rows()), w("App::w", k.rows());
      add(1, next[j].kx, r);
      const double size = std::sqrt(dot(r, r));
      add(-values[j], next[j].mx, r);
      if (j < wanted) worst = tessera::worse_of(worst, std::sqrt(dot(r, r)) / size);
      preconditioner.apply(exec, r, w);
      residuals.push_back(direction(w, next));
    }
    if (worst < 1e-4) {
      std::printf("%d iterations of %d vectors, residual %.1e\n", iteration, block, worst);
      return values;
    }
    basis = next;
    basis.insert(basis.end(), residuals.begin(), residuals.end());
    basis.insert(basis.end(), last.begin(), last.end());
  }
  return {};
}

// Angular frequencies of a cantilever, ascending.
std::vector<double> theory() {
  const double pi = std::acos(-1.0), shear = 1 / (2 * (1 + poisson));
  std::vector<double> omega;
  for (const double depth : {height, width})
    for (const double beta_length : {1.8751040687, 4.6940911330, 7.8547574382, 10.995540735, 14.137168391}) {
      const double beta = beta_length / length, radius = depth / std::sqrt(12.0);
      const double slenderness = beta * radius * beta * radius;
      omega.push_back(beta * beta * radius / std::sqrt(1 + slenderness * (1 + 6.0 / 5 / shear)));
    }
  const double ratio = width / height;
  const double torsion =
                   height * std::pow(width, 3) * (1.0 / 3 - 0.21 * ratio * (1 - std::pow(ratio, 4) / 12)),
               polar = height * width * (height * height + width * width) / 12;
  for (const int mode : {1, 3}) {
    omega.push_back(mode * pi / (2 * length) * std::sqrt(shear * torsion / polar));
    omega.push_back(mode * pi / (2 * length)); // tension
  }
  std::sort(omega.begin(), omega.end());
  return omega;
}

int run() {
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{10, 2, 2}, {length, height, width}});
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/3);
  space.constrain(mesh.node_set("xmin"), {0, 0, 0});
  const tessera::LinearSystem<double, ExecutionSpace> stiffness(space), mass(stiffness.graph());
  auto plan = tessera::assembly::ElementAtomic{}.plan(space, stiffness.graph());
  plan.assemble(tessera::LinearElasticity<3>{.young = 1.0, .poisson = poisson}, stiffness);
  const Vector anywhere("App::anywhere", space.num_dofs());
  plan.assemble(tessera::jacobian(Inertia{}, mesh, anywhere), mass);
  const auto matrix = [](const auto& system) {
    return Operator(ExecutionSpace(), system.graph().row_map, system.graph().columns, system.values());
  };
  const auto values = lobpcg(matrix(stiffness), matrix(mass), tessera::solvers::Multigrid(stiffness, space));
  if (values.empty()) return 1;
  const auto expected = theory();
  double worst = 0;
  for (std::size_t j = 0; j < wanted; ++j) {
    const double omega = std::sqrt(values[j]), difference = omega / expected[j] - 1;
    std::printf("omega %2zu: %.5f, theory %.5f, %+.2f %%\n", j + 1, omega, expected[j], 100 * difference);
    worst = tessera::worse_of(worst, std::abs(difference));
  }
  return worst < 0.03 ? 0 : 1; // ten elements of second order bend less easily than a beam
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "13_eigenmodes: " << error.what() << '\n';
    return 2;
  }
}
