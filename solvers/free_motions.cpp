// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/solvers/detail/linkage.hpp>
#include <tessera/solvers/detail/null_space.hpp>
#include <tessera/solvers/detail/rigid_pieces.hpp>
#include <tessera/solvers/free_motions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <numeric>
#include <string>

namespace tessera::solvers {

namespace {

using detail::HostMesh;
using detail::Joint;
using detail::Linkage;
using detail::NullSpace;
using detail::RigidPiece;
using detail::RigidPieces;

template <class... Numbers>
std::string text(const char* format, Numbers... numbers) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, numbers...);
  return buffer;
}

/// "(1, 0.5, 0)"; rounding beside `scale` is zero.
std::string vector_text(const std::vector<double>& v, double scale) {
  std::string list;
  for (const double c : v)
    list += (list.empty() ? "(" : ", ") + text("%.4g", std::abs(c) < 1e-9 * scale ? 0.0 : c);
  return list + ")";
}

bool is_held(std::uint8_t held, int component) { return (held >> component & 1) != 0; }

/// Makes the fields of a part orthonormal (Gram–Schmidt, twice).
void orthonormalise(std::vector<std::vector<double>>& fields) {
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t j = 0; j < i; ++j) {
        const double along = dot(fields[i], fields[j]);
        for (std::size_t k = 0; k < fields[i].size(); ++k) fields[i][k] -= along * fields[j][k];
      }
      const double norm = std::sqrt(dot(fields[i], fields[i]));
      for (double& entry : fields[i]) entry /= norm;
    }
}

/// Lets supports hold pieces, and pieces that are wholly held hold their neighbours at joints.
void hold(RigidPieces& all, const std::vector<std::uint8_t>& held) {
  const int dimension = all.mesh.dimension;
  const auto constrain = [&](RigidPiece& piece, Ordinal node, int axis) {
    const auto factors = all.displacement(piece, node, axis);
    NullSpace::Constraint row;
    for (int m = 0; m < all.motions(); ++m) row.emplace_back(m, factors[m]);
    piece.free.constrain(row, all.tolerance(piece));
  };
  const auto constrain_node = [&](RigidPiece& piece, Ordinal node, unsigned components) {
    for (int c = 0; c < dimension && piece.free.dimension() > 0; ++c)
      if (is_held(static_cast<std::uint8_t>(components), c)) constrain(piece, node, c);
  };
  for (std::size_t n = 0; n < held.size(); ++n)
    if (held[n] != 0 && all.piece_of_node[n] >= 0)
      constrain_node(all.pieces[all.piece_of_node[n]], static_cast<Ordinal>(n), held[n]);
  for (const Joint& joint : all.joints) // their other pieces
    for (std::size_t i = 1; i < joint.pieces.size(); ++i)
      constrain_node(all.pieces[joint.pieces[i]], joint.node, held[joint.node]);
  std::deque<Ordinal> firm;
  for (std::size_t p = 0; p < all.pieces.size(); ++p)
    if (all.pieces[p].free.dimension() == 0) firm.push_back(static_cast<Ordinal>(p));
  for (; !firm.empty(); firm.pop_front())
    for (const std::size_t j : all.pieces[firm.front()].joints)
      for (const Ordinal other : all.joints[j].pieces) {
        RigidPiece& piece = all.pieces[other];
        if (piece.free.dimension() == 0) continue;
        constrain_node(piece, all.joints[j].node, ~0u);
        if (piece.free.dimension() == 0) firm.push_back(other);
      }
}

