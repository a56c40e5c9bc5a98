// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Mechanisms of rigid pieces that hang together at nodes or edges alone.

#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/null_space.hpp>
#include <tessera/solvers/detail/rigid_pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace tessera::solvers::detail {

/// Pieces with motions of their own that hang together: their free motions are the unknowns, that they do not
/// part at joints the constraints.
class Linkage {
public:
  /// Operations that a null space may take.
  static constexpr double budget = 1e10;

  /// Takes all loose pieces that hang together with `first`, and marks them. `examined()` is false if that
  /// would have taken more than the budget.
  Linkage(const RigidPieces& all, Ordinal first, std::vector<char>& taken) : all_(all) {
    collect(first, taken);
    std::vector<char> joined(all.joints.size(), 0);
    for (std::size_t place = 0; place < members_.size(); ++place) {
      const RigidPiece& piece = all_.pieces[members_[place]];
      offsets_.push_back(space_.unknowns());
      space_.append(piece.free.dimension());
      for (const std::size_t j : piece.joints) {
        const Ordinal before = earlier(all_.joints[j], place);
        for (int axis = 0; before >= 0 && axis < all_.mesh.dimension; ++axis) {
          work_ += 4.0 * static_cast<double>(space_.unknowns()) * static_cast<double>(space_.dimension());
          if (work_ > budget) return;
          join(place, place_of_[before], all_.joints[j].node, axis);
        }
      }
    }
    examined_ = true;
  }

  bool examined() const { return examined_; }
  const std::vector<Ordinal>& members() const { return members_; }
  const NullSpace& space() const { return space_; }

  /// What a vector of the null space moves at a node along an axis.
  double displacement(std::size_t vector, Ordinal node, int axis, Ordinal piece) const {
    double sum = 0;
    for (const auto& [unknown, factor] : row(place_of_.at(piece), node, axis))
      sum += factor * space_(unknown, vector);
    return sum;
  }

private:
  void collect(Ordinal first, std::vector<char>& taken) {
    taken[first] = 1;
    members_.push_back(first);
    for (std::size_t place = 0; place < members_.size(); ++place) {
      place_of_[members_[place]] = place;
      for (const std::size_t j : all_.pieces[members_[place]].joints)
        if (is_loose(all_.joints[j]))
          for (const Ordinal other : all_.joints[j].pieces)
            if (!taken[other]) {
              taken[other] = 1;
              members_.push_back(other);
            }
    }
  }
  /// A joint with a piece that is wholly held has held its others already.
  bool is_loose(const Joint& joint) const {
    return std::all_of(joint.pieces.begin(), joint.pieces.end(),
                       [&](Ordinal p) { return all_.pieces[p].free.dimension() > 0; });
  }
  /// A piece of a loose joint that came before; −1 if there is none.
  Ordinal earlier(const Joint& joint, std::size_t place) const {
    if (is_loose(joint))
      for (const Ordinal p : joint.pieces)
        if (place_of_.at(p) < place) return p;
    return -1;
  }
  NullSpace::Constraint row(std::size_t place, Ordinal node, int axis) const {
    const RigidPiece& piece = all_.pieces[members_[place]];
    const auto factors = all_.displacement(piece, node, axis);
    NullSpace::Constraint row;
    for (std::size_t j = 0; j < piece.free.dimension(); ++j) {
      double sum = 0;
      for (int m = 0; m < all_.motions(); ++m) sum += factors[m] * piece.free(m, j);
      row.emplace_back(offsets_[place] + j, sum);
    }
    return row;
  }
  void join(std::size_t place, std::size_t other, Ordinal node, int axis) {
    NullSpace::Constraint difference = row(place, node, axis);
    for (const auto& [unknown, factor] : row(other, node, axis)) difference.emplace_back(unknown, -factor);
    space_.constrain(difference, std::max(all_.tolerance(all_.pieces[members_[place]]),
                                          all_.tolerance(all_.pieces[members_[other]])));
  }

  const RigidPieces& all_;
  std::vector<Ordinal> members_;
  std::map<Ordinal, std::size_t> place_of_;
  std::vector<std::size_t> offsets_;
  NullSpace space_;
  double work_ = 0;
  bool examined_ = false;
};

} // namespace tessera::solvers::detail
