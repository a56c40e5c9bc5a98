// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/quadrature.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/equations.hpp>
#include <tessera/io/abaqus/detail/joint_surfaces.hpp>
#include <tessera/io/abaqus/detail/joints.hpp>

#include <algorithm>
#include <map>

namespace tessera::io {

namespace {

/// Adds the integral of each node's function over a face.
template <class Side>
void add_areas(const MeshData& mesh, const std::vector<Ordinal>& nodes, std::map<Ordinal, double>& areas) {
  using Rule = Quadrature<Side::shape, 2 * Side::order>;
  for (std::size_t q = 0; q < Rule::weights.size(); ++q) {
    const auto values = Side::values(Rule::coordinates[q]);
    const auto gradients = Side::gradients(Rule::coordinates[q]);
    std::array<AbaqusVector, 2> tangents{};
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t d = 0; d < 3; ++d)
          tangents[e][d] += gradients[n][e] * position_of(mesh, nodes[n])[d];
    const double area = Rule::weights[q] * length_of(cross(tangents[0], tangents[1]));
    for (std::size_t n = 0; n < nodes.size(); ++n) areas[nodes[n]] += values[n] * area;
  }
}

/// Of a surface of faces, by node.
std::map<Ordinal, double> areas_of(const std::string& surface, const AbaqusMesh& mesh,
                                   const AbaqusPlace& place) {
  std::map<Ordinal, double> areas;
  const std::vector<std::vector<Side>> sides = mesh.loaded_sides(surface, place);
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (sides[b].empty()) continue;
    const CellBlock& block = mesh.data().blocks[b];
    with_joined_element(block.type, place, [&]<class Element>(const Element*) {
      for (const std::vector<Ordinal>& face : faces_of<Element>(block, sides[b]))
        add_areas<typename Element::Side>(mesh.data(), face, areas);
    });
  }
  return areas;
}

/// The mean turn of a surface: row a of this times sum w r x u is component a.
Matrix<double, 3> turning(const std::map<Ordinal, double>& weights, const AbaqusVector& center,
                          const MeshData& mesh, const AbaqusPlace& place) {
  Matrix<double, 3> inertia;
  double largest = 0.0;
  for (const auto& [node, weight] : weights) {
    const AbaqusVector r = difference(position_of(mesh, node), center);
    largest += weight * inner_product(r, r);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        inertia(a, b) += weight * ((a == b ? inner_product(r, r) : 0.0) -
                                   r[static_cast<std::size_t>(a)] * r[static_cast<std::size_t>(b)]);
  }
  const double volume = determinant(inertia);
  if (!(volume > 1e-10 * largest * largest * largest))
    place.unsupported("*DISTRIBUTING over a surface that lies on a line");
  Matrix<double, 3> inverse = adjugate(inertia);
  for (double& entry : inverse.entry) entry /= volume;
  return inverse;
}

void add_distribution(const AbaqusCoupling& coupling, Ordinal reference, const AbaqusMesh& mesh,
                      AbaqusDeck& deck) {
  const std::map<Ordinal, double> areas = areas_of(coupling.surface, mesh, coupling.place);
  double area = 0.0;
  AbaqusVector center{};
  for (const auto& [node, weight] : areas) {
    area += weight;
    for (std::size_t d = 0; d < 3; ++d) center[d] += weight * position_of(mesh.data(), node)[d];
  }
  center = coupling.of_sector ? position_of(mesh.data(), reference) : scaled(center, 1 / area);
  const Matrix<double, 3> inverse = turning(areas, center, mesh.data(), coupling.place);
  const AbaqusVector arm = difference(position_of(mesh.data(), reference), center);
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3; // (w x a)_d = w_e a_f - w_f a_e
    AbaqusEquation mean{{{reference, d + 1, 1.0},
                         {reference, e + 4, -arm[static_cast<std::size_t>(f)]},
                         {reference, f + 4, arm[static_cast<std::size_t>(e)]}},
                        coupling.place,
                        true};
    AbaqusEquation turn{{{reference, d + 4, 1.0}}, coupling.place, true};
    for (const auto& [node, weight] : areas) {
      mean.terms.push_back({node, d + 1, -weight / area});
      const AbaqusVector r = difference(position_of(mesh.data(), node), center);
      const AbaqusVector of_turn{inverse(d, 0), inverse(d, 1), inverse(d, 2)};
      const AbaqusVector factors = cross(of_turn, r); // t . (r x u) = (t x r) . u
      for (int c = 0; c < 3; ++c)
        turn.terms.push_back({node, c + 1, -weight * factors[static_cast<std::size_t>(c)]});
    }
    for (AbaqusEquation* equation : {&mean, &turn}) {
      std::erase_if(equation->terms, [](const AbaqusEquation::Term& term) { return term.factor == 0.0; });
      deck.equations.push_back(std::move(*equation));
    }
  }
}

} // namespace

