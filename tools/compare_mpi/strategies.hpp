#pragma once

/// \file
/// The assembly strategies that are measured. Each is compiled in a source of its own, so that a device's
/// compiler works on several at once; the catalogue would take much longer. To add one: its source, and a
/// name and a line here.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tessera::assembly {
struct RowOwner;
struct ElementAtomic;
struct ElementLocal;
struct Patch;
} // namespace tessera::assembly

namespace tessera::ranks {

using Space = Kokkos::DefaultExecutionSpace;

/// Plans and prepares a strategy. \returns what assembles, with its plan
template <class Strategy, class Element, class Form>
std::function<void()> planned(const Form& form, const FunctionSpace<Element, Space>& space,
                              const LinearSystem<double, Space>& system);

inline std::vector<std::string> strategy_names() {
  return {"RowOwner", "ElementAtomic", "ElementLocal", "Patch"};
}

/// The same for a strategy by name. \returns nothing to call for another name
template <class Element, class Form>
std::function<void()> planned(const std::string& name, const Form& form,
                              const FunctionSpace<Element, Space>& space,
                              const LinearSystem<double, Space>& system) {
  if (name == "RowOwner") return planned<assembly::RowOwner>(form, space, system);
  if (name == "ElementAtomic") return planned<assembly::ElementAtomic>(form, space, system);
  if (name == "ElementLocal") return planned<assembly::ElementLocal>(form, space, system);
  if (name == "Patch") return planned<assembly::Patch>(form, space, system);
  return {};
}

} // namespace tessera::ranks
