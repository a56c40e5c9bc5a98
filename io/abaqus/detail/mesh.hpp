// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The keywords of an Abaqus deck that make its mesh.

#include <tessera/io/abaqus/detail/sets.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/node_order.hpp>
#include <tessera/io/mesh_data.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

/// A *SOLID SECTION: the material of a set of elements.
struct AbaqusSection {
  std::string elements; ///< name of the element set
  std::string material;
  double thickness = 1.0; ///< of plane elements
  AbaqusPlace place;
  std::string orientation; ///< name of the material's axes, empty for the common ones
};

/// What AbaqusMesh leaves out; each entry with the ones before it.
enum class AbaqusLeavesOut {
  nothing, ///< as where a deck is solved
  others,  ///< what ReadOptions::leaves_out_others says
  unknown  ///< elements of types that are not known
};

/// Builds a MeshData from the keywords *NODE, *NGEN, *ELEMENT, *ELGEN, *NSET, *ELSET, *SURFACE, *MATERIAL and
/// *SOLID SECTION, alone or in the instances of parts. Names of sets are in capitals, as Abaqus and CalculiX
/// take them.
class AbaqusMesh {
public:
  explicit AbaqusMesh(std::string source, AbaqusLeavesOut leaves_out = AbaqusLeavesOut::nothing)
      : leaves_out_(leaves_out), nodes_("node", instances_), elements_("element", instances_) {
    data_.source = std::move(source);
  }

