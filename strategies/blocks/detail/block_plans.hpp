// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The plans of a mixed space: one for each block with elements.

#include <tessera/core/blocks/detail/add_vector.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/cost.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace tessera::blocks::detail {

/// What a strategy plans for a block's space.
template <class Strategy, class Space, class... Graph>
using PlanOfBlock =
    decltype(std::declval<const Strategy&>().plan(std::declval<const typename Space::execution_space&>(),
                                                  std::declval<const Space&>(),
                                                  std::declval<const Graph&>()...));

template <class Space, class... Plans>
class BlockPlans;
/// Something for each block with elements, in the order of the list; where no block has any, for the first.
template <class... Elements, class ExecutionSpace, class... Plans>
class BlockPlans<MixedSpace<Blocks<Elements...>, ExecutionSpace>, Plans...> {
  using List = Blocks<Elements...>;

public:
  using Space = MixedSpace<List, ExecutionSpace>;

  /// \param make `make(space, first)` for a block's space, and whether it is the first of those that count
  template <class Make>
  BlockPlans(const Space& space, const Make& make) : space_(space) {
    const bool none = space.mesh().num_elements() == 0;
    bool first = true;
    (enter<Elements>(make, none, first), ...);
  }

  const Space& space() const { return space_; }
  /// How many there are.
  int count() const { return (int{std::get<List::template number<Elements>>(plans_).has_value()} + ...); }
  /// That of a block which has one.
  template <class Element>
  const auto& block() const {
    return *std::get<List::template number<Element>>(plans_);
  }

  /// `visit(plan, mesh, first)` of each.
  template <class Visit>
  void for_each(const Visit& visit) {
    bool first = true;
    (visit_one<Elements>(*this, visit, first), ...);
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    bool first = true;
    (visit_one<Elements>(*this, visit, first), ...);
  }

  /// The sums of what the plans report, and the path of each block.
  PlanReport report() const {
    PlanReport sum;
    for_each([&]<class Element>(const auto& plan, const Mesh<Element, ExecutionSpace>&, bool first) {
      const PlanReport one = plan.report();
      sum.seconds += one.seconds;
      sum.bytes += one.bytes;
      sum.prepare_seconds += one.prepare_seconds;
      if (!one.path.empty()) sum.path += (first ? "" : "; ") + std::string(Element::name) + ": " + one.path;
    });
    return sum;
  }

private:
  template <class Element, class Make>
  void enter(const Make& make, bool none, bool& first) {
    const auto& block = space_.template block<Element>();
    if (block.mesh().num_elements() == 0 && !(none && first)) return;
    std::get<List::template number<Element>>(plans_).emplace(make(block, first));
    first = false;
  }
  template <class Element, class Self, class Visit>
  static void visit_one(Self& self, const Visit& visit, bool& first) {
    auto& plan = std::get<List::template number<Element>>(self.plans_);
    if (!plan) return;
    visit(*plan, self.space_.mesh().template block<Element>(), first);
    first = false;
  }

  Space space_;
  std::tuple<std::optional<Plans>...> plans_;
};

/// y += z, but for rows of the identity, which each block's part has.
template <class ExecutionSpace, class Vector>
struct AddFreeRows {
  Equations<ExecutionSpace> equations;
  Vector y, z;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const int components = equations.components;
    if (!equations.is_constrained(row / components, row % components)) y(row) += z(row);
  }
};

/// y += z for blocks on the diagonal, but for rows and columns of the identity, which each part has.
template <class ExecutionSpace, class Blocks>
struct AddFreeBlocks {
  Equations<ExecutionSpace> equations;
  Blocks y, z;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    const int components = equations.components;
    for (int a = 0; a < components; ++a)
      for (int b = 0; b < components; ++b)
        if (!equations.is_constrained(node, a) && !equations.is_constrained(node, b))
          y(node, a, b) += z(node, a, b);
  }
};

/// Adds a block's part of a vector over the equations, without waiting for it.
template <class ExecutionSpace, class Vector>
void add_block(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations, const Vector& y,
               const Vector& z) {
  if (!equations.constrained || equations.removed) return tessera::detail::add_vector(exec, y, z);
  Kokkos::parallel_for("Tessera::MixedSpace::add_block",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(y.extent(0))),
                       AddFreeRows<ExecutionSpace, Vector>{equations, y, z});
}

} // namespace tessera::blocks::detail
