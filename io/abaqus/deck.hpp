// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Abaqus and CalculiX decks for linear statics: mesh, materials, supports and loads.

#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// Numbers that depend on another one, the temperature or the time: a row for each of its ascending values.
struct AbaqusTable {
  std::vector<double> arguments;
  std::vector<std::vector<double>> rows;

  bool empty() const { return rows.empty(); }
  bool varies() const { return rows.size() > 1; }
  /// The numbers there, between rows by interpolation, beyond the ends as there.
  std::vector<double> at(double argument) const;
};

/// A *MATERIAL with what linear statics needs of it; its number in MeshData is one more than its position.
struct AbaqusMaterial {
  std::string name;
  std::optional<double> young;   ///< *ELASTIC, isotropic; of the first temperature
  std::optional<double> poisson; ///< *ELASTIC, isotropic; of the first temperature
  std::optional<double> density; ///< *DENSITY
  AbaqusPlace place;
  /// *ELASTIC of another type: the numbers that VoigtStiffness lists, along the material's axes.
  std::optional<std::array<double, 21>> stiffness;
  AbaqusTable elastic; ///< Young's modulus and Poisson's ratio, isotropic
  /// *EXPANSION: a strain per degree from `expansion_zero` on, or one for each axis; empty without it.
  AbaqusTable expansion;
  double expansion_zero = 0.0;
  bool density_varies = false; ///< with the temperature
};

/// A line of *BOUNDARY: components first ... last of the displacement (1 to 3) and the rotation (4 to 6) of
/// some nodes have a value. Nodes of solids have no rotation.
struct AbaqusConstraint {
  std::vector<Ordinal> nodes; ///< sorted
  int first = 1;
  int last = 1;
  double value = 0.0;
  AbaqusPlace place;
};

/// A line of *CLOAD: a force along axis `component` (1 to 3) on each of some nodes, or a moment (4 to 6).
struct AbaqusNodalLoad {
  std::vector<Ordinal> nodes; ///< sorted
  int component = 1;
  double value = 0.0;
  AbaqusPlace place;
};

/// A line of *DLOAD or *DSLOAD with a pressure, positive towards the cells, on sides of one block.
struct AbaqusPressure {
  CellType type; ///< of the block
  std::vector<Side> sides;
  double value = 0.0;
  AbaqusPlace place;
};

/// A line of *DLOAD with GRAV: an acceleration of cells of one block; the force is density times it.
struct AbaqusGravity {
  CellType type; ///< of the block
  CellSet cells;
  std::array<double, 3> acceleration{};
  AbaqusPlace place;
};

/// A line of *DLOAD with CENTRIF: cells of one block turn about an axis with the square of a speed.
struct AbaqusRotation {
  CellType type; ///< of the block
  CellSet cells;
  double squared_speed = 0.0;
  std::array<double, 3> point{}, axis{}; ///< on the axis; its direction, of length one
  AbaqusPlace place;
};

/// A line of *INITIAL CONDITIONS, TYPE=TEMPERATURE or *TEMPERATURE.
struct AbaqusTemperature {
  std::vector<Ordinal> nodes; ///< sorted
  double value = 0.0;
  AbaqusPlace place;
};

/// A line of *EQUATION, or one for each node of a set, or one that *TIE, *COUPLING, *RIGID BODY or
/// *PRE-TENSION SECTION means: the sum of factor times displacement component (1 to 3) over the terms is
/// zero. Components are along the axes of the nodes, see AbaqusDeck::axes. Nodes that no element has may
/// turn: components 4 to 6.
struct AbaqusEquation {
  struct Term {
    Ordinal node = 0;
    int component = 1;
    double factor = 1.0;
  };
  std::vector<Term> terms;
  AbaqusPlace place;
  bool common_axes = false; ///< whatever axes its nodes have, components are along those of the coordinates
};

/// Three orthogonal directions of length one, axis after axis.
using AbaqusAxes = std::array<std::array<double, 3>, 3>;

/// What stands between *STEP and *END STEP.
struct AbaqusStep {
  bool is_static = false;
  double period = 1.0; ///< its time, at whose end *AMPLITUDE is regarded
  /// \name With OP=NEW: what steps before it have of the kind is over.
  ///@{
  bool new_constraints = false, new_nodal_loads = false, new_distributed_loads = false,
       new_temperatures = false;
  ///@}
  std::vector<AbaqusConstraint> constraints;
  std::vector<AbaqusNodalLoad> nodal_loads;
  std::vector<AbaqusPressure> pressures;
  std::vector<AbaqusGravity> gravities;
  std::vector<AbaqusRotation> rotations;
  std::vector<AbaqusTemperature> temperatures; ///< of the same node the last one holds
  AbaqusPlace place;
};

/// Something in a deck that has no place in linear statics as this library does it.
struct AbaqusOther {
  std::string what; ///< the keyword as written, with the parameter or label that is not supported
  AbaqusPlace place;
  std::size_t step = 0; ///< in which it stands, from 1; 0: before the first
};

