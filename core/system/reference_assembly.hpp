// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The oracle: direct stiffness assembly in double precision on the host's cores (paper 1, Algorithm 1),
/// written for clarity. Every entry is summed in the order of the elements, whatever the number of threads.
/// Tests and comparisons measure against it.

#include <tessera/core/system/detail/host_threads.hpp>
#include <tessera/core/system/detail/reference_element.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tessera {

/// Rows of a linear system on the host, all of them or a sample, in ascending order.
struct ReferenceSystem {
  std::vector<Ordinal> rows;    ///< their numbers in the system
  std::vector<Offset> begin;    ///< where each begins in the system's values
  std::vector<Offset> row_map;  ///< where each begins in `columns`, `values` and `scale`, and the end
  std::vector<Ordinal> columns; ///< of the system
  std::vector<double> values;
  std::vector<double> scale; ///< sum of the absolute products that the value is made of
  std::vector<double> rhs;   ///< row by row
  std::vector<double> rhs_scale;

  /// Whether row `row` of the system is one of them, and which.
  std::size_t find(Ordinal row) const {
    if (to_size(row) < rows.size() && rows[to_size(row)] == row) return to_size(row);
    const auto at = std::lower_bound(rows.begin(), rows.end(), row);
    return at != rows.end() && *at == row ? to_size(at - rows.begin()) : absent;
  }
  static constexpr std::size_t absent = SIZE_MAX;
};

namespace detail {

template <class T, class View>
std::vector<T> host_vector(const View& view) {
  std::vector<T> host(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(host.data(), host.size()), view);
  return host;
}

/// The rows that are checked: all, or about `most_rows`, taken by a hash of their numbers.
template <class ExecutionSpace>
ReferenceSystem reference_rows(const SparsityGraph<ExecutionSpace>& graph, std::size_t most_rows) {
  const auto row_map = host_vector<Offset>(graph.row_map);
  const auto columns = host_vector<Ordinal>(graph.columns);
  const auto rows = static_cast<std::size_t>(graph.num_rows());
  const std::uint64_t share = rows <= most_rows ? UINT64_MAX : UINT64_MAX / rows * most_rows;
  ReferenceSystem system;
  system.row_map.push_back(0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t hash = (row + 1) * 0x9e3779b97f4a7c15u; // Fibonacci hashing: evenly spread
    if (rows > most_rows && (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u > share) continue;
    system.rows.push_back(static_cast<Ordinal>(row));
    system.begin.push_back(row_map[row]);
    system.columns.insert(system.columns.end(), columns.begin() + row_map[row],
                          columns.begin() + row_map[row + 1]);
    system.row_map.push_back(system.columns.size());
  }
  system.values.assign(system.columns.size(), 0.0);
  system.scale.assign(system.columns.size(), 0.0);
  system.rhs.assign(system.rows.size(), 0.0);
  system.rhs_scale.assign(system.rows.size(), 0.0);
  return system;
}

/// The equations of a space on the host.
template <class ExecutionSpace>
class HostEquations {
public:
  explicit HostEquations(const Equations<ExecutionSpace>& equations)
      : components_(equations.components), removed_(equations.removed),
        mask_(host_vector<std::uint8_t>(equations.mask)),
        prescribed_(host_vector<double>(equations.prescribed)),
        first_(host_vector<Ordinal>(equations.first)) {}

  bool constrained(Ordinal dof) const {
    return !mask_.empty() && ((mask_[dof / components_] >> (dof % components_)) & 1) != 0;
  }
  double prescribed(Ordinal dof) const { return prescribed_[dof]; }
  Ordinal equation(Ordinal dof) const {
    if (!removed_) return dof;
    Ordinal row = first_[dof / components_];
    for (int c = 0; c < dof % components_; ++c) row += constrained(dof - dof % components_ + c) ? 0 : 1;
    return row;
  }

private:
  int components_;
  bool removed_;
  std::vector<std::uint8_t> mask_;
  std::vector<double> prescribed_;
  std::vector<Ordinal> first_;
};

/// Adds to an entry and its scale.
inline void add_entry(ReferenceSystem& system, std::size_t place, Ordinal column, double value,
                      double scale) {
  const auto begin = system.columns.begin() + static_cast<std::ptrdiff_t>(system.row_map[place]),
             end = system.columns.begin() + static_cast<std::ptrdiff_t>(system.row_map[place + 1]);
  const auto at = std::lower_bound(begin, end, column) - system.columns.begin();
  system.values[to_size(at)] += value;
  system.scale[to_size(at)] += scale;
}

/// The elements one after another, or those that touch a row of a sample; blocks of them are integrated by
/// all threads, then added by them row by row.
template <class Element, class ExecutionSpace, class Form>
class ReferenceAssembly {
public:
  static constexpr int components = Form::components, dofs = Element::nodes * components,
                       dimension = Element::dimension;

  ReferenceAssembly(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space,
                    ReferenceSystem& system)
      : system_(system), equations_(space.equations()), element_matrix_(form),
        coordinates_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates())),
        connectivity_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity())),
        materials_(host_vector<Ordinal>(space.mesh().materials())) {
    const Ordinal elements = space.mesh().num_elements();
    constexpr Ordinal most = std::max<Ordinal>(64, (Ordinal(1) << 22) / (dofs * dofs)); // 64 MB
    std::vector<ReferenceEntries> block;
    std::vector<Ordinal> chosen;
    for (Ordinal e = 0; e < elements; ++e) {
      if (touches(e)) chosen.push_back(e);
      if (chosen.empty() || (static_cast<Ordinal>(chosen.size()) < most && e + 1 < elements)) continue;
      while (block.size() < chosen.size()) block.emplace_back(dofs);
      on_host_threads([&](int thread, int threads) {
        for (std::size_t i = to_size(thread); i < chosen.size(); i += to_size(threads))
          integrate(chosen[i], block[i]);
      });
      on_host_threads([&](int thread, int threads) {
        for (std::size_t i = 0; i < chosen.size(); ++i) add(chosen[i], block[i], thread, threads);
      });
      chosen.clear();
    }
  }

