// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An application's own numbers of equations, as a manager of degrees of freedom keeps them.

#include <tessera/core/space/detail/copy_of.hpp>
#include <tessera/core/space/function_space.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace tessera {

/// The application's equation of each degree of freedom of a space, taken from its table by elements. Numbers
/// may have gaps, and several degrees of freedom one number, as at periodic boundaries. A negative number
/// says that a degree of freedom is constrained and has no equation. `RenumberedSystem` is the system in
/// these numbers.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class EquationTable {
public:
  /// Of a degree of freedom whose node no element has.
  static constexpr Ordinal absent = -2;

  /// \param table view of element × local unknown, node * components + component, nodes as the mesh has them
  /// \param count of the application's equations, those without a degree of freedom here included
  /// \throws ArgumentError for another extent, a number of `count` or more, or two elements that give an
  ///   unknown of a node that they share different numbers
  template <class Element, class Table>
  EquationTable(const FunctionSpace<Element, ExecutionSpace>& space, const Table& table, Ordinal count)
      : count_(count), mesh_id_(space.mesh().id()), components_(space.components()),
        host_(static_cast<std::size_t>(space.num_dofs()), absent) {
    static_assert(Kokkos::is_view_v<Table> && Table::rank() == 2 &&
                      std::is_integral_v<typename Table::non_const_value_type>,
                  "tessera::EquationTable: the table must be a Kokkos view of rank 2 of integers.");
    const auto unknowns = static_cast<std::size_t>(Element::nodes * components_);
    const auto elements = static_cast<std::size_t>(space.mesh().num_elements());
    if (table.extent(0) != elements || table.extent(1) != unknowns)
      throw ArgumentError("EquationTable: the table is " + std::to_string(table.extent(0)) + " x " +
                          std::to_string(table.extent(1)) + ", needed are " + std::to_string(elements) +
                          " elements x " + std::to_string(unknowns) + " unknowns");
    const auto numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
    const auto components = static_cast<std::size_t>(components_);
    for (std::size_t e = 0; e < elements; ++e)
      for (std::size_t i = 0; i < unknowns; ++i)
        take(space.mesh(), e, nodes(e, i / components), i, static_cast<std::int64_t>(numbers(e, i)));
    device_ = detail::copy_of(ExecutionSpace(), "Tessera::EquationTable::of_dofs", host_);
  }

  Ordinal count() const { return count_; }
  std::size_t mesh_id() const { return mesh_id_; }
  int components() const { return components_; }
  /// Degree of freedom, node * components + component: its equation, or a negative number.
  const Kokkos::View<Ordinal*, ExecutionSpace>& of_dofs() const { return device_; }
  /// The same on the host.
  const std::vector<Ordinal>& on_host() const { return host_; }

  /// Constrains what has a negative number to zero; `FunctionSpace::prescribe` gives it other values.
  template <class Element>
  void constrain(FunctionSpace<Element, ExecutionSpace>& space) const {
    check(space);
    for (std::size_t dof = 0; dof < host_.size(); ++dof)
      if (host_[dof] < 0)
        space.constrain(static_cast<Ordinal>(dof) / components_, static_cast<int>(dof) % components_, 0.0);
  }

  /// Values of all degrees of freedom from a vector of the application's equations: prescribed values filled
  /// in.
  /// \throws ArgumentError for another extent, or a space of another mesh or number of components
  template <class Element, class Solution>
  Kokkos::View<double*, ExecutionSpace> expand(const ExecutionSpace& exec,
                                               const FunctionSpace<Element, ExecutionSpace>& space,
                                               const Solution& solution) const {
    check(space);
    if (solution.extent(0) != static_cast<std::size_t>(count_))
      throw ArgumentError("EquationTable::expand: " + std::to_string(solution.extent(0)) + " values for " +
                          std::to_string(count_) + " equations");
    const auto full = allocate<Kokkos::View<double*, ExecutionSpace>>(
        exec, "Tessera::EquationTable::expanded", host_.size());
    const auto equation = device_;
    const auto prescribed = space.equations(exec).prescribed;
    Kokkos::parallel_for(
        "Tessera::EquationTable::expand", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, host_.size()),
        KOKKOS_LAMBDA(std::size_t dof) {
          if (equation(dof) >= 0)
            full(dof) = static_cast<double>(solution(equation(dof)));
          else
            full(dof) = dof < prescribed.extent(0) ? prescribed(dof) : 0.0;
        });
    space.linear().interpolate(exec, full);
    exec.fence("Tessera::EquationTable::expand");
    return full;
  }

private:
  template <class MeshType>
  void take(const MeshType& mesh, std::size_t element, Ordinal node, std::size_t unknown,
            std::int64_t number) {
    const auto fail = [&](const std::string& what) {
      throw ArgumentError("EquationTable: unknown " + std::to_string(unknown) + " of " +
                          mesh.element_name(static_cast<Ordinal>(element)) + " has equation " +
                          std::to_string(number) + ", " + what);
    };
    if (number >= count_) fail("there are " + std::to_string(count_));
    const auto components = static_cast<std::size_t>(components_), component = unknown % components;
    const auto equation = static_cast<Ordinal>(number < 0 ? -1 : number);
    Ordinal& known = host_[static_cast<std::size_t>(node) * components + component];
    if (known != absent && known != equation)
      fail("but component " + std::to_string(component) + " of its node " + std::to_string(node) + " has " +
           std::to_string(known) +
           " in an element before: give elements that do not share an unknown nodes of their own");
    known = equation;
  }

  template <class Element>
  void check(const FunctionSpace<Element, ExecutionSpace>& space) const {
    if (space.mesh().id() != mesh_id_ || space.components() != components_)
      throw ArgumentError("EquationTable: made for another mesh or another number of components");
  }

  Ordinal count_;
  std::size_t mesh_id_;
  int components_;
  std::vector<Ordinal> host_;
  Kokkos::View<Ordinal*, ExecutionSpace> device_;
};

} // namespace tessera