/// Names of a lone piece's free motions: translations along axes where they are, and turns.
std::vector<std::string> names_of(const RigidPiece& piece, int dimension) {
  const int motions = dimension * (dimension + 1) / 2;
  constexpr double sure = 1e-7;
  NullSpace translations = piece.free, turns = piece.free;
  for (int m = dimension; m < motions; ++m) translations.constrain({{m, 1.0}}, sure);
  std::vector<std::string> names;
  const auto translation = [&](std::size_t vector) {
    std::vector<double> direction;
    for (int d = 0; d < dimension; ++d) direction.push_back(translations(d, vector));
    return direction;
  };
  const std::size_t count = translations.dimension();
  for (std::size_t v = 0; v < count; ++v) { // each is a constraint on what is left for turns
    NullSpace::Constraint row;
    for (int d = 0; d < dimension; ++d) row.emplace_back(d, translations(d, v));
    turns.constrain(row, sure);
  }
  for (int d = 0; d < dimension; ++d) {
    double square = 0;
    for (std::size_t v = 0; v < translations.dimension(); ++v) square += std::pow(translations(d, v), 2);
    if (square < 1 - sure) continue;
    names.push_back(std::string("translation along ") + "xyz"[d]);
    translations.constrain({{d, 1.0}}, sure);
  }
  for (std::size_t v = 0; v < translations.dimension(); ++v)
    names.push_back("translation along " + vector_text(translation(v), 1));
  if (turns.dimension() == 3) {
    for (const char* axis : {"x", "y", "z"}) names.push_back(std::string("rotation about ") + axis);
    return names;
  }
  for (std::size_t v = 0; v < turns.dimension(); ++v) {
    std::vector<double> through(piece.centre.begin(), piece.centre.begin() + dimension), axis;
    if (dimension == 2) { // u = t + w e × arm vanishes at the centre + e × t / w
      const double w = turns(2, v);
      through[0] -= piece.radius * turns(1, v) / w;
      through[1] += piece.radius * turns(0, v) / w;
      names.push_back("rotation about " + vector_text(through, piece.radius));
      continue;
    }
    double square = 0, t[3];
    for (int d = 0; d < 3; ++d) {
      axis.push_back(turns(3 + d, v));
      square += axis[d] * axis[d];
      t[d] = turns(d, v);
    }
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      through[d] += piece.radius * (axis[e] * t[f] - axis[f] * t[e]) / square;
    }
    const double largest = *std::max_element(axis.begin(), axis.end(),
                                             [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double norm = std::copysign(std::sqrt(square), largest); // an axis has no sense
    for (double& c : axis) c /= norm;
    names.push_back("rotation about the axis along " + vector_text(axis, 1) + " through " +
                    vector_text(through, piece.radius));
  }
  return names;
}

} // namespace

namespace detail {

FreeMotions free_constants(const HostMesh& mesh, const std::vector<std::uint8_t>& held, int components) {
  const std::vector<Ordinal> part = parts_of(mesh);
  const Ordinal count = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
  std::vector<Ordinal> part_of_node(mesh.nodes(), -1);
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (const Ordinal node : mesh.nodes_of(e)) part_of_node[node] = part[e];
  std::vector<std::uint8_t> holds(count, 0);
  for (std::size_t n = 0; n < mesh.nodes(); ++n)
    if (part_of_node[n] >= 0) holds[part_of_node[n]] |= held[n];
  std::vector<FreePart> found(static_cast<std::size_t>(count) * components);
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (int c = 0; c < components; ++c) {
      FreePart& p = found[static_cast<std::size_t>(part[e]) * components + c];
      if (p.elements++ == 0) p.first_element = static_cast<Ordinal>(e);
    }
  for (std::size_t n = 0; n < mesh.nodes(); ++n)
    for (int c = 0; part_of_node[n] >= 0 && c < components; ++c)
      if (!is_held(holds[part_of_node[n]], c))
        found[static_cast<std::size_t>(part_of_node[n]) * components + c].dofs.push_back(
            static_cast<Ordinal>(n) * components + c);
  FreeMotions result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].dofs.empty()) continue;
    found[i].motions = {components == 1
                            ? std::string("any constant")
                            : text("any constant in component %d", static_cast<int>(i) % components)};
    found[i].fields = {std::vector<double>(found[i].dofs.size(), 1.0)};
    orthonormalise(found[i].fields);
    result.parts.push_back(std::move(found[i]));
  }
  return result;
}

