// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rows of systems by global numbers, so that those of many ranks can be held against one's.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/on_host.hpp"
#include <cmath>
#include <cstdint>
#include <map>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

using Space = Kokkos::DefaultExecutionSpace;
using GlobalOrdinal = distributed::GlobalOrdinal;

inline int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int size_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
inline std::int64_t sum_over_ranks(std::int64_t mine) {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// A row by global degrees of freedom, and its entry of the right-hand side.
struct Row {
  std::map<GlobalOrdinal, double> entries;
  double load = 0;
};
using Rows = std::map<GlobalOrdinal, Row>;

/// The global degree of freedom of each local equation, and its local node, in either treatment of
/// constraints.
template <class AnySpace>
std::pair<std::vector<GlobalOrdinal>, std::vector<Ordinal>>
local_dofs(const AnySpace& space, const std::vector<GlobalOrdinal>& global) {
  const auto mask = on_host(space.equations().mask);
  const bool removed = space.treatment() == ConstraintTreatment::removed && mask.extent(0) > 0;
  std::vector<GlobalOrdinal> dof;
  std::vector<Ordinal> node_of;
  for (Ordinal n = 0; n < space.mesh().num_nodes(); ++n)
    for (int c = 0; c < space.components(); ++c)
      if (!removed || !((mask(n) >> c) & 1)) {
        dof.push_back(global[to_size(n)] * space.components() + c);
        node_of.push_back(n);
      }
  return {dof, node_of};
}

/// The rows of the first `nodes` nodes, whose global numbers are given, in either treatment of constraints.
template <class AnySpace>
Rows rows_of(const AnySpace& space, const LinearSystem<double, Space>& system, Ordinal nodes,
             const std::vector<GlobalOrdinal>& global) {
  const auto row_map = on_host(system.graph().row_map);
  const auto columns = on_host(system.graph().columns);
  const auto values = on_host(system.values());
  const auto rhs = on_host(system.rhs());
  const auto [dof, node_of] = local_dofs(space, global);
  EXPECT_EQ(dof.size(), rhs.extent(0));
  Rows rows;
  for (std::size_t row = 0; row < dof.size(); ++row) {
    if (node_of[row] >= nodes) continue;
    Row& one = rows[dof[row]];
    one.load = rhs(row);
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      one.entries[dof[to_size(columns(k))]] = values(k);
  }
  return rows;
}

/// A problem with every part that a space has: constraints, loads on sides and at a point.
template <class Element>
FunctionSpace<Element, Space> loaded_space(const tessera::Mesh<Element, Space>& mesh, int components,
                                           ConstraintTreatment treatment) {
  FunctionSpace<Element, Space> space(mesh, components, treatment);
  space.prescribe(mesh.node_set("xmin"), 0, [](const auto& x) { return 0.25 + x(1); });
  if (components > 1) space.constrain(mesh.node_set("ymin"), 1, 0.0);
  space.add_load(mesh.side_set("xmax"), std::vector<double>(to_size(components), 0.75));
  space.add_robin(mesh.side_set("ymax"), 2.0, 0.5);
  return space;
}

/// Assembles the form of the number of components by a strategy of the catalogue.
template <class Element>
void assemble_loaded(const std::string& strategy, const FunctionSpace<Element, Space>& space,
                     const LinearSystem<double, Space>& system) {
  const auto plan = make_assembly(strategy, space, system.graph());
  if (space.components() == 1)
    plan->assemble(Helmholtz<>{.sigma = 1.5, .lambda = 0.5, .source = 2.0}, system);
  else
    plan->assemble(LinearElasticity<Element::dimension>{.young = 3.0, .poisson = 0.3}, system);
}

/// The rows by a strategy of the catalogue.
template <class Element>
Rows assembled_rows(const tessera::Mesh<Element, Space>& mesh, int components, ConstraintTreatment treatment,
                    const std::string& strategy, Ordinal nodes, const std::vector<GlobalOrdinal>& global) {
  const auto space = loaded_space(mesh, components, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_loaded(strategy, space, system);
  return rows_of(space, system, nodes, global);
}

template <class Element>
Rows owned_rows(const distributed::Mesh<Element, Space>& mesh, int components, ConstraintTreatment treatment,
                const std::string& strategy) {
  const auto& numbers = mesh.global_nodes();
  return assembled_rows(mesh.local(), components, treatment, strategy, mesh.owned_nodes(),
                        {numbers.data(), numbers.data() + numbers.extent(0)});
}

template <class Element>
Rows all_rows(const tessera::Mesh<Element, Space>& whole, int components, ConstraintTreatment treatment,
              const std::string& strategy) {
  std::vector<GlobalOrdinal> numbers(to_size(whole.num_nodes()));
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<GlobalOrdinal>(n);
  return assembled_rows(whole, components, treatment, strategy, whole.num_nodes(), numbers);
}

/// Expects the rows of this rank among those of the whole: the same columns, and values of the same bits or
/// that differ by rounding. Where values are prescribed, the sums of the right-hand side follow the order of
/// a rank's nodes, so that they differ by rounding.
inline void expect_rows_of_whole(const Rows& mine, const Rows& whole, bool same_bits,
                                 const std::string& what) {
  double worst = 0, scale = 0, worst_load = 0;
  for (const auto& [dof, row] : mine) {
    const auto found = whole.find(dof);
    if (found == whole.end() || found->second.entries.size() != row.entries.size()) {
      ADD_FAILURE() << what << ": row " << dof << " is not the whole mesh's";
      return;
    }
    worst_load = std::fmax(worst_load, std::abs(row.load - found->second.load));
    scale = std::fmax(scale, std::abs(row.load));
    auto expected = found->second.entries.begin();
    for (const auto& [column, value] : row.entries) {
      if (column != expected->first) {
        ADD_FAILURE() << what << ": row " << dof << " has column " << column;
        return;
      }
      worst = std::fmax(worst, std::abs(value - expected->second));
      scale = std::fmax(scale, std::abs(value));
      ++expected;
    }
  }
  EXPECT_LE(worst, same_bits ? 0.0 : 1e-14 * scale) << what << ": matrix";
  EXPECT_LE(worst_load, 1e-14 * scale) << what << ": right-hand side";
}

} // namespace tessera::test
