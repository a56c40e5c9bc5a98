#pragma once

/// \file
/// One mesh over many ranks from a file, or from a file for each rank. Programs link Tessera::io too.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/deal_out.hpp>
#include <tessera/distributed/detail/mesh_of_pieces.hpp>
#include <tessera/distributed/mesh.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed {

/// How a file is read and divided.
struct ReadMeshOptions {
  io::ReadOptions file{};
  double imbalance = 1.03; ///< as PartitionOptions
  /// Numbers nodes and elements along the Hilbert curve, so that a rank's neighbors in space lie close in memory;
  /// global numbers are then not the file's order.
  bool hilbert = false;
};

namespace detail {

/// What rank 0 knows of a file before it is divided; an empty mesh on other ranks.
template <class Element>
tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>
whole_file(const Communicator& ranks, const std::string& path, const ReadMeshOptions& options) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using MeshType = tessera::Mesh<Element, Host>;
  if (ranks.rank() != 0)
    return MeshType(typename MeshType::Coordinates("Tessera::Mesh::coordinates", 0),
                    typename MeshType::Connectivity("Tessera::Mesh::connectivity", 0));
  auto mesh = io::read_mesh<Element>(default_instance<Host>(), path, options.file);
  return options.hilbert ? hilbert_renumbered(default_instance<Host>(), mesh) : mesh;
}

/// Parts of rank 0's mesh: METIS's, by faces.
template <class MeshType>
std::vector<Ordinal> parts_of(const MeshType& mesh, int ranks, double imbalance) {
  if (mesh.num_elements() == 0) return {};
  const auto parts = std::min(static_cast<Ordinal>(ranks), mesh.num_elements());
  return partition_elements(mesh.connectivity(), to_size(mesh.num_nodes()), MeshType::Element::Side::nodes,
                            {.parts = parts, .imbalance = imbalance})
      .part_of_item;
}

inline std::vector<GlobalOrdinal> ascending(Ordinal count) {
  std::vector<GlobalOrdinal> numbers(to_size(count));
  std::iota(numbers.begin(), numbers.end(), GlobalOrdinal{0});
  return numbers;
}

} // namespace detail

/// Collective: the mesh of `io::read_mesh`, with its numbers, sets and materials. Rank 0 reads the file, elevates the
/// mesh where the element asks for it, lets METIS divide the elements by their faces, and sends each rank its
/// piece; the lowest rank with an element of a node owns it. Elements may be fewer than ranks.
///
/// Memory of rank 0, in its host's: the whole mesh twice, METIS's graph of it, and one rank's piece. A mesh that
/// is too large for that is read from a file for each rank.
/// \throws what `io::read_mesh` and METIS's partition throw, on every rank
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> read_mesh(const ExecutionSpace& exec, MPI_Comm communicator, const std::string& path,
                                        const ReadMeshOptions& options = {}) {
  const Communicator ranks(communicator);
  const auto mesh = agree(ranks, [&] { return detail::whole_file<Element>(ranks, path, options); });
  const auto parts = agree(ranks, [&] { return detail::parts_of(mesh, ranks.size(), options.imbalance); });
  const auto names = detail::SharedNames::of(ranks, mesh);
  auto own = detail::dealt_out(ranks, agree(ranks, [&] {
                                 return detail::piece_of_mesh(mesh, names, detail::ascending(mesh.num_nodes()),
                                                              detail::ascending(mesh.num_elements()), {});
                               }),
                               parts);
  return detail::mesh_of_pieces<Element>(exec, ranks, std::move(own), names);
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> read_mesh(MPI_Comm communicator, const std::string& path,
                                        const ReadMeshOptions& options = {}) {
  return read_mesh<Element>(default_instance<ExecutionSpace>(), communicator, path, options);
}

} // namespace tessera::distributed
