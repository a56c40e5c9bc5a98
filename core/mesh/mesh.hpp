// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The mesh of one element type: coordinates, connectivity, materials, and named sets, on the device.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/elements/element.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/fields/user_view.hpp>
#include <tessera/core/mesh/identity.hpp>
#include <tessera/core/mesh/material_label.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A mesh of one element type, validated when it is made. Copies share their views and are moved together.
///
/// \tparam ElementType `Tri<P>`, `Tet<P>`, `Quad<P>` or `Hex<P>`
/// \tparam ExecutionSpace where its kernels run; the views lie in its memory space
template <class ElementType, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class Mesh {
  static_assert(
      tessera::Element<ElementType>,
      "a mesh is made of Tri<P>, Quad<P>, Tet<P> or Hex<P>, or of a type of one's own that has what the "
      "concept tessera::Element in core/elements/element.hpp asks for");

public:
  using Element = ElementType;
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using Kernel = MeshKernel<Element, ExecutionSpace>;
  using Coordinates = Kokkos::View<double * [Element::dimension], Kokkos::LayoutRight, ExecutionSpace>;
  using Connectivity = Kokkos::View<Ordinal * [Element::nodes], ExecutionSpace>;
  using Materials = Kokkos::View<Ordinal*, ExecutionSpace>;
  using NodeSet = Kokkos::View<Ordinal*, ExecutionSpace>;
  /// (side, 0): element number, (side, 1): number of the side within the element (`Element::side_nodes()`).
  using SideSet = Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace>;
  using ElementNames = std::function<std::string(Ordinal)>;
  // What is handed out cannot be written: others rely on what was validated.
  using ConstCoordinates = typename Kernel::Coordinates;
  using ConstConnectivity = typename Kernel::Connectivity;
  using ConstMaterials = Kokkos::View<const Ordinal*, ExecutionSpace>;

  /// Makes a mesh of views that lie in the memory of `ExecutionSpace`; they are shared, not copied. Whoever
  /// keeps a view of the coordinates changes them by `move` alone.
  ///
  /// \param exec instance that validates the mesh
  /// \param coordinates node x dimension
  /// \param connectivity element x node, in VTK's Lagrange numbering
  /// \param materials one number >= 0 per element; empty for a mesh of one material
  /// \throws ArgumentError for views of other extents or with strides that cannot be shared (`user_view`);
  ///   MeshError naming the element or node: index out of range, repeated node, two elements with the same
  ///   corners, coordinate that is not finite, Jacobian not positive at a quadrature point, negative
  ///   material; OutOfMemoryError, as the look for elements that stand twice takes eight bytes for each
  ///   meanwhile
  template <class NodeView = Coordinates, class ElementView = Connectivity, class MaterialView = Materials>
  Mesh(const ExecutionSpace& exec, const NodeView& coordinates, const ElementView& connectivity,
       const MaterialView& materials = MaterialView())
      : coordinates_(user_view<Coordinates>("Mesh: coordinates", coordinates)),
        connectivity_(user_view<ConstConnectivity>("Mesh: connectivity", connectivity)),
        materials_(user_view<ConstMaterials>("Mesh: materials", materials)) {
    validate(exec);
  }

  /// A further block over the nodes of another mesh, of elements of another type: coordinates, `nodes_id()`
  /// and `revision()` are those of both, and it has the other's node sets so far. A move of either moves
  /// both; it looks at the elements of the mesh that is moved alone (`MixedMesh::move`: of all blocks).
  /// Materials are numbered as in the other mesh, so that forms have one list for all blocks.
  /// \throws as above
  template <class OtherElement, class ElementView = Connectivity, class MaterialView = Materials>
  Mesh(const ExecutionSpace& exec, const Mesh<OtherElement, ExecutionSpace>& over,
       const ElementView& connectivity, const MaterialView& materials = MaterialView())
      : coordinates_(over.coordinates_),
        connectivity_(user_view<ConstConnectivity>("Mesh: connectivity", connectivity)),
        materials_(user_view<ConstMaterials>("Mesh: materials", materials)), nodes_id_(over.nodes_id_),
        revision_(over.revision_), node_sets_(over.node_sets_) {
    static_assert(OtherElement::dimension == Element::dimension,
                  "blocks over the same nodes have elements of the same dimension");
    validate(exec);
  }

  /// The same on the default instance.
  template <class NodeView = Coordinates, class ElementView = Connectivity, class MaterialView = Materials>
    requires(Kokkos::is_view_v<NodeView>)
  Mesh(const NodeView& coordinates, const ElementView& connectivity,
       const MaterialView& materials = MaterialView())
      : Mesh(default_instance<ExecutionSpace>(), coordinates, connectivity, materials) {}

  Ordinal num_nodes() const { return static_cast<Ordinal>(coordinates_.extent(0)); }
  Ordinal num_elements() const { return static_cast<Ordinal>(connectivity_.extent(0)); }
  /// One more than the largest material number; 1 for a mesh without materials.
  Ordinal num_materials() const { return num_materials_; }

  ConstCoordinates coordinates() const { return coordinates_; }
  ConstConnectivity connectivity() const { return connectivity_; }
  ConstMaterials materials() const { return materials_; }
  Kernel kernel() const { return {coordinates_, connectivity_, materials_, {}}; }

  /// Moves the nodes: writes new coordinates over those that this mesh, its copies, and the spaces made of
  /// them share, which includes the view that the mesh was made of. Graphs and plans stay valid; plans that
  /// keep what follows from the coordinates look at `revision()` and compute it anew. What a space computed
  /// of the old coordinates (`add_load`, values by position) stays as it is.
  ///
  /// \param coordinates node x dimension; may be the shared view itself, whose owner has written into it
  /// \throws ArgumentError for a view of other extents; MeshError naming a node with a coordinate that is not
  ///   finite, or an element that the move would turn over; the mesh is then as it was, or as the owner of
  ///   the shared view wrote it
  template <class NodeView>
  void move(const ExecutionSpace& exec, const NodeView& coordinates) {
    move_to(exec, user_view<ConstCoordinates>("Mesh::move: coordinates", coordinates));
  }

  /// The same on the default instance.
  template <class NodeView>
  void move(const NodeView& coordinates) {
    move(default_instance<ExecutionSpace>(), coordinates);
  }

  /// \throws what `move` to the coordinates would throw, for the elements of this mesh; moves nothing
  template <class NodeView>
  void check_move(const ExecutionSpace& exec, const NodeView& coordinates) const {
    check_move_to(exec, user_view<ConstCoordinates>("Mesh::move: coordinates", coordinates));
  }

  /// Another number after every move, of this mesh, a copy, or another block over its nodes.
  std::size_t revision() const { return *revision_; }
  /// What this mesh and its copies have in common, and no other mesh of the process.
  std::size_t id() const { return id_; }
  /// What this mesh, its copies and all blocks over its nodes have in common: the id of the first of them.
  std::size_t nodes_id() const { return nodes_id_; }

  /// Says what the materials 0 ... num_materials() - 1 are called elsewhere; an empty list says nothing.
  /// \throws MeshError unless there is a label for each
  void label_materials(std::vector<MaterialLabel> labels);
  /// What label_materials said.
  const std::vector<MaterialLabel>& material_labels() const { return material_labels_; }
  /// The material with the name. \throws ArgumentError that lists the names there are
  Ordinal material(const std::string& name) const;

  /// Says how messages name elements, by the file and the numbers that they were read from, say; an empty
  /// function says nothing.
  void name_elements(const ElementNames& name) {
    element_names_ = std::make_shared<const ElementNames>(name);
  }
  /// What name_elements said, else "element 5".
  std::string element_name(Ordinal element) const {
    return *element_names_ ? (*element_names_)(element) : "element " + std::to_string(element);
  }
  /// What name_elements said.
  const ElementNames& element_names() const { return *element_names_; }

  /// Adds a named set of nodes.
  /// \throws ArgumentError as the constructor; MeshError if a node is out of range or the name is taken
  template <class Nodes = NodeSet>
  void add_node_set(const ExecutionSpace& exec, const std::string& name, const Nodes& nodes) {
    insert_node_set(exec, name, user_view<NodeSet>("node set '" + name + "'", nodes));
  }
  /// Adds a named set of element sides.
  /// \throws ArgumentError as the constructor; MeshError if a side is out of range or the name is taken
  template <class Sides = SideSet>
  void add_side_set(const ExecutionSpace& exec, const std::string& name, const Sides& sides) {
    insert_side_set(exec, name, user_view<SideSet>("side set '" + name + "'", sides));
  }
  /// The same on the default instance.
  template <class Nodes = NodeSet>
  void add_node_set(const std::string& name, const Nodes& nodes) {
    add_node_set(default_instance<ExecutionSpace>(), name, nodes);
  }
  /// The same on the default instance.
  template <class Sides = SideSet>
  void add_side_set(const std::string& name, const Sides& sides) {
    add_side_set(default_instance<ExecutionSpace>(), name, sides);
  }
  /// \throws ArgumentError that lists the sets there are
  const NodeSet& node_set(const std::string& name) const { return find(node_sets_, name, "node set"); }
  /// \throws ArgumentError that lists the sets there are
  const SideSet& side_set(const std::string& name) const { return find(side_sets_, name, "side set"); }
  const std::map<std::string, NodeSet>& node_sets() const { return node_sets_; }
  const std::map<std::string, SideSet>& side_sets() const { return side_sets_; }

private:
  template <class, class>
  friend class Mesh;

  template <class Sets>
  static const typename Sets::mapped_type& find(const Sets& sets, const std::string& name, const char* kind) {
    if (const auto found = sets.find(name); found != sets.end()) return found->second;
    std::string known;
    for (const auto& [other, view] : sets) known += (known.empty() ? "" : ", ") + other;
    throw ArgumentError(std::string("mesh has no ") + kind + " '" + name + "'; it has " +
                        (known.empty() ? "none" : known));
  }

  void validate(const ExecutionSpace& exec);
  void check_geometry(const ExecutionSpace& exec, const Kernel& kernel) const;
  void check_move_to(const ExecutionSpace& exec, const ConstCoordinates& coordinates) const;
  void move_to(const ExecutionSpace& exec, const ConstCoordinates& coordinates);
  void insert_node_set(const ExecutionSpace& exec, const std::string& name, const NodeSet& nodes);
  void insert_side_set(const ExecutionSpace& exec, const std::string& name, const SideSet& sides);

  Coordinates coordinates_;
  ConstConnectivity connectivity_;
  ConstMaterials materials_;
  Ordinal num_materials_ = 1;
  std::size_t id_ = unique_number();
  std::size_t nodes_id_ = id_;
  std::shared_ptr<std::size_t> revision_ = std::make_shared<std::size_t>(0); // of all copies and blocks
  std::vector<MaterialLabel> material_labels_;
  /// Shared by copies: a function may hold a file's numbers.
  std::shared_ptr<const ElementNames> element_names_ = std::make_shared<const ElementNames>();
  std::map<std::string, NodeSet> node_sets_;
  std::map<std::string, SideSet> side_sets_;
};

} // namespace tessera

#include <tessera/core/mesh/detail/mesh_validation.hpp>
