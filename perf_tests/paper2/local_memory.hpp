// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The one-thread kernel that paper 2 compares with (section 3.4), with its choices of memory.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/strategies/assembly/common/interleaved_elements.hpp>
#include <tessera/strategies/assembly/common/scatter.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::tools {

/// Coordinates of the nodes of each element in the order of `InterleavedElements`, so that threads side by
/// side read side by side: coordinate d of node n of slot s at block s / width, row n * dimension + d, lane
/// s % width. Device memory.
template <class Element, class ExecutionSpace>
struct InterleavedCoordinates {
  using Elements = InterleavedSlots<Element, ExecutionSpace>;
  using View = Kokkos::View<double * [Element::nodes * Element::dimension][Elements::width],
                            Kokkos::LayoutRight, ExecutionSpace>;
  View entries;

  /// \throws OutOfMemoryError with the bytes wanted
  void allocate_for(const ExecutionSpace& exec, const Elements& elements) {
    entries = allocate<View>(exec, "Tessera::ElementLocal::coordinates", elements.nodes.extent(0));
  }
  KOKKOS_FORCEINLINE_FUNCTION double& at(Offset slot, int n, int d) const {
    return entries(slot / Elements::width, n * Element::dimension + d, slot % Elements::width);
  }
};

template <class Element, class ExecutionSpace>
struct FillCoordinates {
  MeshKernel<Element, ExecutionSpace> mesh;
  InterleavedSlots<Element, ExecutionSpace> elements;
  InterleavedCoordinates<Element, ExecutionSpace> target;

  KOKKOS_FUNCTION void operator()(Offset slot) const {
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < Element::dimension; ++d)
        target.at(slot, n, d) = mesh.coordinates(elements.node(slot, n), d);
  }
};

/// Copies the coordinates of the elements' nodes.
template <class Element, class ExecutionSpace>
void interleave_coordinates(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                            const InterleavedSlots<Element, ExecutionSpace>& elements,
                            const InterleavedCoordinates<Element, ExecutionSpace>& target) {
  Kokkos::parallel_for(
      "Tessera::ElementLocal::copy_coordinates",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, elements.numbers.extent(0)),
      FillCoordinates<Element, ExecutionSpace>{mesh.kernel(), elements, target});
}

/// A quadrature point whose geometry is computed once, from coordinates that are read where they are needed
/// and derivatives of the basis in team scratch.
template <class Element, int Degree, class Real, class ExecutionSpace>
class LocalMemoryPoint {
public:
  using real_type = Real;
  using element_type = Element;
  using table = Tabulation<Element, Degree>;
  using Value = value_type_t<Real>;
  using Derivatives = typename table::template Gradients<Value>;
  using Coordinates = InterleavedCoordinates<Element, ExecutionSpace>;
  static constexpr int dimension = Element::dimension;

  KOKKOS_FORCEINLINE_FUNCTION LocalMemoryPoint(const Cell<Element, Real>& cell,
                                               const Coordinates& coordinates, Offset slot,
                                               const Derivatives& derivatives, int q)
      : cell_(cell), coordinates_(coordinates), slot_(slot), q_(q) {
    Matrix<Real, dimension> jacobian;
    for (int n = 1; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        const Real x = relative(n, d);
        for (int e = 0; e < dimension; ++e) jacobian(d, e) += x * derivatives.entries[q][n][e];
      }
    const Real det = determinant(jacobian);
    const Real inverse_det = Real(Value(1)) / det;
    const Matrix<Real, dimension> adj = adjugate(jacobian);
    weight_ = det * table::template weight<Value>(q);
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        Real sum = adj(0, d) * derivatives.entries[q][n][0];
        for (int e = 1; e < dimension; ++e) sum += adj(e, d) * derivatives.entries[q][n][e];
        gradient_[n][d] = sum * inverse_det;
      }
  }

  /// Quadrature weight times the Jacobian's determinant.
  KOKKOS_FORCEINLINE_FUNCTION const Real& weight() const { return weight_; }
  /// Basis function of node n.
  KOKKOS_FORCEINLINE_FUNCTION Value value(int n) const { return table::template value<Value>(q_, n); }
  /// Derivative of node n's basis function along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION const Real& gradient(int n, int d) const { return gradient_[n][d]; }
  /// Physical coordinate d of the point.
  KOKKOS_FORCEINLINE_FUNCTION Real position(int d) const {
    Real x = from_lanes<Real>([&](int lane) { return coordinates_.at(slot_ + lane, 0, d); });
    for (int n = 1; n < Element::nodes; ++n) x += relative(n, d) * value(n);
    return x;
  }
  /// The element that the point lies in; without coordinates.
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, Real>& cell() const { return cell_; }
  /// Number of the point in the rule.
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q_; }

