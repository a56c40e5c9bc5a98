// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The reference of paper 1's speedups: Algorithm 1 on one host thread in double precision, optimized.

#include "heat_problem.hpp"
#include <vector>

namespace tessera::tools {

/// Direct stiffness with the place of every entry of every element matrix computed in advance (the paper's
/// "optimizations to prevent superfluous memory accesses"), all arrays by elements. One element at a time, no
/// packs: what a compiler makes of plain code.
template <int Order>
class SerialAssembly {
public:
  explicit SerialAssembly(const HeatProblem<Order>& problem);

  /// Assembles matrix and right-hand side, from zero.
  void run();

  /// By the problem's graph and equations.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& rhs() const { return rhs_; }

private:
  using Element = Tri<Order>;
  static constexpr int nodes = Element::nodes;

  Helmholtz<> form_;
  std::vector<double> coordinates_;   // node x 2
  std::vector<double> prescribed_;    // node
  std::vector<Ordinal> connectivity_; // element x node
  std::vector<Ordinal> rows_;         // element x node: equation, -1 where the node is constrained
  std::vector<Ordinal> targets_;      // element x node x node: place in values_, -1 if there is none
  std::vector<double> values_, rhs_;
};

} // namespace tessera::tools
