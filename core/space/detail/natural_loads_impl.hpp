// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Natural loads of a FunctionSpace.

#include <tessera/core/fields/function_of_position.hpp>
#include <tessera/core/space/detail/loaded_sides.hpp>
#include <tessera/core/space/function_space.hpp>

#include <array>
#include <cmath>
#include <map>

namespace tessera {

namespace detail {

/// Component c of what a user's function returned: a number, or something with `operator()` or `operator[]`.
/// \throws ArgumentError if it says that it has another number of components
template <class Result>
double component_of(const char* what, const Result& result, int c, int components) {
  const auto check = [&](std::size_t count) {
    if (count != static_cast<std::size_t>(components))
      throw ArgumentError(std::string(what) + ": " + std::to_string(count) + " values for " +
                          std::to_string(components) + " components");
  };
  if constexpr (std::is_convertible_v<Result, double>) {
    check(1);
    return result;
  } else if constexpr (requires { result.entry; }) {
    check(std::size(result.entry));
    return result(c);
  } else {
    if constexpr (requires { result.size(); }) check(result.size());
    return result[c];
  }
}

} // namespace detail

/// Adds the integrals of basis functions times `traction(x, normal, component)`; the normal's length is
/// weight times area element, and what `traction` returns is to have it as a factor.
/// \param along_normal whether the load's direction follows from the normal's
template <class E, class X>
template <class Sides, class Traction>
void FunctionSpace<E, X>::integrate(const char* what, const Sides& sides, bool along_normal, Opposed opposed,
                                    const Traction& traction) {
  using Set = typename MeshType::SideSet;
  const auto exec = default_instance<X>();
  const std::string who = std::string("FunctionSpace::") + what + ": ";
  const Set set = user_view<Set>(who + "sides", sides);
  detail::CornersOfSides<E> corners(set.extent(0));
  std::map<Ordinal, double> loads;
  detail::for_each_side_kind<E>([&](auto kind) {
    constexpr int Kind = decltype(kind)::value;
    using Points = SidePoints<E, X, Kind>;
    const Points points = side_points<Kind>(exec, mesh_, set);
    const auto node = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.node);
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.position);
    const auto n = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.normal);
    detail::enter_corners<Points::Side::vertices>(corners, detail::places_of_kind<E, Kind>(set), node);
    for (std::size_t s = 0; s < node.extent(0); ++s)
      for (int q = 0; q < Points::points; ++q) {
        Position position, normal;
        for (int d = 0; d < E::dimension; ++d) {
          position(d) = x(s, q, d);
          normal(d) = n(s, q, d);
        }
        const auto value = traction(position, normal);
        for (int a = 0; a < Points::nodes; ++a)
          for (int c = 0; c < components_; ++c) {
            const double load = value[c] * Points::Table::value(q, a);
            check(node(s, a), c, load, what);
            add_to(loads, node(s, a), c, load);
          }
      }
  });
  if (opposed == Opposed::refused) {
    detail::check_faces_differ(who, corners);
    if (along_normal) detail::check_turned_alike(who, mesh_, corners);
  }
  for (const auto& [dof, load] : loads) natural_->loads[dof] += load;
  natural_->loads_current = false;
}

template <class E, class X>
template <class Sides>
void FunctionSpace<E, X>::add_load(const Sides& sides, const std::vector<double>& traction) {
  if (traction.size() != static_cast<std::size_t>(components_))
    throw ArgumentError("FunctionSpace::add_load: " + std::to_string(traction.size()) + " values for " +
                        std::to_string(components_) + " components");
  add_load(sides, [&](const Position&) -> const std::vector<double>& { return traction; });
}

template <class E, class X>
template <class Sides, class Traction>
void FunctionSpace<E, X>::add_load(const Sides& sides, const Traction& traction) {
  static_assert(
      ValuesAtPosition<Traction, E::dimension>,
      "FunctionSpace::add_load: the load is a std::vector<double>, or a const function of the position, a "
      "Vector<double, dimension>, that returns a number or one for each component");
  integrate("add_load", sides, false, Opposed::refused, [&](const Position& x, const Position& normal) {
    const double area = detail::norm_2(normal);
    const auto& value = traction(x);
    std::array<double, max_components> load{};
    for (int c = 0; c < components_; ++c)
      load[c] = area * detail::component_of("FunctionSpace::add_load", value, c, components_);
    return load;
  });
}

template <class E, class X>
template <class Sides, class Pressure>
void FunctionSpace<E, X>::add_pressure(const Sides& sides, const Pressure& pressure, Opposed opposed) {
  if (const int vectors = components_ - linear_components_; vectors != E::dimension)
    throw ArgumentError("FunctionSpace::add_pressure: a pressure needs " + std::to_string(E::dimension) +
                        " components per node, the space has " + std::to_string(vectors) +
                        (linear_components_ > 0 ? " besides linear ones" : ""));
  integrate("add_pressure", sides, true, opposed, [&](const Position& x, const Position& normal) {
    double value;
    if constexpr (std::is_convertible_v<Pressure, double>) {
      value = pressure;
    } else {
      static_assert(
          NumberAtPosition<Pressure, E::dimension>,
          "FunctionSpace::add_pressure: the pressure is a number, or a const function of the position, a "
          "Vector<double, dimension>, that returns one");
      value = pressure(x);
    }
    std::array<double, max_components> load{};
    for (int d = 0; d < E::dimension; ++d) load[d] = -value * normal(d);
    return load;
  });
}

template <class E, class X>
void FunctionSpace<E, X>::add_point_load(Ordinal node, int component, double value) {
  check(node, component, value, "add_point_load");
  add_to(natural_->loads, node, component, value);
  natural_->loads_current = false;
}

template <class E, class X>
void FunctionSpace<E, X>::add_to(std::map<Ordinal, double>& loads, Ordinal node, int component,
                                 double load) const {
  linear_->for_each_corner(node, component, [&](Ordinal corner, double weight) {
    loads[corner * components_ + component] += weight * load;
  });
}

template <class E, class X>
void FunctionSpace<E, X>::clear_loads() {
  natural_->loads.clear();
  natural_->loads_current = false;
}

} // namespace tessera
