// SPDX-License-Identifier: BSD-3-Clause
// tessera-read: what a mesh file holds, how fast it is read, and with how much memory.

#include <tessera/core/error.hpp>
#include <tessera/io/read.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "support/options/options.hpp"
#include "support/options/read_options.hpp"
#include "support/run_tool.hpp"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

using namespace tessera;

template <class T>
std::size_t bytes_of(const std::vector<T>& entries) {
  return entries.size() * sizeof(T);
}

/// Coordinates, connectivity, materials and sets.
std::size_t bytes_of(const io::MeshData& data) {
  std::size_t bytes = bytes_of(data.points);
  for (const auto& [name, set] : data.node_sets) bytes += bytes_of(set);
  for (const io::CellBlock& block : data.blocks) {
    bytes += bytes_of(block.nodes) + bytes_of(block.material);
    for (const auto& [name, set] : block.cell_sets) bytes += bytes_of(set);
    for (const auto& [name, set] : block.side_sets) bytes += bytes_of(set);
  }
  return bytes;
}

/// What this process has used, and the children that read VTK's formats for it.
struct Usage {
  std::size_t peak_bytes = 0; ///< of the largest process
  double processor_seconds = 0.0;
};

Usage usage() {
  Usage sum;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    sum.peak_bytes = std::max(sum.peak_bytes, static_cast<std::size_t>(used.ru_maxrss) * 1024);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum.processor_seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

void print_sets(const io::MeshData& data) {
  for (const auto& [number, name] : data.material_names)
    std::printf("material %d: %s\n", number, name.c_str());
  for (const auto& [name, set] : data.node_sets)
    std::printf("node set %s: %zu nodes\n", name.c_str(), set.size());
  for (const io::CellBlock& block : data.blocks) {
    for (const auto& [name, set] : block.cell_sets)
      std::printf("cell set %s: %d %s cells\n", name.c_str(), io::size(set), block.type.name().c_str());
    for (const auto& [name, set] : block.side_sets)
      std::printf("side set %s: %zu sides of %s cells\n", name.c_str(), set.size(),
                  block.type.name().c_str());
  }
}

/// Nodes of no cell, which a mesh may have, but of which a deck that was cut between two lines has many.
std::size_t count_unused(const io::MeshData& data) {
  std::vector<bool> used(static_cast<std::size_t>(data.nodes()), false);
  for (const io::CellBlock& block : data.blocks)
    for (const Ordinal node : block.nodes) used[static_cast<std::size_t>(node)] = true;
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
}

int run(int argc, char** argv) {
  std::string path;
  bool help = false, allow_partial = false, refuse_turned = false;
  tools::Options parser("tessera-read: reads a mesh file and says what it holds.\n"
                        "Example: tessera-read --mesh part.msh");
  parser.input("--mesh", path,
               "mesh file: Gmsh .msh, Abaqus and AVS UCD .inp, TetGen and Triangle .node/.ele, VTK "
               ".vtk/.vtu, Exodus II .e");
  parser.flag("--allow-partial", allow_partial,
              "leave out what is not known, and say what: elements, what sets have of them, side sets that "
              "lie only in "
              "part on cells");
  parser.flag("--refuse-turned", refuse_turned, tools::refuse_turned_help);
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  if (help) return std::cout << parser.help(), 0;
  if (path.empty()) throw ArgumentError("give --mesh FILE");

  const Usage before = usage();
  const Kokkos::Timer timer;
  const io::MeshData data = io::read_mesh_data(path, tools::read_options(path, allow_partial, refuse_turned));
  const double seconds = timer.seconds();
  const Usage after = usage();
  const double processor = after.processor_seconds - before.processor_seconds;
  const double megabyte = 1e6;
  const auto file = static_cast<double>(std::filesystem::file_size(path));
  std::printf("%s: %d nodes, %s\n", path.c_str(), data.nodes(), data.contents().c_str());
  if (const std::size_t unused = count_unused(data)) std::printf("%zu nodes belong to no cell\n", unused);
  print_sets(data);
  std::printf("file %.1f MB, %.3f s, %.0f MB/s; %.3f s of the processor, %.0f MB/s\n", file / megabyte,
              seconds, file / megabyte / seconds, processor, file / megabyte / processor);
  std::printf("mesh %.1f MB, memory while reading %.1f MB\n", static_cast<double>(bytes_of(data)) / megabyte,
              static_cast<double>(after.peak_bytes - before.peak_bytes) / megabyte);
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-read", run, argc, argv); }
