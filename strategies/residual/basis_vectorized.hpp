#pragma once

/// \file
/// BasisVectorized: a thread per basis function.

#include <tessera/strategies/residual/detail/kernels.hpp>
#include <tessera/strategies/residual/detail/mesh_setting.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::residual {

/// A thread per basis function of a cell, which takes one quadrature point after the other: little local
/// memory, but all coefficients are pulled and the form is evaluated for every point and basis function
/// (paper 3, section 1, after MILAMIN, its reference 7).
///
/// Deterministic with colors and with gathered results.
struct BasisVectorized {
  static constexpr const char* name = "BasisVectorized";
  static constexpr const char* source = "paper 3, section 1";

  Conflicts conflicts = Conflicts::atomics;

  bool deterministic() const { return conflicts != Conflicts::atomics; }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws UnsupportedError for `Conflicts::patches`; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const FunctionSpace<Element, ExecutionSpace>& space,
                                     const ExecutionSpace& exec = ExecutionSpace()) const {
    return {exec, space, *this};
  }

  static std::vector<std::pair<std::string, BasisVectorized>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}}};
  }
};

template <class Element, class ExecutionSpace>
class BasisVectorized::Plan
    : public SettingPlan<BasisVectorized::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = SettingPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = BasisVectorized::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const BasisVectorized& strategy)
      : Base(exec, space, strategy.conflicts) {}

  template <class Setting, class Kernel>
  void run(const Setting& setting, const Kernel& kernel) const {
    Kokkos::parallel_for(
        "Tessera::BasisVectorized::integrate",
        Kokkos::RangePolicy<ExecutionSpace>(
            this->exec(), 0, static_cast<Offset>(setting.end - setting.begin) * Element::nodes),
        detail::BasisThread<Setting, Kernel>{setting, kernel, this->status()});
  }
};

} // namespace tessera::residual
