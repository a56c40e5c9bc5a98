// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/joint_surfaces.hpp>
#include <tessera/io/abaqus/detail/joints.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tessera::io {

namespace {

/// A point of a face, by the face's nodes and their weights.
struct FacePoint {
  std::vector<Ordinal> nodes;
  std::vector<double> weights;
  AbaqusVector position{};
  double distance = std::numeric_limits<double>::infinity();
  double diagonal = 0.0; ///< of the face
};

/// A point of the reference face moved into it.
template <class Side>
typename Side::Point inside(typename Side::Point xi) {
  if constexpr (is_simplex(Side::shape)) {
    xi[0] = std::clamp(xi[0], 0.0, 1.0);
    xi[1] = std::clamp(xi[1], 0.0, 1.0 - xi[0]);
  } else {
    for (double& coordinate : xi) coordinate = std::clamp(coordinate, -1.0, 1.0);
  }
  return xi;
}

/// Where a face's point, and the tangents there, are.
template <class Side>
AbaqusVector at(const std::array<AbaqusVector, Side::nodes>& x,
                const std::array<double, Side::nodes>& weights) {
  AbaqusVector sum{};
  for (std::size_t n = 0; n < x.size(); ++n)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += weights[n] * x[n][d];
  return sum;
}

/// The point of a face that is nearest to a position, by Gauss' and Newton's iteration from the middle.
template <class Side>
FacePoint nearest(const MeshData& mesh, const std::vector<Ordinal>& nodes, const AbaqusVector& to) {
  std::array<AbaqusVector, Side::nodes> x;
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = position_of(mesh, nodes[n]);
  constexpr int steps = 50;
  typename Side::Point xi{};
  if constexpr (is_simplex(Side::shape)) xi.fill(1.0 / 3);
  for (int step = 0; step < steps; ++step) {
    const AbaqusVector gap = difference(to, at<Side>(x, Side::values(xi)));
    std::array<AbaqusVector, 2> tangents{};
    const auto gradients = Side::gradients(xi);
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t d = 0; d < 3; ++d) tangents[e][d] += gradients[n][e] * x[n][d];
    const double a = inner_product(tangents[0], tangents[0]), b = inner_product(tangents[0], tangents[1]),
                 c = inner_product(tangents[1], tangents[1]);
    const double r = inner_product(tangents[0], gap), s = inner_product(tangents[1], gap);
    const typename Side::Point next =
        inside<Side>({xi[0] + (c * r - b * s) / (a * c - b * b), xi[1] + (a * s - b * r) / (a * c - b * b)});
    const double change = std::hypot(next[0] - xi[0], next[1] - xi[1]);
    xi = next;
    if (change < 1e-14) break;
  }
  const auto weights = Side::values(xi);
  FacePoint point{nodes, {weights.begin(), weights.end()}, at<Side>(x, weights)};
  const AbaqusVector gap = difference(to, point.position);
  point.distance = std::sqrt(inner_product(gap, gap));
  const AbaqusVector diagonal = difference(x[Side::vertices == 4 ? 2 : 1], x[0]);
  point.diagonal = std::sqrt(inner_product(diagonal, diagonal));
  return point;
}

/// The nearest point of a surface.
FacePoint nearest_of(const AbaqusTie& tie, const AbaqusMesh& mesh,
                     const std::vector<std::vector<Side>>& surface, const AbaqusVector& to) {
  FacePoint best;
  for (std::size_t b = 0; b < surface.size(); ++b) {
    if (surface[b].empty()) continue;
    const CellBlock& block = mesh.data().blocks[b];
    with_joined_element(block.type, tie.place, [&]<class Element>(const Element*) {
      for (const std::vector<Ordinal>& face : faces_of<Element>(block, surface[b]))
        if (FacePoint point = nearest<typename Element::Side>(mesh.data(), face, to);
            point.distance < best.distance)
          best = std::move(point);
    });
  }
  return best;
}

} // namespace

void read_ties(const AbaqusKeyword& keyword, AbaqusLexer& lexer, std::vector<AbaqusTie>& ties) {
  AbaqusTie tie;
  tie.adjust = keyword.label("ADJUST") != "NO";
  tie.cyclic = keyword.has("CYCLICSYMMETRY");
  AbaqusDataLines lines(lexer);
  if (keyword.has("POSITIONTOLERANCE")) {
    double tolerance = 0.0;
    if (!parse(keyword.parameters.at("POSITIONTOLERANCE"), tolerance) || !(tolerance > 0.0))
      keyword.place.fail(keyword.shown + ": expected a POSITION TOLERANCE above zero");
    tie.tolerance = tolerance;
  }
  while (lines.next()) {
    tie.dependent = capitals(lines.field(0));
    tie.independent = capitals(lines.field(1));
    tie.place = lines.place();
    lines.require_at_most(2, keyword);
    if (tie.dependent.empty() || tie.independent.empty()) lines.fail("expected the names of two surfaces");
    ties.push_back(tie);
  }
}

