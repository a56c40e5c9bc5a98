#pragma once

/// \file
/// Robin conditions: what flows through a side depends on the unknown there.

#include <tessera/core/ascending_list.hpp>
#include <tessera/core/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// On sides, n . sigma grad u = h (g - u): a scalar form's flux by heat transfer h from surroundings at g, or
/// an elastic bedding of stiffness h about displacements g, the same for every component. Adds the integrals
/// of h u v to the matrix and of h g v to the right-hand side of a system that has been assembled.
///
/// Made once, over the mesh as it is then; `add_to` allocates nothing and is deterministic.
template <class Element, class ExecutionSpace>
class RobinCondition {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Position = typename Space::Position;

  /// \param sides view of (element, side), as of `Mesh::side_set`
  /// \param transfer h >= 0, a number or a function of the position, called on the host
  /// \param surroundings g: a number for all components, or a function of the position that gives it or each
  /// \throws ArgumentError for sides that the mesh does not have, h or g that are not finite, h < 0
  template <class Sides, class Transfer, class Surroundings>
  RobinCondition(const Space& space, const Sides& sides, const Transfer& transfer,
                 const Surroundings& surroundings);

  /// Adds to an assembled system; returns when that is done.
  /// \throws ArgumentError for a system whose graph was not built for the space as it is
  template <class Scalar>
  void add_to(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system) const;

private:
  struct Sums {
    std::map<std::pair<Ordinal, Ordinal>, double> matrix; // pair of nodes
    std::map<Ordinal, std::array<double, Space::max_components>> load;
  };
  template <class Transfer, class Surroundings>
  Sums integrate(const SidePoints<Element, ExecutionSpace>& points, const Transfer& transfer,
                 const Surroundings& surroundings) const;

  Space space_;
  Kokkos::View<Ordinal*, ExecutionSpace> nodes_;     // on the sides, ascending
  Kokkos::View<Ordinal*, ExecutionSpace> offsets_;   // of each, into neighbors_
  Kokkos::View<Ordinal*, ExecutionSpace> neighbors_; // nodes that share a side with it
  Kokkos::View<double*, ExecutionSpace> products_;   // integral of h times both basis functions
  Kokkos::View<double*, ExecutionSpace> loads_;      // node x component
};

namespace detail {

/// One thread per node: its rows get the products, and the right-hand side the loads and constrained columns.
template <class ExecutionSpace, class Scalar>
struct AddRobin {
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes, offsets, neighbors;
  Kokkos::View<const double*, ExecutionSpace> products, loads;
  SparsityGraph<ExecutionSpace> graph;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Scalar*, ExecutionSpace> values, rhs;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const int components = equations.components;
    for (int c = 0; c < components; ++c) {
      if (equations.is_constrained(nodes(i), c)) continue;
      const Ordinal row = equations.equation(nodes(i), c);
      const Offset begin = graph.row_map(row);
      const auto length = static_cast<Ordinal>(graph.row_map(row + 1) - begin);
      double load = loads(i * components + c);
      for (Ordinal k = offsets(i); k < offsets(i + 1); ++k) {
        const Ordinal node = neighbors(k);
        if (equations.is_constrained(node, c))
          load -= products(k) * equations.prescribed(node * components + c);
        else
          values(begin + place_in(graph.columns.data() + begin, length, equations.equation(node, c))) +=
              Scalar(products(k));
      }
      rhs(row) += Scalar(load);
    }
  }
};

/// A function of the position, or a number as one.
template <class Position, class Value>
auto value_at(const Value& value, const Position& x) {
  if constexpr (std::is_convertible_v<Value, double>)
    return static_cast<double>(value);
  else
    return value(x);
}

} // namespace detail

