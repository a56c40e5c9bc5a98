// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A box over all ranks, and phases that are timed and whose messages are counted.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/distributed/mesh/box.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <functional>
#include <mpi.h>
#include <string>

namespace tessera::tools::messages {

using Space = Kokkos::DefaultExecutionSpace;

struct Settings {
  std::string problem = "elasticity", strategy = "RowOwner";
  int cells = 16; ///< of each rank along each axis
};

/// Runs an action on all ranks, and prints the longest time and the most messages and bytes of a rank: of
/// several runs the one that takes least.
void measure(const std::string& name, const std::function<void()>& action, int runs = 1);

template <class Element>
struct Problem {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  std::string strategy;
};

/// Re-assembly in three ways: with ghost elements, with rows exported, and by Tpetra's FECrsMatrix. For a
/// space without constraints.
template <class Element>
void assemble_again(const Problem<Element>& problem);

/// The system in Tpetra's hands, a product, and solutions.
template <class Element>
void solve(const Problem<Element>& problem);

} // namespace tessera::tools::messages
