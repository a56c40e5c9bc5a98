// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/allocate.hpp>
#include <tessera/core/space/detail/copy_of.hpp>
#include <tessera/core/space/detail/natural_loads_impl.hpp>
#include <tessera/core/space/detail/robin_impl.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

template <class E, class X>
FunctionSpace<E, X>::FunctionSpace(const MeshType& mesh, int components, ConstraintTreatment treatment)
    : FunctionSpace(mesh, Unknowns{components, 0, treatment}) {}

template <class E, class X>
FunctionSpace<E, X>::FunctionSpace(const MeshType& mesh, const Unknowns& unknowns)
    : FunctionSpace(mesh, unknowns, mesh) {}

template <class E, class X>
template <class... Elements>
FunctionSpace<E, X>::FunctionSpace(const MeshType& mesh, const Unknowns& unknowns,
                                   const Mesh<Elements, X>&... blocks)
    : mesh_(mesh), components_(unknowns.components), linear_components_(unknowns.linear_components),
      treatment_(unknowns.treatment) {
  const int components = components_;
  if (components < 1 || components > max_components)
    throw ArgumentError("FunctionSpace: 1 to " + std::to_string(max_components) +
                        " components per node, got " + std::to_string(components));
  const auto dofs = static_cast<std::int64_t>(mesh.num_nodes()) * components;
  if (dofs >= std::numeric_limits<Ordinal>::max())
    throw ArgumentError("FunctionSpace: " + std::to_string(dofs) +
                        " degrees of freedom do not fit into 32 bits; distribute the mesh");
  if (linear_components_ < 0 || linear_components_ > components)
    throw ArgumentError("FunctionSpace: 0 to " + std::to_string(components) + " linear components of " +
                        std::to_string(components) + ", got " + std::to_string(linear_components_));
  linear_ = linear_components_ == 0 ? std::make_shared<const LinearComponents<X>>()
                                    : std::make_shared<const LinearComponents<X>>(
                                          components - linear_components_, components, blocks...);
  clear_constraints();
}

template <class E, class X>
template <class OtherElement>
FunctionSpace<E, X>::FunctionSpace(const MeshType& mesh, const FunctionSpace<OtherElement, X>& over)
    : mesh_(mesh), components_(over.components_), linear_components_(over.linear_components_),
      treatment_(over.treatment_), constraints_(over.constraints_), natural_(over.natural_),
      linear_(over.linear_) {
  if (mesh.nodes_id() != over.mesh_.nodes_id())
    throw ArgumentError("FunctionSpace: the meshes are not blocks over the same nodes");
  if (linear_components_ > 0 && (E::order > 1 || OtherElement::order > 1) && !linear_->know(mesh))
    throw UnsupportedError(
        "FunctionSpace: linear components of another block, which do not know the nodes of "
        "this one's elements: make a MixedSpace of both");
}

template <class E, class X>
FunctionSpace<E, X> FunctionSpace<E, X>::without_natural_terms() const {
  FunctionSpace space(*this);
  space.natural_ = std::make_shared<detail::NaturalState<X>>();
  return space;
}

template <class E, class X>
void FunctionSpace<E, X>::check(Ordinal node, int component, double value, const char* what) const {
  if (node < 0 || node >= mesh_.num_nodes())
    throw ArgumentError(std::string("FunctionSpace::") + what + ": node " + std::to_string(node) +
                        " does not exist: nodes are 0 to " + std::to_string(mesh_.num_nodes() - 1));
  check_component(component, what);
  if (!std::isfinite(value))
    throw ArgumentError(std::string("FunctionSpace::") + what + ": the value at node " +
                        std::to_string(node) + " is not finite");
}

template <class E, class X>
void FunctionSpace<E, X>::check_component(int component, const char* what) const {
  if (component < 0 || component >= components_)
    throw ArgumentError(std::string("FunctionSpace::") + what + ": component " + std::to_string(component) +
                        " does not exist: they are 0 to " + std::to_string(components_ - 1));
}

template <class E, class X>
void FunctionSpace<E, X>::set(const std::vector<Ordinal>& nodes, int first, int width,
                              const std::vector<double>& values, const char* what) {
  check_component(first, what);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int c = 0; c < width; ++c) check(nodes[i], first + c, values[i * width + c], what);
  if (nodes.empty()) return;
  detail::ConstraintState<X>& state = *constraints_;
  if (state.mask.empty()) {
    state.mask.resize(mesh_.num_nodes(), 0);
    state.prescribed.resize(num_dofs(), 0.0);
  }
  bool others = false;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int c = 0; c < width; ++c) {
      if ((linear_->mask(nodes[i]) >> (first + c)) & 1) continue;
      const auto mask = static_cast<std::uint8_t>(state.mask[nodes[i]] | (1u << (first + c)));
      others = others || mask != state.mask[nodes[i]];
      state.mask[nodes[i]] = mask;
      state.prescribed[static_cast<std::size_t>(nodes[i]) * components_ + first + c] = values[i * width + c];
    }
  if (others) state.revision = unique_number();
  state.prescribed_current = false;
}