/// A deck. Loads and constraints are resolved to nodes and sides.
struct AbaqusDeck {
  MeshData mesh;
  std::vector<AbaqusMaterial> materials;
  std::vector<AbaqusSection> sections;
  std::vector<AbaqusConstraint> constraints;           ///< before the first step
  std::vector<AbaqusTemperature> initial_temperatures; ///< of the same node the last one holds
  std::vector<AbaqusEquation> equations;
  /// Of nodes with *TRANSFORM: the axes of their components in constraints, loads on nodes and equations.
  std::map<Ordinal, AbaqusAxes> axes;
  std::vector<AbaqusAxes> orientations; ///< of materials that are not the same along all axes
  /// Block by cell: one more than the position of its material's axes in `orientations`; 0 for the common
  /// axes.
  std::vector<std::vector<std::int32_t>> orientation_of_cells;
  std::vector<std::int64_t> nodes_beyond; ///< ids of the nodes after the mesh's: in equations, in no element
  std::vector<AbaqusStep> steps;
  std::vector<AbaqusOther> others; ///< in the order of the deck
};

/// Reads a deck as read_abaqus does, and besides it
/// - *ELASTIC, *ORIENTATION, *DISTRIBUTION, *DENSITY and *EXPANSION,
/// - *BOUNDARY, *TRANSFORM, *EQUATION, *TIE, *COUPLING with *KINEMATIC or *DISTRIBUTING, *RIGID BODY
///   with two nodes, *PRE-TENSION SECTION of a surface with a direction,
/// - *CLOAD, *DLOAD (P1 to P6, GRAV, CENTRIF), *DSLOAD (P), *INITIAL CONDITIONS and *TEMPERATURE, also
///   with LINTEMP,
/// - *AMPLITUDE, by whose value at the end of their step loads and supports are multiplied,
/// - *STEP and *STATIC.
///
/// Requests of output and headings are passed over, and properties that matter with rates alone, as *DAMPING;
/// everything else, and parameters that change what a keyword means, is listed in AbaqusDeck::others with its
/// place. A tie that adjusts its nodes moves them in the mesh; a pre-tension section adds nodes to it.
///
/// \throws FileError as read_abaqus, for constraints, equations and loads with bad numbers or on nodes and
///         elements that are not there, for a load on a set or surface that names a node, an element or a
///         face twice, and for data lines that cannot be those of the keyword above them; UnsupportedError
///         for ties, equations and orientations of a kind that is not supported
AbaqusDeck read_abaqus_deck(const std::string& path, const ReadOptions& options = {});

/// The deck with one step for all of its steps, which has the loads and supports at the end of the last one:
/// those of each step take the place of earlier ones of the same nodes' components, sides and nodes, and add
/// to all others, unless OP=NEW ends these. To be called for a deck of linear static steps.
/// \throws UnsupportedError for gravity or rotation in several steps without OP=NEW
AbaqusDeck at_end_of_steps(AbaqusDeck&& deck);

/// The deck up to the end of a step. \throws ArgumentError unless it has as many steps, at least one
AbaqusDeck first_steps(AbaqusDeck&& deck, std::size_t count);

/// Reduces a deck to the cells of some types of one dimension as select does for a mesh, with a block for
/// each. Nodes that no such cell uses are kept beyond those of the mesh if an equation has them. Constraints
/// on others have no effect and go; loads must not go unnoticed.
/// \throws MeshError as select; UnsupportedError if a load acts on a node or cell that is gone
AbaqusDeck select(AbaqusDeck&& deck, std::span<const CellType> types, const Partial& partial = {});
/// The same for one type.
AbaqusDeck select(AbaqusDeck&& deck, CellType type, const Partial& partial = {});

/// Whether the stiffness of some material is more than two numbers, so that TabulatedElasticity has it: of
/// another type than an isotropic one, dependent on the temperature, or isotropic with an orthotropic
/// expansion along axes of its own.
bool is_tabulated(const AbaqusDeck& deck);

/// How the quadrilaterals and hexahedra of a deck are integrated that have nodes on their edges. Wedges are
/// integrated as ReducedElasticity does it whatever stands here, all others fully.
enum class Integration {
  full,   ///< as LinearElasticity does it
  reduced ///< as ReducedElasticity does it
};

/// Checks that a deck has linear static steps, so that solving it with what AbaqusDeck holds gives the
/// deck's answer: nothing in `others`, a step at least, all of them *STATIC, each section's material elastic,
/// 0 < E and -1 < nu < 0.5 or another positive stiffness, and dense where there is gravity or rotation, and
/// elements that this library integrates as the deck says, none of them collapsed.
/// \throws UnsupportedError or FormError with the deck's file and line.
void require_linear_static(const AbaqusDeck& deck, Integration integration = Integration::full);

/// Reduced if the deck has an element with reduced integration that ReducedElasticity has: C3D20R, CPS8R,
/// CPE8R.
Integration integration_of(const AbaqusDeck& deck);

} // namespace tessera::io
