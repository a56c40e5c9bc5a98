// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Between meshes on the device and pieces on the host.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/part.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>
#include <tessera/distributed/mesh/detail/shared_names.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// What all ranks know of the sets and materials of a mesh.
struct SharedNames {
  std::vector<std::string> node_sets, side_sets;
  std::vector<MaterialLabel> materials;
  bool has_materials = false; ///< on some rank

  template <class Mesh>
  static SharedNames of(const Communicator& ranks, const Mesh& mesh) {
    SharedNames names;
    for (const auto& [name, set] : mesh.node_sets()) names.node_sets.push_back(name);
    int any = 0;
    std::set<std::string> of_blocks;
    for_each_block(mesh, [&](const auto& block) {
      for (const auto& [name, set] : block.side_sets()) of_blocks.insert(name);
      any |= block.materials().extent(0) > 0 ? 1 : 0;
    });
    names.node_sets = shared_names(ranks, names.node_sets);
    names.side_sets = shared_names(ranks, {of_blocks.begin(), of_blocks.end()});
    names.materials = shared_labels(ranks, mesh.material_labels());
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, ranks.own());
    names.has_materials = any != 0;
    return names;
  }
};

/// An application's view of integers, of any memory.
template <class Number, class View>
std::vector<Number> numbers_on_host(const View& view) {
  static_assert(View::rank() == 1 && std::integral<typename View::non_const_value_type>,
                "global numbers and owners are views of integers, one for each node or element");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<Number> numbers(host.extent(0));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Number>(host(i));
  return numbers;
}

/// A view with rows of any length as one list, row by row.
template <class Value, class View>
std::vector<Value> rows_on_host(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<Value> list;
  list.reserve(host.size());
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) list.push_back(host(i, j));
  return list;
}

/// \throws ArgumentError for lists of other lengths than the mesh has nodes and elements
template <class Mesh>
void check_lengths(const Mesh& mesh, const Piece& piece) {
  const auto check = [](const char* what, std::size_t numbers, Ordinal expected) {
    if (numbers != to_size(expected))
      throw ArgumentError(std::string("make_mesh: ") + std::to_string(numbers) + " " + what +
                          " for a piece of " + std::to_string(expected));
  };
  check("global numbers of nodes", piece.node_ids.size(), mesh.num_nodes());
  check("global numbers of elements", piece.element_ids.size(), static_cast<Ordinal>(mesh.num_elements()));
  if (!piece.node_owners.empty()) check("owners of nodes", piece.node_owners.size(), mesh.num_nodes());
}

/// The element types of a mesh, and what a piece says of them: elements with fewer nodes than others repeat
/// their first one, and materials are numbered times `count`, plus the place of the element's type.
template <class MeshType>
struct TypesOf;
template <class Element, class ExecutionSpace>
struct TypesOf<tessera::Mesh<Element, ExecutionSpace>> {
  using Cells = Element;
  static constexpr int nodes = Element::nodes, count = 1;
};
template <class... Elements, class ExecutionSpace>
struct TypesOf<MixedMesh<Blocks<Elements...>, ExecutionSpace>> {
  using Cells = Blocks<Elements...>;
  static constexpr int nodes = std::max({Elements::nodes...}), count = sizeof...(Elements);
};

template <class MeshType>
using CellsOf = typename TypesOf<MeshType>::Cells;

/// Appends the elements of a block, the `number`-th of `count`, and their sides in sets.
template <class Element, class ExecutionSpace>
void append_elements(const tessera::Mesh<Element, ExecutionSpace>& block, int number, int count,
                     const SharedNames& names, Piece& piece) {
  const auto first = static_cast<Ordinal>(piece.materials.size());
  const auto nodes = rows_on_host<Ordinal>(block.connectivity());
  auto materials = numbers_on_host<Ordinal>(block.materials());
  materials.resize(to_size(block.num_elements()), 0);
  for (std::size_t e = 0; e < materials.size(); ++e) {
    const auto own = nodes.begin() + static_cast<std::ptrdiff_t>(e * Element::nodes);
    piece.connectivity.insert(piece.connectivity.end(), own, own + Element::nodes);
    piece.connectivity.insert(piece.connectivity.end(), to_size(piece.nodes_per_element - Element::nodes),
                              *own);
    piece.materials.push_back(materials[e] * count + number);
  }
  for (std::size_t s = 0; s < names.side_sets.size(); ++s)
    if (const auto found = block.side_sets().find(names.side_sets[s]); found != block.side_sets().end()) {
      const auto sides = rows_on_host<Ordinal>(found->second);
      for (std::size_t i = 0; i < sides.size(); i += 2)
        piece.sides.push_back({static_cast<int>(s), first + sides[i], sides[i + 1]});
    }
}

