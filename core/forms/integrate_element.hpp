// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The element matrix and load of one element, by one thread.

#include <tessera/core/arithmetic/real_functions.hpp>
#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/instruction_sets.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// How `integrate` obtains the element matrix.
enum class IntegrationPath {
  best, ///< a refinement that the form offers (closed form, reference tensors, moments), else quadrature
  quadrature,   ///< always the sum over quadrature points
  coefficients, ///< as `best`, but points of scalar forms by the form's coefficients there
};

namespace detail {

template <class Element, class Kernel, class Real>
concept HasClosedForm =
    Element::affine_simplex && requires(Kernel k, Simplex<Element, Real> s) { k.over(s); };

template <class Element, class Kernel, class Real>
concept HasMoments = requires(Kernel k, Cell<Element, Real> c) { k.from_moments(c); };

template <class Element, class Kernel, class Real>
concept HasAffineForm =
    !Element::affine_simplex && requires(Kernel k, AffineCell<Element, Real> c) { k.over(c); };

/// Whether a form says that turned axes turn its blocks: the stiffness of an element whose coordinates are
/// permuted is the stiffness with its components permuted likewise, and the load does not depend on the axes.
template <class Kernel>
inline constexpr bool is_isotropic = requires { requires Kernel::isotropic; };

template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION bool integrate_closed_form(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                       element_system_t<Element, Kernel, Real>& system) {
  using System = element_system_t<Element, Kernel, Real>;
  const Simplex<Element, Real> simplex(cell);
  const auto integral = kernel.over(simplex);
  for_each_pair<System>([&](int i, int j)
                            TESSERA_INLINED { system.block[System::pair(i, j)] = integral.stiffness(i, j); });
  for (int i = 0; i < Element::nodes; ++i) system.load[i] = integral.load(i);
  return all_positive(simplex.determinant());
}

/// The blocks of an affine element's pairs as sums over the derivatives' tensors that are not zero.
template <class Element, class Integral, class System>
KOKKOS_FORCEINLINE_FUNCTION void sum_blocks(const Integral& integral, System& system) {
  using Block = std::remove_cvref_t<decltype(system.block[0])>;
  using Real = std::remove_cvref_t<decltype(system.block[0](0, 0))>;
  static constexpr auto terms =
      ReferenceTensors<Element>::template derivative_terms<value_type_t<Real>, System::symmetric>();
  constexpr int d = Element::dimension, entries = System::components * System::components;
  Block products[d * d];
  for (int ab = 0; ab < d * d; ++ab) products[ab] = integral.block_of_derivatives(ab / d, ab % d);
  for (int pair = 0; pair < System::pairs; ++pair) {
    int term = terms.first[pair];
    Real sum[entries];
    for (int k = 0; k < entries; ++k) sum[k] = products[terms.directions[term]].entry[k] * terms.factor[term];
    while (++term < terms.first[pair + 1])
      for (int k = 0; k < entries; ++k)
        sum[k] += products[terms.directions[term]].entry[k] * terms.factor[term];
    for (int k = 0; k < entries; ++k) system.block[pair].entry[k] = sum[k];
  }
}

template <class Element, class Kernel, class Real>
TESSERA_INLINE_ON_GPUS bool integrate_affine(const Kernel& kernel, const Cell<Element, Real>& cell,
                                             element_system_t<Element, Kernel, Real>& system) {
  using System = element_system_t<Element, Kernel, Real>;
  const AffineCell<Element, Real> affine(cell);
  const auto integral = kernel.over(affine);
  if constexpr (lanes_v<Real> > 1 && requires { integral.block_of_derivatives(0, 0); })
    sum_blocks<Element>(integral, system);
  else
    for_each_pair<System>(
        [&](int i, int j) TESSERA_INLINED { system.block[System::pair(i, j)] = integral.stiffness(i, j); });
  for (int i = 0; i < Element::nodes; ++i) system.load[i] = integral.load(i);
  return all_positive(affine.geometry.determinant());
}

template <class Element, class Kernel, class Real>
TESSERA_INLINE_ON_GPUS bool integrate_moments(const Kernel& kernel, const Cell<Element, Real>& cell,
                                              element_system_t<Element, Kernel, Real>& system) {
  using System = element_system_t<Element, Kernel, Real>;
  constexpr int degree = Kernel::template degree<Element>;
  constexpr int c = Kernel::components;
  bool positive = true;
  begin_sums(system);
  Real basis_integral[Element::nodes] = {};
  for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
    const QuadraturePoint<Element, degree, Real> point(cell, q);
    positive = positive && all_positive(point.weight());
    for (int i = 0; i < Element::nodes; ++i) basis_integral[i] += point.weight() * point.value(i);
    for_each_pair<System>([&](int i, int j) TESSERA_INLINED {
      auto& moments = system.block[System::pair(i, j)];
      for (int a = 0; a < c; ++a) {
        const Real weighted = point.weight() * point.gradient(i, a);
        for (int b = 0; b < c; ++b) {
          const Real product = weighted * point.gradient(j, b);
          add_of_point<System>(moments(a, b), product, q);
        }
      }
    });
  }
  const auto integral = kernel.from_moments(cell);
  for_each_pair<System>([&](int i, int j) TESSERA_INLINED {
    auto& block = system.block[System::pair(i, j)];
    block = integral.stiffness(block);
  });
  for (int i = 0; i < Element::nodes; ++i) system.load[i] = integral.load(basis_integral[i]);
  return positive;
}

