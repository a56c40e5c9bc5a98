#pragma once

#include <tessera/core/allocate.hpp>
#include <tessera/core/function_space.hpp>

namespace tessera {

template <class E, class X>
FunctionSpace<E, X>::FunctionSpace(const MeshType& mesh, int components, ConstraintTreatment treatment)
    : mesh_(mesh), components_(components), treatment_(treatment) {
  if (components < 1 || components > max_components)
    throw ArgumentError("FunctionSpace: 1 to " + std::to_string(max_components) +
                        " components per node, got " + std::to_string(components));
  const auto dofs = static_cast<std::int64_t>(mesh.num_nodes()) * components;
  if (dofs >= std::numeric_limits<Ordinal>::max())
    throw ArgumentError("FunctionSpace: " + std::to_string(dofs) +
                        " degrees of freedom do not fit into 32 bits; distribute the mesh");
}

template <class E, class X>
void FunctionSpace<E, X>::check(Ordinal node, int component, double value, const char* what) const {
  if (node < 0 || node >= mesh_.num_nodes())
    throw ArgumentError(std::string("FunctionSpace::") + what + ": node " + std::to_string(node) +
                        " does not exist: nodes are 0 to " + std::to_string(mesh_.num_nodes() - 1));
  if (component < 0 || component >= components_)
    throw ArgumentError(std::string("FunctionSpace::") + what + ": component " + std::to_string(component) +
                        " does not exist: they are 0 to " + std::to_string(components_ - 1));
  if (!std::isfinite(value))
    throw ArgumentError(std::string("FunctionSpace::") + what + ": the value at node " +
                        std::to_string(node) + " is not finite");
}

template <class E, class X>
void FunctionSpace<E, X>::set(Ordinal node, int component, double value) {
  check(node, component, value, "constrain");
  auto& c = *constraints_;
  if (c.mask.empty()) {
    c.mask.resize(mesh_.num_nodes(), 0);
    c.prescribed.resize(num_dofs(), 0.0);
  }
  const auto mask = static_cast<std::uint8_t>(c.mask[node] | (1u << component));
  if (mask != c.mask[node]) ++c.revision;
  c.mask[node] = mask;
  c.equations_current = false;
  c.prescribed[static_cast<std::size_t>(node) * components_ + component] = value;
}

template <class E, class X>
std::vector<Ordinal> FunctionSpace<E, X>::to_host(const typename MeshType::NodeSet& nodes) {
  std::vector<Ordinal> host(nodes.extent(0));
  Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(host.data(), host.size()), nodes);
  return host;
}

template <class E, class X>
void FunctionSpace<E, X>::constrain(const typename MeshType::NodeSet& nodes,
                                    const std::vector<double>& values) {
  if (values.size() != static_cast<std::size_t>(components_))
    throw ArgumentError("FunctionSpace::constrain: " + std::to_string(values.size()) + " values for " +
                        std::to_string(components_) + " components");
  for (Ordinal node : to_host(nodes))
    for (int c = 0; c < components_; ++c) set(node, c, values[c]);
}

template <class E, class X>
void FunctionSpace<E, X>::constrain(const typename MeshType::NodeSet& nodes, int component, double value) {
  for (Ordinal node : to_host(nodes)) set(node, component, value);
}

template <class E, class X>
void FunctionSpace<E, X>::constrain(Ordinal node, int component, double value) {
  set(node, component, value);
}

template <class E, class X>
void FunctionSpace<E, X>::add_load(const typename MeshType::SideSet& sides,
                                   const std::vector<double>& traction) {
  if (traction.size() != static_cast<std::size_t>(components_))
    throw ArgumentError("FunctionSpace::add_load: " + std::to_string(traction.size()) + " values for " +
                        std::to_string(components_) + " components");
  const auto integrals = side_integrals(X(), mesh_, sides);
  const auto node = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), integrals.node);
  const auto area = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), integrals.area);
  for (std::size_t s = 0; s < node.extent(0); ++s)
    for (std::size_t a = 0; a < node.extent(1); ++a)
      for (int c = 0; c < components_; ++c) add_point_load(node(s, a), c, area(s, a) * traction[c]);
}

template <class E, class X>
void FunctionSpace<E, X>::add_pressure(const typename MeshType::SideSet& sides, double pressure) {
  if (components_ != E::dimension)
    throw ArgumentError("FunctionSpace::add_pressure: a pressure needs " + std::to_string(E::dimension) +
                        " components per node, the space has " + std::to_string(components_));
  const auto integrals = side_integrals(X(), mesh_, sides);
  const auto node = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), integrals.node);
  const auto normal = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), integrals.normal);
  for (std::size_t s = 0; s < node.extent(0); ++s)
    for (std::size_t a = 0; a < node.extent(1); ++a)
      for (int c = 0; c < components_; ++c) add_point_load(node(s, a), c, -pressure * normal(s, a, c));
}

template <class E, class X>
void FunctionSpace<E, X>::add_point_load(Ordinal node, int component, double value) {
  check(node, component, value, "add_point_load");
  constraints_->loads[node * components_ + component] += value;
  constraints_->loads_current = false;
}

namespace detail {

/// A copy of host values in the memory of `exec`; waits for it.
template <class T, class ExecutionSpace>
Kokkos::View<T*, ExecutionSpace> copy_to(const ExecutionSpace& exec, const std::string& label,
                                         const std::vector<T>& host) {
  const auto view = allocate<Kokkos::View<T*, ExecutionSpace>>(exec, label, host.size());
  Kokkos::deep_copy(exec, view, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  exec.fence("Tessera::FunctionSpace::copy");
  return view;
}

} // namespace detail

template <class E, class X>
Equations<X> FunctionSpace<E, X>::equations(const X& exec) const {
  auto& c = *constraints_;
  if (c.equations_current) return c.equations;
  Equations<X> equations;
  equations.components = components_;
  equations.count = num_dofs();
  if (!c.mask.empty()) {
    equations.constrained = true;
    equations.removed = treatment_ == ConstraintTreatment::removed;
    equations.mask = detail::copy_to(exec, "Tessera::Equations::mask", c.mask);
    equations.prescribed = detail::copy_to(exec, "Tessera::Equations::prescribed", c.prescribed);
    if (equations.removed) {
      std::vector<Ordinal> first(c.mask.size() + 1, 0);
      for (std::size_t n = 0; n < c.mask.size(); ++n)
        first[n + 1] = first[n] + components_ - Kokkos::popcount(static_cast<unsigned>(c.mask[n]));
      equations.first = detail::copy_to(exec, "Tessera::Equations::first", first);
      equations.count = first.back();
    }
  }
  c.equations = equations;
  c.equations_current = true;
  return equations;
}

template <class E, class X>
typename FunctionSpace<E, X>::SparseVector FunctionSpace<E, X>::nodal_loads(const X& exec) const {
  auto& c = *constraints_;
  if (c.loads_current) return c.load_vector;
  std::vector<Ordinal> dofs;
  std::vector<double> values;
  for (const auto& [dof, value] : c.loads) {
    dofs.push_back(dof);
    values.push_back(value);
  }
  c.load_vector = {detail::copy_to(exec, "Tessera::FunctionSpace::load_dofs", dofs),
                   detail::copy_to(exec, "Tessera::FunctionSpace::load_values", values)};
  c.loads_current = true;
  return c.load_vector;
}

template <class E, class X>
template <class Solution>
Kokkos::View<double*, X> FunctionSpace<E, X>::expand(const X& exec, const Solution& solution) const {
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
  exec.fence("Tessera::FunctionSpace::expand");
  return full;
}

} // namespace tessera
