// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The assembly strategies that `Best` chooses among, in the order of the times expected of them.

#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>
#include <tessera/strategies/best/trial.hpp>
#include <tessera/strategies/common/variant.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The ranking of the variants of some strategies for a mesh.
/// \tparam Candidates a tuple of strategies
template <class Candidates, class Element, class ExecutionSpace>
class AssemblyRanking {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;

  AssemblyRanking(const ExecutionSpace& exec, const Space& space)
      : features_(mesh_features(exec, space.mesh())) {}

  /// The candidates in the order in which they are to be tried.
  /// \param calibration times to choose by; null: `machine_calibration`
  template <class Form, class Scalar>
  std::vector<Prediction> order(const ExecutionSpace& exec, const Space& space, const Graph& graph,
                                const std::shared_ptr<const Calibration>& calibration,
                                const ChoiceWishes& wishes) const {
    using Kernel =
        std::remove_cvref_t<decltype(tessera::detail::element_kernel(std::declval<const Form&>()))>;
    std::vector<ChoiceCandidate> candidates;
    for_each_strategy<Candidates>([&]<class Strategy>(const Variant<Strategy>& variant) {
      // On hosts ElementAtomic has no atomics: its sums have a fixed order.
      constexpr bool ordered =
          runs_on_host<ExecutionSpace> && std::is_same_v<Strategy, assembly::ElementAtomic>;
      // RowOwner integrates such elements by moments, whether they are affine or not.
      constexpr bool any_shape = assembly::detail::HasCornerRows<Element, Kernel, Scalar> &&
                                 std::is_same_v<Strategy, assembly::RowOwner>;
      ChoiceCandidate candidate{.name = variant.name,
                                .deterministic = ordered || is_deterministic(variant.strategy),
                                .cost = {},
                                .any_shape = any_shape,
                                .by_refinement = std::is_same_v<Strategy, assembly::RowOwner> ||
                                                 std::is_same_v<Strategy, assembly::Patch>};
      if constexpr (is_shipped<Element, Form>)
        candidate.cost = variant.strategy.template cost<Element, Form, Scalar>(space, graph);
      candidates.push_back(candidate);
    });
    const ChoiceProblem problem{.family = "assembly",
                                .element = Element::name,
                                .scalar = sizeof(Scalar) == 4 ? "float" : "double",
                                .components = Form::components,
                                .refined = is_refined<Element, Form, Scalar>,
                                .elements = static_cast<double>(space.mesh().num_elements()),
                                .mesh = features_};
    const auto table = calibration ? calibration : machine_calibration(exec);
    return order_of_trial(*table, problem, candidates, wishes);
  }

private:
  MeshFeatures features_;
};

} // namespace tessera::detail
