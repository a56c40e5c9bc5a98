// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::io {

AbaqusDeck first_steps(AbaqusDeck&& deck, std::size_t count) {
  if (count < 1 || count > deck.steps.size())
    throw ArgumentError(deck.mesh.source + ": has " + std::to_string(deck.steps.size()) + " steps, not " +
                        std::to_string(count));
  deck.steps.resize(count);
  std::erase_if(deck.others, [&](const AbaqusOther& other) { return other.step > count; });
  return std::move(deck);
}

namespace {

/// Appends a step's lines to those of the steps before it; a step with OP=NEW begins anew.
template <class Line>
void append(std::vector<Line>& lines, std::vector<Line>&& of_step, bool anew) {
  if (anew) lines.clear();
  lines.insert(lines.end(), std::make_move_iterator(of_step.begin()), std::make_move_iterator(of_step.end()));
}

/// Takes the nodes' components that a step loads out of the lines of earlier steps.
void replace_loads(std::vector<AbaqusNodalLoad>& earlier, const std::vector<AbaqusNodalLoad>& of_step) {
  std::set<std::pair<Ordinal, int>> loaded;
  for (const AbaqusNodalLoad& load : of_step)
    for (const Ordinal node : load.nodes) loaded.emplace(node, load.component);
  for (AbaqusNodalLoad& load : earlier)
    std::erase_if(load.nodes, [&](Ordinal node) { return loaded.contains({node, load.component}); });
}

/// The same of sides under pressure.
void replace_pressures(std::vector<AbaqusPressure>& earlier, const std::vector<AbaqusPressure>& of_step) {
  std::set<std::tuple<CellType, Ordinal, Ordinal>> loaded;
  for (const AbaqusPressure& load : of_step)
    for (const Side& side : load.sides) loaded.emplace(load.type, side.cell, side.side);
  for (AbaqusPressure& load : earlier)
    std::erase_if(load.sides,
                  [&](const Side& side) { return loaded.contains({load.type, side.cell, side.side}); });
}

/// Takes supports of earlier steps away where a step supports the same component otherwise.
void replace_supports(std::vector<AbaqusConstraint>& earlier, const std::vector<AbaqusConstraint>& of_step) {
  std::set<std::pair<Ordinal, int>> held;
  for (const AbaqusConstraint& line : of_step)
    for (const Ordinal node : line.nodes)
      for (int component = line.first; component <= line.last; ++component) held.emplace(node, component);
  std::vector<AbaqusConstraint> kept;
  for (const AbaqusConstraint& line : earlier)
    for (int component = line.first; component <= line.last; ++component) {
      AbaqusConstraint one{line.nodes, component, component, line.value, line.place};
      std::erase_if(one.nodes, [&](Ordinal node) { return held.contains({node, component}); });
      if (!one.nodes.empty()) kept.push_back(std::move(one));
    }
  earlier = std::move(kept);
}

/// \throws UnsupportedError where loads by density of a step and of earlier ones may be the same
template <class Load>
void require_one_step(const std::vector<Load>& earlier, const AbaqusStep& step,
                      const std::vector<Load>& of_step) {
  if (!earlier.empty() && !of_step.empty() && !step.new_distributed_loads)
    of_step.front().place.unsupported("gravity or rotation in two steps, the second without OP=NEW");
}

} // namespace

AbaqusDeck at_end_of_steps(AbaqusDeck&& deck) {
  AbaqusStep all = std::move(deck.steps.front());
  if (all.new_constraints) deck.constraints.clear();
  for (std::size_t s = 1; s < deck.steps.size(); ++s) {
    AbaqusStep& step = deck.steps[s];
    if (step.new_constraints) deck.constraints.clear();
    replace_supports(all.constraints, step.constraints);
    append(all.constraints, std::move(step.constraints), step.new_constraints);
    replace_loads(all.nodal_loads, step.nodal_loads);
    append(all.nodal_loads, std::move(step.nodal_loads), step.new_nodal_loads);
    replace_pressures(all.pressures, step.pressures);
    append(all.pressures, std::move(step.pressures), step.new_distributed_loads);
    require_one_step(all.gravities, step, step.gravities);
    append(all.gravities, std::move(step.gravities), step.new_distributed_loads);
    require_one_step(all.rotations, step, step.rotations);
    append(all.rotations, std::move(step.rotations), step.new_distributed_loads);
    append(all.temperatures, std::move(step.temperatures), step.new_temperatures);
  }
  deck.steps.clear();
  deck.steps.push_back(std::move(all));
  return std::move(deck);
}

} // namespace tessera::io
