// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Forces, strains and stresses as CalculiX records them, to compare with.

#include <tessera/io/abaqus/calculix_results.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

/// What else than displacements a file records that a solution has, too.
enum class CalculixKind {
  forces,         ///< RF of *NODE PRINT: by node, along the three axes
  total_forces,   ///< the same with TOTALS: by set of nodes
  stresses,       ///< S of *EL PRINT: by element and integration point; xx, yy, zz, xy, xz, yz
  strains,        ///< E of *EL FILE: by node, in the same order; components of the tensor
  section_forces, ///< *SECTION PRINT: by surface; force, then moment about the surface's center over the
                  ///< root of its area
  strain_energy   ///< of a *SENSITIVITY in the step after
};

/// "forces", "total forces", "stresses", ...
const char* name_of(CalculixKind kind);

/// Values of one kind by what they are of: "node 12", "set N1", "element 3, point 2", "surface S1", "mesh".
struct CalculixQuantity {
  CalculixKind kind = CalculixKind::forces;
  std::map<std::string, std::vector<double>> values;
};

/// Reads what a .dat or .frd file records at the end of a step, a quantity for each kind.
/// \param axes of nodes by their numbers, which lines of a .dat file that end with an L refer to
/// \throws FileError with file and line for damaged tables and blocks, as read_calculix_displacements
std::vector<CalculixQuantity> read_calculix_quantities(const std::string& path, const NodalAxes& axes = {},
                                                       std::size_t step = 1);

/// How far values are from recorded ones.
struct QuantityDifference {
  std::size_t compared = 0; ///< entries that both have
  std::string worst;        ///< of the largest difference
  double difference = 0.0;  ///< largest difference of a component
  double largest = 0.0;     ///< largest recorded component

  /// Digits of the largest value to which all agree; infinite where nothing differs.
  double digits() const noexcept;
};

/// Compares the entries that both have. \throws ArgumentError for different kinds or numbers of components
QuantityDifference compare(const CalculixQuantity& found, const CalculixQuantity& recorded);

/// "node 12" and "element 3, point 2".
std::string entry_of_node(std::int64_t node);
std::string entry_of_point(std::int64_t element, std::int64_t point);

/// What *SECTION PRINT lists of a surface.
struct SectionForces {
  std::array<double, 3> force{}, moment{}; ///< the latter about the surface's center
  double area = 0.0;

  /// Force, and moment over the root of an area.
  std::vector<double> values() const;
};

} // namespace tessera::io
