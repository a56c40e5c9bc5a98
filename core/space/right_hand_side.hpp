// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The right-hand side of a form alone, without its matrix.

#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/detail/first_bad_element.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/space/natural_terms.hpp>
#include <tessera/core/weak_form/detail/side_sums.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// One thread per node: sums the loads of the elements around it, less what its rows of their matrices give
/// times prescribed values. Of the matrices, only columns of constrained degrees of freedom are computed.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct SumLoads {
  static constexpr int components = Kernel::components;
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeToElement<ExecutionSpace> incidence;
  Equations<ExecutionSpace> equations;
  Kernel kernel;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;
  bool add;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& first_bad) const {
    double sum[components] = {};
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
      const Ordinal e = incidence.elements(k);
      if (!add_element(e, incidence.local_nodes(k), sum) && e < first_bad) first_bad = e;
    }
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node, a)) continue;
      auto& entry = rhs(equations.equation(node, a));
      entry = (add ? entry : Scalar(0)) + Scalar(sum[a]);
    }
  }

  /// False for an element that cannot be integrated.
  KOKKOS_FUNCTION bool add_element(Ordinal e, int i, double (&sum)[components]) const {
    constexpr int degree = Kernel::template degree<Element>;
    const auto cell = mesh.template cell<double>(e);
    bool fine = true;
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      const QuadraturePoint<Element, degree, double> point(cell, q);
      const auto integrand = kernel.at(point);
      const double weight = point.weight();
      const auto load = integrand.load(i);
      // One block shows a coefficient that is not admissible, as in whole elements.
      const Matrix<double, components> stiffness = integrand.stiffness(0, 0);
      fine = fine && weight > 0 && Kokkos::isfinite(sum_of_entries(stiffness));
      for (int a = 0; a < components; ++a) {
        sum[a] += weight * load(a);
        fine = fine && Kokkos::isfinite(load(a));
      }
      if (equations.constrained) subtract_columns(e, i, integrand, weight, sum);
    }
    return fine;
  }

  template <class Integrand>
  KOKKOS_FUNCTION void subtract_columns(Ordinal e, int i, const Integrand& integrand, double weight,
                                        double (&sum)[components]) const {
    for (int j = 0; j < Element::nodes; ++j) {
      const Ordinal node = mesh.connectivity(e, j);
      if (equations.mask(node) == 0) continue;
      const auto k = integrand.stiffness(i, j);
      for (int b = 0; b < components; ++b)
        if (equations.is_constrained(node, b))
          for (int a = 0; a < components; ++a)
            sum[a] -= weight * k(a, b) * equations.prescribed(node * components + b);
    }
  }
};

} // namespace detail

/// The right-hand side of K x = f alone: of a problem whose matrix stays while its loads change, or that has
/// none. It needs no strategy and costs a fraction of an assembly: an evaluation of the load at the
/// quadrature points of every element, once for each of its nodes. Deterministic.
///
/// Made once for a mesh (4 bytes and one for each node of each element); `assemble` allocates nothing unless
/// constraints, loads or sets of sides have changed. Functions on sides are integrated as plans do, into
/// memory that it keeps: with them one caller at a time.
template <class Element, class ExecutionSpace>
class RightHandSide {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// \throws OutOfMemoryError
  RightHandSide(const ExecutionSpace& exec, const Space& space)
      : exec_(exec), space_(space),
        incidence_(node_to_element(exec, space.mesh().connectivity(), space.mesh().num_nodes())),
        bad_side_(exec) {}
  /// The same on the default instance.
  explicit RightHandSide(const Space& space) : RightHandSide(default_instance<ExecutionSpace>(), space) {}

  /// Writes what an assembly of `form` gives as right-hand side, to rounding: its loads, those of its
  /// functions on sides, of the space and of its Robin sides, and prescribed values times their columns; of
  /// the Jacobian of a weak form at u, linear or not, K u - r. Returns when that is done.
  /// \param rhs one entry per equation, float or double, as of `LinearSystem::rhs`
  /// \param add adds the form's part to what is there; what is the space's is not added once more
  /// \throws ArgumentError for a form of other components, a vector of another length, or sides that the
  ///   mesh does not have; FormError for coefficients out of range, or naming an element that cannot be
  ///   integrated, its sides included: `rhs` is then unspecified; OutOfMemoryError
  template <class Form, class Vector>
  void assemble(const Form& form, const Vector& rhs, bool add = false) const {
    using Scalar = typename Vector::non_const_value_type;
    check_form<ExecutionSpace>("RightHandSide", form, space_);
    const auto equations = space_.equations(exec_);
    if (rhs.extent(0) != static_cast<std::size_t>(equations.count))
      throw ArgumentError("RightHandSide: " + std::to_string(rhs.extent(0)) + " entries for " +
                          std::to_string(equations.count) + " equations");
    const auto kernel = detail::element_kernel(form);
    const Kokkos::View<Scalar*, ExecutionSpace> f(rhs);
    const auto& mesh = space_.mesh();
    if constexpr (detail::HasSideTerms<Form>)
      sides_.prepare(exec_, "RightHandSide", mesh, form.side_terms(), detail::SidePart::matrix);
    Ordinal first_bad = detail::no_element;
    Kokkos::parallel_reduce(
        "Tessera::RightHandSide::sum", Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, mesh.num_nodes()),
        detail::SumLoads<Element, ExecutionSpace, Scalar, std::remove_const_t<decltype(kernel)>>{
            mesh.kernel(), incidence_, equations, kernel, f, add},
        Kokkos::Min<Ordinal>(first_bad));
    if constexpr (detail::HasSideTerms<Form>) {
      bad_side_.reset(exec_);
      sides_.add_loads(exec_, mesh, form.side_terms(), bad_side_, equations, f);
      first_bad = std::min(first_bad, bad_side_.first(exec_));
    }
    if (first_bad != detail::no_element)
      throw FormError("RightHandSide: " + mesh.element_name(first_bad) +
                      " has a Jacobian that is not positive or a coefficient that is not finite or not in "
                      "its range");
    if (!add) {
      detail::add_natural_loads(exec_, space_, equations, f);
      detail::set_prescribed_rows(exec_, equations, f);
    }
    exec_.fence("Tessera::RightHandSide::assemble");
  }

private:
  ExecutionSpace exec_;
  Space space_;
  NodeToElement<ExecutionSpace> incidence_;
  mutable detail::SideSums<Element, ExecutionSpace> sides_;
  detail::FirstBadElement<ExecutionSpace> bad_side_;
};

} // namespace tessera
