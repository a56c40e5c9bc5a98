// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Problems of two fields, the last component in linear functions, with solutions known in closed form.

#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/direct_solver.hpp>
#include <tessera/solvers/gmres.hpp>

#include "support/manufactured.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <array>

namespace tessera::test {

/// Saddle points have zeros on the diagonal.
struct SolveDirectly {
  template <class ExecutionSpace, class System, class Vector>
  solvers::CgResult operator()(const ExecutionSpace& exec, const System& system, const Vector& x) const {
    const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, system.graph().row_map,
                                                              system.graph().columns, system.values());
    return solvers::gmres(exec, matrix, solvers::DirectSolver<ExecutionSpace>(exec, system), system.rhs(), x,
                          {.relative_tolerance = 1e-12});
  }
};

/// The unit square or cube by simplices of second order, n a side: a vector field and a linear one.
template <template <int> class Simplex, class ExecutionSpace>
FunctionSpace<Simplex<2>, ExecutionSpace> two_fields(int n) {
  return {elevated<Simplex<2>>(io::box_mesh<Simplex<1>, ExecutionSpace>({{n, n, n}, {1.0, 1.0, 1.0}})),
          {.components = Simplex<2>::dimension + 1, .linear_components = 1}};
}

/// `visit(node, x)` with the position as a vector.
template <class Space, class Visit>
void for_each_node(const Space& space, const Visit& visit) {
  constexpr int d = Space::Element::dimension;
  const auto x = on_host(space.mesh().coordinates());
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node) {
    Vector<double, d> at;
    for (int a = 0; a < d; ++a) at(a) = x(node, a);
    visit(node, at);
  }
}
/// Whether a point of the unit square or cube is on its boundary.
template <int d>
bool on_boundary(const Vector<double, d>& x) {
  double least = 1;
  for (int a = 0; a < d; ++a) least = std::min({least, x(a), 1 - x(a)});
  return least < 1e-12;
}

/// In L2, of the vector and of the linear field. \param exact of a position, all components
template <class Space, class Values, class Exact>
std::array<double, 2> errors_by_field(const Space& space, const Values& u, const Exact& exact) {
  constexpr int d = Space::Element::dimension;
  const auto component = [&](const auto& x, int c) { return exact(x)[static_cast<std::size_t>(c)]; };
  return {l2_error(space, u, component, 0, d), l2_error(space, u, component, d, d + 1)};
}

} // namespace tessera::test
