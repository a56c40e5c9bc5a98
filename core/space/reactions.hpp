// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What supports must add to keep constrained degrees of freedom where they are.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/detail/first_bad_element.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/detail/side_sums.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// One thread per node: those with constraints integrate the elements around them again.
template <class Element, class ExecutionSpace, class Kernel>
struct SumReactions {
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeToElement<ExecutionSpace> incidence;
  Equations<ExecutionSpace> equations;
  Kernel kernel;
  Kokkos::View<const double*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> reactions;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& first_bad) const {
    constexpr int components = Kernel::components;
    if (!equations.constrained || equations.mask(node) == 0) return;
    double sum[components] = {};
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
      const Ordinal e = incidence.elements(k);
      const int i = incidence.local_nodes(k);
      element_system_t<Element, Kernel, double> local;
      if (!integrate(kernel, mesh.template cell<double>(e), local) && e < first_bad) first_bad = e;
      for (int a = 0; a < components; ++a) {
        sum[a] -= local.load[i](a);
        for (int j = 0; j < Element::nodes; ++j)
          for (int b = 0; b < components; ++b)
            sum[a] += local(i, a, j, b) * u(mesh.connectivity(e, j) * components + b);
      }
    }
    for (int a = 0; a < components; ++a)
      if (equations.is_constrained(node, a)) reactions(node * components + a) = sum[a];
  }
};

/// Natural loads on constrained degrees of freedom go straight into the supports.
template <class ExecutionSpace>
struct TakeLoadsFromReactions {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<const double*, ExecutionSpace> values;
  Kokkos::View<double*, ExecutionSpace> reactions;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const int components = equations.components;
    if (equations.is_constrained(dofs(i) / components, dofs(i) % components)) reactions(dofs(i)) -= values(i);
  }
};

/// Adds what functions on sides have; returns the smaller of `first_bad` and the first element whose sides
/// cannot be integrated.
template <class Element, class ExecutionSpace, class Form>
Ordinal add_side_reactions(const ExecutionSpace& exec, const Form& form,
                           const FunctionSpace<Element, ExecutionSpace>& space,
                           const Kokkos::View<const double*, ExecutionSpace>& u,
                           const Kokkos::View<double*, ExecutionSpace>& reactions, Ordinal first_bad) {
  const FirstBadElement<ExecutionSpace> bad(exec);
  bad.reset(exec);
  SideSums<Element, ExecutionSpace> sums;
  const auto equations = space.equations(exec);
  for (const auto& sides :
       sums.template matrices<Form::components>(exec, "reactions", space.mesh(), form.side_terms(), bad))
    run_on_sides(exec, "Tessera::reactions::sides", sides.rows.nodes.extent(0),
                 AddSideReactions<std::remove_cvref_t<decltype(sides)>, ExecutionSpace>{sides, equations, u,
                                                                                        reactions});
  return std::min(first_bad, bad.first(exec));
}

} // namespace detail

/// The reactions r = K u - f of the constrained degrees of freedom, K and f those of the form, with its
/// functions on sides, and of the space's natural loads and Robin sides without constraints: forces of
/// supports in elasticity, the fluxes that flow in through them for a scalar form. Of a weak form's Jacobian
/// at u they are the residual without constraints. Deterministic. Elements around constrained nodes are
/// integrated again, once for each such node; nothing needs to have been assembled.
///
/// \param exec instance that runs everything; the call returns after it has ended
/// \param u    values of all degrees of freedom, as from `FunctionSpace::expand`
/// \return     one entry per degree of freedom, zero for those that are free
/// \throws ArgumentError for a form of other components, a vector of another length, or sides that the mesh
///   does not have; FormError naming an element that cannot be integrated; OutOfMemoryError
template <class Element, class ExecutionSpace, class Form, class Solution>
Kokkos::View<double*, ExecutionSpace> reactions(const ExecutionSpace& exec, const Form& form,
                                                const FunctionSpace<Element, ExecutionSpace>& space,
                                                const Solution& u) {
  const auto& mesh = space.mesh();
  const auto values = user_view<Kokkos::View<const double*, ExecutionSpace>>("reactions: u", u);
  if (values.extent(0) != static_cast<std::size_t>(space.num_dofs()))
    throw ArgumentError("reactions: " + std::to_string(values.extent(0)) + " values for " +
                        std::to_string(space.num_dofs()) + " degrees of freedom");
  check_form<ExecutionSpace>("reactions", form, space);
  const auto result = allocate_zeroed<Kokkos::View<double*, ExecutionSpace>>(exec, "Tessera::reactions::sums",
                                                                             space.num_dofs());
  const auto kernel = detail::element_kernel(form);
  const auto equations = space.equations(exec);
  Ordinal first_bad = detail::no_element;
  Kokkos::parallel_reduce(
      "Tessera::reactions::sum", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_nodes()),
      detail::SumReactions<Element, ExecutionSpace, std::remove_const_t<decltype(kernel)>>{
          mesh.kernel(), node_to_element(exec, mesh.connectivity(), mesh.num_nodes()), equations, kernel,
          values, result},
      Kokkos::Min<Ordinal>(first_bad));
  if constexpr (detail::HasSideTerms<Form>)
    first_bad = detail::add_side_reactions(exec, form, space, values, result, first_bad);
  if (first_bad != detail::no_element)
    throw FormError("reactions: " + mesh.element_name(first_bad) +
                    " has a Jacobian that is not positive or a coefficient that is not finite or not in its "
                    "range");
  const auto robin = space.robin(exec);
  detail::for_each_robin_node(
      exec, "Tessera::reactions::robin", robin,
      detail::AddRobinResidual<ExecutionSpace, double>{robin, equations, true, values, result});
  const auto loads = space.nodal_loads(exec);
  Kokkos::parallel_for(
      "Tessera::reactions::loads",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(loads.dofs.extent(0))),
      detail::TakeLoadsFromReactions<ExecutionSpace>{equations, loads.dofs, loads.values, result});
  exec.fence("Tessera::reactions");
  return result;
}

} // namespace tessera
