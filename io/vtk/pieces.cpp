// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/vtk/detail/xml_text.hpp>
#include <tessera/io/vtk/pieces.hpp>

#include <filesystem>
#include <string_view>

namespace tessera::io {

namespace {

constexpr std::string_view ending = ".pvtu";
constexpr Ordinal unused = -1; ///< number of a node that the piece has not

/// As VTU files have it: two components get a third.
std::string array_line(std::string_view type, std::string_view name, std::size_t components) {
  return "      <PDataArray type=\"" + std::string(type) + "\" Name=\"" + xml_text(name) +
         "\" NumberOfComponents=\"" + std::to_string(components == 2 ? 3 : components) + "\"/>\n";
}

std::string array_lines(const std::vector<Field>& fields, std::size_t items) {
  std::string lines;
  for (const Field& field : fields)
    lines += array_line("Float64", field.name, items == 0 ? 1 : field.values.size() / items);
  return lines;
}

} // namespace

MeshPiece::MeshPiece(const MeshArrays& mesh, std::span<const Ordinal> cells)
    : MeshPiece(std::span(&mesh, 1), cells) {}

MeshPiece::MeshPiece(std::span<const MeshArrays> blocks, std::span<const Ordinal> cells)
    : all_nodes_(blocks.front().nodes()) {
  std::vector<Ordinal> number(all_nodes_, unused);
  Ordinal first = 0;
  auto cell = cells.begin();
  for (const MeshArrays& mesh : blocks) {
    const Ordinal end = first + static_cast<Ordinal>(mesh.cells());
    Block& block = blocks_.emplace_back(Block{mesh, {}, {}});
    for (; cell != cells.end() && *cell < end; ++cell) add(mesh, *cell - first, number, block);
    first = end;
  }
  const auto dimension = static_cast<std::size_t>(blocks.front().dimension);
  for (const Ordinal node : nodes_) {
    const auto x = blocks.front().coordinates.subspan(static_cast<std::size_t>(node) * dimension, dimension);
    coordinates_.insert(coordinates_.end(), x.begin(), x.end());
  }
}

void MeshPiece::add(const MeshArrays& mesh, Ordinal cell, std::vector<Ordinal>& number, Block& block) {
  const auto width = static_cast<std::size_t>(mesh.type.nodes());
  for (const Ordinal node : mesh.connectivity.subspan(static_cast<std::size_t>(cell) * width, width)) {
    Ordinal& own = number[static_cast<std::size_t>(node)];
    if (own == unused) {
      own = static_cast<Ordinal>(nodes_.size());
      nodes_.push_back(node);
    }
    block.connectivity.push_back(own);
  }
  if (!mesh.materials.empty()) block.materials.push_back(mesh.materials[static_cast<std::size_t>(cell)]);
}

std::vector<MeshArrays> MeshPiece::blocks() const {
  std::vector<MeshArrays> all;
  all.reserve(blocks_.size());
  for (const Block& block : blocks_)
    all.push_back({block.mesh.type, block.mesh.dimension, coordinates_, block.connectivity, block.materials,
                   block.mesh.labels});
  return all;
}

Field MeshPiece::on_nodes(const Field& field) const {
  const std::size_t components = all_nodes_ == 0 ? 1 : field.values.size() / all_nodes_;
  if (components * all_nodes_ != field.values.size())
    throw ArgumentError("MeshPiece: the field '" + field.name + "' has " +
                        std::to_string(field.values.size()) + " values, not a multiple of the " +
                        std::to_string(all_nodes_) + " nodes");
  std::vector<double> values;
  values.reserve(nodes_.size() * components);
  for (const Ordinal node : nodes_)
    for (std::size_t c = 0; c < components; ++c)
      values.push_back(field.values[static_cast<std::size_t>(node) * components + c]);
  return {field.name, std::move(values)};
}

std::string piece_path(const std::string& path, int piece) {
  if (!path.ends_with(ending) || std::filesystem::path(path).filename() == ending)
    throw ArgumentError("'" + path + "': the name of a mesh in pieces must end in .pvtu");
  return path.substr(0, path.size() - ending.size()) + "_" + std::to_string(piece) + ".vtu";
}

void write_pvtu(OutputFile& file, const std::string& path, std::span<const int> pieces,
                std::span<const MeshArrays> sample, const std::vector<Field>& node_fields,
                const std::vector<Field>& cell_fields) {
  std::size_t cells = 0;
  bool materials = false;
  for (const MeshArrays& block : sample) {
    cells += block.cells();
    materials = materials || !block.materials.empty() || !block.labels.empty();
  }
  std::string text = "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                     "  <PUnstructuredGrid GhostLevel=\"0\">\n    <PPointData>\n" +
                     array_lines(node_fields, sample.front().nodes()) +
                     "    </PPointData>\n    <PCellData>\n" + array_lines(cell_fields, cells);
  if (materials) text += array_line("Int32", "material", 1);
  text += "    </PCellData>\n    <PPoints>\n" + array_line("Float64", "Points", 3) + "    </PPoints>\n";
  for (const int piece : pieces)
    text += "    <Piece Source=\"" +
            xml_text(std::filesystem::path(piece_path(path, piece)).filename().string()) + "\"/>\n";
  write_content(file, text + "  </PUnstructuredGrid>\n</VTKFile>\n");
}

void write_pvtu(const std::string& path, std::span<const int> pieces, const MeshArrays& sample,
                const std::vector<Field>& node_fields, const std::vector<Field>& cell_fields) {
  OutputFile file(path);
  write_pvtu(file, path, pieces, std::span(&sample, 1), node_fields, cell_fields);
  file.appear();
}

} // namespace tessera::io
