// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The choice among strategies by the measured times of a machine.

#include <tessera/core/cost.hpp>
#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/best/mesh_features.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// What is to be computed, as far as times depend on it.
struct ChoiceProblem {
  std::string family;  ///< assembly, apply or residual
  std::string element; ///< its name
  std::string scalar;  ///< double or float
  int components = 1;
  /// Whether the form's elements are integrated by a refinement where they are affine, or all by quadrature.
  bool refined = true;
  double elements = 0;
  MeshFeatures mesh;
};

/// A strategy that may be taken.
struct ChoiceCandidate {
  std::string name; ///< in the catalogue
  bool deterministic = false;
  std::optional<Cost> cost; ///< of one call by its model, where the model knows the form
  bool any_shape = false;   ///< whether elements that are not affine take no longer than others
  /// Whether it computes elements more than once and lives by refinements: its times tell nothing of forms
  /// without one, unless they are of such forms.
  bool by_refinement = false;
};

/// What the user asks for.
struct ChoiceWishes {
  bool deterministic = false;                                  ///< bitwise equal results in every run
  double plan_bytes = std::numeric_limits<double>::infinity(); ///< at most, of plan and preparation
  double calls = 1000; ///< assemblies, products or residuals expected, which share the cost of the plan
};

/// What a strategy is expected to take.
struct Prediction {
  std::size_t candidate = 0;                            ///< its number among those that were asked about
  std::string strategy;                                 ///< its name
  double seconds = 0, plan_seconds = 0, plan_bytes = 0; ///< of one call; of the plan and its preparation

  /// Of a call and its share of the plan.
  double total(double calls) const { return seconds + plan_seconds / calls; }
};

/// The times of one strategy by a table. On an element and form that the table has, a launch's time, and for
/// each element the time measured on the ordered box and its third, changed as the cost model changes; more
/// where neighbours lie far apart, between ordered and shuffled boxes by the logarithm of the mesh's spread;
/// more where some nodes have many elements; and the bent box's time for the share of elements that are not
/// affine. Forms without refinement take the times of forms by quadrature; where the table has none the bent
/// box's, on linear simplices the ordered box's.
/// \return nothing if the table does not have the strategy on such an element, or tells nothing of the form
std::optional<Prediction> predict(const Calibration& table, const ChoiceProblem& problem,
                                  const ChoiceCandidate& candidate);

/// The names of the strategies of a family that a table has.
std::vector<std::string> strategies_of(const Calibration& table, const std::string& family);

/// The candidates that keep to the wishes and that the table knows, the fastest first.
std::vector<Prediction> ranking(const Calibration& table, const ChoiceProblem& problem,
                                const std::vector<ChoiceCandidate>& candidates, const ChoiceWishes& wishes);

} // namespace tessera
