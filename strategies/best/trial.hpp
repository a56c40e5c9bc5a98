// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How `Best` goes through the candidates, in every family.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/common/check_symmetry.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Whether a form is one that tables have times of.
template <class Element, class Form>
inline constexpr bool is_shipped = is_one_of<Form, ShippedForms<Element::dimension>>;

/// Whether a form has a refinement for the element, so that affine elements take less time than others.
template <class Element, class Form, class Scalar>
inline constexpr bool is_refined = [] {
  using Kernel = std::remove_cvref_t<decltype(element_kernel(std::declval<const Form&>()))>;
  return HasClosedForm<Element, Kernel, Scalar> || HasAffineForm<Element, Kernel, Scalar> ||
         HasMoments<Element, Kernel, Scalar>;
}();

/// \throws ArgumentError naming the wish that is not positive
void check_wishes(const std::string& who, const ChoiceWishes& wishes);

/// The ranking, and after it the candidates that the table does not know, in the order given; where most
/// elements need quadrature, those that live by refinements come last. Those that do not repeat bitwise are
/// left out where that is wished.
std::vector<Prediction> order_of_trial(const Calibration& table, const ChoiceProblem& problem,
                                       const std::vector<ChoiceCandidate>& candidates,
                                       const ChoiceWishes& wishes);

/// Goes through candidates until one is taken, or, where they are timed, through the first three.
class Trial {
public:
  Trial(std::vector<Prediction> order, const ChoiceWishes& wishes, bool measure)
      : order_(std::move(order)), wishes_(wishes), measure_(measure) {}

  /// The candidate to try, or null where a strategy has been found.
  /// \throws UnsupportedError with the reason of each tried, if none has been found
  const Prediction* next();
  /// Whether the plan that was made keeps to the wish of memory; notes that it does not.
  bool keeps_to(const PlanReport& plan);
  /// Notes the seconds of a call. \return whether it is the fastest so far, its share of the plan included
  bool take(double seconds);
  /// Notes why the candidate cannot be taken.
  void refuse(const std::string& reason) { reasons_ += "; " + reason; }

  /// What was taken and what came second, in a line.
  std::string why() const;

private:
  static constexpr std::size_t most_timed = 3;

  std::vector<Prediction> order_;
  ChoiceWishes wishes_;
  bool measure_;
  std::size_t tried_ = 0, timed_ = 0;
  std::optional<std::size_t> fastest_;
  double fastest_seconds_ = 0;
  std::string reasons_;
};

} // namespace tessera::detail