FreeMotions free_rigid_motions(const HostMesh& mesh, const std::vector<std::uint8_t>& held) {
  RigidPieces all(mesh);
  hold(all, held);
  FreeMotions result;
  std::vector<char> taken(all.pieces.size(), 0);
  std::vector<Ordinal> linkage_of(all.pieces.size(), -1);
  std::vector<Linkage> linkages;
  for (std::size_t p = 0; p < all.pieces.size(); ++p) {
    if (all.pieces[p].free.dimension() == 0 || taken[p]) continue;
    Linkage linkage(all, static_cast<Ordinal>(p), taken);
    if (!linkage.examined()) {
      result.unexamined += static_cast<Ordinal>(linkage.members().size());
      continue;
    }
    if (linkage.space().dimension() == 0) continue;
    FreePart part;
    part.first_element = all.pieces[p].first_element;
    part.pieces = static_cast<Ordinal>(linkage.members().size());
    for (const Ordinal member : linkage.members()) {
      part.elements += all.pieces[member].elements;
      linkage_of[member] = static_cast<Ordinal>(linkages.size());
    }
    if (part.pieces == 1) part.motions = names_of(all.pieces[p], mesh.dimension);
    part.fields.resize(linkage.space().dimension());
    result.parts.push_back(std::move(part));
    linkages.push_back(std::move(linkage));
  }
  for (std::size_t n = 0; n < mesh.nodes(); ++n) {
    const Ordinal piece = all.piece_of_node[n];
    if (piece < 0 || linkage_of[piece] < 0) continue;
    FreePart& part = result.parts[linkage_of[piece]];
    for (int axis = 0; axis < mesh.dimension; ++axis) {
      if (is_held(held[n], axis)) continue;
      part.dofs.push_back(static_cast<Ordinal>(n) * mesh.dimension + axis);
      for (std::size_t v = 0; v < part.fields.size(); ++v)
        part.fields[v].push_back(
            linkages[linkage_of[piece]].displacement(v, static_cast<Ordinal>(n), axis, piece));
    }
  }
  for (FreePart& part : result.parts) {
    orthonormalise(part.fields);
    if (part.pieces == 1) continue;
    for (const auto& field : part.fields) {
      const auto most = std::max_element(field.begin(), field.end(),
                                         [](double a, double b) { return std::abs(a) < std::abs(b); });
      const Ordinal dof = part.dofs[most - field.begin()];
      part.motions.push_back(
          text("one that moves node %d most, along %c", dof / mesh.dimension, "xyz"[dof % mesh.dimension]));
    }
  }
  return result;
}

void leave_out(FreeMotions& free, const std::function<bool(Ordinal)>& follows) {
  for (FreePart& part : free.parts) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < part.dofs.size(); ++k) {
      if (follows(part.dofs[k])) continue;
      part.dofs[kept] = part.dofs[k];
      for (auto& field : part.fields) field[kept] = field[k];
      ++kept;
    }
    part.dofs.resize(kept);
    for (auto& field : part.fields) field.resize(kept);
    orthonormalise(part.fields);
  }
}

} // namespace detail

std::size_t FreeMotions::count() const {
  std::size_t sum = 0;
  for (const FreePart& part : parts) sum += part.fields.size();
  return sum;
}

std::string FreeMotions::description(const std::function<std::string(Ordinal)>& element_name) const {
  constexpr std::size_t most = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
    const FreePart& part = parts[i];
    list +=
        (list.empty() ? "" : "; ") +
        (part.pieces == 1 ? ""
                          : text("%d pieces that hang together at nodes or edges alone, in ", part.pieces)) +
        text("the part of %d elements with ", part.elements) + element_name(part.first_element) + ": ";
    for (std::size_t m = 0; m < part.motions.size(); ++m) list += (m == 0 ? "" : ", ") + part.motions[m];
  }
  if (parts.size() > most) list += text("; and %zu parts more", parts.size() - most);
  return list;
}

std::vector<Ordinal> FreeMotions::pins() const {
  std::vector<Ordinal> pins;
  for (const FreePart& part : parts) {
    std::vector<std::vector<double>> rows(part.dofs.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (const auto& field : part.fields) rows[k].push_back(field[k]);
    NullSpace left(std::move(rows));
    while (left.dimension() > 0) {
      std::size_t best = 0;
      double most = -1;
      for (std::size_t k = 0; k < left.unknowns(); ++k) {
        double square = 0;
        for (std::size_t v = 0; v < left.dimension(); ++v) square += left(k, v) * left(k, v);
        if (square > most) most = square, best = k;
      }
      left.constrain({{best, 1.0}}, 0);
      pins.push_back(part.dofs[best]);
    }
  }
  std::sort(pins.begin(), pins.end());
  return pins;
}

} // namespace tessera::solvers