private:
  /// Coordinate d of node n, relative to the first node and subtracted in double (as in `Cell`).
  KOKKOS_FORCEINLINE_FUNCTION Real relative(int n, int d) const {
    return from_lanes<Real>(
        [&](int lane) { return coordinates_.at(slot_ + lane, n, d) - coordinates_.at(slot_ + lane, 0, d); });
  }

  const Cell<Element, Real>& cell_;
  const Coordinates& coordinates_;
  Offset slot_;
  int q_;
  Real weight_;
  Real gradient_[Element::nodes][dimension];
};

/// Adds the elements of one color, a thread (on the host: a vector) per element (paper 2, algorithms 1 and
/// 3).
///
/// As section 3.4 tells: the whole element matrix, both halves of it, is an array of the thread's own, which
/// is in local memory unless it is so small that the compiler unrolls all loops over it; the loop over the
/// quadrature points is the outermost, and their geometry is computed once each; derivatives of the basis are
/// in scratch, coordinates are read, side by side, at each point, and the node numbers when the matrix is
/// complete.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct AddColorThroughLocalMemory {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Local = ElementSystem<Element, Kernel::components, Real, false>;
  static constexpr int degree = Kernel::template degree<Element>;
  using Point = LocalMemoryPoint<Element, degree, Real, ExecutionSpace>;
  using Derivatives = typename Point::Derivatives;
  static constexpr int nodes = Element::nodes, components = Kernel::components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  InterleavedSlots<Element, ExecutionSpace> elements;
  InterleavedCoordinates<Element, ExecutionSpace> coordinates;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Offset begin, end; ///< slots of the color
  Ordinal chunks_per_team = team_threads<ExecutionSpace>("ElementLocal", 0);

  static constexpr std::size_t scratch_bytes = sizeof(Derivatives) + alignof(Derivatives);

  /// \throws UnsupportedError if the derivatives do not fit into the scratch of a team
  static void check_scratch() {
    scratch_budget<ExecutionSpace>("ElementLocal", static_cast<long>(scratch_bytes));
  }

  void run(const ExecutionSpace& exec) const {
    constexpr int lanes = lanes_v<Real>;
    const Offset per_team = static_cast<Offset>(chunks_per_team) * lanes;
    const auto league = static_cast<Ordinal>((end - begin + per_team - 1) / per_team);
    Kokkos::parallel_for("Tessera::ElementLocal::add_color_through_local_memory",
                         team_policy(exec, "ElementLocal", *this, league, chunks_per_team, scratch_bytes),
                         *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    using Value = typename Point::Value;
    auto& derivatives = *static_cast<Derivatives*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Derivatives), alignof(Derivatives)));
    constexpr int dimension = Element::dimension, size = Point::table::points * nodes * dimension;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int k) {
      const int q = k / (nodes * dimension), n = k / dimension % nodes, d = k % dimension;
      derivatives.entries[q][n][d] = Point::table::template gradient<Value>(q, n, d);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunks_per_team), [&](Ordinal chunk) {
      const Offset first =
          begin + (static_cast<Offset>(team.league_rank()) * chunks_per_team + chunk) * lanes_v<Real>;
      if (first < end) add_element(derivatives, first);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_element(const Derivatives& derivatives, Offset first) const {
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = elements.numbers(first + lane);
      cell.material[lane] = mesh.material(cell.element[lane]);
    }
    Local local;
    if (!integrate(cell, derivatives, first, local))
      status.fail(kernel, elements.template cell<Real>(mesh, first));
    for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane) {
      const Offset slot = first + static_cast<Offset>(lane);
      Ordinal node[nodes];
      for (int n = 0; n < nodes; ++n) node[n] = elements.node(slot, n);
      scatter<Element, Kernel>(
          local, lane, node, system, [&](int i, int j) { return elements.position(slot, i, j); }, PlainAdd());
    }
  }

  /// \return false if a Jacobian is not positive or the matrix not finite
  KOKKOS_FORCEINLINE_FUNCTION bool integrate(const Cell<Element, Real>& cell, const Derivatives& derivatives,
                                             Offset slot, Local& local) const {
    for (auto& block : local.block) block = {};
    for (auto& load : local.load) load = {};
    bool positive = true;
    for (int q = 0; q < Point::table::points; ++q) {
      const Point point(cell, coordinates, slot, derivatives, q);
      const Real weight = point.weight();
      positive = positive && all_positive(weight);
      const auto integrand = kernel.at(point);
      for (int i = 0; i < nodes; ++i) {
        for (int j = 0; j < nodes; ++j) {
          const auto stiffness = integrand.stiffness(i, j);
          auto& block = local.block[Local::pair(i, j)];
          for (int ab = 0; ab < components * components; ++ab)
            block.entry[ab] += weight * stiffness.entry[ab];
        }
        const auto load = integrand.load(i);
        for (int a = 0; a < components; ++a) local.load[i](a) += weight * load(a);
      }
    }
    return positive && all_finite(sum_of_entries(local.block[0]) + sum_of_entries(local.load[0]));
  }
};

} // namespace tessera::tools