private:
  Ordinal dof(Ordinal e, int r) const {
    return connectivity_(e, r / components) * components + r % components;
  }

  bool touches(Ordinal e) const {
    for (int r = 0; r < dofs; ++r)
      if (!equations_.constrained(dof(e, r)) &&
          system_.find(equations_.equation(dof(e, r))) != ReferenceSystem::absent)
        return true;
    return false;
  }

  void integrate(Ordinal e, ReferenceEntries& entries) const {
    std::vector<double> x(Element::nodes * dimension);
    std::array<double, dimension> origin;
    for (int c = 0; c < dimension; ++c) origin[c] = coordinates_(connectivity_(e, 0), c);
    for (int n = 0; n < Element::nodes; ++n)
      for (int c = 0; c < dimension; ++c) // relative to the first node, so that the position costs no digits
        x[n * dimension + c] = coordinates_(connectivity_(e, n), c) - origin[c];
    entries.set_zero();
    element_matrix_(e, materials_.empty() ? 0 : materials_[e], x, origin.data(), entries);
  }

  /// The rows that belong to a thread: neighbours' are another's, so that all have some of every block.
  void add(Ordinal e, const ReferenceEntries& entries, int thread, int threads) {
    for (int r = 0; r < dofs; ++r) {
      if (equations_.constrained(dof(e, r))) continue;
      const Ordinal row = equations_.equation(dof(e, r));
      if (row % threads != thread) continue;
      const std::size_t place = system_.find(row);
      if (place == ReferenceSystem::absent) continue;
      system_.rhs[place] += entries.f[r];
      system_.rhs_scale[place] += entries.f_scale[r];
      for (int s = 0; s < dofs; ++s) {
        const double k = entries.k[r * dofs + s], scale = entries.k_scale[r * dofs + s];
        const Ordinal column = dof(e, s);
        if (!equations_.constrained(column)) {
          add_entry(system_, place, equations_.equation(column), k, scale);
        } else {
          system_.rhs[place] -= k * equations_.prescribed(column);
          system_.rhs_scale[place] += scale * std::abs(equations_.prescribed(column));
        }
      }
    }
  }

  ReferenceSystem& system_;
  HostEquations<ExecutionSpace> equations_;
  ReferenceElement<Element, Form> element_matrix_;
  typename Mesh<Element, ExecutionSpace>::ConstCoordinates::host_mirror_type::const_type coordinates_;
  typename Mesh<Element, ExecutionSpace>::ConstConnectivity::host_mirror_type::const_type connectivity_;
  std::vector<Ordinal> materials_;
};

