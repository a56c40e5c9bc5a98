// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One problem over all ranks, and what hypre has of it.

#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/mesh/box.hpp>

#include <gtest/gtest.h>

#include "distributed/rows.hpp"
#include <map>
#include <string>
#include <vector>

namespace tessera::test {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

/// A box over all ranks with the constraints and loads of `loaded_space`.
template <class Element>
struct Problem {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  distributed::HypreSystem<Space> system;

  Problem(const io::Box& box, int components, ConstraintTreatment treatment,
          distributed::BoxBlocks blocks = {0, 0, 0})
      : mesh(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks)),
        space(loaded_space(mesh.local(), components, treatment)), system(mesh, space) {}

  void assemble(const std::string& strategy = "RowOwner") const {
    assemble_loaded(strategy, space, system.local());
    system.refill();
  }

  std::vector<GlobalOrdinal> nodes() const {
    const auto& numbers = mesh.global_nodes();
    return {numbers.data(), numbers.data() + numbers.extent(0)};
  }
};

template <class T>
using HypreArray = typename distributed::HypreTypes<Space>::template Array<T>;

/// hypre's rows, as hypre gives them out, are the owned rows of the local system to the bit.
template <class AnyProblem>
void expect_hypre_has_owned_rows(const AnyProblem& problem, const std::string& what) {
  const auto& local = problem.system.local();
  const auto& equations = problem.system.equations();
  const auto row_map = on_host(local.graph().row_map);
  const auto columns = on_host(local.graph().columns);
  const auto values = on_host(local.values());
  const auto rhs = on_host(local.rhs());
  const auto loads = on_host(problem.system.hypre_rhs().values());
  HYPRE_BigInt first = 0, last = 0, first_column = 0, last_column = 0;
  HYPRE_ParCSRMatrixGetLocalRange(problem.system.matrix(), &first, &last, &first_column, &last_column);
  ASSERT_EQ(last - first + 1, equations.owned) << what;
  int wrong = 0;
  for (Ordinal row = 0; row < equations.owned; ++row) {
    std::map<GlobalOrdinal, double> expected, found;
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      expected[equations.numbers(columns(k))] = values(k);
    HYPRE_Int size = 0;
    HYPRE_BigInt* numbers = nullptr;
    double* entries = nullptr;
    ASSERT_EQ(HYPRE_ParCSRMatrixGetRow(problem.system.matrix(), first + row, &size, &numbers, &entries), 0);
    const auto length = static_cast<std::size_t>(size);
    const auto row_numbers = on_host(HypreArray<HYPRE_BigInt>(numbers, length));
    const auto row_entries = on_host(HypreArray<double>(entries, length));
    for (std::size_t k = 0; k < length; ++k) found[row_numbers(k)] = row_entries(k);
    HYPRE_ParCSRMatrixRestoreRow(problem.system.matrix(), first + row, &size, &numbers, &entries);
    wrong += expected == found && rhs(row) == loads(row) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << what << ": rows";
}

} // namespace tessera::test