  /// Reads the data lines of a keyword that makes the mesh; false, with nothing read, for any other keyword.
  /// \throws FileError for bad data, and for keywords that would change the mesh in a way that is not
  /// supported.
  bool read(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

  /// Resolves what is pending: nodes of elements, sets, surfaces and sections. To be called once, at the
  /// deck's end.
  void finish();

  /// After `finish`, makes side sets and node sets of the element sets that hold sides of other elements
  /// alone, as mesh generators write them (triangles of a mesh of tetrahedra, say), unless a node set or a
  /// surface has the name. \throws FileError as `add_groups`
  void add_groups_of_sides(const ReadOptions& options);

  /// The mesh after `finish`.
  MeshData& data() noexcept { return data_; }
  const MeshData& data() const noexcept { return data_; }

  /// What is left out, of sets too; after `finish`.
  const LeftOut& left_out() const noexcept { return left_out_; }

  /// Whether the last keyword stands in an instance or its part.
  bool inside_instance() const noexcept { return instances_.inside_instance(); }

  /// Node sets and element sets, to which numbers and names in loads and constraints refer.
  const AbaqusSets& node_sets() const noexcept { return nodes_; }
  const AbaqusSets& element_sets() const noexcept { return elements_; }

  /// Nodes of a set name, or of a single number; after `finish`. Sorted.
  /// \throws FileError at `place` if there is no such set or node.
  std::vector<Ordinal> nodes_of(const std::string& target, const AbaqusPlace& place) const;

  /// The same for nodes that each bear a force of its own.
  /// \throws FileError at `place` also if a set names a node twice, which programs take for one force or for
  /// two.
  std::vector<Ordinal> loaded_nodes(const std::string& target, const AbaqusPlace& place) const;

  /// Cells of an element set's name or of a single number, as one set for each block; after `finish`.
  /// \throws FileError at `place` if there is no such set or element.
  std::vector<CellSet> cells_of(const std::string& target, const AbaqusPlace& place) const;

  /// The same for cells that each bear a load of their own.
  /// \throws FileError at `place` also if a set names an element twice, which programs load once or twice
  std::vector<CellSet> loaded_cells(const std::string& target, const AbaqusPlace& place) const;

  /// Cells of a section's set, whose name may be a number; after `finish`.
  /// \throws FileError at the section if there is no such set
  std::vector<CellSet> cells_of(const AbaqusSection& section) const;

  /// Sides of a surface in each block, for a load on them; after `finish`.
  /// \throws FileError at `place` if there is no such surface of faces, or if it names a face twice
  std::vector<std::vector<Side>> loaded_sides(const std::string& surface, const AbaqusPlace& place) const;

  /// This library's number of face `face` (1, 2, ...) of the cells of a block.
  /// \throws FileError at `place` if the cells have no such face.
  Ordinal side_of(const CellBlock& block, int face, const AbaqusPlace& place) const;

  /// Materials in the order of *MATERIAL; a cell's material number is one more than the position here.
  const std::vector<std::string>& materials() const noexcept { return materials_; }

  /// Sections in the order of the deck; a later one holds where two name the same element.
  const std::vector<AbaqusSection>& sections() const noexcept { return sections_; }

private:
  /// A node number in an element above the node's own line.
  struct PendingNode {
    std::size_t block;
    std::size_t position;
    std::int64_t element; ///< ids
    std::int64_t node;
    AbaqusPlace place;
  };

  /// A line of *ELGEN: copies of an element in rows, rows in layers, and layers.
  struct Generation {
    struct Direction {
      std::int64_t count = 1, node_step = 1, element_step = 1;
    };
    std::int64_t master; ///< its id
    std::array<Direction, 3> directions;
    std::string set;      ///< may be empty
    std::int64_t last_id; ///< of the scope
    AbaqusPlace place;
  };

  struct SurfacePart {
    std::string target;
    int face; ///< 0 for a surface of nodes
    AbaqusPlace place;
  };

  /// A set's name that a keyword gives, with its instance's; empty if it gives none.
  std::string name_here(const AbaqusKeyword& keyword, const std::string& parameter) const;
  void read_nodes(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void read_elements(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  /// Whether faces of a name that no face of a solid has are left out.
  bool leaves_out_face(std::string_view face) const;
  /// Whether face `face` of the cells of a block is left out, as these have none of that number.
  bool leaves_out_face(const CellBlock& block, int face) const;
  bool leaves_out_others() const { return leaves_out_ != AbaqusLeavesOut::nothing; }
  /// Elements of a type that is not read.
  void leave_out_elements(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  /// Notes how many of a set's or a surface's elements are left out.
  void note_left_out(const std::string& of, const std::string& target, const AbaqusPlace& place);
  void note_faces_left_out(const std::string& surface, const SurfacePart& part);
  /// Whether a face's number has a meaning for the cells of a block.
  static bool has_face(const CellBlock& block, int face);
  /// Of the deck's last line, which has no end and whose last field is an element's last node.
  /// \throws FileError if there is a node whose number begins with that one's, so that digits may be missing
  void check_unended(const AbaqusLexer& lexer, std::string_view last_field, std::int64_t last_node) const;
  void read_system(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void read_surface(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void read_section(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void index_nodes();
  void index_all_nodes();
  void generate_nodes(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void read_generations(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  void resolve_pending_nodes();
  void generate_elements();
  void generate_elements(const Generation& generation);
  /// As they are named: neither sorted nor distinct.
  std::vector<Ordinal> named_nodes(const std::string& target, const AbaqusPlace& place) const;
  std::vector<std::vector<Ordinal>> named_cells(const std::string& target, const AbaqusPlace& place) const;
  /// Of a set, whose name may be a number, which means a node or an element elsewhere.
  std::vector<Ordinal> set_nodes(const std::string& set, const AbaqusPlace& place) const;
  std::vector<std::vector<Ordinal>> set_cells(const std::string& set, const AbaqusPlace& place) const;
  std::vector<std::vector<Side>> named_sides(const std::string& surface) const;
  /// What a set is called in the mesh: as in its part if there is but one instance, unless that is the name
  /// of a set of the assembly.
  std::string name_in_mesh(const std::string& name) const;
  void resolve_sets();
  void resolve_surfaces();
  void resolve_sections();
  /// Of the blocks, and of the elements that are left out.
  std::vector<const Numbering*> cell_numberings() const;

  MeshData data_;
  AbaqusLeavesOut leaves_out_;
  LeftOut left_out_;
  Numbering left_out_ids_;
  AbaqusInstances instances_;
  std::optional<AbaqusKeyword> outside_; ///< the first of the mesh in no assembly
  AbaqusSets nodes_;
  AbaqusSets elements_;
  std::vector<PendingNode> pending_;
  std::vector<Generation> generations_;
  std::int64_t generated_nodes_ = 0;
  std::map<std::string, std::vector<SurfacePart>> surfaces_;
  std::vector<std::string> materials_;
  std::vector<AbaqusSection> sections_;
  Ordinal indexed_nodes_ = 0; ///< nodes when the index of numbers was last built
};

} // namespace tessera::io
