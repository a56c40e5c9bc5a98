// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which motions linear constraints hold.

#include <tessera/core/space/linear_constraints.hpp>
#include <tessera/solvers/free_motions.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::solvers {

namespace detail {

/// Dependent degree of freedom by motion: how far the motions are from satisfying the constraints. A motion
/// has the length one.
inline std::vector<std::vector<double>> gaps_of(const FreeMotions& free,
                                                const LinearConstraints& constraints) {
  std::vector<std::vector<double>> gaps;
  gaps.reserve(free.count());
  for (const FreePart& part : free.parts)
    for (const std::vector<double>& field : part.fields) {
      const auto motion = [&](Ordinal dof) {
        const auto found = std::lower_bound(part.dofs.begin(), part.dofs.end(), dof);
        return found == part.dofs.end() || *found != dof
                   ? 0.0
                   : field[static_cast<std::size_t>(found - part.dofs.begin())];
      };
      std::vector<double> gap;
      gap.reserve(constraints.dependents().size());
      for (const auto& [dof, combination] : constraints.dependents()) {
        if (dof >= constraints.num_dofs()) break; // what lies beyond the space follows
        double moved = motion(dof);
        for (const LinearTerm& term : combination.terms) moved -= term.factor * motion(term.dof);
        gap.push_back(moved);
      }
      gaps.push_back(std::move(gap));
    }
  return gaps;
}

/// The rank of vectors, by Gram and Schmidt with the longest one next; what is shorter than `negligible`
/// times the longest adds nothing.
inline std::size_t rank_of(std::vector<std::vector<double>> vectors, double negligible) {
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  double longest = 0.0;
  for (std::size_t rank = 0; rank < vectors.size(); ++rank) {
    const auto next = std::max_element(vectors.begin() + static_cast<std::ptrdiff_t>(rank), vectors.end(),
                                       [&](const auto& a, const auto& b) { return dot(a, a) < dot(b, b); });
    std::swap(vectors[rank], *next);
    const double length = std::sqrt(dot(vectors[rank], vectors[rank]));
    longest = std::max(longest, length);
    if (!(length > negligible * longest)) return rank;
    for (double& entry : vectors[rank]) entry /= length;
    for (std::size_t other = rank + 1; other < vectors.size(); ++other) {
      const double along = dot(vectors[other], vectors[rank]);
      for (std::size_t k = 0; k < vectors[other].size(); ++k) vectors[other][k] -= along * vectors[rank][k];
    }
  }
  return vectors.size();
}

} // namespace detail

/// How many independent motions constraints leave of those that nothing else holds; the matrix under the
/// constraints is singular unless there are none.
inline std::size_t motions_left(const FreeMotions& free, const LinearConstraints& constraints) {
  return free.count() - detail::rank_of(detail::gaps_of(free, constraints), 1e-9);
}

} // namespace tessera::solvers