/// Adds row i of a system what point q has for it: H = B_i^T D once, then H . B_j for each pair.
/// \param i a constant where a GPU has the system in registers
template <class Rows, class Coefficients, class System, class Index>
KOKKOS_FORCEINLINE_FUNCTION void add_row_of_point(const Coefficients& at, int q, Index i, System& system) {
  using Real = std::remove_cvref_t<decltype(at.entry[0])>;
  using Value = value_type_t<Real>;
  constexpr int c = Coefficients::components, functions = Coefficients::functions,
                d = Coefficients::dimension;
  const auto& row = Rows::template at<Value>(q, i);
  Real half[functions][c * c];
  for (int l = 0; l < functions; ++l)
    for (int a = 0; a < c; ++a)
      for (int b = 0; b < c; ++b) {
        Real sum = at.entry[Coefficients::place(a, l * c + b)] * row.entry[0];
        for (int k = 1; k < functions; ++k)
          sum += at.entry[Coefficients::place(k * c + a, l * c + b)] * row.entry[k];
        half[l][a * c + b] = sum;
      }
  const auto add_pair = [&](int j) TESSERA_INLINED {
    const auto& column = Rows::template at<Value>(q, j);
    auto& block = system.block[System::pair(i, j)];
    for (int ab = 0; ab < c * c; ++ab) {
      Real sum = sum_before<System>(block.entry[ab], q);
      for (int l = 0; l < functions; ++l) sum += half[l][ab] * column.entry[l];
      block.entry[ab] = sum;
    }
  };
  if constexpr (std::is_same_v<Index, int>) {
    TESSERA_UNROLL(unroll_up_to_8<System::nodes>)
    for (int j = 0; j < (System::symmetric ? i + 1 : System::nodes); ++j) add_pair(j);
  } else {
    for_constants<(System::symmetric ? Index::value + 1 : System::nodes)>(
        [&](auto j) TESSERA_INLINED { add_pair(j); });
  }
  for (int a = 0; a < c; ++a) {
    Real& load = system.load[i](a);
    load = sum_before<System>(load, q);
    for (int k = 0; k <= d; ++k) load += at.entry[Coefficients::load_place(k * c + a)] * row.entry[k];
  }
}

/// By the form's coefficients at each point.
template <class Element, class Kernel, class Real>
TESSERA_INLINE_ON_GPUS bool integrate_coefficients(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                   element_system_t<Element, Kernel, Real>& system) {
  using System = element_system_t<Element, Kernel, Real>;
  constexpr int degree = Kernel::template degree<Element>;
  bool positive = true;
  begin_sums(system);
  TESSERA_UNROLL_ON_GPUS(1)
  for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
    const auto at = coefficients_at(kernel, cell, OwnCoordinates<Element, Real>{cell}, q, positive);
    for_each_row<System>(
        [&](auto i) TESSERA_INLINED { add_row_of_point<BasisRows<Element, degree>>(at, q, i, system); });
  }
  return positive;
}