/// \param mesh a `tessera::Mesh` or a `MixedMesh`, whose elements are numbered block after block
/// \throws ArgumentError as make_mesh
template <class MeshType>
Piece piece_of_mesh(const MeshType& mesh, const SharedNames& names, std::vector<GlobalOrdinal> node_ids,
                    std::vector<GlobalOrdinal> element_ids, std::vector<int> owners) {
  constexpr std::size_t bits = 64;
  Piece piece;
  piece.dimension = static_cast<int>(mesh.coordinates().extent(1));
  piece.nodes_per_element = TypesOf<MeshType>::nodes;
  piece.mask_words = static_cast<int>((names.node_sets.size() + bits - 1) / bits);
  piece.node_ids = std::move(node_ids);
  piece.element_ids = std::move(element_ids);
  piece.node_owners = std::move(owners);
  check_lengths(mesh, piece);
  piece.coordinates = rows_on_host<double>(mesh.coordinates());
  piece.masks.assign(piece.nodes() * to_size(piece.mask_words), 0);
  for (std::size_t s = 0; s < names.node_sets.size(); ++s)
    if (const auto found = mesh.node_sets().find(names.node_sets[s]); found != mesh.node_sets().end())
      for (const Ordinal node : numbers_on_host<Ordinal>(found->second))
        piece.masks[to_size(node) * to_size(piece.mask_words) + s / bits] |= std::int64_t{1} << (s % bits);
  int number = 0;
  for_each_block(mesh, [&](const auto& block) {
    append_elements(block, number++, TypesOf<MeshType>::count, names, piece);
  });
  std::stable_sort(piece.sides.begin(), piece.sides.end(),
                   [](const SideOfSet& a, const SideOfSet& b) { return a.set < b.set; });
  return piece;
}

/// Collective. \throws ArgumentError on every rank if some give owners of their nodes and others do not
inline void check_owners_given(const Communicator& ranks, const Piece& piece) {
  int given = piece.node_owners.empty() ? 0 : 1, any = 0;
  MPI_Allreduce(&given, &any, 1, MPI_INT, MPI_MAX, ranks.own());
  agree(ranks, [&] {
    if (any != given && piece.nodes() > 0)
      throw ArgumentError("make_mesh: no owners of nodes are given, on other ranks they are");
  });
}

/// A list as a view on the host.
template <class Value>
Kokkos::View<Value*, Kokkos::HostSpace> host_view(const char* label, const std::vector<Value>& list,
                                                  std::size_t first = 0) {
  const Kokkos::View<Value*, Kokkos::HostSpace> view(
      Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), list.size() - first);
  std::copy(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(), view.data());
  return view;
}

/// The mesh of a piece with its ghosts, a `tessera::Mesh` or a `MixedMesh`.
template <class MeshType>
class PartMaker {
  using ExecutionSpace = typename MeshType::execution_space;

public:
  PartMaker(const ExecutionSpace& exec, const Piece& piece, const SharedNames& names)
      : exec_(exec), piece_(piece), names_(names),
        global_elements_(host_view("Tessera::Mesh::global_elements", piece.element_ids)) {}

  Part<MeshType> part() const {
    MeshType mesh = made(static_cast<const MeshType*>(nullptr));
    add_labels(mesh);
    add_node_sets(mesh);
    return {mesh, host_view("Tessera::Mesh::global_nodes", piece_.node_ids),
            host_view("Tessera::Mesh::ghost_owners", piece_.node_owners, to_size(piece_.owned_nodes)),
            global_elements_};
  }

private:
  static constexpr int count = TypesOf<MeshType>::count;

  template <class Element>
  using Block = tessera::Mesh<Element, ExecutionSpace>;

  template <class Element>
  Block<Element> made(const Block<Element>*) const {
    return block<Element>(0, coordinates<Element>());
  }
  template <class First, class... Others>
  auto made(const MixedMesh<Blocks<First, Others...>, ExecutionSpace>*) const {
    using List = Blocks<First, Others...>;
    const auto first = block<First>(0, coordinates<First>());
    return MixedMesh<List, ExecutionSpace>(
        first, block<Others>(static_cast<int>(List::template number<Others>), first)...);
  }

  template <class Element>
  typename Block<Element>::Coordinates coordinates() const {
    const auto dimension = to_size(piece_.dimension);
    return device<typename Block<Element>::Coordinates>(
        "Tessera::Mesh::coordinates", piece_.nodes(),
        [&](std::size_t i, std::size_t d) { return piece_.coordinates[i * dimension + d]; });
  }

