// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// *EQUATION and *TRANSFORM of Abaqus and CalculiX decks.

#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// An equation as written, whose first nodes may be a set's.
struct AbaqusEquationLines {
  struct Term {
    std::string nodes;
    int component = 1;
    double factor = 1.0;
  };
  std::vector<Term> terms;
  AbaqusPlace place;
};

/// Appends the equations below a keyword. \throws FileError for data that are not those of equations, and
/// components other than 1 to 3
void read_equations(const AbaqusKeyword& keyword, AbaqusLexer& lexer,
                    std::vector<AbaqusEquationLines>& equations);

/// Adds an equation for each node of the first term, all of whose other terms have one node.
/// \throws FileError for nodes that are not there; UnsupportedError for sets of several nodes in other terms
void add_equations(const AbaqusEquationLines& lines, const AbaqusMesh& mesh, AbaqusDeck& deck);

/// A *TRANSFORM as written.
struct AbaqusTransform {
  std::string nodes;
  bool cylindrical = false;
  /// Points on the first axis and in the plane of the first two; cylindrical: two points on the axis.
  std::array<std::array<double, 3>, 2> points{};
  AbaqusPlace place;
};

/// \throws FileError for data that are not those of a transform
AbaqusTransform read_transform(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// Sets the axes of the nodes: rectangular, or radial, tangential and axial.
/// \throws FileError for points that give no directions
void add_axes(const AbaqusTransform& transform, const AbaqusMesh& mesh, AbaqusDeck& deck);

/// Radial, tangential and axial direction at a node, about an axis through two points. On the axis, where any
/// direction across it is radial, the one that CalculiX takes.
/// \throws FileError at `place` for two points that are one
AbaqusAxes cylindrical_axes(const std::array<std::array<double, 3>, 2>& points, const AbaqusMesh& mesh,
                            Ordinal node, const AbaqusPlace& place);

/// The orthogonal axes of which the first has a direction, and the second lies in its plane with another.
/// \throws FileError at `place` for directions that are zero or parallel
AbaqusAxes axes_from(const std::array<double, 3>& first, const std::array<double, 3>& in_plane,
                     const AbaqusPlace& place);

} // namespace tessera::io
