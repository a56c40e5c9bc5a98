// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Operators of forms with functions on sides (`WeakForm::on_sides`).

#include <tessera/core/cost.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/weak_form/detail/side_sums.hpp>
#include <tessera/strategies/matrix_free/detail/element_totals.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// y = K x with the Jacobian inside elements, by a strategy's operator, and on sides. A matrix for each side
/// is kept, as it was when the operator was prepared: sides are few, and to read their matrices costs less
/// than to integrate them. Its calls are those of `MatrixFreeOperator`; what they add is deterministic.
template <class Inside>
class OperatorOnSides {
public:
  using Element = typename Inside::Element;
  using Scalar = typename Inside::Scalar;
  using scalar_type = Scalar;
  using execution_space = typename Inside::execution_space;
  using Vector = typename Inside::Vector;
  using ConstVector = typename Inside::ConstVector;
  using Blocks = typename Inside::Blocks; ///< node x row x column
  static constexpr int components = Inside::components;
  using Sides = detail::SideMatrices<Element, execution_space, components>;

  /// \param seconds that the sides took
  OperatorOnSides(const Inside& inside, const Equations<execution_space>& equations,
                  const std::vector<Sides>& sides, double seconds)
      : inside_(inside), equations_(equations), sides_(sides), report_(inside.report()) {
    report_.prepare_seconds += seconds;
    for (const Sides& part : sides_) report_.bytes += part.bytes();
  }

  /// Seconds and bytes of the operator inside elements and of the sides, and the path inside.
  const PlanReport& report() const { return report_; }

  /// \name As MatrixFreeOperator's.
  ///@{
  std::size_t rows() const { return inside_.rows(); }
  void apply(const execution_space& exec, const ConstVector& x, const Vector& y) const {
    inside_.apply(exec, x, y);
    for (const Sides& part : sides_)
      detail::run_on_sides(exec, "Tessera::OperatorOnSides::apply", part.rows.nodes.extent(0),
                           detail::AddSideProduct<Sides, execution_space, Scalar>{part, equations_, x, y});
  }
  void load(const execution_space& exec, const Vector& f) const {
    inside_.load(exec, f);
    for (const Sides& part : sides_)
      detail::run_on_sides(exec, "Tessera::OperatorOnSides::load", part.rows.nodes.extent(0),
                           detail::AddSideLoads<Sides, execution_space, Scalar>{part, equations_, f});
    exec.fence("Tessera::OperatorOnSides::load");
  }
  Blocks diagonal_blocks(const execution_space& exec) const {
    const Blocks blocks = inside_.diagonal_blocks(exec);
    for (const Sides& part : sides_)
      detail::run_on_sides(exec, "Tessera::OperatorOnSides::diagonal_blocks", part.rows.nodes.extent(0),
                           detail::AddSideBlocks<Sides, execution_space, Blocks>{part, equations_, blocks});
    exec.fence("Tessera::OperatorOnSides::diagonal_blocks");
    return blocks;
  }
  void diagonal(const execution_space& exec, const Vector& d) const {
    if (d.extent(0) != rows())
      throw ArgumentError("OperatorOnSides: d has " + std::to_string(d.extent(0)) +
                          " entries, the operator " + std::to_string(rows()) + " rows");
    matrix_free::detail::set_diagonal(exec, diagonal_blocks(exec), equations_, d);
  }
  ///@}

private:
  Inside inside_;
  Equations<execution_space> equations_;
  std::vector<Sides> sides_;
  PlanReport report_;
};

} // namespace tessera
