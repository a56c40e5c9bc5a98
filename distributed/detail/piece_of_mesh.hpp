// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Between meshes on the device and pieces on the host.

#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/part.hpp>
#include <tessera/distributed/detail/piece.hpp>
#include <tessera/distributed/detail/shared_names.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
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
    for (const auto& [name, set] : mesh.side_sets()) names.side_sets.push_back(name);
    names.node_sets = shared_names(ranks, names.node_sets);
    names.side_sets = shared_names(ranks, names.side_sets);
    names.materials = shared_labels(ranks, mesh.material_labels());
    int any = mesh.materials().extent(0) > 0 ? 1 : 0;
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
  check("global numbers of elements", piece.element_ids.size(), mesh.num_elements());
  if (!piece.node_owners.empty()) check("owners of nodes", piece.node_owners.size(), mesh.num_nodes());
}

/// \throws ArgumentError as make_mesh
template <class Element, class ExecutionSpace>
Piece piece_of_mesh(const tessera::Mesh<Element, ExecutionSpace>& mesh, const SharedNames& names,
                    std::vector<GlobalOrdinal> node_ids, std::vector<GlobalOrdinal> element_ids,
                    std::vector<int> owners) {
  constexpr std::size_t bits = 64;
  Piece piece;
  piece.dimension = Element::dimension;
  piece.nodes_per_element = Element::nodes;
  piece.mask_words = static_cast<int>((names.node_sets.size() + bits - 1) / bits);
  piece.node_ids = std::move(node_ids);
  piece.element_ids = std::move(element_ids);
  piece.node_owners = std::move(owners);
  check_lengths(mesh, piece);
  piece.coordinates = rows_on_host<double>(mesh.coordinates());
  piece.connectivity = rows_on_host<Ordinal>(mesh.connectivity());
  piece.materials = numbers_on_host<Ordinal>(mesh.materials());
  piece.materials.resize(piece.elements(), 0);
  piece.masks.assign(piece.nodes() * to_size(piece.mask_words), 0);
  for (std::size_t s = 0; s < names.node_sets.size(); ++s)
    if (const auto found = mesh.node_sets().find(names.node_sets[s]); found != mesh.node_sets().end())
      for (const Ordinal node : numbers_on_host<Ordinal>(found->second))
        piece.masks[to_size(node) * to_size(piece.mask_words) + s / bits] |= std::int64_t{1} << (s % bits);
  for (std::size_t s = 0; s < names.side_sets.size(); ++s)
    if (const auto found = mesh.side_sets().find(names.side_sets[s]); found != mesh.side_sets().end()) {
      const auto sides = rows_on_host<Ordinal>(found->second);
      for (std::size_t i = 0; i < sides.size(); i += 2)
        piece.sides.push_back({static_cast<int>(s), sides[i], sides[i + 1]});
    }
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

/// The mesh of a piece with its ghosts.
template <class Element, class ExecutionSpace>
class PartMaker {
public:
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;

  PartMaker(const ExecutionSpace& exec, const Piece& piece, const SharedNames& names)
      : exec_(exec), piece_(piece), names_(names) {}

  Part<Element, ExecutionSpace> part() const {
    const auto width = to_size(piece_.nodes_per_element), dimension = to_size(piece_.dimension);
    const auto coordinates = device<typename MeshType::Coordinates>(
        "Tessera::Mesh::coordinates", piece_.nodes(),
        [&](std::size_t i, std::size_t d) { return piece_.coordinates[i * dimension + d]; });
    const auto connectivity = device<typename MeshType::Connectivity>(
        "Tessera::Mesh::connectivity", piece_.elements(),
        [&](std::size_t e, std::size_t n) { return piece_.connectivity[e * width + n]; });
    typename MeshType::Materials materials;
    if (names_.has_materials)
      materials = device<typename MeshType::Materials>(
          "Tessera::Mesh::materials", piece_.elements(),
          [&](std::size_t e, std::size_t) { return piece_.materials[e]; });
    const auto global_elements = host_view("Tessera::Mesh::global_elements", piece_.element_ids);
    MeshType mesh = in_global_numbers([&] { return MeshType(exec_, coordinates, connectivity, materials); });
    mesh.name_elements([global_elements](Ordinal e) {
      return "element " + std::to_string(global_elements(e)) + " of all ranks";
    });
    add_labels(mesh);
    add_node_sets(mesh);
    add_side_sets(mesh);
    return {mesh, host_view("Tessera::Mesh::global_nodes", piece_.node_ids),
            host_view("Tessera::Mesh::ghost_owners", piece_.node_owners, to_size(piece_.owned_nodes)),
            global_elements};
  }

private:
  /// \throws MeshError where `make_mesh` throws ElementError
  template <class MakeMesh>
  auto in_global_numbers(const MakeMesh& make_mesh) const {
    const auto name = [&](Ordinal e) { return "element " + std::to_string(piece_.element_ids[to_size(e)]); };
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

  /// Sides are sorted by set.
  void add_side_sets(MeshType& mesh) const {
    auto side = piece_.sides.begin();
    for (std::size_t s = 0; s < names_.side_sets.size(); ++s) {
      const auto first = side;
      while (side != piece_.sides.end() && side->set == static_cast<int>(s)) ++side;
      mesh.add_side_set(exec_, names_.side_sets[s],
                        device<typename MeshType::SideSet>(
                            "Tessera::Mesh::side_set", static_cast<std::size_t>(side - first),
                            [&](std::size_t i, std::size_t j) {
                              const auto& one = first[static_cast<std::ptrdiff_t>(i)];
                              return j == 0 ? one.element : one.side;
                            }));
    }
  }

  ExecutionSpace exec_;
  const Piece& piece_;
  const SharedNames& names_;
};

} // namespace tessera::distributed::detail
