// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Entries of a hexahedron's matrix from its points, one direction after the other.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/elements/detail/lagrange.hpp>
#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/elements/quadrature_tables.hpp>
#include <tessera/core/elements/shape.hpp>
#include <tessera/core/types.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Elements in space whose functions are products of three functions of a line, of order two at least.
template <class Element>
inline constexpr bool is_product =
    Element::dimension == 3 && is_cube(Element::shape) && Element::order > 1 &&
    Element::nodes == (Element::order + 1) * (Element::order + 1) * (Element::order + 1);

/// The order in which element matrices have functions: that of the nodes, but for products the lattice's, the
/// last axis the fastest, of which `LineSums` makes runs.
template <class Element>
KOKKOS_FORCEINLINE_FUNCTION int function_place([[maybe_unused]] int node) {
  if constexpr (is_product<Element>) {
    static constexpr auto places = [] {
      Kokkos::Array<int, Element::nodes> list{};
      for (int place = 0; place < Element::nodes; ++place)
        list[tessera::detail::lattice_positions<Element>.node[place]] = place;
      return list;
    }();
    return places[node];
  } else
    return node;
}

/// Functions of a line with `Order` + 1 equispaced nodes, and their derivatives, at the points of Gauss'
/// rule; and products of two of them.
template <class Value, int Order, int Points>
struct LineTable {
  static constexpr int width = Order + 1, products = 4 * width * width * Points,
                       numbers = products + 2 * width * Points;
  Value entry[numbers];

  /// \param derived which of the two is derived: 1 the first, 2 the second, 3 both \param pair i * width + j
  KOKKOS_FORCEINLINE_FUNCTION constexpr const Value& product(int derived, int pair, int q) const {
    return entry[(derived * width * width + pair) * Points + q];
  }
  /// \param derived 0 or 1
  KOKKOS_FORCEINLINE_FUNCTION constexpr const Value& function(int derived, int i, int q) const {
    return entry[products + (derived * width + i) * Points + q];
  }

  KOKKOS_FORCEINLINE_FUNCTION static const LineTable& get() {
    static constexpr LineTable table = make();
    return table;
  }

private:
  static constexpr LineTable make() {
    constexpr auto rule = tessera::detail::gauss_legendre<Points>();
    LineTable table{};
    for (int q = 0; q < Points; ++q) {
      const auto line = tessera::detail::interval_factors<Order>(rule.coordinates[q]);
      const auto at = [&](int derived, int i) { return derived == 0 ? line.values[i] : line.derivatives[i]; };
      for (int i = 0; i < width; ++i) {
        for (int derived = 0; derived < 2; ++derived)
          table.entry[products + (derived * width + i) * Points + q] = static_cast<Value>(at(derived, i));
        for (int j = 0; j < width; ++j)
          for (int derived = 0; derived < 4; ++derived)
            table.entry[(derived * width * width + i * width + j) * Points + q] =
                static_cast<Value>(at(derived % 2, i) * at(derived / 2, j));
      }
    }
    return table;
  }
};

/// Sum factorisation (S. A. Orszag, J. Comput. Phys. 37, 1980): where functions and points are products, an
/// entry's sum over the points is three sums over a line's, of which those over the first axis serve all
/// entries of a pair of functions there, and those over the second all of two pairs.
/// \tparam Coefficients at a point, `ReferenceCoefficients`; its functions of axes k and, the last, the value
/// \tparam Points of a line
template <class Coefficients, class Real, int Order, int Points>
struct LineSums {
  static constexpr int width = Order + 1, functions = Coefficients::functions, c = Coefficients::components;
  static constexpr int plane_points = Points * Points;
  using Table = LineTable<value_type_t<Real>, Order, Points>;

  /// Of a plane of points, number `plane` along the last axis.
  struct Plane {
    const Table& table; ///< where indices come at run time it is read
    int plane;
    const Real* at; ///< coefficient k of the first point at `at[k * Lanes]`, of the next `stride` on
    int stride;
  };

  /// Adds what a plane has for test functions (i0, i1, any) and trial functions (j0, any, any), of
  /// components a and b.
  template <int I1, int Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void add_matrix(Real (&sums)[width][width * width], const Plane& of,
                                                     int i0, int j0, int a, int b) {
    using tessera::detail::for_constants;
    for_constants<4>([&](auto last) TESSERA_INLINED {
      if constexpr (!exists(last)) return;
      Real along_second[width] = {};
      for_constants<4>([&](auto second) TESSERA_INLINED {
        if constexpr (exists(last, second)) {
          Real along_first[Points] = {};
          for_constants<functions * functions>([&](auto kl) TESSERA_INLINED {
            constexpr int k = kl / functions, l = kl % functions;
            if constexpr (derived(k, l, 2) == last && derived(k, l, 1) == second) {
              const Real* const from = of.at + Coefficients::place(k * c + a, l * c + b) * Lanes;
              for_constants<Points>([&](auto q0) TESSERA_INLINED {
                const auto product = of.table.product(derived(k, l, 0), i0 * width + j0, q0);
                for_constants<Points>([&](auto q1) TESSERA_INLINED {
                  along_first[q1] += from[(q1 * Points + q0) * of.stride] * product;
                });
              });
            }
          });
          for_constants<width>([&](auto j1) TESSERA_INLINED {
            for_constants<Points>([&](auto q1) TESSERA_INLINED {
              along_second[j1] += along_first[q1] * Table::get().product(second, I1 * width + j1, q1);
            });
          });
        }
      });
      for_constants<width * width>([&](auto ij) TESSERA_INLINED {
        const auto product = of.table.product(last, ij, of.plane);
        for_constants<width>([&](auto j1) TESSERA_INLINED {
          sums[ij / width][j1 * width + ij % width] += along_second[j1] * product;
        });
      });
    });
  }

  /// Adds what a plane has for the loads of test functions (i0, i1, any), of component a.
  template <int I1, int Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void add_load(Real (&loads)[width], const Plane& of, int i0, int a) {
    using tessera::detail::for_constants;
    for_constants<4>([&](auto k) TESSERA_INLINED { // test functions' derivatives, then the value
      const Real* const from = of.at + Coefficients::load_place(k * c + a) * Lanes;
      Real sum = {};
      for_constants<Points>([&](auto q1) TESSERA_INLINED {
        Real along_first = {};
        for_constants<Points>([&](auto q0) TESSERA_INLINED {
          along_first += from[(q1 * Points + q0) * of.stride] * of.table.function(k == 0, i0, q0);
        });
        sum += along_first * Table::get().function(k == 1, I1, q1);
      });
      for_constants<width>(
          [&](auto i2) TESSERA_INLINED { loads[i2] += sum * of.table.function(k == 2, i2, of.plane); });
    });
  }

private:
  /// Which of test function k and trial function l is derived along an axis: 1, 2, both 3.
  static constexpr int derived(int k, int l, int axis) { return (k == axis ? 1 : 0) + (l == axis ? 2 : 0); }
  static constexpr bool exists(int last, int second = -1) {
    for (int k = 0; k < functions; ++k)
      for (int l = 0; l < functions; ++l)
        if (derived(k, l, 2) == last && (second < 0 || derived(k, l, 1) == second)) return true;
    return false;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