template <class E, class X>
template <class Sides, class Transfer, class Surroundings>
RobinCondition<E, X>::RobinCondition(const Space& space, const Sides& sides, const Transfer& transfer,
                                     const Surroundings& surroundings)
    : space_(space) {
  const auto exec = default_instance<X>();
  const auto set = user_view<typename Mesh<E, X>::SideSet>("RobinCondition: sides", sides);
  const Sums sums = integrate(side_points(exec, space.mesh(), set), transfer, surroundings);
  std::vector<Ordinal> nodes, offsets{0}, neighbors;
  std::vector<double> products, loads;
  auto entry = sums.matrix.begin();
  for (const auto& [node, load] : sums.load) {
    nodes.push_back(node);
    for (; entry != sums.matrix.end() && entry->first.first == node; ++entry) {
      neighbors.push_back(entry->first.second);
      products.push_back(entry->second);
    }
    offsets.push_back(static_cast<Ordinal>(neighbors.size()));
    loads.insert(loads.end(), load.begin(), load.begin() + space.components());
  }
  nodes_ = detail::copy_of(exec, "Tessera::RobinCondition::nodes", nodes);
  offsets_ = detail::copy_of(exec, "Tessera::RobinCondition::offsets", offsets);
  neighbors_ = detail::copy_of(exec, "Tessera::RobinCondition::neighbors", neighbors);
  products_ = detail::copy_of(exec, "Tessera::RobinCondition::products", products);
  loads_ = detail::copy_of(exec, "Tessera::RobinCondition::loads", loads);
}

template <class E, class X>
template <class Transfer, class Surroundings>
auto RobinCondition<E, X>::integrate(const SidePoints<E, X>& points, const Transfer& transfer,
                                     const Surroundings& surroundings) const -> Sums {
  using Points = SidePoints<E, X>;
  const auto node = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.node);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.position);
  const auto n = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.normal);
  const int components = space_.components();
  const auto component = [&](const auto& g, int c) -> double {
    if constexpr (std::is_convertible_v<decltype(g), double>)
      return g;
    else
      return detail::component_of("RobinCondition", g, c, components);
  };
  Sums sums;
  for (std::size_t s = 0; s < node.extent(0); ++s)
    for (int q = 0; q < Points::points; ++q) {
      Position position;
      double area = 0;
      for (int d = 0; d < E::dimension; ++d) {
        position(d) = x(s, q, d);
        area += n(s, q, d) * n(s, q, d);
      }
      const double h = detail::value_at(transfer, position);
      const auto g = detail::value_at(surroundings, position);
      if (!std::isfinite(h) || h < 0)
        throw ArgumentError("RobinCondition: the transfer must be finite and not negative, got " +
                            std::to_string(h) + " at side " + std::to_string(s) + " of the set");
      const double weight = std::sqrt(area) * h;
      for (int a = 0; a < Points::nodes; ++a) {
        const double weighted = weight * Points::Table::value(q, a);
        for (int b = 0; b < Points::nodes; ++b)
          sums.matrix[{node(s, a), node(s, b)}] += weighted * Points::Table::value(q, b);
        auto& load = sums.load[node(s, a)];
        for (int c = 0; c < components; ++c) {
          load[c] += weighted * component(g, c);
          if (!std::isfinite(load[c]))
            throw ArgumentError("RobinCondition: the surroundings are not finite at side " +
                                std::to_string(s) + " of the set");
        }
      }
    }
  return sums;
}

template <class E, class X>
template <class Scalar>
void RobinCondition<E, X>::add_to(const X& exec, const LinearSystem<Scalar, X>& system) const {
  if (!system.graph().fits(space_))
    throw ArgumentError("RobinCondition: the system's graph was built for another mesh, another number of "
                        "components or other constraints than the space has now");
  Kokkos::parallel_for(
      "Tessera::RobinCondition::add", Kokkos::RangePolicy<X>(exec, 0, static_cast<Ordinal>(nodes_.extent(0))),
      detail::AddRobin<X, Scalar>{nodes_, offsets_, neighbors_, products_, loads_, system.graph(),
                                  space_.equations(exec), system.values(), system.rhs()});
  exec.fence("Tessera::RobinCondition::add");
}

} // namespace tessera