void add_coupling(const AbaqusCoupling& coupling, const std::vector<AbaqusOrientation>& orientations,
                  const AbaqusMesh& mesh, AbaqusDeck& deck) {
  const Ordinal reference = single_node(coupling.reference, mesh, coupling.place);
  const AbaqusVector center = position_of(mesh.data(), reference);
  const AbaqusOrientation* const orientation =
      coupling.orientation.empty()
          ? nullptr
          : &entry_named(orientations, coupling.orientation, "orientation", coupling.place);
  if (orientation && (!orientation->distribution.empty() || orientation->turned_about != 0))
    coupling.place.unsupported("*COUPLING with an *ORIENTATION that is turned or distributed");
  if (coupling.distributes) {
    if (orientation && orientation->cylindrical)
      coupling.place.unsupported("*DISTRIBUTING with a cylindrical *ORIENTATION");
    if (orientation)
      deck.axes[reference] = axes_from(orientation->points[0], orientation->points[1], orientation->place);
    return add_distribution(coupling, reference, mesh, deck);
  }
  for (const Ordinal node : nodes_of_surface(coupling.surface, mesh, coupling.place)) {
    if (node == reference) continue;
    AbaqusAxes axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (orientation)
      axes = orientation->cylindrical
                 ? cylindrical_axes(orientation->points, mesh, node, orientation->place)
                 : axes_from(orientation->points[0], orientation->points[1], orientation->place);
    const AbaqusVector arm = difference(position_of(mesh.data(), node), center);
    for (const auto& [first, last] : coupling.axes)
      for (int component = first; component <= last; ++component) {
        const AbaqusVector& e = axes[static_cast<std::size_t>(component - 1)];
        AbaqusEquation equation{{}, coupling.place, true};
        for (int d = 0; d < 3; ++d) {
          const auto k = static_cast<std::size_t>(d), l = (k + 1) % 3, m = (k + 2) % 3;
          const double turn = arm[l] * e[m] - arm[m] * e[l]; // e . (w x a) = w . (a x e)
          for (const auto& term : {AbaqusEquation::Term{node, d + 1, e[k]},
                                   {reference, d + 1, -e[k]},
                                   {reference, d + 4, -turn}})
            if (term.factor != 0.0) equation.terms.push_back(term);
        }
        deck.equations.push_back(std::move(equation));
      }
  }
}

void add_rigid_body(const AbaqusRigidBody& body, const AbaqusMesh& mesh, AbaqusDeck& deck) {
  const Ordinal reference = single_node(body.reference, mesh, body.place);
  const Ordinal rotation = single_node(body.rotation, mesh, body.place);
  const AbaqusVector center = position_of(mesh.data(), reference);
  for (const Ordinal node : mesh.nodes_of(body.nodes, body.place)) {
    if (node == reference || node == rotation) continue;
    const AbaqusVector arm = difference(position_of(mesh.data(), node), center);
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3; // (r x a)_d = r_e a_f - r_f a_e
      deck.equations.push_back({{{node, d + 1, 1.0},
                                 {reference, d + 1, -1.0},
                                 {rotation, e + 1, -arm[static_cast<std::size_t>(f)]},
                                 {rotation, f + 1, arm[static_cast<std::size_t>(e)]}},
                                body.place,
                                true});
    }
  }
}

} // namespace tessera::io
