// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products of the Jacobian on a side with a vector against differences of what the side adds to the residual.

#include <tessera/core/weak_form/detail/jacobian_difference.hpp>
#include <tessera/core/weak_form/detail/side_kernels.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// As `JacobianDifference`, for a side of a term.
template <class Integral, class ExecutionSpace>
struct SideJacobianDifference {
  using Element = typename Integral::Element;
  static constexpr int c = Integral::components, dofs = Element::nodes * c;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  WeakJacobianKernel<typename Integral::Weak, Element, ExecutionSpace> jacobian;
  double largest_u;

  KOKKOS_FUNCTION void operator()(Ordinal s, LargestDifference::value_type& worst) const {
    note_difference(of_side(mesh.template cell<double>(sides(s, 0)), sides(s, 1)), s, worst);
  }

private:
  /// The unknown at a step h along w.
  struct Moved {
    Kokkos::View<const double*, ExecutionSpace> u;
    double h;
    KOKKOS_FUNCTION double operator()(Offset dof) const { return u(dof) + h * difference_direction(dof); }
  };

  KOKKOS_FUNCTION double of_side(const Cell<Element, double>& cell, int side) const {
    double w[dofs], product[dofs] = {};
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a)
        w[n * c + a] =
            difference_direction(static_cast<Offset>(mesh.connectivity(cell.element[0], n)) * c + a);
    for (int q = 0; q < Integral::Point::table::points; ++q)
      add_product(typename Integral::Point(cell, side, q), side, w, product);
    return better_difference(size_of(cell), largest_u, [&](double h) {
      double ahead[dofs] = {}, behind[dofs] = {};
      residual(cell, side, h, ahead);
      residual(cell, side, -h, behind);
      return relative_difference(product, ahead, behind, h);
    });
  }

  /// Of a form that says that it is symmetric the transposed matrix, which differs where it is not.
  KOKKOS_FUNCTION void add_product(const typename Integral::Point& point, int side, const double (&w)[dofs],
                                   double (&product)[dofs]) const {
    const auto integrand = jacobian.at(point);
    for (int t = 0; t < Integral::Tested::count; ++t) {
      const int i = Integral::Tested::node(side, t);
      for (int j = 0; j < Element::nodes; ++j) {
        const Matrix<double, c> k = integrand.stiffness(i, j);
        for (int a = 0; a < c; ++a)
          for (int b = 0; b < c; ++b)
            if constexpr (Integral::Weak::symmetric)
              product[j * c + b] += point.weight() * k(a, b) * w[i * c + a];
            else
              product[i * c + a] += point.weight() * k(a, b) * w[j * c + b];
      }
    }
  }

  KOKKOS_FUNCTION void residual(const Cell<Element, double>& cell, int side, double h,
                                double (&r)[dofs]) const {
    double parts[Integral::Tested::count * c];
    side_residual<Integral>(cell, side, mesh.connectivity, moved_form(jacobian.weak, h), Moved{jacobian.u, h},
                            parts);
    for (int t = 0; t < Integral::Tested::count; ++t)
      for (int a = 0; a < c; ++a) r[Integral::Tested::node(side, t) * c + a] = parts[t * c + a];
  }
};

} // namespace tessera::detail