template <class E, class X>
template <class Nodes>
std::vector<Ordinal> FunctionSpace<E, X>::to_host(const char* what, const Nodes& nodes) {
  using Set = Kokkos::View<const Ordinal*, X>;
  const auto set = user_view<Set>(std::string("FunctionSpace::") + what + ": nodes", nodes);
  std::vector<Ordinal> host(set.extent(0));
  Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(host.data(), host.size()), set);
  return host;
}

template <class E, class X>
template <class Nodes>
void FunctionSpace<E, X>::constrain(const Nodes& nodes, const std::vector<double>& values) {
  if (values.size() != static_cast<std::size_t>(components_))
    throw ArgumentError("FunctionSpace::constrain: " + std::to_string(values.size()) + " values for " +
                        std::to_string(components_) + " components");
  const auto host = to_host("constrain", nodes);
  std::vector<double> repeated;
  for (std::size_t i = 0; i < host.size(); ++i) repeated.insert(repeated.end(), values.begin(), values.end());
  set(host, 0, components_, repeated, "constrain");
}

template <class E, class X>
template <class Nodes>
  requires Kokkos::is_view_v<Nodes>
void FunctionSpace<E, X>::constrain(const Nodes& nodes, int component, double value) {
  const auto host = to_host("constrain", nodes);
  set(host, component, 1, std::vector<double>(host.size(), value), "constrain");
}

template <class E, class X>
void FunctionSpace<E, X>::constrain(Ordinal node, int component, double value) {
  set({node}, component, 1, {value}, "constrain");
}

template <class E, class X>
template <class Values>
std::vector<double> FunctionSpace<E, X>::values_at(const std::vector<Ordinal>& nodes, int width,
                                                   const Values& values) const {
  std::vector<double> host(nodes.size() * to_size(width));
  if constexpr (Kokkos::is_view_v<Values>) {
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    const std::size_t columns = Values::rank() == 1 ? 1 : mirror.extent(1);
    if (mirror.extent(0) != nodes.size() || columns != static_cast<std::size_t>(width))
      throw ArgumentError("FunctionSpace::prescribe: values are " + detail::ViewShape(mirror).extents() +
                          ", needed are " + std::to_string(nodes.size()) + " nodes x " +
                          std::to_string(width) + " components");
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int c = 0; c < width; ++c) {
        if constexpr (Values::rank() == 1)
          host[i] = mirror(i);
        else
          host[i * width + c] = mirror(i, c);
      }
  } else {
    static_assert(ValuesAtPosition<Values, E::dimension>,
                  "FunctionSpace::prescribe: the values are a view, or a const function of the position, a "
                  "Vector<double, dimension>, that returns a number or one for each component");
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh_.coordinates());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      check(nodes[i], 0, 0.0, "prescribe");
      Position position;
      for (int d = 0; d < E::dimension; ++d) position(d) = x(nodes[i], d);
      const auto result = values(position);
      for (int c = 0; c < width; ++c)
        host[i * width + c] = detail::component_of("FunctionSpace::prescribe", result, c, width);
    }
  }
  return host;
}

template <class E, class X>
template <class Nodes, class Values>
void FunctionSpace<E, X>::prescribe(const Nodes& nodes, const Values& values) {
  const auto host = to_host("prescribe", nodes);
  set(host, 0, components_, values_at(host, components_, values), "prescribe");
}

template <class E, class X>
template <class Nodes, class Values>
void FunctionSpace<E, X>::prescribe(const Nodes& nodes, int component, const Values& values) {
  const auto host = to_host("prescribe", nodes);
  set(host, component, 1, values_at(host, 1, values), "prescribe");
}

template <class E, class X>
void FunctionSpace<E, X>::free(const std::vector<Ordinal>& nodes, int first, int width) {
  for (const Ordinal node : nodes) check(node, first, 0.0, "release");
  detail::ConstraintState<X>& state = *constraints_;
  if (state.mask.empty()) return;
  const unsigned chosen = ((1u << width) - 1u) << first;
  bool others = false;
  for (const Ordinal node : nodes) {
    const unsigned released = chosen & ~unsigned{linear_->mask(node)};
    others = others || (state.mask[node] & released) != 0;
    state.mask[node] = static_cast<std::uint8_t>(state.mask[node] & ~released);
  }
  if (!others) return;
  state.revision = unique_number();
  for (std::size_t node = 0; node < state.mask.size(); ++node)
    if (state.mask[node] != linear_->mask(static_cast<Ordinal>(node))) return;
  clear_constraints();
}

template <class E, class X>
template <class Nodes>
void FunctionSpace<E, X>::release(const Nodes& nodes) {
  free(to_host("release", nodes), 0, components_);
}

