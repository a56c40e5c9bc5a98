#pragma once

// The rows of one element, for triangles.cpp and tetrahedra.cpp.

#include <tessera/strategies/residual/basis_vectorized.hpp>
#include <tessera/strategies/residual/quadrature_reduction.hpp>
#include <tessera/strategies/residual/thread_per_cell.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure.hpp"
#include "model.hpp"
#include "rows.hpp"

namespace tessera::paper3 {

/// Values of 1.5 in every element's nodes: the paper's auxiliary field from the unknown's space.
template <class Element, class ExecutionSpace>
ElementField<1, ExecutionSpace> element_field(const Mesh<Element, ExecutionSpace>& mesh) {
  const Kokkos::View<double*, ExecutionSpace> values("Tessera::Paper3::field",
                                                     std::size_t(mesh.num_elements()) * Element::nodes);
  Kokkos::deep_copy(values, 1.5);
  return {values};
}

template <class Element, class Scalar, class ExecutionSpace>
class Rows {
public:
  using MeshType = Mesh<Element, ExecutionSpace>;

  Rows(const Settings& settings, const MeshType& mesh, std::vector<Row>& rows)
      : settings_(settings), mesh_(mesh), rows_(rows) {}

  /// \param field_bytes of auxiliary fields, by cell
  template <class Strategy, class Form>
  void add(const std::string& problem, const std::string& coefficient, const Strategy& strategy,
           const Form& form, double field_bytes, double paper) {
    const auto weak = as_weak_form(form);
    using Kernel = decltype(weak.kernel(mesh_.kernel()));
    constexpr int points = Tabulation<Element, Kernel::template degree<Element>>::points;
    const Model model{Element::dimension, Element::nodes, points, Form::components, 1, int(sizeof(Scalar))};
    const double cells = mesh_.num_elements();
    Row row{problem,
            Element::name,
            sizeof(Scalar) == 8 ? "double" : "float",
            coefficient,
            Strategy::name,
            cells,
            0,
            model.flops_per_cell() * cells,
            (model.compulsory_bytes_per_cell() + field_bytes) * cells,
            paper};
    row.seconds = element_seconds<Scalar>(ExecutionSpace(), strategy, weak, mesh_, settings_.repetitions);
    rows_.push_back(row);
  }

  /// \param laplace,elasticity the paper's GFLOP/s
  void add_all(double laplace, double elasticity) {
    const residual::ThreadTransposition transposition;
    add("Poisson", "constant", transposition, Laplace{}, 0, laplace);
    const Kokkos::View<double*, ExecutionSpace> by_cell("Tessera::Paper3::by_cell", mesh_.num_elements());
    Kokkos::deep_copy(by_cell, 1.5);
    add("Poisson", "P0", transposition, weak_form(VariableLaplace{}, CellField::per_element(by_cell)), 8,
        laplace);
    add("Poisson", "field", transposition, weak_form(VariableLaplace{}, element_field(mesh_)),
        8 * Element::nodes, laplace);
    add("elasticity", "constant", transposition, HookeanSolid<Element::dimension>{}, 0, elasticity);
  }
  void add_others() {
    add("Poisson", "constant", residual::ThreadPerCell{}, Laplace{}, 0, 0);
    add("Poisson", "constant", residual::QuadratureReduction{}, Laplace{}, 0, 0);
    add("Poisson", "constant", residual::BasisVectorized{}, Laplace{}, 0, 0);
  }

private:
  Settings settings_;
  MeshType mesh_;
  std::vector<Row>& rows_;
};

/// P1 in both scalars and with all strategies, P2 in double.
/// \param small cells of the paper's mesh
/// \param paper GFLOP/s of figures 6.1 and 6.2: Poisson float and double, elasticity float and double
template <class Linear, class Quadratic>
std::vector<Row> measure_family(const Settings& settings, double small, const double (&paper)[4]) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  std::vector<Row> rows;
  for (const double cells : {small, settings.cells}) {
    const auto mesh = box_of<Linear, ExecutionSpace>(cells);
    Rows<Linear, float, ExecutionSpace>(settings, mesh, rows).add_all(paper[0], paper[2]);
    Rows<Linear, double, ExecutionSpace> in_double(settings, mesh, rows);
    in_double.add_all(paper[1], paper[3]);
    in_double.add_others();
  }
  const auto mesh = box_of<Quadratic, ExecutionSpace>(settings.cells / 4);
  Rows<Quadratic, double, ExecutionSpace>(settings, mesh, rows).add_all(0, 0);
  return rows;
}

} // namespace tessera::paper3
