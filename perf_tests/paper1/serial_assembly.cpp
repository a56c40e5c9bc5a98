// SPDX-License-Identifier: BSD-3-Clause
#include "serial_assembly.hpp"

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>

#include <algorithm>
#include <limits>

namespace tessera::tools {

template <int Order>
SerialAssembly<Order>::SerialAssembly(const HeatProblem<Order>& problem) : form_(problem.form) {
  const auto host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto coordinates = host(problem.mesh.coordinates());
  const auto connectivity = host(problem.mesh.connectivity());
  const auto row_map = host(problem.graph.row_map);
  const auto columns = host(problem.graph.columns);
  const auto equations = problem.space.equations();
  const auto mask = host(equations.mask);
  const auto first = host(equations.first);
  const auto prescribed = host(equations.prescribed);
  if (problem.graph.num_entries() > static_cast<Offset>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError("paper 1's serial assembly: more than 2^31 nonzeros");

  const Ordinal num_nodes = problem.mesh.num_nodes(), elements = problem.mesh.num_elements();
  std::vector<Ordinal> equation(num_nodes);
  coordinates_.resize(2 * static_cast<std::size_t>(num_nodes));
  prescribed_.resize(num_nodes);
  for (Ordinal n = 0; n < num_nodes; ++n) {
    equation[n] = mask(n) ? -1 : first(n);
    prescribed_[n] = prescribed(n);
    for (int d = 0; d < 2; ++d) coordinates_[2 * static_cast<std::size_t>(n) + d] = coordinates(n, d);
  }
  connectivity_.reserve(static_cast<std::size_t>(elements) * nodes);
  rows_.reserve(static_cast<std::size_t>(elements) * nodes);
  targets_.reserve(static_cast<std::size_t>(elements) * nodes * nodes);
  for (Ordinal e = 0; e < elements; ++e)
    for (int i = 0; i < nodes; ++i) {
      const Ordinal row = equation[connectivity(e, i)];
      connectivity_.push_back(connectivity(e, i));
      rows_.push_back(row);
      for (int j = 0; j < nodes; ++j) {
        const Ordinal column = equation[connectivity(e, j)];
        Ordinal target = -1;
        if (row >= 0 && column >= 0) {
          const auto begin = columns.data() + row_map(row), end = columns.data() + row_map(row + 1);
          target = static_cast<Ordinal>(std::lower_bound(begin, end, column) - columns.data());
        }
        targets_.push_back(target);
      }
    }
  values_.resize(problem.graph.num_entries());
  rhs_.resize(problem.graph.num_rows());
}

template <int Order>
void SerialAssembly<Order>::run() {
  std::fill(values_.begin(), values_.end(), 0.0);
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  const HelmholtzKernel<UniformFieldKernel, UniformFieldKernel, UniformFieldKernel> kernel{
      {form_.sigma.constant()}, {form_.lambda.constant()}, {form_.source.constant()}};
  const Ordinal elements = static_cast<Ordinal>(connectivity_.size() / nodes);
  Cell<Element, double> cell;
  ElementSystem<Element, 1, double, true> local;
  for (Ordinal e = 0; e < elements; ++e) {
    const Ordinal* const node = &connectivity_[static_cast<std::size_t>(e) * nodes];
    const Ordinal* const row = &rows_[static_cast<std::size_t>(e) * nodes];
    const Ordinal* target = &targets_[static_cast<std::size_t>(e) * nodes * nodes];
    const double* const origin = &coordinates_[2 * static_cast<std::size_t>(node[0])];
    cell.element[0] = e;
    cell.material[0] = 0;
    for (int d = 0; d < 2; ++d) cell.origin[d] = origin[d];
    for (int n = 0; n < nodes; ++n)
      for (int d = 0; d < 2; ++d)
        cell.coordinates[n][d] = coordinates_[2 * static_cast<std::size_t>(node[n]) + d] - origin[d];
    if (!integrate(kernel, cell, local))
      throw MeshError("paper 1's serial assembly: element " + std::to_string(e) + " cannot be integrated");
    for (int i = 0; i < nodes; ++i, target += nodes) {
      if (row[i] < 0) continue;
      double load = local.load[i](0);
      for (int j = 0; j < nodes; ++j) {
        const double entry = local(i, 0, j, 0);
        if (target[j] >= 0)
          values_[target[j]] += entry;
        else
          load -= entry * prescribed_[node[j]];
      }
      rhs_[row[i]] += load;
    }
  }
}

template class SerialAssembly<1>;
template class SerialAssembly<2>;
template class SerialAssembly<3>;
template class SerialAssembly<4>;
template class SerialAssembly<5>;

} // namespace tessera::tools