template <class E, class X>
template <class Nodes>
void FunctionSpace<E, X>::release(const Nodes& nodes, int component) {
  check_component(component, "release");
  free(to_host("release", nodes), component, 1);
}

template <class E, class X>
void FunctionSpace<E, X>::clear_constraints() {
  detail::ConstraintState<X>& state = *constraints_;
  state.mask.clear();
  state.prescribed.clear();
  state.revision = 0;
  if (!linear_->any()) return;
  for (Ordinal node = 0; node < mesh_.num_nodes(); ++node) state.mask.push_back(linear_->mask(node));
  state.prescribed.resize(num_dofs(), 0.0);
  state.prescribed_current = false;
  state.revision = linear_->revision();
}

template <class E, class X>
Equations<X> FunctionSpace<E, X>::equations(const X& exec) const {
  detail::ConstraintState<X>& state = *constraints_;
  if (state.mask.empty()) {
    Equations<X> unconstrained;
    unconstrained.components = components_;
    unconstrained.count = num_dofs();
    return unconstrained;
  }
  if (state.equations_revision !=
      state.revision) { // views of another numbering belong to graphs that follow it
    Equations<X> equations;
    equations.components = components_;
    equations.count = num_dofs();
    equations.constrained = true;
    equations.removed = treatment_ == ConstraintTreatment::removed;
    equations.mask = detail::copy_of(exec, "Tessera::Equations::mask", state.mask);
    equations.following = linear_->device_mask();
    if (equations.removed) {
      std::vector<Ordinal> first(state.mask.size() + 1, 0);
      for (std::size_t n = 0; n < state.mask.size(); ++n)
        first[n + 1] = first[n] + components_ - Kokkos::popcount(static_cast<unsigned>(state.mask[n]));
      equations.first = detail::copy_of(exec, "Tessera::Equations::first", first);
      equations.count = first.back();
    }
    state.device_prescribed = detail::copy_of(exec, "Tessera::Equations::prescribed", state.prescribed);
    equations.prescribed = state.device_prescribed;
    state.equations = equations;
    state.equations_revision = state.revision;
  } else if (!state.prescribed_current) {
    detail::copy_to(exec, state.device_prescribed, state.prescribed);
  }
  state.prescribed_current = true;
  return state.equations;
}

template <class E, class X>
typename FunctionSpace<E, X>::SparseVector FunctionSpace<E, X>::nodal_loads(const X& exec) const {
  detail::NaturalState<X>& state = *natural_;
  if (state.loads_current) return state.load_vector;
  std::vector<Ordinal> dofs;
  std::vector<double> values;
  for (const auto& [dof, value] : state.loads) {
    dofs.push_back(dof);
    values.push_back(value);
  }
  SparseVector& memory = state.load_memory;
  if (memory.dofs.extent(0) < dofs.size())
    memory = {allocate<decltype(memory.dofs)>(exec, "Tessera::FunctionSpace::load_dofs", dofs.size()),
              allocate<decltype(memory.values)>(exec, "Tessera::FunctionSpace::load_values", dofs.size())};
  detail::copy_to(exec, memory.dofs, dofs);
  detail::copy_to(exec, memory.values, values);
  const auto used = std::make_pair(std::size_t{0}, dofs.size());
  state.load_vector = {Kokkos::subview(memory.dofs, used), Kokkos::subview(memory.values, used)};
  state.loads_current = true;
  return state.load_vector;
}

template <class E, class X>
template <class Solution>
Kokkos::View<double*, X> FunctionSpace<E, X>::expand(const X& exec, const Solution& solution) const {
  static_assert(Kokkos::SpaceAccessibility<X, typename Solution::memory_space>::accessible,
                "FunctionSpace::expand: the solution must lie where the space's kernels run");
  const Equations<X> equations = this->equations(exec);
  if (static_cast<Ordinal>(solution.extent(0)) != equations.count)
    throw ArgumentError("FunctionSpace::expand: " + std::to_string(solution.extent(0)) + " values for " +
                        std::to_string(equations.count) + " equations");
  const auto full = allocate<Kokkos::View<double*, X>>(exec, "Tessera::FunctionSpace::expanded", num_dofs());
  const int components = components_;
  Kokkos::parallel_for(
      "Tessera::FunctionSpace::expand", Kokkos::RangePolicy<X>(exec, 0, mesh_.num_nodes()),
      KOKKOS_LAMBDA(Ordinal node) {
        for (int c = 0; c < components; ++c) {
          const Ordinal dof = node * components + c;
          full(dof) = equations.is_constrained(node, c)
                          ? equations.prescribed(dof)
                          : static_cast<double>(solution(equations.equation(node, c)));
        }
      });
  linear_->interpolate(exec, full);
  exec.fence("Tessera::FunctionSpace::expand");
  return full;
}

} // namespace tessera
