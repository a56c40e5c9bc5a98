#pragma once

/// \file
/// ThreadPerCell: every thread computes whole elements.

#include <tessera/strategies/residual/detail/kernels.hpp>
#include <tessera/strategies/residual/detail/mesh_setting.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::residual {

/// A cell to a thread, which keeps coefficients, geometry and element vector to itself: no barrier and no
/// scratch memory, but many registers (paper 3, section 1, after its references 4, 5, 8, 15 and 17).
///
/// Deterministic with colors and with gathered results, which keep a number per element and degree of
/// freedom.
struct ThreadPerCell {
  static constexpr const char* name = "ThreadPerCell";
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

  static std::vector<std::pair<std::string, ThreadPerCell>> variants() {
    return {{"", {}},
            {"/colors", {.conflicts = Conflicts::colors}},
            {"/gather", {.conflicts = Conflicts::gather}}};
  }
};

template <class Element, class ExecutionSpace>
class ThreadPerCell::Plan
    : public SettingPlan<ThreadPerCell::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = SettingPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ThreadPerCell::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const ThreadPerCell& strategy)
      : Base(exec, space, strategy.conflicts) {}

  template <class Setting, class Kernel>
  void run(const Setting& setting, const Kernel& kernel) const {
    Kokkos::parallel_for("Tessera::ThreadPerCell::integrate",
                         Kokkos::RangePolicy<ExecutionSpace>(this->exec(), 0, setting.end - setting.begin),
                         detail::CellThread<Setting, Kernel>{setting, kernel, this->status()});
  }
};

} // namespace tessera::residual
