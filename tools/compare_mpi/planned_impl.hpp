#pragma once

// Included by one source for each strategy, which ends in TESSERA_RANKS_PLANNED(Strategy).

#include "strategies.hpp"
#include <memory>

namespace tessera::ranks {

template <class Strategy, class Element, class Form>
std::function<void()> planned(const Form& form, const FunctionSpace<Element, Space>& space,
                              const LinearSystem<double, Space>& system) {
  const auto make = [&] { return Strategy{}.plan(space, system.graph()); };
  const auto plan = std::make_shared<decltype(make())>(make());
  plan->prepare(form);
  return [plan, form, system] { plan->assemble(form, system); };
}

} // namespace tessera::ranks

#define TESSERA_RANKS_PLANNED(Strategy)                                                                      \
  template std::function<void()> tessera::ranks::planned<Strategy>(                                          \
      const tessera::Helmholtz<>&, const tessera::FunctionSpace<tessera::Tet<1>, tessera::ranks::Space>&,    \
      const tessera::LinearSystem<double, tessera::ranks::Space>&);                                          \
  template std::function<void()> tessera::ranks::planned<Strategy>(                                          \
      const tessera::LinearElasticity<3>&,                                                                   \
      const tessera::FunctionSpace<tessera::Hex<1>, tessera::ranks::Space>&,                                 \
      const tessera::LinearSystem<double, tessera::ranks::Space>&);