  /// The elements of a type, which follow each other. \param nodes coordinates, or a block over them
  template <class Element, class Nodes>
  Block<Element> block(int number, const Nodes& nodes) const {
    const auto width = to_size(piece_.nodes_per_element);
    const auto is_before = [&](Ordinal material) { return material % count < number; };
    const auto is_of_block = [&](Ordinal material) { return material % count == number; };
    const auto begin = to_size(
        static_cast<Ordinal>(std::count_if(piece_.materials.begin(), piece_.materials.end(), is_before)));
    const auto elements = to_size(
        static_cast<Ordinal>(std::count_if(piece_.materials.begin(), piece_.materials.end(), is_of_block)));
    const auto connectivity = device<typename Block<Element>::Connectivity>(
        "Tessera::Mesh::connectivity", elements,
        [&](std::size_t e, std::size_t n) { return piece_.connectivity[(begin + e) * width + n]; });
    typename Block<Element>::Materials materials;
    if (names_.has_materials)
      materials = device<typename Block<Element>::Materials>(
          "Tessera::Mesh::materials", elements,
          [&](std::size_t e, std::size_t) { return piece_.materials[begin + e] / count; });
    Block<Element> mesh =
        in_global_numbers(begin, [&] { return Block<Element>(exec_, nodes, connectivity, materials); });
    mesh.name_elements([numbers = global_elements_, begin](Ordinal e) {
      return "element " + std::to_string(numbers(begin + to_size(e))) + " of all ranks";
    });
    add_side_sets(mesh, static_cast<Ordinal>(begin));
    return mesh;
  }

  /// \throws MeshError where `make_mesh` throws ElementError
  template <class MakeMesh>
  auto in_global_numbers(std::size_t begin, const MakeMesh& make_mesh) const {
    const auto name = [&](Ordinal e) {
      return "element " + std::to_string(piece_.element_ids[begin + to_size(e)]);
    };
    try {
      return make_mesh();
    } catch (const RepeatedElementError& error) {
      throw MeshError(name(error.element()) + " repeats " + name(error.earlier()) + error.counts);
    } catch (const ElementError& error) {
      throw MeshError(name(error.element()) + " of all ranks " + error.problem());
    }
  }

  template <class View, class At>
  View device(const char* label, std::size_t rows, const At& at) const {
    return io::detail::to_device<View>(exec_, label, at, rows);
  }

  /// Those of the materials up to the largest that the rank has.
  void add_labels(MeshType& mesh) const {
    auto labels = names_.materials;
    if (labels.size() < to_size(mesh.num_materials())) return;
    labels.resize(to_size(mesh.num_materials()));
    mesh.label_materials(labels);
  }

  void add_node_sets(MeshType& mesh) const {
    for (std::size_t s = 0; s < names_.node_sets.size(); ++s) {
      std::vector<Ordinal> nodes;
      for (std::size_t n = 0; n < piece_.nodes(); ++n)
        if ((piece_.masks[n * to_size(piece_.mask_words) + s / 64] >> (s % 64)) & 1)
          nodes.push_back(static_cast<Ordinal>(n));
      mesh.add_node_set(
          exec_, names_.node_sets[s],
          device<typename MeshType::NodeSet>("Tessera::Mesh::node_set", nodes.size(),
                                             [&](std::size_t i, std::size_t) { return nodes[i]; }));
    }
  }

  /// Sides are sorted by set. \param begin the block's first element
  template <class Element>
  void add_side_sets(Block<Element>& mesh, Ordinal begin) const {
    auto side = piece_.sides.begin();
    for (std::size_t s = 0; s < names_.side_sets.size(); ++s) {
      std::vector<SideOfSet> own;
      for (; side != piece_.sides.end() && side->set == static_cast<int>(s); ++side)
        if (side->element >= begin && side->element < begin + mesh.num_elements()) own.push_back(*side);
      mesh.add_side_set(exec_, names_.side_sets[s],
                        device<typename Block<Element>::SideSet>(
                            "Tessera::Mesh::side_set", own.size(), [&](std::size_t i, std::size_t j) {
                              return j == 0 ? own[i].element - begin : own[i].side;
                            }));
    }
  }

  ExecutionSpace exec_;
  const Piece& piece_;
  const SharedNames& names_;
  Kokkos::View<GlobalOrdinal*, Kokkos::HostSpace> global_elements_;
};

} // namespace tessera::distributed::detail
