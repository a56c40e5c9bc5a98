// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/elements/quadrature.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/vector.hpp>
#include <tessera/io/calculix_output.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace tessera::io {

namespace {

using detail::VoigtVector;
using Entries = std::map<std::string, std::vector<double>>;

[[noreturn]] void refuse(const DeckStresses& stresses, CalculixKind kind, const CellBlock& block) {
  throw UnsupportedError(stresses.mesh.source + ": " + name_of(kind) + " of " + block.type.name() +
                         " cells with this integration are not what CalculiX' are known to be");
}

Entries forces_of(const DeckStresses& stresses) {
  Entries found;
  for (std::size_t node = 0; node < stresses.forces.size(); ++node)
    found[entry_of_node(stresses.mesh.node_ids.id(static_cast<Ordinal>(node)))] = {
        stresses.forces[node].begin(), stresses.forces[node].end()};
  return found;
}

Entries total_forces_of(const DeckStresses& stresses) {
  Entries found;
  for (const auto& [set, nodes] : stresses.mesh.node_sets) {
    std::vector<double>& total = found["set " + set];
    total.assign(3, 0.0);
    for (const Ordinal node : nodes)
      for (std::size_t d = 0; d < 3; ++d) total[d] += stresses.forces[static_cast<std::size_t>(node)][d];
  }
  return found;
}

/// The points of a rule of Gauss in CalculiX's order: x the fastest, z the slowest.
std::vector<std::size_t> order_of_points(const BlockStresses& block) {
  std::vector<std::size_t> order(block.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto &x = block.points[a], &y = block.points[b];
    return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
  });
  return order;
}

Entries stresses_of(const DeckStresses& stresses) {
  Entries found;
  for (std::size_t b = 0; b < stresses.blocks.size(); ++b) {
    const CellBlock& block = stresses.mesh.blocks[b];
    if (block.material.empty()) continue;
    if (block.type.shape != Shape::hexahedron) refuse(stresses, CalculixKind::stresses, block);
    const std::vector<std::size_t> order = order_of_points(stresses.blocks[b]);
    for (std::size_t cell = 0; cell < block.material.size(); ++cell)
      for (std::size_t k = 0; k < order.size(); ++k) {
        const VoigtVector& stress = stresses.blocks[b].stress[cell * order.size() + order[k]];
        found[entry_of_point(block.ids.id(static_cast<Ordinal>(cell)), static_cast<std::int64_t>(k) + 1)] = {
            stress.begin(), stress.end()};
      }
  }
  return found;
}

/// What the points of a rule weigh in the values at the nodes of a hexahedron, node * points + point.
template <class Element>
std::vector<double> weights_at_nodes(const BlockStresses& block) {
  // By the number of axes along which a point lies on the other side than the corner.
  constexpr std::array<double, 4> of_point{2.549, -0.683, 0.183, -0.04904};
  const std::size_t points = block.points.size();
  std::vector<double> weights(Element::nodes * points, 0.0);
  const auto nodes = Element::node_coordinates();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::size_t corners = 0; // that lie as the node does: itself, or the ends of its edge
    for (std::size_t c = 0; c < Element::vertices; ++c) {
      bool at_node = true;
      for (std::size_t d = 0; d < 3; ++d) at_node &= nodes[n][d] == 0.0 || nodes[n][d] == nodes[c][d];
      if (!at_node) continue;
      ++corners;
      for (std::size_t q = 0; q < points; ++q) {
        std::size_t other = 0;
        for (std::size_t d = 0; d < 3; ++d) other += block.points[q][d] * nodes[c][d] < 0.0 ? 1 : 0;
        weights[n * points + q] += of_point[other];
      }
    }
    for (std::size_t q = 0; q < points; ++q) weights[n * points + q] /= static_cast<double>(corners);
  }
  return weights;
}

/// Calls with the element of a block of hexahedra that are integrated at two points an axis.
template <class Call>
void with_hexahedron(const DeckStresses& stresses, CalculixKind kind, std::size_t b, const Call& call) {
  const CellBlock& block = stresses.mesh.blocks[b];
  if (stresses.blocks[b].points.size() != 8) refuse(stresses, kind, block);
  if (block.type == cell_type_of<Hex<1>>())
    call(std::type_identity<Hex<1>>());
  else if (block.type == cell_type_of<Hex20>())
    call(std::type_identity<Hex20>());
  else
    refuse(stresses, kind, block);
}

/// The mean at each node of a field that is extrapolated in the cells around it.
std::vector<VoigtVector> at_nodes(const DeckStresses& stresses, CalculixKind kind,
                                  const std::vector<VoigtVector> BlockStresses::* field) {
  std::vector<VoigtVector> mean(static_cast<std::size_t>(stresses.mesh.nodes()));
  std::vector<double> cells(mean.size());
  for (std::size_t b = 0; b < stresses.blocks.size(); ++b) {
    const CellBlock& block = stresses.mesh.blocks[b];
    if (block.material.empty()) continue;
    with_hexahedron(stresses, kind, b, [&]<class Element>(std::type_identity<Element>) {
      const BlockStresses& of_block = stresses.blocks[b];
      const std::vector<double> weights = weights_at_nodes<Element>(of_block);
      const std::size_t points = of_block.points.size();
      for (std::size_t cell = 0; cell < block.material.size(); ++cell)
        for (std::size_t n = 0; n < Element::nodes; ++n) {
          const auto node = static_cast<std::size_t>(block.nodes[cell * Element::nodes + n]);
          ++cells[node];
          for (std::size_t q = 0; q < points; ++q)
            for (std::size_t k = 0; k < mean[node].size(); ++k)
              mean[node][k] += weights[n * points + q] * (of_block.*field)[cell * points + q][k];
        }
    });
  }
  for (std::size_t node = 0; node < mean.size(); ++node)
    for (double& component : mean[node]) component /= cells[node];
  return mean;
}

