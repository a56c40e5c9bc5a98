// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times of the library's forms without their refinements, as an application's own forms are integrated.

#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::tools {

struct Comparison;
struct Result;

/// A form without its refinements: all elements are integrated by quadrature.
template <class Form>
struct ByQuadrature {
  Form form;

  static constexpr int components = Form::components;

  struct Kernel {
    using Refined = std::remove_cvref_t<decltype(form_kernel(std::declval<const Form&>()))>;
    Refined refined;

    static constexpr int components = Refined::components;
    static constexpr bool symmetric = Refined::symmetric;
    template <class Element>
    static constexpr int degree = Refined::template degree<Element>;

    template <class Point>
    KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
      return refined.at(point);
    }
  };
  Kernel kernel() const { return {form_kernel(form)}; }
};

/// Plans and times the strategies of a comparison that `assembly::Best` may take, for a form by quadrature in
/// double precision. Compiled for devices, a source for each element: on hosts ElementAtomic comes first.
template <class Element, class ExecutionSpace, class Form>
std::vector<Result> compare_by_quadrature(const Comparison& comparison, const ByQuadrature<Form>& form,
                                          const Mesh<Element, ExecutionSpace>& mesh);

} // namespace tessera::tools
