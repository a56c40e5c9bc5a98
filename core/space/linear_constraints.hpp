// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Linear equations between degrees of freedom (multi-point constraints), solved for some of them.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A degree of freedom and its factor.
struct LinearTerm {
  Ordinal dof;
  double factor;
};

/// The sum of factor times u(dof) over the terms is `value`.
struct LinearEquation {
  std::vector<LinearTerm> terms;
  double value = 0.0;
  std::string name; ///< for messages
};

/// u(dof) is `value` and the sum of factor times u(dof) over the terms.
struct LinearCombination {
  std::vector<LinearTerm> terms; ///< of independent degrees of freedom
  double value = 0.0;
};

/// Degrees of freedom that follow from others by linear equations. Numbers from `num_dofs` on stand for
/// unknowns beyond a space's, such as a node that no element has; they are made dependent wherever they can
/// be.
///
/// Elimination on the host, an equation after the other: prescribed and dependent degrees of freedom are put
/// in, and of what is left that with the largest factor becomes dependent. Equations that others imply add
/// nothing.
class LinearConstraints {
public:
  LinearConstraints() = default;

  /// \param prescribed values of degrees of freedom that are no unknowns
  /// \throws ArgumentError naming an equation that contradicts those before it or the prescribed values, or
  ///   that has a number that is not finite or a negative dof
  LinearConstraints(const std::vector<LinearEquation>& equations, const std::map<Ordinal, double>& prescribed,
                    Ordinal num_dofs)
      : num_dofs_(num_dofs) {
    for (const LinearEquation& equation : equations) add(equation, prescribed);
  }

  bool empty() const { return dependents_.empty(); }
  /// Of the space.
  Ordinal num_dofs() const { return num_dofs_; }
  /// The dependent degrees of freedom, and what they follow from.
  const std::map<Ordinal, LinearCombination>& dependents() const { return dependents_; }

private:
  /// An equation whose terms are independent, and the size of the numbers that it came from.
  struct Reduced {
    std::map<Ordinal, double> terms;
    double value = 0.0;
    double largest_factor = 0.0, largest_value = 0.0;

    void add(Ordinal dof, double factor) {
      terms[dof] += factor;
      largest_factor = std::max(largest_factor, std::abs(factor));
    }
    void put_in(double product) {
      value -= product;
      largest_value = std::max(largest_value, std::abs(product));
    }
  };

  Reduced reduced(const LinearEquation& equation, const std::map<Ordinal, double>& prescribed) const {
    Reduced result;
    result.value = equation.value;
    result.largest_value = std::abs(equation.value);
    if (!std::isfinite(equation.value))
      throw ArgumentError(equation.name + " has a value that is not finite");
    for (const auto& [dof, factor] : equation.terms) {
      if (dof < 0 || !std::isfinite(factor))
        throw ArgumentError(equation.name + " has a degree of freedom or a factor that is no number");
      if (const auto known = prescribed.find(dof); known != prescribed.end()) {
        result.put_in(factor * known->second);
      } else if (const auto found = dependents_.find(dof); found != dependents_.end()) {
        result.put_in(factor * found->second.value);
        for (const LinearTerm& term : found->second.terms) result.add(term.dof, factor * term.factor);
      } else {
        result.add(dof, factor);
      }
    }
    std::erase_if(result.terms, [&](const auto& term) {
      return std::abs(term.second) <= rounding * result.largest_factor;
    });
    return result;
  }

  void add(const LinearEquation& equation, const std::map<Ordinal, double>& prescribed) {
    const Reduced left = reduced(equation, prescribed);
    if (left.terms.empty()) {
      if (std::abs(left.value) > rounding * left.largest_value)
        throw ArgumentError(equation.name + " contradicts the constraints before it");
      return;
    }
    const auto preferred = [&](const auto& a, const auto& b) {
      const bool beyond_a = a.first >= num_dofs_, beyond_b = b.first >= num_dofs_;
      return beyond_a != beyond_b ? beyond_b : std::abs(a.second) < std::abs(b.second);
    };
    const auto pivot = std::max_element(left.terms.begin(), left.terms.end(), preferred);
    LinearCombination combination{{}, left.value / pivot->second};
    combination.terms.reserve(left.terms.size() - 1);
    for (const auto& [dof, factor] : left.terms)
      if (dof != pivot->first) combination.terms.push_back({dof, -factor / pivot->second});
    put_into_dependents(pivot->first, combination);
    for (const LinearTerm& term : combination.terms) users_[term.dof].insert(pivot->first);
    dependents_.emplace(pivot->first, std::move(combination));
  }

  /// Replaces a degree of freedom that has become dependent in those that followed from it.
  void put_into_dependents(Ordinal dof, const LinearCombination& combination) {
    const auto users = users_.find(dof);
    if (users == users_.end()) return;
    for (const Ordinal user : users->second) {
      LinearCombination& changed = dependents_.at(user);
      std::map<Ordinal, double> terms;
      for (const LinearTerm& term : changed.terms) terms[term.dof] += term.factor;
      const double factor = terms.at(dof);
      terms.erase(dof);
      changed.value += factor * combination.value;
      for (const LinearTerm& term : combination.terms) terms[term.dof] += factor * term.factor;
      changed.terms.clear();
      for (const auto& [other, coefficient] : terms) {
        changed.terms.push_back({other, coefficient});
        users_[other].insert(user);
      }
    }
    users_.erase(dof);
  }

  static constexpr double rounding = 1e-10;

  Ordinal num_dofs_ = 0;
  std::map<Ordinal, LinearCombination> dependents_;
  std::map<Ordinal, std::set<Ordinal>> users_; ///< which dependents have a term of an independent one
};

} // namespace tessera