/// Pair by pair, for forms whose coefficients are not known.
template <class Element, class Kernel, class Real>
TESSERA_INLINE_ON_GPUS bool integrate_quadrature(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                 element_system_t<Element, Kernel, Real>& system) {
  using System = element_system_t<Element, Kernel, Real>;
  constexpr int degree = Kernel::template degree<Element>;
  constexpr int c = Kernel::components;
  bool positive = true;
  begin_sums(system);
  for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
    const QuadraturePoint<Element, degree, Real> point(cell, q);
    positive = positive && all_positive(point.weight());
    const auto integrand = kernel.at(point);
    for_each_pair<System>([&](int i, int j) TESSERA_INLINED {
      const auto k = integrand.stiffness(i, j);
      auto& block = system.block[System::pair(i, j)];
      for (int ab = 0; ab < c * c; ++ab) {
        const Real product = point.weight() * k.entry[ab];
        add_of_point<System>(block.entry[ab], product, q);
      }
    });
    TESSERA_UNROLL_ON_GPUS(System::unrolled_on_gpus)
    for (int i = 0; i < Element::nodes; ++i) {
      const auto f = integrand.load(i);
      for (int a = 0; a < c; ++a) {
        const Real product = point.weight() * f(a);
        add_of_point<System>(system.load[i](a), product, q);
      }
    }
  }
  return positive;
}

/// By quadrature: pair by pair, or by a form's coefficients where that takes less. On hosts it does where a
/// form states them, as weak forms do, and not where entries are products of few numbers anyway, with several
/// components where more than 15 entries of a row are summed (measured); on GPUs for scalar forms where a
/// thread has no registers for the sums of the pairs: the coefficients are then all that is read again.
template <IntegrationPath Path, class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION bool integrate_points(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                  element_system_t<Element, Kernel, Real>& system) {
  constexpr int entries = Element::nodes * Kernel::components / (Kernel::symmetric ? 2 : 1); // of a row
  constexpr bool scalar = Kernel::components == 1, known = HasPointCoefficients<Kernel, Element, Real>,
                 best = known && Path == IntegrationPath::best;
  [[maybe_unused]] constexpr bool on_hosts =
                                      best && !IsProbed<Kernel, Element, Real> && (scalar || entries > 15),
                                  on_gpus = best && scalar &&
                                            !element_system_t<Element, Kernel, Real>::in_registers;
  if constexpr (known && scalar && Path == IntegrationPath::coefficients) {
    return integrate_coefficients(kernel, cell, system);
  } else {
    KOKKOS_IF_ON_HOST((if constexpr (on_hosts) return integrate_coefficients(kernel, cell, system);
                       else return integrate_quadrature(kernel, cell, system);))
    KOKKOS_IF_ON_DEVICE((if constexpr (on_gpus) return integrate_coefficients(kernel, cell, system);
                         else return integrate_quadrature(kernel, cell, system);))
  }
}

/// Whether the first block and load are finite: every coefficient is a factor of an entry there.
/// \tparam refined  of few coefficients, which all diagonal entries have: looking at the others too is 8 % of
/// elasticity
///   on tetrahedra
template <bool refined, class Real, int components>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(const Matrix<Real, components>& block,
                                           const Vector<Real, components>& load) {
  Real finite = sum_of_entries(load);
  for (int ab = 0; ab < components * components; ab += refined ? components + 1 : 1)
    finite += block.entry[ab];
  return all_finite(finite);
}

} // namespace detail

/// Computes the element matrix and load of one element (one per lane of `Real`).
///
/// \param kernel a form's pointwise part
/// \param cell the element
/// \param[out] system every stored entry is written
/// \param affine the element is known to be affine; where the form has integrals over affine cells, only node
///   0 of `cell` and the ends of the axes there are looked at then
/// \return false if the Jacobian is not positive at a quadrature point or the result is not finite (a
///   coefficient was NaN, say); the system is then meaningless
template <IntegrationPath Path = IntegrationPath::best, class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION bool integrate(const Kernel& kernel, const Cell<Element, Real>& cell,
                                           element_system_t<Element, Kernel, Real>& system,
                                           bool affine = false) {
  constexpr bool best = Path != IntegrationPath::quadrature;
  constexpr bool affine_form = best && detail::HasAffineForm<Element, Kernel, Real>,
                 closed_form = best && detail::HasClosedForm<Element, Kernel, Real>,
                 moments = best && detail::HasMoments<Element, Kernel, Real>;
  const bool positive = by_best_instructions<Real>([&]() TESSERA_INLINED {
    if constexpr (affine_form)
      if (affine || is_affine(cell)) return detail::integrate_affine(kernel, cell, system);
    if constexpr (closed_form)
      return detail::integrate_closed_form(kernel, cell, system);
    else if constexpr (moments)
      return detail::integrate_moments(kernel, cell, system);
    else
      return detail::integrate_points<Path>(kernel, cell, system);
  });
  return positive && detail::is_finite < closed_form || moments > (system.block[0], system.load[0]);
}

} // namespace tessera
