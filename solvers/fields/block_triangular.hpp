// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Preconditioners for two coupled fields.

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/split_system.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace tessera::solvers {

namespace detail {

/// f -= B p.
template <class ExecutionSpace>
struct SubtractProduct {
  typename SplitSystem<double, ExecutionSpace>::Block b;
  Kokkos::View<const double*, ExecutionSpace> p;
  Kokkos::View<double*, ExecutionSpace> f;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    double sum = 0;
    for (Offset k = b.row_map(row); k < b.row_map(row + 1); ++k) sum += b.values(k) * p(b.columns(k));
    f(row) -= sum;
  }
};

template <class ExecutionSpace>
struct Negate {
  Kokkos::View<double*, ExecutionSpace> x;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { x(row) = -x(row); }
};

/// row × component: 1 for the row's own.
template <class ExecutionSpace>
struct ConstantModes {
  Kokkos::View<const Ordinal*, ExecutionSpace> component;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> modes;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (std::size_t c = 0; c < modes.extent(1); ++c)
      modes(row, c) = static_cast<std::size_t>(component(row)) == c ? 1 : 0;
  }
};

} // namespace detail

/// The inverse of a block triangle [A B; 0 −S], with preconditioners in place of A⁻¹ and S⁻¹: y₁ = −S⁻¹ x₁,
/// y₀ = A⁻¹ (x₀ − B y₁). For a saddle point [A B; Bᵀ 0] S stands for Schur's complement Bᵀ A⁻¹ B, and `gmres`
/// takes as many iterations as the eigenvalues of the two preconditioned blocks ask for (H. Elman, D.
/// Silvester and A. Wathen, "Finite Elements and Fast Iterative Solvers", 2nd ed., chapter 4).
///
/// \tparam First,Second preconditioners of the fields' equations, see `Operator`; kept as copies
template <class First, class Second, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class BlockTriangular {
public:
  using Split = SplitSystem<double, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// \throws ArgumentError unless `first` and `second` have as many rows as the fields; OutOfMemoryError
  BlockTriangular(const ExecutionSpace& exec, const Split& split, First first, Second second)
      : split_(split), first_(std::move(first)), second_(std::move(second)) {
    if (first_.rows() != split.rows(0) || second_.rows() != split.rows(1))
      throw ArgumentError("BlockTriangular: preconditioners of " + std::to_string(first_.rows()) + " and " +
                          std::to_string(second_.rows()) + " rows for fields of " +
                          std::to_string(split.rows(0)) + " and " + std::to_string(split.rows(1)));
    for (int field = 0; field < 2; ++field) {
      x_[field] = allocate<Vector>(exec, "Tessera::BlockTriangular::x", split.rows(field));
      y_[field] = allocate<Vector>(exec, "Tessera::BlockTriangular::y", split.rows(field));
    }
  }

  std::size_t rows() const { return split_.rows(0) + split_.rows(1); }
  const Split& split() const { return split_; }
  First& first() { return first_; }
  Second& second() { return second_; }

  /// y = P⁻¹ x. \throws ArgumentError unless x and y have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
    split_.take(exec, 0, x, x_[0]);
    split_.take(exec, 1, x, x_[1]);
    second_.apply(exec, x_[1], y_[1]);
    Kokkos::parallel_for("Tessera::BlockTriangular::negate",
                         Policy(exec, 0, static_cast<Ordinal>(split_.rows(1))),
                         detail::Negate<ExecutionSpace>{y_[1]});
    Kokkos::parallel_for("Tessera::BlockTriangular::subtract",
                         Policy(exec, 0, static_cast<Ordinal>(split_.rows(0))),
                         detail::SubtractProduct<ExecutionSpace>{split_.block(0, 1), y_[1], x_[0]});
    first_.apply(exec, x_[0], y_[0]);
    split_.put(exec, 0, y_[0], y);
    split_.put(exec, 1, y_[1], y);
  }

private:
  Split split_;
  First first_;
  Second second_;
  Vector x_[2], y_[2];
};

/// Multigrid for one field of a split system, whose matrix must be symmetric positive definite: constants are
/// its near-null space.
/// \param coordinates of the mesh's nodes
/// \throws as `Multigrid`
template <class ExecutionSpace>
Multigrid<ExecutionSpace>
multigrid_of_field(const ExecutionSpace& exec, const SplitSystem<double, ExecutionSpace>& split, int field,
                   const decltype(MultigridNodes<ExecutionSpace>::coordinates)& coordinates) {
  const int components = split.components(field);
  const auto block = split.block(field, field);
  const auto component = split.row_components(exec, field);
  const auto modes = allocate<Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>>(
      exec, "Tessera::BlockTriangular::modes", split.rows(field), components);
  Kokkos::parallel_for("Tessera::BlockTriangular::modes",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
                           exec, 0, static_cast<Ordinal>(split.rows(field))),
                       detail::ConstantModes<ExecutionSpace>{component, modes});
  return {exec,
          block.row_map,
          block.columns,
          block.values,
          {.components = components,
           .coordinates = coordinates,
           .first_row = split.first_rows(exec, field),
           .row_component = component,
           .near_null_space = modes,
           .origin = {}}};
}

} // namespace tessera::solvers
