// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One mesh over many ranks from a file, or from a file for each rank. Programs link Tessera::io too.

#include <tessera/core/blocks/mixed_renumber.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/elevated_piece.hpp>
#include <tessera/distributed/mesh/detail/mesh_of_pieces.hpp>
#include <tessera/distributed/mesh/divide_mesh.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/read_mixed_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed {

/// How a file is read and divided.
struct ReadMeshOptions {
  io::ReadOptions file{};
  double imbalance = 1.03; ///< as PartitionOptions
  /// Numbers nodes and elements along the Hilbert curve, so that a rank's neighbors in space lie close in
  /// memory; global numbers are then not the file's order.
  bool hilbert = false;
};

namespace detail {

inline std::vector<GlobalOrdinal> numbers_of(const io::Numbering& numbering) {
  std::vector<GlobalOrdinal> numbers;
  for (Ordinal i = 0; i < numbering.size(); ++i) numbers.push_back(numbering.id(i));
  return numbers;
}

/// Collective: that a physical group has one name in all files, so that its set is whole.
/// \throws MeshError on every rank with both names
inline void check_group_names(const Communicator& ranks, const io::MeshData& data) {
  std::vector<std::string> texts;
  for (const auto& [group, name] : data.group_names)
    texts.push_back("group " + std::to_string(group.second) + " of dimension " + std::to_string(group.first) +
                    '\n' + name);
  texts = shared_names(ranks, texts);
  agree(ranks, [&] {
    for (std::size_t i = 1; i < texts.size(); ++i) {
      const auto end = texts[i].find('\n');
      if (texts[i].compare(0, end + 1, texts[i - 1], 0, end + 1) != 0) continue;
      throw MeshError("the ranks' files call physical " + texts[i].substr(0, end) + " '" +
                      texts[i - 1].substr(end + 1) + "' and '" + texts[i].substr(end + 1) +
                      "': give it one name in all of them");
    }
  });
}

/// Numbers the materials of a rank's file as those of all files. \param count of the element types
inline void join_materials(const Communicator& ranks, const std::vector<MaterialLabel>& own, int count,
                           Piece& piece, SharedNames& names) {
  std::vector<MaterialLabel> labels = own;
  if (labels.empty() && piece.elements() > 0) labels.emplace_back();
  names.materials = joined_labels(ranks, labels);
  names.has_materials = names.materials.size() > 1;
  std::vector<Ordinal> number;
  for (const auto& label : labels)
    number.push_back(static_cast<Ordinal>(std::find(names.materials.begin(), names.materials.end(), label) -
                                          names.materials.begin()));
  for (Ordinal& material : piece.materials)
    material = number[to_size(material / count)] * count + material % count;
}

/// Whether a file has cells of a mesh of so many dimensions, and not sides alone.
inline bool has_cells(const io::MeshData& data, int dimension) {
  return std::any_of(data.blocks.begin(), data.blocks.end(), [&](const io::CellBlock& block) {
    return block.type.dimension() >= dimension && block.cells() > 0;
  });
}

/// Collective: the smallest number of any rank.
inline int smallest_of(const Communicator& ranks, int number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, ranks.own());
  return number;
}

/// What is read of a file as cells of one type, or of several.
template <class Element>
struct FileCells {
  static constexpr std::array types{io::cell_type_of<Element>()};

  template <class ExecutionSpace>
  static auto mesh(const ExecutionSpace& exec, io::MeshData data) {
    return io::to_mesh<Element>(exec, std::move(data));
  }
  template <class ExecutionSpace>
  static auto read(const ExecutionSpace& exec, const std::string& path, const io::ReadOptions& options) {
    return io::read_mesh<Element>(exec, path, options);
  }
};
template <class... Elements>
struct FileCells<Blocks<Elements...>> {
  static constexpr std::array types{io::cell_type_of<Elements>()...};

  template <class ExecutionSpace>
  static auto mesh(const ExecutionSpace& exec, io::MeshData data) {
    return io::to_mixed_mesh<Blocks<Elements...>>(exec, std::move(data));
  }
  template <class ExecutionSpace>
  static auto read(const ExecutionSpace& exec, const std::string& path, const io::ReadOptions& options) {
    return io::read_mixed_mesh<Blocks<Elements...>>(exec, path, options);
  }
};

/// Whether a file has cells of any of some types.
inline bool has_any(const io::MeshData& data, std::span<const io::CellType> types) {
  return std::any_of(types.begin(), types.end(), [&](io::CellType type) {
    const io::CellBlock* const block = data.find(type);
    return block != nullptr && block->cells() > 0;
  });
}

