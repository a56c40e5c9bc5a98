// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Constraints of ghosts, which must be those of their owners.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// Collective: the space is of the mesh, and alike on all ranks.
template <class Cells, class ExecutionSpace>
void check_space(const Mesh<Cells, ExecutionSpace>& mesh, const SpaceOn<Cells, ExecutionSpace>& space) {
  agree(mesh.ranks(), [&] {
    if (space.mesh().id() != mesh.local().id())
      throw ArgumentError("the function space is not of the distributed mesh's local()");
  });
  check_same(mesh.ranks(),
             {{"the number of components", double(space.components())},
              {"the number of linear components", double(space.linear_components())},
              {"the treatment of constraints (0: removed, 1: zeroed)", double(space.treatment())}});
}

/// Writes the constraints of each node as numbers that can be exchanged.
template <class ExecutionSpace>
struct PackConstraints {
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> masks; ///< node: bit c set if component c is constrained
  Kokkos::View<double*, ExecutionSpace> values; ///< node * components + component; 0 where it is free

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    Ordinal mask = 0;
    for (int c = 0; c < equations.components; ++c) {
      const bool set = equations.is_constrained(node, c);
      const std::size_t dof = to_size(node) * to_size(equations.components) + to_size(c);
      if (set) mask |= Ordinal{1} << c;
      values(dof) = set ? equations.prescribed(dof) : 0;
    }
    masks(node) = mask;
  }
};

/// The constraints of a rank's ghosts, on the host.
struct GhostConstraints {
  Kokkos::View<Ordinal*, Kokkos::HostSpace> masks;
  Kokkos::View<double*, Kokkos::HostSpace> values;
};

/// The constraints of ghosts, first as this rank has set them, then as their owners have. Collective.
template <class Cells, class ExecutionSpace>
std::pair<GhostConstraints, GhostConstraints> ghost_constraints(const ExecutionSpace& exec,
                                                                const Mesh<Cells, ExecutionSpace>& mesh,
                                                                const SpaceOn<Cells, ExecutionSpace>& space) {
  using Masks = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Values = Kokkos::View<double*, ExecutionSpace>;
  const PackConstraints<ExecutionSpace> pack = agree(mesh.ranks(), [&] {
    return PackConstraints<ExecutionSpace>{
        space.equations(exec), allocate<Masks>(exec, "Tessera::constraints::masks", mesh.local().num_nodes()),
        allocate<Values>(exec, "Tessera::constraints::values", space.num_dofs())};
  });
  Kokkos::parallel_for("Tessera::constraints::pack",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.local().num_nodes()), pack);
  const auto on_host = [&] {
    const auto ghosts = [&](const auto& all, int width) {
      return Kokkos::subview(all,
                             std::make_pair(to_size(mesh.owned_nodes()) * to_size(width), all.extent(0)));
    };
    const GhostConstraints result{
        decltype(GhostConstraints::masks)("Tessera::constraints::masks", to_size(mesh.ghost_nodes())),
        decltype(GhostConstraints::values)("Tessera::constraints::values",
                                           to_size(mesh.ghost_nodes()) * to_size(space.components()))};
    Kokkos::deep_copy(exec, result.masks, ghosts(pack.masks, 1));
    Kokkos::deep_copy(exec, result.values, ghosts(pack.values, space.components()));
    exec.fence("Tessera::constraints::on_host");
    return result;
  };
  const GhostConstraints here = on_host();
  NodeExchange<Ordinal, ExecutionSpace> masks(exec, mesh.import(), 1);
  NodeExchange<double, ExecutionSpace> values(exec, mesh.import(), space.components());
  masks.begin(exec, pack.masks);
  values.begin(exec, pack.values);
  masks.end(exec, pack.masks);
  values.end(exec, pack.values);
  return {here, on_host()};
}

} // namespace detail

/// Collective: ghosts must be constrained as their owners are, for prescribed values go to the right-hand
/// side of other ranks' rows. Two exchanges, of a number for each node and one for each degree of freedom.
/// \throws ArgumentError on every rank for a space of another mesh or ranks that have other components;
///   MeshError on every rank that names a ghost whose constraints are not its owner's
template <class Cells, class ExecutionSpace>
void check_constraints(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                       const SpaceOn<Cells, ExecutionSpace>& space) {
  detail::check_space(mesh, space);
  const auto constraints = detail::ghost_constraints(exec, mesh, space);
  const auto& here = constraints.first;
  const auto& owners = constraints.second;
  agree(mesh.ranks(), [&] {
    const auto components = to_size(space.components());
    for (std::size_t i = 0; i < here.masks.extent(0); ++i)
      for (std::size_t c = 0; c < components; ++c) {
        const bool set = here.masks(i) >> c & 1, owner_set = owners.masks(i) >> c & 1;
        const double value = here.values(i * components + c), owner_value = owners.values(i * components + c);
        if (set == owner_set && value == owner_value) continue;
        const auto said = [](bool is_set, double number) {
          return is_set ? "constrained to " + std::to_string(number) : std::string("free");
        };
        throw MeshError("component " + std::to_string(c) + " of node " +
                        std::to_string(mesh.global_nodes()(to_size(mesh.owned_nodes()) + i)) + " is " +
                        said(set, value) + " as a ghost and " + said(owner_set, owner_value) +
                        " on its owner, rank " + std::to_string(mesh.ghost_owners()(i)) +
                        ": constrain ghosts too, or call share_constraints");
      }
  });
}

/// Collective: constrains ghosts as their owners are, and frees those that their owners leave free. Spaces
/// whose constraints were set by sets that cover ghosts, as those of `mesh.local()` do, stay as they are. The
/// exchanges of `check_constraints`.
/// \throws ArgumentError on every rank for a space of another mesh or ranks that have other components
template <class Cells, class ExecutionSpace>
void share_constraints(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                       SpaceOn<Cells, ExecutionSpace>& space) {
  detail::check_space(mesh, space);
  const auto constraints = detail::ghost_constraints(exec, mesh, space);
  const auto& here = constraints.first;
  const auto& owners = constraints.second;
  const auto components = to_size(space.components());
  const auto to_device = [&](const auto& list) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    const Kokkos::View<T*, ExecutionSpace> view("Tessera::constraints::list", list.size());
    Kokkos::deep_copy(
        view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(list.data(), list.size()));
    return view;
  };
  for (std::size_t c = 0; c < components; ++c) {
    std::vector<Ordinal> set, freed;
    std::vector<double> values;
    for (std::size_t i = 0; i < here.masks.extent(0); ++i) {
      const bool is_set = here.masks(i) >> c & 1, owner_set = owners.masks(i) >> c & 1;
      const double value = owners.values(i * components + c);
      const Ordinal node = mesh.owned_nodes() + static_cast<Ordinal>(i);
      if (owner_set && (!is_set || here.values(i * components + c) != value)) {
        set.push_back(node);
        values.push_back(value);
      } else if (!owner_set && is_set) {
        freed.push_back(node);
      }
    }
    if (!set.empty()) space.prescribe(to_device(set), static_cast<int>(c), to_device(values));
    if (!freed.empty()) space.release(to_device(freed), static_cast<int>(c));
  }
}

/// The same on the default instance.
template <class Cells, class ExecutionSpace>
void share_constraints(const Mesh<Cells, ExecutionSpace>& mesh, SpaceOn<Cells, ExecutionSpace>& space) {
  share_constraints(default_instance<ExecutionSpace>(), mesh, space);
}

} // namespace tessera::distributed
