// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Derivatives of a weak form's residual r(u, a) by an auxiliary field a, and their transpose: what
/// sensitivities and adjoints need beside the Jacobian (M. B. Giles & N. A. Pierce, "An introduction to the
/// adjoint approach to design", Flow, Turbulence and Combustion 65, 2000). With K(u)' lambda = dJ/du the
/// gradient of a functional J(u(a), a) is dJ/da - lambda' dr/da.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/detail/parameter_kernels.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace detail {

template <int K, class Weak>
using parameter_field_t = std::tuple_element_t<K, decltype(Weak::fields)>;

/// Runs a kernel that computes elements and says which are not finite. \throws FormError naming the first
template <class Element, class ExecutionSpace, class Kernel>
void for_finite_elements(const ExecutionSpace& exec, const std::string& who,
                         const Mesh<Element, ExecutionSpace>& mesh, const Kernel& kernel) {
  const std::string label = "Tessera::" + who + "::elements";
  const Ordinal e = first_offender(exec, label.c_str(), mesh.num_elements(), kernel);
  if (e != no_offender)
    throw FormError(who + ": " + mesh.element_name(e) + " has a derivative that is not finite");
}

/// Adds up what elements have for their nodes. \return node * components + component
template <class Element, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
sum_around_nodes(const ExecutionSpace& exec, const std::string& who,
                 const Mesh<Element, ExecutionSpace>& mesh, int components,
                 const Kokkos::View<double*, ExecutionSpace>& of_elements,
                 const Kokkos::View<double*, ExecutionSpace>& sums) {
  Kokkos::parallel_for(
      "Tessera::" + who + "::nodes", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_nodes()),
      SumAroundNodes<ExecutionSpace>{node_to_element(exec, mesh.connectivity(), mesh.num_nodes()),
                                     Element::nodes, components, of_elements, sums});
  return sums;
}

/// \name From the entries of elements to those of a field: fields whose values elements own, by nodes, and by
/// material or one for all.
///@{
template <class Field, class Element, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
collect_gradient(const ExecutionSpace&, const Field&, const Mesh<Element, ExecutionSpace>&,
                 const Kokkos::View<double*, ExecutionSpace>& of_elements) {
  return of_elements;
}
template <int Components, class Scalar, class Element, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
collect_gradient(const ExecutionSpace& exec, const NodalField<Components, ExecutionSpace, Scalar>& field,
                 const Mesh<Element, ExecutionSpace>& mesh,
                 const Kokkos::View<double*, ExecutionSpace>& of_elements) {
  const auto sums = allocate<Kokkos::View<double*, ExecutionSpace>>(
      exec, "Tessera::parameter_gradient::gradient", field.values.extent(0));
  return sum_around_nodes(exec, "parameter_gradient", mesh, Components, of_elements, sums);
}
template <class Element, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
collect_gradient(const ExecutionSpace& exec, const CellField& field,
                 const Mesh<Element, ExecutionSpace>& mesh,
                 const Kokkos::View<double*, ExecutionSpace>& of_elements) {
  using Sum = SumMaterials<ExecutionSpace>;
  using View = Kokkos::View<double*, ExecutionSpace>;
  if (field.kind() == CellField::Kind::per_element) return of_elements;
  Sum sum{of_elements, {}, {}, {}};
  if (field.kind() == CellField::Kind::per_material) sum.materials = mesh.materials();
  sum.partial = allocate_zeroed<View>(exec, "Tessera::parameter_gradient::partial",
                                      static_cast<std::size_t>(Sum::parts) * field.size());
  sum.sums = allocate<View>(exec, "Tessera::parameter_gradient::gradient", field.size());
  Kokkos::parallel_for("Tessera::parameter_gradient::parts",
                       Kokkos::RangePolicy<ExecutionSpace, typename Sum::OfPart>(exec, 0, Sum::parts), sum);
  Kokkos::parallel_for("Tessera::parameter_gradient::materials",
                       Kokkos::RangePolicy<ExecutionSpace, typename Sum::OfParts>(exec, 0, field.size()),
                       sum);
  return sum.sums;
}
///@}

/// A copy of a vector over all degrees of freedom, zero where they are constrained.
template <class Space, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
without_constrained(const ExecutionSpace& exec, const Space& space,
                    const Kokkos::View<const double*, ExecutionSpace>& values) {
  const auto copy = allocate<Kokkos::View<double*, ExecutionSpace>>(
      exec, "Tessera::parameter_gradient::lambda", values.extent(0));
  Kokkos::deep_copy(exec, copy, values);
  clear_constrained(exec, space.equations(exec), space.mesh().num_nodes(), copy);
  return copy;
}

} // namespace detail