void add_tie(const AbaqusTie& tie, AbaqusMesh& mesh, AbaqusDeck& deck) {
  constexpr double default_tolerance = 0.025, negligible = 1e-12;
  const std::vector<std::vector<Side>> surface = mesh.loaded_sides(tie.independent, tie.place);
  for (const Ordinal node : nodes_of_surface(tie.dependent, mesh, tie.place)) {
    const FacePoint point = nearest_of(tie, mesh, surface, position_of(mesh.data(), node));
    if (!(point.distance <= tie.tolerance.value_or(default_tolerance * point.diagonal)))
      tie.place.unsupported("node " + mesh.data().node_ids.name(node) + " lies " + shown(point.distance) +
                            " from the surface that it is tied to, which is too far");
    if (tie.adjust)
      std::copy(point.position.begin(), point.position.end(),
                mesh.data().points.begin() + 3 * static_cast<std::ptrdiff_t>(node));
    for (int component = 1; component <= 3; ++component) {
      AbaqusEquation equation{{{node, component, 1.0}}, tie.place, true};
      for (std::size_t n = 0; n < point.nodes.size(); ++n)
        if (std::abs(point.weights[n]) > negligible)
          equation.terms.push_back({point.nodes[n], component, -point.weights[n]});
      deck.equations.push_back(std::move(equation));
    }
  }
}

AbaqusSectors read_sectors(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusSectors sectors;
  if (!keyword.has("N") || !parse(keyword.parameters.at("N"), sectors.count) || !(sectors.count > 1.0))
    keyword.place.fail(keyword.shown + " needs N, a number of sectors above one");
  AbaqusDataLines lines(lexer);
  if (!lines.next()) keyword.place.fail(keyword.shown + " needs two points of its axis");
  for (std::size_t d = 0; d < 3; ++d) {
    sectors.point[d] = lines.real(d, "a coordinate of a point on the axis");
    sectors.axis[d] = lines.real(3 + d, "a coordinate of a point on the axis") - sectors.point[d];
  }
  lines.require_at_most(6, keyword);
  const double length = length_of(sectors.axis);
  if (!(length > 0.0)) lines.fail("the two points of the axis are one");
  sectors.axis = scaled(sectors.axis, 1 / length);
  // Older decks name the set of the sector's nodes below.
  double number = 0.0;
  while (lines.next())
    if (lines.fields().size() > 1 || parse(lines.field(0), number))
      lines.fail(keyword.shown + " has one data line");
  return sectors;
}

namespace {

/// A turn about an axis (Rodrigues).
AbaqusVector turned_about(const AbaqusVector& axis, double angle, const AbaqusVector& arm) {
  const AbaqusVector across = cross(axis, arm);
  const double along = inner_product(axis, arm) * (1 - std::cos(angle));
  AbaqusVector turned{};
  for (std::size_t d = 0; d < 3; ++d)
    turned[d] = std::cos(angle) * arm[d] + std::sin(angle) * across[d] + along * axis[d];
  return turned;
}

struct Partner {
  Ordinal node = -1;
  double distance = std::numeric_limits<double>::infinity();
};

/// The node that a turn brings nearest to a place.
Partner partner_of(const AbaqusVector& place, const std::vector<Ordinal>& nodes, const AbaqusSectors& sectors,
                   double angle, const MeshData& mesh) {
  const AbaqusVector arm = difference(place, sectors.point);
  Partner best;
  for (const Ordinal node : nodes) {
    const AbaqusVector other =
        turned_about(sectors.axis, angle, difference(position_of(mesh, node), sectors.point));
    if (const double distance = length_of(difference(arm, other)); distance < best.distance)
      best = {node, distance};
  }
  return best;
}

} // namespace

void add_cyclic_tie(const AbaqusTie& tie, const AbaqusSectors& sectors, const AbaqusMesh& mesh,
                    AbaqusDeck& deck) {
  constexpr double rounding_of_decks = 1e-4, full_turn = 2 * std::numbers::pi;
  const std::vector<Ordinal> dependent = nodes_of_surface(tie.dependent, mesh, tie.place),
                             independent = nodes_of_surface(tie.independent, mesh, tie.place);
  const auto farthest = [&](double angle) {
    double distance = 0.0;
    for (const Ordinal node : dependent)
      distance = std::max(
          distance,
          partner_of(position_of(mesh.data(), node), independent, sectors, angle, mesh.data()).distance);
    return distance;
  };
  const double one_sector = full_turn / sectors.count;
  const double angle = farthest(one_sector) < farthest(-one_sector) ? one_sector : -one_sector;
  for (const Ordinal node : dependent) {
    const AbaqusVector place = position_of(mesh.data(), node);
    const Partner partner = partner_of(place, independent, sectors, angle, mesh.data());
    if (!(partner.distance <= rounding_of_decks * length_of(difference(place, sectors.point))))
      tie.place.unsupported("node " + mesh.data().node_ids.name(node) +
                            " of a tie with cyclic symmetry, which lies " + shown(partner.distance) +
                            " from every node of the other surface turned by a sector");
    for (int d = 0; d < 3; ++d) {
      AbaqusEquation equation{{}, tie.place, true};
      for (int e = 0; e < 3; ++e) {
        AbaqusVector unit{};
        unit[static_cast<std::size_t>(e)] = 1.0;
        const double turn = turned_about(sectors.axis, angle, unit)[static_cast<std::size_t>(d)];
        const double own = d == e ? 1.0 : 0.0;
        if (partner.node == node) { // on the axis
          equation.terms.push_back({node, e + 1, own - turn});
        } else {
          equation.terms.push_back({node, e + 1, own});
          equation.terms.push_back({partner.node, e + 1, -turn});
        }
      }
      std::erase_if(equation.terms,
                    [](const AbaqusEquation::Term& term) { return std::abs(term.factor) < 1e-15; });
      if (!equation.terms.empty()) deck.equations.push_back(std::move(equation));
    }
  }
}

} // namespace tessera::io
