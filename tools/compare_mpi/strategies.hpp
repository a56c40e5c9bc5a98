#pragma once

/// \file
/// The assembly strategies that are measured: without the catalogue, so that a device's compiler has few.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace tessera::ranks {

using Strategies =
    std::tuple<assembly::RowOwner, assembly::ElementAtomic, assembly::ElementLocal, assembly::Patch>;

inline std::vector<std::string> strategy_names() {
  return std::apply(
      []<class... Strategy>(const Strategy&...) { return std::vector<std::string>{Strategy::name...}; },
      Strategies());
}

} // namespace tessera::ranks
