// SPDX-License-Identifier: BSD-3-Clause
// tessera-draw: a picture of a mesh with its sets, materials, coloring, partition, or paper 4's aggregates or
// patches.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/graphs/detail/scrambled.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/io/vtk/picture.hpp>

#include <Kokkos_Core.hpp>

#include "support/options/read_options.hpp"
#include "support/problem/problem.hpp"
#include "support/run_tool.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>

namespace {

using namespace tessera;
using namespace tessera::tools;
using Space = std::tuple_element_t<0, ExecutionSpaces>;

struct DrawOptions {
  Problem problem;
  std::string output, show = "sets";
  int parts = 8, width = 1200, height = 800;
  bool back = false, cut = false;
};

std::vector<Ordinal> on_host(const Kokkos::View<const Ordinal*, Space>& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

/// Aggregates or patches of the double partition: an element has the color of its first node's. Colors
/// repeat, in an order that tells neighbours apart.
template <class Element>
std::vector<Ordinal> double_partition_colors(const Mesh<Element, Space>& mesh, bool patches) {
  constexpr std::uint32_t colors = 32;
  const auto graph = sparsity_graph(Space(), FunctionSpace<Element, Space>(mesh, 1));
  const auto partition = double_partition<Space>(Space(), {graph.row_map, graph.columns});
  const auto aggregate = on_host(partition.aggregate_of_node), patch = on_host(partition.patch_of_aggregate);
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<Ordinal> numbers(mesh.num_elements());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    const Ordinal part = aggregate[connectivity(e, 0)];
    numbers[e] = static_cast<Ordinal>(detail::scrambled(patches ? patch[part] : part) % colors);
  }
  return numbers;
}

/// Says on the error stream what begins.
void progress(const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); }

io::PictureOptions look_of(const DrawOptions& options, int dimension) {
  if (dimension == 2 && (options.back || options.cut))
    throw ArgumentError(std::string(options.back ? "--back" : "--cut") + " has no meaning for plane meshes");
  return {.width = options.width,
          .height = options.height,
          .title = options.problem.mesh_name() + ", " + options.problem.element,
          .back = options.back,
          .cut = options.cut};
}

/// Appends the materials of a mesh's elements.
template <class Element>
void append_materials(std::vector<Ordinal>& all, const Mesh<Element, Space>& mesh) {
  std::vector<Ordinal> materials = on_host(mesh.materials());
  materials.resize(static_cast<std::size_t>(mesh.num_elements()));
  all.insert(all.end(), materials.begin(), materials.end());
}

/// \param materials of all elements
template <class MeshType>
void draw_materials(const DrawOptions& options, const MeshType& mesh, std::vector<Ordinal> materials,
                    io::PictureOptions look) {
  const auto& labels = mesh.material_labels();
  if (!labels.empty())
    for (Ordinal& material : materials) material = labels[static_cast<std::size_t>(material)].number;
  for (const MaterialLabel& label : labels)
    if (!label.name.empty()) look.names[label.number] = label.name;
  io::draw_numbers(options.output, mesh, "materials", materials, look);
}

template <class List>
void draw_mixed(const DrawOptions& options) {
  const auto mesh = make_mixed_mesh<List>(Space(), options.problem);
  const io::PictureOptions look = look_of(options, mesh.dimension);
  if (options.show == "sets") return io::draw_mesh(options.output, mesh, look);
  if (options.show != "materials")
    throw ArgumentError("--show " + options.show + " is for meshes of one element type");
  std::vector<Ordinal> materials;
  mesh.for_each_block([&](const auto& block) { append_materials(materials, block); });
  draw_materials(options, mesh, materials, look);
}

template <class Element>
void draw(const DrawOptions& options) {
  const io::PictureOptions look = look_of(options, Element::dimension);
  const auto mesh = make_mesh<Element, Space>(Space(), options.problem);
  if (options.show == "sets") {
    io::draw_mesh(options.output, mesh, look);
  } else if (options.show == "materials") {
    std::vector<Ordinal> materials;
    append_materials(materials, mesh);
    draw_materials(options, mesh, materials, look);
  } else if (options.show == "coloring") {
    const auto coloring = color_elements(Space(), mesh.connectivity(), mesh.num_nodes(), {});
    io::draw_numbers(options.output, mesh, "colors", on_host(coloring.color_of_element), look);
  } else if (options.show == "aggregates" || options.show == "patches") {
    io::draw_numbers(options.output, mesh, options.show,
                     double_partition_colors(mesh, options.show == "patches"), look);
  } else {
    progress("partition by METIS into " + std::to_string(std::min(options.parts, most_metis_parts)) +
             " parts" + (options.parts > most_metis_parts ? ", cut along the Hilbert curve" : ""));
    const auto partition = partition_elements(Space(), mesh.coordinates(), mesh.connectivity(),
                                              Element::dimension, {.parts = options.parts});
    io::draw_numbers(options.output, mesh, "parts", partition.part_of_item, look);
  }
}

int run(int argc, char** argv) {
  DrawOptions options;
  bool help = false;
  Options parser("tessera-draw: draws a mesh.\n"
                 "Example: tessera-draw --mesh part.msh --show partition --parts 12 --output part.png");
  parser.input("--mesh", options.problem.mesh_file,
               "mesh file: Gmsh .msh, Abaqus and AVS UCD .inp, TetGen and Triangle .node/.ele, VTK "
               ".vtk/.vtu, Exodus II .e");
  parser.flag("--allow-partial", options.problem.allow_partial,
              "accept what a mesh of one element loses of a file");
  parser.flag("--refuse-turned", options.problem.refuse_turned, refuse_turned_help);
  parser.text("--generate", options.problem.generate, "generated mesh: " + io::generator_names());
  parser.text("--element", options.problem.element,
              "tri1..5, tet1..3, quad1..2, quad8, hex1..2, hex20, wedge1..2, wedge15, pyramid1, pyramid13" +
                  mixed_names() + "; default: what the mesh holds");
  parser.output("--output", options.output, "PNG file to write");
  parser.choice("--show", options.show,
                {"sets", "materials", "coloring", "partition", "aggregates", "patches"},
                "what the colors say");
  parser.count("--parts", options.parts, 1, "parts of the partition");
  parser.flag("--back", options.back, "look at a solid from the back");
  parser.flag("--cut", options.cut, "leave out the front half of a solid");
  parser.count("--width", options.width, 320, "pixels");
  parser.count("--height", options.height, 240, "pixels");
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  if (help) return std::cout << parser.help(), 0;
  options.problem.check(parser);
  if (parser.given("--parts") && options.show != "partition")
    throw ArgumentError("--parts has no meaning for --show " + options.show);
  if (options.output.empty()) throw ArgumentError("give --output FILE.png");
  if (options.problem.element.empty()) options.problem.element = default_elements(options.problem);
  if (with_mixed_elements(options.problem.element,
                          [&]<class List>(std::type_identity<List>) { draw_mixed<List>(options); }))
    return 0;
  with_element(options.problem.element,
               [&]<class Element>(std::type_identity<Element>) { draw<Element>(options); });
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-draw", run, argc, argv); }
