// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Supports and loads of the command line.

#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>

#include <Kokkos_Core.hpp>

#include "support/options/options.hpp"
#include "support/options/solve_options.hpp"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tools {

/// "clamped=0,0,0" as set, whose name may have a "=" itself, and values; "-" is no number.
struct SetValues {
  std::string set;
  std::vector<std::string> values;
};

/// \throws ArgumentError naming the option unless `text` is SET=V,V,... with `components` values
inline SetValues parse_set_values(const std::string& text, const std::string& option, int components) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw ArgumentError(option + ": expected SET=VALUE,..., got '" + text + "'");
  SetValues result{text.substr(0, equals), split(text.substr(equals + 1), ',', option)};
  if (static_cast<int>(result.values.size()) != components)
    throw ArgumentError(option + ": expected " + std::to_string(components) + " values, got '" + text + "'");
  return result;
}

/// Supports on node sets (or the nodes of side sets).
/// \throws ArgumentError where two supports want different values of a component of one node, naming both
template <class Space>
void apply_fixes(const std::vector<std::string>& fixes, Space& space) {
  std::map<std::pair<Ordinal, int>, std::pair<double, const std::string*>> first; // what each was given by
  for (const std::string& text : fixes) {
    const SetValues fix = parse_set_values(text, "--fix", space.components());
    const auto& nodes = space.mesh().node_set(fix.set);
    const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), nodes);
    for (int c = 0; c < space.components(); ++c) {
      if (fix.values[c] == "-") continue;
      const double value = to_number(fix.values[c], "--fix");
      for (std::size_t i = 0; i < on_host.extent(0); ++i) {
        const auto [given, fresh] = first.try_emplace({on_host(i), c}, value, &text);
        if (!fresh && given->second.first != value)
          throw ArgumentError("--fix " + *given->second.second + " and --fix " + text + " give component " +
                              std::to_string(c) + " of a node that both sets have (node " +
                              std::to_string(on_host(i)) + ") different values");
      }
      space.constrain(nodes, c, value);
    }
  }
}

/// Supports, and loads and pressures on side sets, of a `FunctionSpace` or a `MixedSpace`.
template <class Space>
void apply_conditions(const SolveOptions& given, Space& space) {
  const auto& mesh = space.mesh();
  apply_fixes(given.fixes, space);
  for (const std::string& text : given.loads) {
    const SetValues load = parse_set_values(text, "--load", space.components());
    std::vector<double> traction;
    for (const std::string& value : load.values) traction.push_back(to_number(value, "--load"));
    space.add_load(mesh.side_set(load.set), traction);
  }
  for (const std::string& text : given.pressures) {
    const SetValues pressure = parse_set_values(text, "--pressure", 1);
    space.add_pressure(mesh.side_set(pressure.set), to_number(pressure.values[0], "--pressure"));
  }
}

} // namespace tessera::tools
