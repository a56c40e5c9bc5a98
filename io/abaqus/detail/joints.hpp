// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// *TIE, *COUPLING, *RIGID BODY and *PRE-TENSION SECTION of Abaqus and CalculiX decks, which are
/// equations between displacements.

#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/abaqus/detail/orientation.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// A line of *TIE: nodes of one surface keep their place on another.
struct AbaqusTie {
  std::string dependent, independent; ///< names of surfaces, that of the nodes and that of the faces
  bool adjust = true;                 ///< nodes are moved onto the faces first
  /// How far nodes may lie from the faces; by default 2.5 % of a face's diagonal.
  std::optional<double> tolerance;
  bool cyclic = false; ///< CYCLIC SYMMETRY: the second surface is a sector further on
  AbaqusPlace place;
};

/// *CYCLIC SYMMETRY MODEL: an axis, and how many of the sector that the deck has go around it.
struct AbaqusSectors {
  double count = 1.0;
  std::array<double, 3> point{}, axis{}; ///< on the axis; its direction, of length one
};

/// Reads the line below the keyword, the two points of the axis. \throws FileError for anything else
AbaqusSectors read_sectors(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// Appends the lines below a keyword. \throws FileError for data that are not those of ties
void read_ties(const AbaqusKeyword& keyword, AbaqusLexer& lexer, std::vector<AbaqusTie>& ties);

/// Adds the equations of a tie: a displacement of a node is that of the nearest face below it. Moves the
/// nodes if the tie adjusts them.
/// \throws FileError for surfaces that are not there; UnsupportedError for faces of plane elements and
///   wedges, and for a node that lies too far from all faces
void add_tie(const AbaqusTie& tie, AbaqusMesh& mesh, AbaqusDeck& deck);

/// Adds the equations of a tie with cyclic symmetry, whose solution is the same in all sectors: the
/// displacement of a node is that of the node of the second surface which a turn by a sector brings there,
/// turned.
/// \throws FileError for surfaces that are not there; UnsupportedError for nodes without such a one
void add_cyclic_tie(const AbaqusTie& tie, const AbaqusSectors& sectors, const AbaqusMesh& mesh,
                    AbaqusDeck& deck);

/// A *COUPLING. With *KINEMATIC nodes of a surface move and turn with a reference node, along some axes; with
/// *DISTRIBUTING the reference node moves and turns as the surface does in the mean.
struct AbaqusCoupling {
  std::string reference, surface;
  std::string orientation;               ///< name; empty for the common axes
  std::vector<std::pair<int, int>> axes; ///< first and last of those that are joined, 1 to 3
  AbaqusPlace place;
  bool distributes = false;
  bool of_sector = false; ///< CYCLIC SYMMETRY: the surfaces of all sectors have their center there
};

/// Adds e . (u - u(reference) - w(reference) x (x - x(reference))) = 0 for each node and axis e, w being
/// components 4 to 6 of the reference node.
/// One that distributes: u(reference) = sum w u / sum w + w(reference) x (x(reference) - c) for the center c,
/// and (sum w (r.r 1 - r r^T)) w(reference) = sum w r x u with the arms r from it, w being the integral of a
/// node's function over the surface. Forces and moments on the reference node act on the surface like
/// tractions that vary linearly. With CYCLIC SYMMETRY c is the reference node, which is to lie on the axis,
/// and forces and moments are a sector's. Supports and loads of the reference node are along the
/// orientation's axes.
/// \throws FileError for names and nodes that are not there; UnsupportedError for orientations that are not
///   supported, and for a surface that all lies on one line
void add_coupling(const AbaqusCoupling& coupling, const std::vector<AbaqusOrientation>& orientations,
                  const AbaqusMesh& mesh, AbaqusDeck& deck);

/// A *RIGID BODY: nodes move as a reference node does, and turn as the displacements of another one say.
struct AbaqusRigidBody {
  std::string nodes, reference, rotation;
  AbaqusPlace place;
};

/// Adds u = u(reference) + u(rotation) x (x - x(reference)) for each node.
/// \throws FileError for nodes that are not there
void add_rigid_body(const AbaqusRigidBody& body, const AbaqusMesh& mesh, AbaqusDeck& deck);

/// A *PRE-TENSION SECTION: a cut along faces, of whose sides the cells with the faces are ahead of the other
/// one by the first displacement of a reference node, along a direction.
struct AbaqusPretension {
  std::string surface, reference;
  std::array<double, 3> direction{}; ///< of length one
  AbaqusPlace place;
};

/// Reads the line below the keyword. \throws FileError for data that are no direction; UnsupportedError
/// without one
AbaqusPretension read_pretension(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// Gives the cells that the surface names nodes of their own on its faces, numbered from the deck's largest
/// number on (with instances, by the surface's name), and adds u(own) = u + n u_1(reference) for each. Where
/// n points out of the cells, a force on component 1 of the reference node is the tension, and its
/// displacement what the cut overlaps. As in CalculiX, cells that touch the surface with an edge or a node
/// keep their nodes. To be called when supports, loads and temperatures are resolved, which stay with the old
/// nodes but for the temperatures.
/// \throws FileError for surfaces and nodes that are not there; UnsupportedError for faces as `add_tie`
void add_pretension(const AbaqusPretension& pretension, AbaqusMesh& mesh, AbaqusDeck& deck);

} // namespace tessera::io
