// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <tessera/core/execution_spaces.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/io/read_mesh.hpp>

#include "mesh_order.hpp"
#include "support/options/read_options.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <set>

namespace tessera::tools {

void Problem::declare(Options& options, const std::string& several,
                      const std::vector<std::string>& more_forms) {
  options.input("--mesh", mesh_file,
                "mesh file: Gmsh .msh, Abaqus and AVS UCD .inp, TetGen and Triangle .node/.ele, VTK "
                ".vtk/.vtu, Exodus II .e");
  options.flag("--allow-partial", allow_partial,
               "leave out what a mesh cannot take of a file, and say what: cells of other types, what sets "
               "have of them, side sets that lie only in part on cells");
  options.flag("--refuse-turned", refuse_turned, refuse_turned_help);
  options.text("--generate", generate, "generated mesh: " + io::generator_names());
  options.text("--element", element,
               "tri1..5, tet1..3, quad1..2, quad8, hex1..2, hex20, wedge1..2, wedge15, pyramid1, pyramid13" +
                   several + "; default: what the mesh holds");
  options.choice("--order", order, {"given", "hilbert", "shuffled"},
                 "numbers of nodes and elements: the mesh's own, along the Hilbert curve, or random ones");
  options.number("--bend", bend,
                 "move the nodes along a wave, by this share of the mesh's size: 0.03 bends all elements but "
                 "linear simplices");
  std::vector<std::string> forms{"helmholtz", "heat", "elasticity"};
  forms.insert(forms.end(), more_forms.begin(), more_forms.end());
  options.choice("--form", form, forms, "weak form");
  options.choice(
      "--coefficients", coefficients, {"random", "constant"},
      "conductivity or Young's modulus per element (within 10 % of the value) or the same everywhere");
  options.number("--sigma", sigma, "conductivity (helmholtz, heat)");
  options.number("--lambda", lambda, "reaction coefficient (helmholtz)");
  options.number(
      "--source", source,
      "source term (helmholtz, heat; 1 by default); body force along the last axis (elasticity; none by "
      "default, 1 in comparisons)");
  options.number("--young", young, "Young's modulus (elasticity)");
  options.number("--poisson", poisson, "Poisson's ratio (elasticity)");
  options.choice("--plane", plane, {"stress", "strain"}, "two-dimensional elasticity; stress by default");
}

std::string Problem::mesh_name() const {
  return (mesh_file.empty() ? generate : mesh_file) + (bend != 0 ? ", bent" : "") +
         (order == "hilbert"    ? " in Hilbert order"
          : order == "shuffled" ? ", shuffled"
                                : "");
}

std::string Problem::source_name() const {
  char number[32];
  std::snprintf(number, sizeof number, "%g", source_term());
  if (!has_body_force()) return std::string("source ") + number;
  return source_term() == 0 ? "no body force" : std::string("body force ") + number + " along the last axis";
}

void Problem::check(const Options& options) const {
  if (mesh_file.empty() == generate.empty())
    throw ArgumentError("give either --mesh FILE or --generate NAME");
  options.require("--allow-partial", "--mesh");
  options.require("--refuse-turned", "--mesh");
  std::vector<std::string> others;
  if (has_body_force()) others.insert(others.end(), {"--sigma", "--lambda"});
  if (form != "elasticity") others.insert(others.end(), {"--young", "--poisson", "--plane"});
  if (form == "stokes") others.push_back("--coefficients");
  for (const std::string& name : others)
    if (options.given(name)) throw ArgumentError(name + " has no meaning for --form " + form);
  if (form == "heat" && options.given("--lambda"))
    throw ArgumentError("--lambda has no meaning for --form heat; --form helmholtz has a reaction");
}

io::ReadOptions read_options(const Problem& problem) {
  return read_options(problem.mesh_file, problem.allow_partial, problem.refuse_turned);
}

io::MeshData contents_of(const Problem& problem, const std::string& file) {
  io::ReadOptions options{progress_line(file), problem.allow_partial};
  options.left_out = [](const std::string&) {}; // said where the mesh is made
  if (!problem.refuse_turned) options.collapsed = options.left_out;
  return io::read_mesh_data(file, options);
}

namespace {

/// Moves the nodes along a wave of one length of the mesh, `bend` of it high.
template <class Element, class ExecutionSpace>
void bend_mesh(const ExecutionSpace& exec, Mesh<Element, ExecutionSpace>& mesh, double bend) {
  const auto old = mesh.coordinates();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), old);
  double low[Element::dimension], size = 0;
  for (int d = 0; d < Element::dimension; ++d) {
    double high = low[d] = host(0, d);
    for (Ordinal node = 1; node < mesh.num_nodes(); ++node) {
      low[d] = std::min(low[d], host(node, d));
      high = std::max(high, host(node, d));
    }
    size = std::max(size, high - low[d]);
  }
  const auto moved = Kokkos::create_mirror(host);
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
    for (int d = 0; d < Element::dimension; ++d) {
      double wave = 1; // of the product of the axes, which leaves no hexahedron a parallelepiped
      for (int axis = 0; axis < Element::dimension; ++axis)
        wave *= std::sin(2 * std::numbers::pi * (host(node, axis) - low[axis]) / size + d);
      moved(node, d) = host(node, d) + bend * size * wave;
    }
  const typename Mesh<Element, ExecutionSpace>::Coordinates coordinates("Tessera::tools::bent",
                                                                        host.extent(0));
  Kokkos::deep_copy(coordinates, moved);
  mesh.move(exec, coordinates);
}

} // namespace