Entries strains_of(const DeckStresses& stresses) {
  Entries found;
  const std::vector<VoigtVector> mean = at_nodes(stresses, CalculixKind::strains, &BlockStresses::strain);
  for (std::size_t node = 0; node < mean.size(); ++node) {
    std::vector<double>& strain = found[entry_of_node(stresses.mesh.node_ids.id(static_cast<Ordinal>(node)))];
    strain.assign(mean[node].begin(), mean[node].end());
    for (std::size_t k = 3; k < strain.size(); ++k) strain[k] /= 2; // the tensor's components
  }
  return found;
}

/// Integrals over a surface of hexahedra.
struct SurfaceSums {
  double area = 0.0;
  AbaqusVector first_moment{}, force{}, moment{}; ///< the latter about the origin
};

template <class Element>
void add_faces(const DeckStresses& stresses, const std::vector<VoigtVector>& stress, const CellBlock& block,
               const std::vector<Side>& sides, SurfaceSums& sums) {
  using Face = typename Element::Side;
  using Rule = Quadrature<Face::shape, 3>; // two points an axis
  const auto side_nodes = Element::side_nodes();
  for (const Side& side : sides)
    for (std::size_t q = 0; q < Rule::weights.size(); ++q) {
      const auto values = Face::values(Rule::coordinates[q]);
      const auto gradients = Face::gradients(Rule::coordinates[q]);
      AbaqusVector x{};
      std::array<AbaqusVector, 2> tangents{};
      VoigtVector here{};
      for (std::size_t n = 0; n < Face::nodes; ++n) {
        const int local = side_nodes[static_cast<std::size_t>(side.side)][n];
        const auto node =
            static_cast<std::size_t>(block.nodes[static_cast<std::size_t>(side.cell) * Element::nodes +
                                                 static_cast<std::size_t>(local)]);
        for (std::size_t d = 0; d < 3; ++d) {
          x[d] += values[n] * stresses.mesh.points[3 * node + d];
          for (std::size_t e = 0; e < 2; ++e)
            tangents[e][d] += gradients[n][e] * stresses.mesh.points[3 * node + d];
        }
        for (std::size_t k = 0; k < here.size(); ++k) here[k] += values[n] * stress[node][k];
      }
      const AbaqusVector normal = scaled(cross(tangents[0], tangents[1]), Rule::weights[q]); // outwards
      AbaqusVector force{};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          force[static_cast<std::size_t>(a)] +=
              here[static_cast<std::size_t>(VoigtStiffness::component(a, b))] *
              normal[static_cast<std::size_t>(b)];
      const AbaqusVector moment = cross(x, force);
      const double area = length_of(normal);
      sums.area += area;
      for (std::size_t d = 0; d < 3; ++d) {
        sums.first_moment[d] += area * x[d];
        sums.force[d] += force[d];
        sums.moment[d] += moment[d];
      }
    }
}

Entries section_forces_of(const DeckStresses& stresses) {
  const std::vector<VoigtVector> stress =
      at_nodes(stresses, CalculixKind::section_forces, &BlockStresses::stress);
  std::map<std::string, SurfaceSums> surfaces;
  for (std::size_t b = 0; b < stresses.blocks.size(); ++b)
    for (const auto& [surface, sides] : stresses.mesh.blocks[b].side_sets)
      with_hexahedron(
          stresses, CalculixKind::section_forces, b, [&]<class Element>(std::type_identity<Element>) {
            add_faces<Element>(stresses, stress, stresses.mesh.blocks[b], sides, surfaces[surface]);
          });
  Entries found;
  for (const auto& [surface, sums] : surfaces) {
    const AbaqusVector center = scaled(sums.first_moment, 1 / sums.area);
    found["surface " + surface] =
        SectionForces{sums.force, difference(sums.moment, cross(center, sums.force)), sums.area}.values();
  }
  return found;
}

} // namespace

CalculixQuantity calculix_quantity(CalculixKind kind, const DeckStresses& stresses) {
  switch (kind) {
  case CalculixKind::forces:
    return {kind, forces_of(stresses)};
  case CalculixKind::total_forces:
    return {kind, total_forces_of(stresses)};
  case CalculixKind::stresses:
    return {kind, stresses_of(stresses)};
  case CalculixKind::strains:
    return {kind, strains_of(stresses)};
  case CalculixKind::section_forces:
    return {kind, section_forces_of(stresses)};
  case CalculixKind::strain_energy:
    return {kind, {{"mesh", {stresses.strain_energy}}}};
  }
  throw ArgumentError("calculix_quantity: an unknown kind");
}

} // namespace tessera::io
