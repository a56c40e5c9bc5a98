// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One problem over all ranks, and the same on one.

#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/solve.hpp>

#include "distributed/rows.hpp"
#include <string>
#include <vector>

namespace tessera::test {

using Types = distributed::TpetraTypes<Space>;

/// A box over all ranks with the constraints and loads of `loaded_space`.
template <class Element>
struct Problem {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  distributed::TpetraSystem<Space> system;

  Problem(const io::Box& box, int components, ConstraintTreatment treatment,
          distributed::BoxBlocks blocks = {0, 0, 0})
      : mesh(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks)),
        space(loaded_space(mesh.local(), components, treatment)), system(mesh, space) {}

  void assemble(const std::string& strategy) const { assemble_loaded(strategy, space, system.local()); }

  std::vector<GlobalOrdinal> nodes() const {
    const auto& numbers = mesh.global_nodes();
    return {numbers.data(), numbers.data() + numbers.extent(0)};
  }
};

} // namespace tessera::test
