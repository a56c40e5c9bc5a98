// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Why rounding keeps an iteration from its tolerance.

#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::solvers {

namespace detail {

/// An assembled system on the host.
template <class Scalar, class ExecutionSpace>
class HostSystem {
public:
  explicit HostSystem(const LinearSystem<Scalar, ExecutionSpace>& system)
      : row_map_(host(system.graph().row_map)), columns_(host(system.graph().columns)),
        values_(host(system.values())), equations_(system.graph().equations), mask_(host(equations_.mask)),
        first_(host(equations_.first)) {}

  /// Whether the solution may be shifted by a constant in a component, which no row answers by more than
  /// rounding.
  bool is_free(int component) const {
    const std::vector<char> shifted = equations_of(component);
    const double rounding = 1e4 * std::numeric_limits<Scalar>::epsilon();
    for (std::size_t row = 0; row < shifted.size(); ++row) {
      double sum = 0, absolute = 0;
      for (Offset k = row_map_(row); k < row_map_(row + 1); ++k) {
        if (!shifted[columns_(k)]) continue;
        sum += values_(k);
        absolute += std::abs(static_cast<double>(values_(k)));
      }
      if (std::abs(sum) > rounding * absolute) return false;
    }
    return std::find(shifted.begin(), shifted.end(), 1) != shifted.end();
  }

  /// Whether a degree of freedom of the component is prescribed.
  bool is_constrained(int component) const {
    for (std::size_t node = 0; equations_.constrained && node < mask_.extent(0); ++node)
      if ((mask_(node) >> component & 1) != 0) return true;
    return false;
  }

  /// Largest over smallest diagonal entry of the equations that are solved for.
  double diagonal_ratio() const {
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;
    for (int component = 0; component < equations_.components; ++component) {
      const std::vector<char> rows = equations_of(component);
      for (std::size_t row = 0; row < rows.size(); ++row)
        for (Offset k = row_map_(row); rows[row] && k < row_map_(row + 1); ++k) {
          if (static_cast<std::size_t>(columns_(k)) != row) continue;
          smallest = std::min(smallest, std::abs(static_cast<double>(values_(k))));
          largest = std::max(largest, std::abs(static_cast<double>(values_(k))));
        }
    }
    return largest / smallest;
  }

private:
  template <class View>
  static auto host(const View& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
  template <class View>
  using Host = decltype(host(View()));

  /// Equation by equation: is it one of a free degree of freedom of a component?
  std::vector<char> equations_of(int component) const {
    std::vector<char> marked(row_map_.extent(0) == 0 ? 0 : row_map_.extent(0) - 1, 0);
    const std::size_t nodes =
        equations_.removed ? first_.extent(0) - 1 : marked.size() / equations_.components;
    for (std::size_t node = 0; node < nodes; ++node) {
      const unsigned mask = equations_.constrained ? mask_(node) : 0;
      if ((mask >> component & 1) != 0) continue;
      std::size_t equation = equations_.removed ? first_(node) : node * equations_.components;
      for (int c = 0; c < component; ++c) equation += equations_.removed && (mask >> c & 1) != 0 ? 0 : 1;
      marked[equation] = 1;
    }
    return marked;
  }

  Host<Kokkos::View<const Offset*, ExecutionSpace>> row_map_;
  Host<Kokkos::View<const Ordinal*, ExecutionSpace>> columns_;
  Host<Kokkos::View<Scalar*, ExecutionSpace>> values_;
  Equations<ExecutionSpace> equations_;
  Host<Kokkos::View<const std::uint8_t*, ExecutionSpace>> mask_;
  Host<Kokkos::View<const Ordinal*, ExecutionSpace>> first_;
};

} // namespace detail

/// Why an iteration on an assembled system stagnates, or meets a matrix that is singular to working
/// precision, in a sentence: nothing fixed, supports lost in rounding, numbers of very different size, or the
/// precision itself. On the host, and only worth its time after a failure.
///
/// \param held whether supports or the form itself, by a reaction, hold every motion, as `free_motions`
/// finds:
///             then nothing is missing, and what holds is lost in rounding. The matrix alone does not tell.
template <class Scalar, class ExecutionSpace>
std::string likely_cause(const LinearSystem<Scalar, ExecutionSpace>& system, bool held = false) {
  const detail::HostSystem<Scalar, ExecutionSpace> host(system);
  const int components = system.graph().equations.components;
  std::ostringstream cause;
  std::string free, loose;
  for (int c = 0; c < components; ++c)
    if (host.is_free(c)) {
      std::string& list = held || host.is_constrained(c) ? loose : free;
      list += (list.empty() ? "" : ", ") + std::to_string(c);
    }
  const double ratio = host.diagonal_ratio();
  if (!free.empty())
    cause << "nothing is fixed in component " << free
          << ": any constant may be added (a pure Neumann problem, or supports are missing)";
  else if (!loose.empty())
    cause
        << (held ? "what holds component " : "what is fixed in component ") << loose
        << (held ? " (supports, or a reaction)" : " does not hold the rest: what joins them")
        << " is lost in rounding beside the other stiffnesses (moduli or sizes of elements that differ by as "
           "much, a reaction that is small on elements of this size"
        << (held ? ")" : ", or a part that hangs on nothing)");
  else if (ratio > 1e8)
    cause << "badly scaled: the largest diagonal entry is " << ratio
          << " times the smallest (moduli or sizes of elements that differ by as much)";
  else
    cause << "an ill-conditioned matrix (too few supports against rotation, a Poisson's ratio near 0.5, flat "
             "elements), or a tolerance below the precision of "
          << (sizeof(Scalar) == 8 ? "double" : "float");
  return cause.str();
}

} // namespace tessera::solvers
