// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The vectors that a growing set of constraints leaves free.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::solvers::detail {

/// An orthonormal basis of the vectors that satisfy all constraints so far. Every constraint that is more
/// than a combination of earlier ones turns the basis by a reflection, so that one of its vectors answers it,
/// and takes that one away.
class NullSpace {
public:
  using Constraint = std::vector<std::pair<std::size_t, double>>; ///< unknown, factor

  explicit NullSpace(std::size_t unknowns = 0) { append(unknowns); }
  /// \param rows unknown × vector: orthonormal columns
  explicit NullSpace(std::vector<std::vector<double>> rows)
      : dimension_(rows.empty() ? 0 : rows.front().size()), rows_(std::move(rows)) {}

  /// More unknowns, which nothing constrains yet.
  void append(std::size_t unknowns) {
    const std::size_t before = rows_.size();
    for (auto& row : rows_) row.resize(dimension_ + unknowns, 0.0);
    rows_.resize(before + unknowns, std::vector<double>(dimension_ + unknowns, 0.0));
    for (std::size_t i = 0; i < unknowns; ++i) rows_[before + i][dimension_ + i] = 1;
    dimension_ += unknowns;
  }

  std::size_t unknowns() const { return rows_.size(); }
  std::size_t dimension() const { return dimension_; }
  /// Entry of a basis vector.
  double operator()(std::size_t unknown, std::size_t vector) const { return rows_[unknown][vector]; }

  /// Requires that the sum of factors times unknowns is zero. False if that adds nothing: if no unit vector
  /// that is left makes the sum more than `tolerance`.
  bool constrain(const Constraint& constraint, double tolerance) {
    std::vector<double> answers(dimension_, 0.0);
    double answered = 0;
    for (const auto& [unknown, factor] : constraint)
      for (std::size_t j = 0; j < dimension_; ++j) answers[j] += factor * rows_[unknown][j];
    for (const double answer : answers) answered += answer * answer;
    if (!(answered > tolerance * tolerance)) return false;
    answered = std::sqrt(answered);
    // The reflection that leaves the whole answer to the last vector.
    double& last = answers.back();
    last += last < 0 ? -answered : answered;
    double square = 0;
    for (const double entry : answers) square += entry * entry;
    for (auto& row : rows_) {
      double along = 0;
      for (std::size_t j = 0; j < dimension_; ++j) along += row[j] * answers[j];
      along *= 2 / square;
      for (std::size_t j = 0; j + 1 < dimension_; ++j) row[j] -= along * answers[j];
      row.pop_back();
    }
    --dimension_;
    return true;
  }

private:
  std::size_t dimension_ = 0;
  std::vector<std::vector<double>> rows_; // unknown × vector
};

} // namespace tessera::solvers::detail
