// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Motions and constants that nothing holds, found before a system is solved.

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/host_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers {

/// Fields that a form's energy does not see.
enum class Unseen {
  constants,     ///< of each component: diffusion without reaction
  rigid_motions, ///< elasticity with a component per dimension
};

/// A part of the mesh, and what nothing holds of it.
struct FreePart {
  Ordinal first_element = 0; ///< the lowest of the part
  Ordinal elements = 0;      ///< of the part
  /// Pieces that hang together at single nodes or edges alone, and move against each other; else 1.
  Ordinal pieces = 1;
  std::vector<std::string> motions; ///< what each is called
  std::vector<Ordinal> dofs;        ///< degrees of freedom with an equation that the motions move, ascending
  /// Motion × place in `dofs`: orthonormal.
  std::vector<std::vector<double>> fields;
};

/// All that nothing holds. The matrix is singular unless there is nothing.
struct FreeMotions {
  std::vector<FreePart> parts;
  /// Pieces that hang together at so many nodes and edges alone that their mechanisms were not looked for.
  Ordinal unexamined = 0;

  bool none() const { return parts.empty(); }
  /// Dimension of the null space.
  std::size_t count() const;
  /// A sentence of the first parts and their motions; `element_name` as `Mesh::element_name`.
  std::string description(const std::function<std::string(Ordinal)>& element_name) const;
  /// Degrees of freedom, one a motion, that hold everything without a stress in it: those that the motions
  /// move most.
  std::vector<Ordinal> pins() const;
};

namespace detail {

/// \param held node: bit c set where component c is held
FreeMotions free_constants(const HostMesh& mesh, const std::vector<std::uint8_t>& held, int components);
/// The same of rigid motions.
FreeMotions free_rigid_motions(const HostMesh& mesh, const std::vector<std::uint8_t>& held);

/// Takes degrees of freedom that follow from others out of the motions, which are orthonormal again.
void leave_out(FreeMotions& free, const std::function<bool(Ordinal)>& follows);

/// Node: bit c set where a constraint or a Robin side holds component c. What follows from corners holds
/// nothing.
template <class Space>
std::vector<std::uint8_t> held_components(const Space& space) {
  const auto equations = space.equations();
  std::vector<std::uint8_t> held(space.mesh().num_nodes(), 0);
  if (equations.constrained)
    Kokkos::deep_copy(Kokkos::View<std::uint8_t*, Kokkos::HostSpace>(held.data(), held.size()),
                      equations.mask);
  for (std::size_t node = 0; node < held.size(); ++node)
    held[node] &= static_cast<std::uint8_t>(~space.linear().mask(static_cast<Ordinal>(node)));
  const auto robin = space.robin(typename Space::execution_space());
  const auto on_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto nodes = on_host(robin.nodes), offsets = on_host(robin.offsets),
             neighbors = on_host(robin.neighbors);
  const auto products = on_host(robin.products);
  for (std::size_t i = 0; i < nodes.extent(0); ++i)
    for (Ordinal k = offsets(i); k < offsets(i + 1); ++k)
      for (int c = 0; neighbors(k) == nodes(i) && c < space.components(); ++c)
        if (products(k, c) > 0) held[nodes(i)] |= static_cast<std::uint8_t>(1u << c);
  return held;
}

} // namespace detail

/// Finds what neither constraints nor Robin sides hold: constants or rigid motions of each connected part,
/// and mechanisms of pieces that hang together at nodes or edges alone (a hinge in three dimensions, a pin in
/// two), which no support holds either. With any of it the matrix is singular, and an iteration on loads that
/// happen to be in balance ends with an arbitrary solution; without any, a form that sees all else has a
/// matrix that is positive definite but for rounding.
///
/// A degree of freedom counts as held where the space constrains it, or where a Robin side with a transfer
/// of the component above zero has the node. Two elements are one rigid piece if they share a side. What is
/// held is decided by the rank of constraints on rigid motions about each piece's centre, lengths relative to
/// the piece's size: below 1e-9 a constraint adds nothing.
///
/// On the host: sides are sorted once, in a time of a few products with the matrix.
/// \param space a `FunctionSpace` or a `MixedSpace`, whose elements `FreePart` numbers block after block
/// \throws ArgumentError for rigid motions of a space without a component per dimension
template <class Space>
  requires requires { typename Space::MeshType; }
FreeMotions free_motions(const Space& space, Unseen unseen) {
  const detail::HostMesh mesh = detail::host_mesh(space.mesh());
  if (unseen == Unseen::rigid_motions && space.components() != mesh.dimension)
    throw ArgumentError("free_motions: rigid motions in " + std::to_string(mesh.dimension) +
                        " dimensions have as many components, the space has " +
                        std::to_string(space.components()));
  const auto held = detail::held_components(space);
  auto free = unseen == Unseen::constants ? detail::free_constants(mesh, held, space.components())
                                          : detail::free_rigid_motions(mesh, held);
  if (space.linear().any())
    detail::leave_out(free, [&](Ordinal dof) {
      return ((space.linear().mask(dof / space.components()) >> dof % space.components()) & 1) != 0;
    });
  return free;
}

} // namespace tessera::solvers