/// The transpose of a residual's derivative by auxiliary field K, times lambda: the sums over all rows i of
/// lambda_i dr_i/da, by differentiation at the quadrature points. Rows of constrained degrees of freedom
/// count nothing; the space's loads and Robin sides have no auxiliary fields. Deterministic, with any number
/// of threads.
///
/// `f0` and `f1` meet `a<K>()` as dual numbers: they take it as `auto`, as they take the unknown.
///
/// \param exec   instance that runs everything; the call returns after it has ended
/// \param form   a `WeakForm` whose field K is a number, a `CellField`, or by nodes, elements or points; of
///   one with functions on sides, which have fields of their own, its `inside`
/// \param u      all degrees of freedom, node * components + component
/// \param lambda the same; what it holds for constrained degrees of freedom is not looked at
/// \return one entry per value of the field: one for a number, else as many as the `CellField` or the
///   field's `values` have
/// \throws ArgumentError for vectors of another length, and as `WeakForm::check`; FormError naming the first
///   element whose derivatives are not finite; OutOfMemoryError
template <int K, class Form, class Element, class ExecutionSpace, class Solution, class Lambda>
Kokkos::View<double*, ExecutionSpace> parameter_gradient(const ExecutionSpace& exec, const Form& form,
                                                         const FunctionSpace<Element, ExecutionSpace>& space,
                                                         const Solution& u, const Lambda& lambda) {
  using Field = detail::parameter_field_t<K, Form>;
  using Parameter = detail::Parameter<Field>;
  const auto& mesh = space.mesh();
  check_form<ExecutionSpace>("parameter_gradient", form, space);
  const auto dofs = static_cast<std::size_t>(space.num_dofs());
  detail::check_field_length(u.extent(0), dofs, "parameter_gradient: u", "the nodes");
  detail::check_field_length(lambda.extent(0), dofs, "parameter_gradient: lambda", "the nodes");
  const auto weak = form.kernel(mesh.kernel());
  const auto& field = weak.fields.template get<K>();
  const auto varied = detail::with_field<K>(
      weak, detail::FieldVariables<std::remove_cvref_t<decltype(field)>, Parameter::components,
                                   Parameter::values_of == detail::ValuesOf::nodes>{field});
  using Gradients =
      detail::ElementGradients<Element, ExecutionSpace, Parameter::values_of, Parameter::components,
                               std::remove_const_t<decltype(weak)>, std::remove_const_t<decltype(varied)>>;
  const auto of_elements = allocate<Kokkos::View<double*, ExecutionSpace>>(
      exec, "Tessera::parameter_gradient::of_elements",
      static_cast<std::size_t>(mesh.num_elements()) * Gradients::entries);
  detail::for_finite_elements(
      exec, "parameter_gradient", mesh,
      Gradients{mesh.kernel(), varied, u,
                detail::without_constrained<FunctionSpace<Element, ExecutionSpace>, ExecutionSpace>(
                    exec, space, lambda),
                of_elements});
  const auto gradient = detail::collect_gradient(exec, std::get<K>(form.fields), mesh, of_elements);
  exec.fence("Tessera::parameter_gradient");
  return gradient;
}
/// The same on the default instance.
template <int K, class Form, class Element, class ExecutionSpace, class Solution, class Lambda>
Kokkos::View<double*, ExecutionSpace> parameter_gradient(const Form& form,
                                                         const FunctionSpace<Element, ExecutionSpace>& space,
                                                         const Solution& u, const Lambda& lambda) {
  return parameter_gradient<K>(default_instance<ExecutionSpace>(), form, space, u, lambda);
}

/// A residual's derivative by auxiliary field K along a change of the field: r(a + h change) = r(a) + h times
/// the result + O(h^2). Zero where a degree of freedom is constrained. Deterministic, as
/// `parameter_gradient`, whose transpose it is.
///
/// \param change a field of the type of field K
/// \return one entry per degree of freedom, node * components + component
/// \throws as `parameter_gradient`; ArgumentError for a change that does not fit the mesh
template <int K, class Form, class Element, class ExecutionSpace, class Solution>
Kokkos::View<double*, ExecutionSpace>
parameter_derivative(const ExecutionSpace& exec, const Form& form,
                     const FunctionSpace<Element, ExecutionSpace>& space, const Solution& u,
                     const std::type_identity_t<detail::parameter_field_t<K, Form>>& change) {
  using View = Kokkos::View<double*, ExecutionSpace>;
  [[maybe_unused]] constexpr detail::Parameter<detail::parameter_field_t<K, Form>> is_parameter{};
  const auto& mesh = space.mesh();
  check_form<ExecutionSpace>("parameter_derivative", form, space);
  const auto dofs = static_cast<std::size_t>(space.num_dofs());
  detail::check_field_length(u.extent(0), dofs, "parameter_derivative: u", "the nodes");
  detail::check_field(change, "parameter_derivative: the change", mesh,
                      Form::template points<Element, ExecutionSpace>);
  const auto weak = form.kernel(mesh.kernel());
  const auto& field = weak.fields.template get<K>();
  using Field = std::remove_cvref_t<decltype(field)>;
  const auto varied = detail::with_field<K>(
      weak, detail::FieldAlong<Field, Field>{field, detail::field_kernel(change, mesh.kernel())});
  using Kernel =
      detail::DerivativeAlong<std::remove_const_t<decltype(weak)>, std::remove_const_t<decltype(varied)>>;
  using Residuals = detail::ElementResiduals<Element, ExecutionSpace, Kernel>;
  const auto state = allocate<View>(exec, "Tessera::parameter_derivative::u", dofs);
  Kokkos::deep_copy(exec, state, u);
  space.linear().interpolate(exec, state);
  const auto of_elements = allocate<View>(exec, "Tessera::parameter_derivative::of_elements",
                                          static_cast<std::size_t>(mesh.num_elements()) * Residuals::entries);
  detail::for_finite_elements(exec, "parameter_derivative", mesh,
                              Residuals{mesh.kernel(), Kernel{{}, varied}, state, of_elements});
  const auto r =
      detail::sum_around_nodes(exec, "parameter_derivative", mesh, Form::components, of_elements,
                               allocate<View>(exec, "Tessera::parameter_derivative::derivative", dofs));
  space.linear().fold(exec, r);
  detail::clear_constrained(exec, space.equations(exec), mesh.num_nodes(), r);
  exec.fence("Tessera::parameter_derivative");
  return r;
}
/// The same on the default instance.
template <int K, class Form, class Element, class ExecutionSpace, class Solution>
Kokkos::View<double*, ExecutionSpace>
parameter_derivative(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space, const Solution& u,
                     const std::type_identity_t<detail::parameter_field_t<K, Form>>& change) {
  return parameter_derivative<K>(default_instance<ExecutionSpace>(), form, space, u, change);
}

} // namespace tessera