/// Adds what the space's Robin sides give to the rows.
template <class Element, class ExecutionSpace>
void add_robin_sides(const FunctionSpace<Element, ExecutionSpace>& space,
                     const HostEquations<ExecutionSpace>& equations, ReferenceSystem& system) {
  const auto sides = space.robin(default_instance<ExecutionSpace>());
  const auto nodes = host_vector<Ordinal>(sides.nodes), offsets = host_vector<Ordinal>(sides.offsets),
             neighbors = host_vector<Ordinal>(sides.neighbors);
  const auto products = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides.products),
             loads = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides.loads);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int c = 0; c < space.components(); ++c) {
      const Ordinal dof = nodes[i] * space.components() + c;
      if (equations.constrained(dof)) continue;
      const std::size_t place = system.find(equations.equation(dof));
      if (place == ReferenceSystem::absent) continue;
      const auto add_load = [&](double load) {
        system.rhs[place] += load;
        system.rhs_scale[place] += std::abs(load);
      };
      add_load(loads(i, c));
      for (Ordinal k = offsets[i]; k < offsets[i + 1]; ++k) {
        const Ordinal column = neighbors[k] * space.components() + c;
        if (equations.constrained(column))
          add_load(-products(k, c) * equations.prescribed(column));
        else
          add_entry(system, place, equations.equation(column), products(k, c), products(k, c));
      }
    }
}

} // namespace detail

/// Assembles `form` over `space` on the host. The graph is only read for its sparsity. Essential constraints
/// and natural loads are treated as the assembly plans do.
///
/// \param most_rows  where the graph has more, a sample of about so many rows, spread evenly.
template <class Element, class ExecutionSpace, class Form>
ReferenceSystem reference_assembly(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space,
                                   const SparsityGraph<ExecutionSpace>& graph,
                                   std::size_t most_rows = SIZE_MAX) {
  ReferenceSystem system = detail::reference_rows(graph, most_rows);
  const detail::ReferenceAssembly<Element, ExecutionSpace, Form> assembly(form, space, system);
  const detail::HostEquations<ExecutionSpace> equations(space.equations());
  const auto loads = space.nodal_loads();
  const auto load_dofs = detail::host_vector<Ordinal>(loads.dofs);
  const auto load_values = detail::host_vector<double>(loads.values);
  for (std::size_t i = 0; i < load_dofs.size(); ++i) {
    if (equations.constrained(load_dofs[i])) continue;
    const std::size_t place = system.find(equations.equation(load_dofs[i]));
    if (place == ReferenceSystem::absent) continue;
    system.rhs[place] += load_values[i];
    system.rhs_scale[place] += std::abs(load_values[i]);
  }
  detail::add_robin_sides(space, equations, system);
  if (space.equations().constrained && !space.equations().removed)
    for (Ordinal dof = 0; dof < space.num_dofs(); ++dof) {
      const std::size_t place = equations.constrained(dof) ? system.find(dof) : ReferenceSystem::absent;
      if (place == ReferenceSystem::absent) continue;
      if (system.row_map[place] <
          system.row_map[place + 1]) // where an element has the node, or it is fixed wholly
        detail::add_entry(system, place, dof, 1.0, 1.0);
      system.rhs[place] = equations.prescribed(dof);
      system.rhs_scale[place] = std::abs(equations.prescribed(dof));
    }
  return system;
}

} // namespace tessera
