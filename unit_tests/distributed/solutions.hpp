// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Solutions over ranks held against one rank's.

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/solve.hpp>

#include <gtest/gtest.h>

#include "distributed/rows.hpp"
#include <cmath>
#include <string>
#include <vector>

namespace tessera::test {

/// The solution of `loaded_space` on one rank, for all degrees of freedom.
template <class Element>
std::vector<double> solution_of_one(const io::Box& box, int components, ConstraintTreatment treatment) {
  const auto space = loaded_space(io::box_mesh<Element, Space>(box), components, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_loaded("RowOwner", space, system);
  const Kokkos::View<double*, Space> x("x", to_size(system.num_rows()));
  EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-12}).converged());
  const auto dofs = on_host(space.expand(x));
  return {dofs.data(), dofs.data() + dofs.extent(0)};
}

/// Solutions of all ranks, ghosts too.
/// \param x an entry for each local equation, of which the owned ones are known, or a vector of Tpetra's
template <class Element, class Solution>
void expect_solution(const distributed::Mesh<Element, Space>& mesh,
                     const FunctionSpace<Element, Space>& space, const Solution& x,
                     const std::vector<double>& expected, const std::string& what) {
  const auto dofs = on_host(expand(Space(), mesh, space, x));
  const auto components = to_size(space.components());
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i) {
    const double value = expected[to_size(mesh.global_nodes()(i / components)) * components + i % components];
    worst = std::fmax(worst, std::abs(dofs(i) - value));
    scale = std::fmax(scale, std::abs(value));
  }
  EXPECT_LE(worst, 1e-8 * scale) << what;
}

} // namespace tessera::test
