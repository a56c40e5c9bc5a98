// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/mesh/free_parts.hpp>
#include <tessera/solvers/detail/null_space.hpp>
#include <tessera/solvers/detail/rigid_pieces.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mpi.h>
#include <type_traits>

namespace tessera::distributed::detail {

namespace {

using solvers::detail::NullSpace;

constexpr int most_motions = 8; // constants of as many components

/// What a rank's own nodes and elements add to a part.
struct Share {
  GlobalOrdinal label = 0;
  GlobalOrdinal first_element = std::numeric_limits<GlobalOrdinal>::max();
  GlobalOrdinal elements = 0;
  std::array<double, 3> low{}, high{}; ///< corners of the box around its nodes
};

/// The motions of a part that a rank's own nodes leave free: the projection on them.
struct Left {
  GlobalOrdinal label;
  std::array<std::array<double, most_motions>, most_motions> projection;
};

/// A part of the whole mesh.
struct Whole {
  Share sum;
  NullSpace free;
  std::array<double, 3> centre{};
  double radius = 0;
};
using Wholes = std::map<GlobalOrdinal, Whole>;

/// Collective: the lists of all ranks, one after the other.
template <class T>
std::vector<T> gathered_lists(const Communicator& ranks, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto count = static_cast<int>(mine.size() * sizeof(T));
  std::vector<int> counts(static_cast<std::size_t>(ranks.size())), begins(counts.size(), 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, ranks.own());
  for (std::size_t r = 1; r < counts.size(); ++r) begins[r] = begins[r - 1] + counts[r - 1];
  std::vector<T> all(static_cast<std::size_t>(begins.back() + counts.back()) / sizeof(T));
  MPI_Allgatherv(mine.data(), count, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE,
                 ranks.own());
  return all;
}

void add(Share& sum, const Share& share) {
  sum.first_element = std::min(sum.first_element, share.first_element);
  sum.elements += share.elements;
  for (std::size_t d = 0; d < 3; ++d) {
    sum.low[d] = std::min(sum.low[d], share.low[d]);
    sum.high[d] = std::max(sum.high[d], share.high[d]);
  }
}

std::array<double, 3> point(const solvers::detail::HostMesh& mesh, Ordinal node) {
  std::array<double, 3> x{};
  for (int d = 0; d < mesh.dimension; ++d)
    x[to_size(d)] = mesh.coordinates[to_size(node) * to_size(mesh.dimension) + to_size(d)];
  return x;
}

std::vector<Share> shares_of(const LocalParts& local, const std::vector<GlobalOrdinal>& labels) {
  std::map<GlobalOrdinal, Share> shares;
  const auto add_to = [&](GlobalOrdinal label, Share share) {
    share.label = label;
    if (const auto [at, fresh] = shares.try_emplace(label, share); !fresh) add(at->second, share);
  };
  for (Ordinal n = 0; n < local.owned_nodes; ++n) {
    const auto x = point(local.mesh, n);
    add_to(labels[to_size(n)], {.low = x, .high = x});
  }
  for (std::size_t e = 0; e < local.elements.size(); ++e) {
    const Ordinal node = local.mesh.nodes_of(to_size(local.owned_elements[e])).front();
    const auto x = point(local.mesh, node);
    add_to(labels[to_size(node)], {.first_element = local.elements[e], .elements = 1, .low = x, .high = x});
  }
  std::vector<Share> list;
  for (const auto& [label, share] : shares) list.push_back(share);
  return list;
}

Wholes wholes_of(const std::vector<Share>& shares, int motions) {
  Wholes wholes;
  for (const Share& share : shares) {
    const auto [at, fresh] = wholes.try_emplace(share.label, Whole{share, NullSpace(to_size(motions))});
    if (!fresh) add(at->second.sum, share);
  }
  for (auto& [label, whole] : wholes)
    for (std::size_t d = 0; d < 3; ++d) {
      whole.centre[d] = 0.5 * (whole.sum.low[d] + whole.sum.high[d]);
      whole.radius = std::hypot(whole.radius, 0.5 * (whole.sum.high[d] - whole.sum.low[d]));
    }
  return wholes;
}

/// Lets what the rank's own nodes hold take motions away. \returns the parts of which it holds some
std::vector<GlobalOrdinal> hold(Wholes& wholes, const LocalParts& local,
                                const std::vector<GlobalOrdinal>& labels, solvers::Unseen unseen) {
  std::vector<GlobalOrdinal> changed;
  for (Ordinal n = 0; n < local.owned_nodes; ++n) {
    Whole& part = wholes.at(labels[to_size(n)]);
    const auto x = point(local.mesh, n);
    for (int c = 0; c < local.components && part.free.dimension() > 0; ++c) {
      if ((local.held[to_size(n)] >> c & 1) == 0) continue;
      NullSpace::Constraint row{{to_size(c), 1.0}};
      double tolerance = 0;
      if (unseen == solvers::Unseen::rigid_motions) {
        std::array<double, 3> arm{};
        for (std::size_t d = 0; d < 3; ++d) arm[d] = (x[d] - part.centre[d]) / part.radius;
        const auto factors = solvers::detail::rigid_factors(local.mesh.dimension, arm, c);
        row.clear();
        for (std::size_t m = 0; m < part.free.unknowns(); ++m) row.emplace_back(m, factors[m]);
        tolerance = solvers::detail::rigid_tolerance(part.centre, part.radius);
      }
      if (part.free.constrain(row, tolerance)) changed.push_back(labels[to_size(n)]);
    }
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

Left left_of(GlobalOrdinal label, const NullSpace& free) {
  Left left{label, {}};
  for (std::size_t i = 0; i < free.unknowns(); ++i)
    for (std::size_t j = 0; j < free.unknowns(); ++j)
      for (std::size_t v = 0; v < free.dimension(); ++v) left.projection[i][j] += free(i, v) * free(j, v);
  return left;
}

/// Takes away what another rank does not leave free.
void hold(NullSpace& free, const Left& left, double tolerance) {
  for (std::size_t i = 0; i < free.unknowns() && free.dimension() > 0; ++i) {
    NullSpace::Constraint row;
    for (std::size_t j = 0; j < free.unknowns(); ++j)
      row.emplace_back(j, (i == j ? 1.0 : 0.0) - left.projection[i][j]);
    free.constrain(row, tolerance);
  }
}

} // namespace

void LocalParts::find_parts() {
  const auto part = solvers::detail::parts_of(mesh);
  part_of_node.assign(mesh.nodes(), -1);
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (const Ordinal node : mesh.nodes_of(e)) part_of_node[to_size(node)] = part[e];
}

void LocalParts::spread(std::vector<GlobalOrdinal>& labels) const {
  std::map<Ordinal, GlobalOrdinal> least;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const auto [at, fresh] = least.try_emplace(part_of_node[n], labels[n]);
    if (!fresh) at->second = std::min(at->second, labels[n]);
  }
  for (std::size_t n = 0; n < labels.size(); ++n)
    if (part_of_node[n] >= 0) labels[n] = least.at(part_of_node[n]);
}

std::vector<FreePart> free_parts(const Communicator& ranks, const LocalParts& local,
                                 const std::vector<GlobalOrdinal>& labels, solvers::Unseen unseen) {
  const int dimension = local.mesh.dimension;
  const int motions =
      unseen == solvers::Unseen::constants ? local.components : dimension * (dimension + 1) / 2;
  Wholes wholes = wholes_of(gathered_lists(ranks, shares_of(local, labels)), motions);
  std::vector<Left> mine;
  for (const GlobalOrdinal label : hold(wholes, local, labels, unseen))
    mine.push_back(left_of(label, wholes.at(label).free));
  constexpr double tolerance = 1e-9; // as of one rank's constraints
  for (auto& [label, whole] : wholes) whole.free = NullSpace(to_size(motions));
  for (const Left& left : gathered_lists(ranks, mine)) hold(wholes.at(left.label).free, left, tolerance);
  std::vector<FreePart> free;
  for (const auto& [label, whole] : wholes)
    if (whole.sum.elements > 0 && whole.free.dimension() > 0)
      free.push_back({whole.sum.first_element, whole.sum.elements, static_cast<int>(whole.free.dimension())});
  std::sort(free.begin(), free.end(),
            [](const FreePart& a, const FreePart& b) { return a.first_element < b.first_element; });
  return free;
}

} // namespace tessera::distributed::detail
