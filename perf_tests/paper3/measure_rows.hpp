// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The rows of one element; each element is a source file of its own.

#include <tessera/core/error.hpp>
#include <tessera/strategies/residual/basis_vectorized.hpp>
#include <tessera/strategies/residual/quadrature_reduction.hpp>
#include <tessera/strategies/residual/thread_per_cell.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure.hpp"
#include "model.hpp"
#include "rows.hpp"

namespace tessera::paper3 {

/// A physics by more quadrature points than it asks for: exact to two degrees more.
template <class Physics>
struct MorePoints : Physics {
  template <class Element>
  static constexpr int degree = WeakFormKernel<Physics, detail::FieldList<>>::template degree<Element> + 2;
};

/// Elasticity as section 6 of the paper states it: f1 is the symmetric gradient.
template <int d>
struct SymmetricGradient {
  static constexpr int components = d;
  static constexpr bool symmetric = true, uses_value = false;
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < i; ++j) f(i, j) = f(j, i) = (p.grad_u(i, j) + p.grad_u(j, i)) / 2;
    return f;
  }
};

/// Values of 1.5 in every element's nodes: the paper's auxiliary field from the unknown's space.
template <class Scalar, class Element, class ExecutionSpace>
ElementField<1, ExecutionSpace, Scalar> element_field(const Mesh<Element, ExecutionSpace>& mesh) {
  const Kokkos::View<Scalar*, ExecutionSpace> values("Tessera::Paper3::field",
                                                     std::size_t(mesh.num_elements()) * Element::nodes);
  Kokkos::deep_copy(values, Scalar(1.5));
  return ElementField<1, ExecutionSpace, Scalar>{values};
}

template <class Element, class Scalar, class ExecutionSpace>
class Rows {
public:
  static constexpr int d = Element::dimension;
  using MeshType = Mesh<Element, ExecutionSpace>;

  std::string part = d == 2 ? "triangles" : "tetrahedra";
  std::string numbering = {}; ///< of a mesh from a file

  Rows(const Settings& settings, const MeshType& mesh, std::vector<Row>& rows)
      : settings_(settings), mesh_(mesh), rows_(rows) {}

  /// \param field_bytes of auxiliary fields, by cell
  template <class Strategy, class Form>
  void add(const std::string& problem, const std::string& coefficient, const Strategy& strategy,
           const Form& form, double field_bytes = 0) {
    const auto weak = as_weak_form(form);
    using Kernel = decltype(weak.kernel(mesh_.kernel()));
    constexpr int points = Tabulation<Element, Kernel::template degree<Element>>::points;
    const Model model{d, Element::nodes, points, Form::components, 1, int(sizeof(Scalar))};
    const double cells = mesh_.num_elements();
    Row row{.part = part,
            .problem = problem,
            .element = Element::name,
            .scalar = sizeof(Scalar) == 8 ? "double" : "float",
            .coefficient = coefficient,
            .strategy = Strategy::name,
            .numbering = numbering,
            .points = points,
            .cells = cells,
            .flops = model.flops_per_cell() * cells,
            .bytes = (model.compulsory_bytes_per_cell() + field_bytes) * cells,
            .paper_bytes = model.bytes_per_batch() / model.N_bc() * cells,
            .balance = model.balance(),
            .nodes = double(mesh_.num_nodes())};
    try {
      row.seconds = element_seconds<Scalar>(ExecutionSpace(), strategy, weak, mesh_, settings_.repetitions);
    } catch (const UnsupportedError& error) {
      row.unsupported = error.what();
    }
    rows_.push_back(row);
  }

  /// From nodal vector to nodal vector: coefficients and coordinates are read where the mesh has them.
  template <class Strategy, class Form>
  void add_whole(const std::string& problem, const Strategy& strategy, const Form& form) {
    rows_.push_back(
        {.part = part,
         .problem = problem,
         .element = Element::name,
         .scalar = sizeof(Scalar) == 8 ? "double" : "float",
         .coefficient = "constant",
         .strategy = std::string(Strategy::name) + ", nodal vectors",
         .numbering = numbering,
         .cells = double(mesh_.num_elements()),
         .seconds = whole_seconds<Scalar>(ExecutionSpace(), strategy, form, mesh_, settings_.repetitions),
         .nodes = double(mesh_.num_nodes())});
  }