/// Collective: what a rank's file holds in cells of some types, with the numbers of all ranks. The file of
/// some ranks may have no cells.
template <class Cells>
Piece piece_of_file(const Communicator& ranks, io::MeshData data, const io::ReadOptions& options,
                    SharedNames& names) {
  std::vector<GlobalOrdinal> nodes, elements;
  const bool empty = !has_cells(data, Cells::dimension);
  const bool all_empty = smallest_of(ranks, empty ? 0 : -1) == 0;
  const auto mesh = agree(ranks, [&]() -> WholeMesh<Cells> {
    if (empty && !all_empty) return empty_mesh(static_cast<const WholeMesh<Cells>*>(nullptr));
    data = io::select(std::move(data), FileCells<Cells>::types, {options.allow_partial, options.left_out});
    nodes = numbers_of(data.node_ids);
    for (const io::CellBlock& block : data.blocks) {
      const auto of_block = numbers_of(block.ids);
      elements.insert(elements.end(), of_block.begin(), of_block.end());
    }
    return FileCells<Cells>::mesh(default_instance<Kokkos::DefaultHostExecutionSpace>(), std::move(data));
  });
  close_gaps(ranks, nodes);
  names = SharedNames::of(ranks, mesh);
  Piece own = piece_of_mesh(mesh, names, std::move(nodes), std::move(elements), {});
  join_materials(ranks, mesh.material_labels(), TypesOf<WholeMesh<Cells>>::count, own, names);
  return own;
}

} // namespace detail

/// Collective: the mesh of `io::read_mesh`, or for several element types of `io::read_mixed_mesh`, with its
/// numbers, sets and materials. Rank 0 reads the file, elevates the mesh where the element asks for it, lets
/// METIS divide the elements by their faces, and sends each rank its piece; the lowest rank with an element
/// of a node owns it. Elements may be fewer than ranks.
///
/// Memory of rank 0, in its host's: the whole mesh twice, METIS's graph of it, and one rank's piece. A mesh
/// that is too large for that is read from a file for each rank.
/// \tparam Cells an element type, or `Blocks` of several
/// \throws what `io::read_mesh` and METIS's partition throw, on every rank
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Cells, ExecutionSpace> read_mesh(const ExecutionSpace& exec, MPI_Comm communicator,
                                      const std::string& path, const ReadMeshOptions& options = {}) {
  const Communicator ranks(communicator);
  const auto whole = on_rank_0<Cells>(ranks, [&] {
    const Kokkos::DefaultHostExecutionSpace host;
    const auto mesh = detail::FileCells<Cells>::read(host, path, options.file);
    return options.hilbert ? hilbert_renumbered(host, mesh) : mesh;
  });
  const auto rank_of = agree(ranks, [&] { return divide_elements(whole, ranks.size(), options.imbalance); });
  return divide_mesh<Cells>(exec, ranks, whole, rank_of);
}

/// The same on the default instance.
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Cells, ExecutionSpace> read_mesh(MPI_Comm communicator, const std::string& path,
                                      const ReadMeshOptions& options = {}) {
  return read_mesh<Cells>(default_instance<ExecutionSpace>(), communicator, path, options);
}

/// Collective: the mesh of a file for each rank, which holds the rank's elements, or none, and their nodes
/// under the numbers of the whole mesh: what `gmsh -3 box.geo -part 4 -part_split` writes as box_1.msh ...
/// box_4.msh. Ghosts are found here. Nodes are numbered 0, 1, ... in the order of the files' numbers;
/// elements keep the files' numbers. Materials are numbered in the order of all files' numbers. No rank holds
/// more than its own part. Linear cells are elevated where the element asks for it and the files have none of
/// its order; new nodes then follow the files', as `elevated` numbers them. A rank's file may lack some of
/// several element types.
/// \tparam Cells an element type, or `Blocks` of several
/// \param path the rank's own file
/// \throws what `io::read_mesh` throws, on every rank; ArgumentError on every rank for files of which some
/// are
///   to be elevated; MeshError as `make_mesh` for files that do not fit together, and for a physical group
///   that two files name otherwise
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Cells, ExecutionSpace> read_parts(const ExecutionSpace& exec, MPI_Comm communicator,
                                       const std::string& path, const io::ReadOptions& options = {}) {
  using Linear = detail::LinearCells<Cells>;
  const Communicator ranks(communicator);
  auto data = agree(ranks, [&] { return io::read_mesh_data(path, options); });
  detail::check_group_names(ranks, data);
  detail::SharedNames names;
  if constexpr (Cells::order > 1) {
    bool linear = !detail::has_any(data, detail::FileCells<Cells>::types);
    const bool empty = !detail::has_cells(data, Cells::dimension);
    const int of_others = detail::smallest_of(ranks, empty ? 2 : linear ? 1 : 0);
    if (empty) linear = of_others == 1;
    check_same(ranks, {{path + ": whether it has no cells of the element's order", linear ? 1.0 : 0.0}});
    if (linear) {
      auto own = detail::piece_of_file<Linear>(ranks, std::move(data), options, names);
      return detail::mesh_of_pieces<Cells>(exec, ranks, detail::elevated_piece<Cells>(ranks, std::move(own)),
                                           names);
    }
  }
  auto own = detail::piece_of_file<Cells>(ranks, std::move(data), options, names);
  return detail::mesh_of_pieces<Cells>(exec, ranks, std::move(own), names);
}

} // namespace tessera::distributed
