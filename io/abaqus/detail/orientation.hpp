// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// *ORIENTATION and *DISTRIBUTION of Abaqus and CalculiX decks, and elasticity along their axes.

#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// Points on the first axis and in the plane of the first two; cylindrical: two points on the axis.
using AbaqusPoints = std::array<std::array<double, 3>, 2>;

/// An *ORIENTATION as written.
struct AbaqusOrientation {
  std::string name;
  std::string obstacle;     ///< what is not supported of it; empty if all is
  std::string distribution; ///< that gives the points of each element; empty: the same for all
  AbaqusPoints points{};
  bool cylindrical = false;
  int turned_about = 0; ///< local axis about which the other two are turned, 1 to 3; 0: none
  double angle = 0.0;   ///< of that, in degrees
  AbaqusPlace place;
};

/// A *DISTRIBUTION as written.
struct AbaqusDistribution {
  struct Line {
    std::string elements; ///< empty in the line for all others
    AbaqusPoints points{};
    AbaqusPlace place;
  };
  std::string name;
  std::vector<Line> lines;
};

/// \throws FileError for data that are not those of an orientation
AbaqusOrientation read_orientation(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// \throws FileError for data that are not those of a distribution
AbaqusDistribution read_distribution(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// The entry of a name. \throws FileError at `place` if there is none
template <class Entry>
const Entry& entry_named(const std::vector<Entry>& entries, const std::string& name, const char* what,
                         const AbaqusPlace& place) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found == entries.end()) place.fail(std::string("there is no ") + what + " " + in_quotes(name));
  return *found;
}

/// Sets the axes of the elements of sections with an orientation, where the material has axes.
/// \throws FileError for names and elements that are not there; UnsupportedError for orientations with an
///   obstacle
void add_orientations(const std::vector<AbaqusOrientation>& orientations,
                      const std::vector<AbaqusDistribution>& distributions, const AbaqusMesh& mesh,
                      AbaqusDeck& deck);

/// Reads the numbers of *ELASTIC of a type, which go on over several lines.
/// \return false for a type that is neither ORTHO, ANISO nor ENGINEERING CONSTANTS, with nothing read
/// \throws FileError for data that are not those of the type
bool read_stiffness(const AbaqusKeyword& keyword, AbaqusDataLines& lines, AbaqusMaterial& material);

} // namespace tessera::io