  template <class Strategy>
  void constant(const Strategy& strategy) {
    add("Poisson", "constant", strategy, Laplace{});
    add("elasticity", "constant", strategy, HookeanSolid<d>{});
  }
  template <class Strategy>
  void variable(const Strategy& strategy) {
    const Kokkos::View<Scalar*, ExecutionSpace> by_cell("Tessera::Paper3::by_cell", mesh_.num_elements());
    Kokkos::deep_copy(by_cell, Scalar(1.5));
    const PiecewiseConstantField<ExecutionSpace, Scalar> constant{by_cell};
    add("Poisson", "P0", strategy, weak_form(VariableLaplace{}, constant), sizeof(Scalar));
    add("Poisson", "nodal", strategy, weak_form(VariableLaplace{}, element_field<Scalar>(mesh_)),
        sizeof(Scalar) * Element::nodes);
  }
  template <class Strategy>
  void more_points(const Strategy& strategy) {
    add("Poisson", "constant", strategy, MorePoints<Laplace>{});
    add("elasticity", "constant", strategy, MorePoints<HookeanSolid<d>>{});
  }

private:
  Settings settings_;
  MeshType mesh_;
  std::vector<Row>& rows_;
};

/// Calls `visit(strategy)` for the paper's strategy and for those that it is compared with.
template <class Visit>
void for_each_compared(const Visit& visit) {
  visit(residual::ThreadTransposition{});
  visit(residual::ThreadPerCell{});
  visit(residual::QuadratureReduction{});
  visit(residual::BasisVectorized{});
}

/// Calls `measure(rows)` in both scalars on a mesh of about so many cells.
template <class Element, class Measure>
void in_both_scalars(const Settings& settings, double cells, std::vector<Row>& rows, const Measure& measure) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  const auto mesh = box_of<Element, ExecutionSpace>(cells);
  measure(Rows<Element, float, ExecutionSpace>(settings, mesh, rows));
  measure(Rows<Element, double, ExecutionSpace>(settings, mesh, rows));
}

/// P1 has one point where the form has derivatives alone: the others than the paper's strategy pull and
/// reduce nothing twice there, and are measured with more points too.
template <class Element>
void measure_linear(const Settings& settings, std::vector<Row>& rows) {
  for (const double cells : {settings.small_cells, settings.cells})
    in_both_scalars<Element>(settings, cells, rows, [&](auto of) {
      of.constant(residual::ThreadTransposition{});
      of.variable(residual::ThreadTransposition{});
      of.add("elasticity, the paper's f1", "constant", residual::ThreadTransposition{},
             SymmetricGradient<Element::dimension>{});
      if (cells == settings.small_cells && settings.small_cells != settings.cells) return;
      of.add("Poisson", "constant", residual::ThreadPerCell{}, Laplace{});
      of.add("Poisson", "constant", residual::QuadratureReduction{}, Laplace{});
      of.add("Poisson", "constant", residual::BasisVectorized{}, Laplace{});
      for_each_compared([&](const auto& strategy) { of.more_points(strategy); });
    });
}

template <class Element>
void measure_quadratic(const Settings& settings, std::vector<Row>& rows) {
  in_both_scalars<Element>(settings, settings.cells / 4, rows, [&](auto of) {
    for_each_compared([&](const auto& strategy) {
      of.constant(strategy);
      of.variable(strategy);
    });
  });
}

template <class Element>
void measure_cubic(const Settings& settings, std::vector<Row>& rows) {
  in_both_scalars<Element>(settings, settings.cells / 16, rows, [&](auto of) {
    for_each_compared([&](const auto& strategy) { of.constant(strategy); });
  });
}

} // namespace tessera::paper3
