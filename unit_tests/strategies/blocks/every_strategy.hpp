// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Systems of mixed meshes by every strategy of the catalogue.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/mixed_oracle.hpp"
#include <cmath>
#include <set>
#include <string>

namespace tessera::test {

/// Each strategy, in a system filled with NaN, has the sum of all blocks, or refuses for the reason that it
/// writes every value once, as those named do and no others.
template <class Form, class Space>
void expect_sum_by_every_strategy(const Form& form, const Space& space,
                                  const std::set<std::string>& refusing) {
  MixedOracle oracle(space, form);
  oracle.add_natural_terms(space);
  const LinearSystem<double, typename Space::execution_space> system(space);
  std::set<std::string> refused;
  for (const StrategyInfo& info : assembly_strategies()) {
    SCOPED_TRACE(info.name);
    Kokkos::deep_copy(system.values(), NAN);
    Kokkos::deep_copy(system.rhs(), NAN);
    try {
      make_assembly(info.name, space, system.graph()).assemble(form, system);
      EXPECT_LE(oracle.deviation(space, system), 1e-13);
    } catch (const UnsupportedError& error) {
      const std::string name = info.name.substr(0, info.name.find('/'));
      EXPECT_EQ(std::string(error.what()).find(name + ": writes every value once"), 0u) << error.what();
      refused.insert(name);
    }
  }
  EXPECT_EQ(refused, refusing);
}

} // namespace tessera::test