io::CellType type_of_elements(const io::MeshData& data) {
  const io::CellType type = io::single_type(data);
  if (type.dimension() == 1)
    throw MeshError(data.source + ": holds " + data.contents() +
                    " alone, and there are no elements of lines");
  return type;
}

std::string default_element(const Problem& problem) {
  if (!problem.mesh_file.empty()) return type_of_elements(contents_of(problem, problem.mesh_file)).name();
  if (same_name(problem.generate.substr(0, 11), "cantilever2")) return "hex1";
  return same_name(problem.generate.substr(0, 11), "cantilever5") ? "quad1" : "tet1";
}

std::string mixed_names() {
  return std::apply([](auto... list) { return ((", " + name_of(list)) + ...); }, MixedElements());
}

std::set<io::CellType> types_of_cells(const io::MeshData& data) {
  std::set<io::CellType> types;
  for (const io::CellBlock& block : data.blocks)
    if (block.cells() > 0 && block.type.dimension() == data.dimension()) types.insert(block.type);
  return types;
}

std::string mixed_name_of(const std::set<io::CellType>& types) {
  std::string name;
  const auto try_list = [&]<class... Of>(Blocks<Of...> list) {
    const std::set<io::CellType> of_list{io::cell_type_of<Of>()...};
    if (std::includes(of_list.begin(), of_list.end(), types.begin(), types.end())) name = name_of(list);
  };
  std::apply([&](auto... list) { (try_list(list), ...); }, MixedElements());
  return name;
}

std::string default_elements(const Problem& problem) {
  if (problem.mesh_file.empty()) return default_element(problem);
  const io::MeshData data = contents_of(problem, problem.mesh_file);
  const auto types = types_of_cells(data);
  const std::string name = types.size() > 1 ? mixed_name_of(types) : "";
  return name.empty() ? type_of_elements(data).name() : name;
}

template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> make_mesh(const ExecutionSpace& exec, const Problem& problem) {
  auto mesh = problem.generate.empty()
                  ? io::read_mesh<Element, ExecutionSpace>(exec, problem.mesh_file, read_options(problem))
                  : io::generate<Element, ExecutionSpace>(exec, problem.generate);
  if (problem.bend != 0) bend_mesh(exec, mesh, problem.bend);
  return in_order(exec, mesh, problem.order);
}

#define TESSERA_INSTANTIATE(Element, Space)                                                                  \
  template Mesh<Element, Space> make_mesh(const Space&, const Problem&);                                     \
  template Mesh<Element, Space> in_order(const Space&, const Mesh<Element, Space>&, const std::string&);
#define TESSERA_INSTANTIATE_ELEMENT(Element) TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, Element)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_INSTANTIATE_ELEMENT)

} // namespace tessera::tools
