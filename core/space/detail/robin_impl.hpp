// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Robin sides of a FunctionSpace.

#include <tessera/core/space/detail/copy_of.hpp>
#include <tessera/core/space/detail/natural_loads_impl.hpp>
#include <tessera/core/space/function_space.hpp>

#include <cmath>
#include <concepts>
#include <string>

namespace tessera {

namespace detail {

/// A function of the position, or a number as one.
template <class Position, class Value>
auto value_at(const Value& value, const Position& x) {
  if constexpr (std::is_convertible_v<Value, double>)
    return static_cast<double>(value);
  else {
    static_assert(std::invocable<const Value&, const Position&>,
                  "FunctionSpace::add_robin: coefficients are numbers, or const functions of the position, a "
                  "Vector<double, dimension>");
    return value(x);
  }
}

} // namespace detail

template <class E, class X>
template <class Sides, class Transfer, class Surroundings>
void FunctionSpace<E, X>::add_robin(const Sides& sides, const Transfer& transfer,
                                    const Surroundings& surroundings) {
  const std::string who = "FunctionSpace::add_robin: ";
  const auto exec = default_instance<X>();
  const auto set = user_view<typename MeshType::SideSet>(who + "sides", sides);
  detail::CornersOfSides<E> corners(set.extent(0));
  auto products = natural_->robin_products; // what throws leaves the space as it was
  auto loads = natural_->robin_loads;
  const auto component = [&](const auto& value, int c) -> double {
    if constexpr (std::is_convertible_v<decltype(value), double>)
      return value;
    else
      return detail::component_of("FunctionSpace::add_robin", value, c, components_);
  };
  detail::for_each_side_kind<E>([&](auto kind) {
    constexpr int Kind = decltype(kind)::value;
    using Points = SidePoints<E, X, Kind>;
    const Points points = side_points<Kind>(exec, mesh_, set);
    const auto node = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.node);
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.position);
    const auto n = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.normal);
    const auto places = detail::places_of_kind<E, Kind>(set);
    detail::enter_corners<Points::Side::vertices>(corners, places, node);
    for (std::size_t s = 0; s < node.extent(0); ++s)
      for (int q = 0; q < Points::points; ++q) {
        Position position, normal;
        for (int d = 0; d < E::dimension; ++d) {
          position(d) = x(s, q, d);
          normal(d) = n(s, q, d);
        }
        const auto transfers = detail::value_at(transfer, position);
        const auto values = detail::value_at(surroundings, position);
        const double area = detail::norm_2(normal);
        for (int c = 0; c < components_; ++c) {
          const double h = component(transfers, c), g = component(values, c);
          if (!std::isfinite(h) || h < 0)
            throw ArgumentError(who + "the transfer must be finite and not negative, got " +
                                std::to_string(h) + " at side " + std::to_string(places[s]) + " of the set");
          for (int a = 0; a < Points::nodes; ++a) {
            const double weight = area * h * Points::Table::value(q, a), load = weight * g;
            if (!std::isfinite(load))
              throw ArgumentError(who + "the surroundings are not finite at side " +
                                  std::to_string(places[s]) + " of the set");
            linear_->for_each_corner(node(s, a), c, [&](Ordinal row, double share) {
              loads[row][c] += share * load;
              for (int b = 0; b < Points::nodes; ++b)
                linear_->for_each_corner(node(s, b), c, [&](Ordinal column, double other) {
                  products[{row, column}][c] += share * other * weight * Points::Table::value(q, b);
                });
            });
          }
        }
      }
  });
  detail::check_faces_differ(who, corners);
  natural_->robin_products = std::move(products);
  natural_->robin_loads = std::move(loads);
  natural_->robin_current = false;
}

template <class E, class X>
void FunctionSpace<E, X>::clear_robin() {
  natural_->robin_products.clear();
  natural_->robin_loads.clear();
  natural_->robin_current = false;
}

template <class E, class X>
RobinSides<X> FunctionSpace<E, X>::robin(const X& exec) const {
  detail::NaturalState<X>& state = *natural_;
  if (state.robin_current) return state.robin;
  std::vector<Ordinal> nodes, offsets{0}, neighbors;
  std::vector<double> products, loads; // of all components
  auto entry = state.robin_products.begin();
  for (const auto& [node, load] : state.robin_loads) {
    nodes.push_back(node);
    for (; entry != state.robin_products.end() && entry->first.first == node; ++entry) {
      neighbors.push_back(entry->first.second);
      products.insert(products.end(), entry->second.begin(), entry->second.begin() + components_);
    }
    offsets.push_back(static_cast<Ordinal>(neighbors.size()));
    loads.insert(loads.end(), load.begin(), load.begin() + components_);
  }
  const auto by_component = [&](const std::string& label, const std::vector<double>& values) {
    using Table = Kokkos::View<double**, Kokkos::LayoutRight, X>;
    const auto columns = to_size(components_), rows = values.size() / columns;
    auto table = allocate<Table>(exec, label, rows, columns);
    Kokkos::deep_copy(
        exec, table,
        Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace>(values.data(), rows, columns));
    exec.fence("Tessera::FunctionSpace::copy");
    return table;
  };
  state.robin = {detail::copy_of(exec, "Tessera::RobinSides::nodes", nodes),
                 detail::copy_of(exec, "Tessera::RobinSides::offsets", offsets),
                 detail::copy_of(exec, "Tessera::RobinSides::neighbors", neighbors),
                 by_component("Tessera::RobinSides::products", products),
                 by_component("Tessera::RobinSides::loads", loads)};
  state.robin_current = true;
  return state.robin;
}

} // namespace tessera
