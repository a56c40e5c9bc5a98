// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/detail/cell_groups.hpp>

#include <algorithm>
#include <optional>

namespace tessera::io {

namespace {

void sort_unique(auto& entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
}

/// The first entry that stands in a list more than once.
template <class T>
std::optional<T> twice_in(std::vector<T> entries) {
  std::sort(entries.begin(), entries.end());
  const auto found = std::adjacent_find(entries.begin(), entries.end());
  return found == entries.end() ? std::nullopt : std::optional(*found);
}

std::vector<CellSet> ranges_of(const std::vector<std::vector<Ordinal>>& blocks) {
  std::vector<CellSet> found;
  for (const std::vector<Ordinal>& cells : blocks) {
    for (CellSet& set = found.emplace_back(); const Ordinal cell : cells) append(set, {cell, 1});
    normalize(found.back());
  }
  return found;
}

} // namespace

std::vector<const Numbering*> AbaqusMesh::cell_numberings() const {
  std::vector<const Numbering*> numberings;
  numberings.reserve(data_.blocks.size() + 1);
  for (const CellBlock& block : data_.blocks) numberings.push_back(&block.ids);
  numberings.push_back(&left_out_ids_);
  return numberings;
}

std::vector<Ordinal> AbaqusMesh::named_nodes(const std::string& target, const AbaqusPlace& place) const {
  const std::optional<std::int64_t> id = instances_.id_of(target);
  if (!id) return set_nodes(target, place);
  const Ordinal node = *id < 0 ? -1 : data_.node_ids.find(*id);
  if (node < 0) place.fail("there is no node " + target);
  return {node};
}

std::vector<Ordinal> AbaqusMesh::set_nodes(const std::string& set, const AbaqusPlace& place) const {
  nodes_.require(set, place);
  std::vector<Ordinal> found;
  const Numbering* numbering = &data_.node_ids;
  nodes_.for_each(set, {&numbering, 1}, [&](std::size_t, Ordinal node) { found.push_back(node); });
  return found;
}

std::vector<Ordinal> AbaqusMesh::nodes_of(const std::string& target, const AbaqusPlace& place) const {
  std::vector<Ordinal> found = named_nodes(target, place);
  sort_unique(found);
  return found;
}

std::vector<Ordinal> AbaqusMesh::loaded_nodes(const std::string& target, const AbaqusPlace& place) const {
  std::vector<Ordinal> found = named_nodes(target, place);
  if (const auto node = twice_in(found))
    place.fail("node " + data_.node_ids.name(*node) + " stands twice in node set " + in_quotes(target) +
               ", and would be loaded once or twice; name it once");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::vector<Ordinal>> AbaqusMesh::named_cells(const std::string& target,
                                                          const AbaqusPlace& place) const {
  std::vector<std::vector<Ordinal>> found(data_.blocks.size());
  const std::optional<std::int64_t> id = instances_.id_of(target);
  if (!id) return set_cells(target, place);
  bool exists = false;
  for (std::size_t b = 0; b < found.size(); ++b) {
    const Ordinal cell = *id < 0 ? -1 : data_.blocks[b].ids.find(*id);
    if (cell < 0) continue;
    found[b].push_back(cell);
    exists = true;
  }
  exists |= *id >= 0 && left_out_ids_.find(*id) >= 0;
  if (!exists) place.fail("there is no element " + target);
  return found;
}

std::vector<std::vector<Ordinal>> AbaqusMesh::set_cells(const std::string& set,
                                                        const AbaqusPlace& place) const {
  elements_.require(set, place);
  std::vector<std::vector<Ordinal>> found(data_.blocks.size());
  elements_.for_each(set, cell_numberings(), [&](std::size_t block, Ordinal cell) {
    if (block < found.size()) found[block].push_back(cell);
  });
  return found;
}

void AbaqusMesh::note_left_out(const std::string& of, const std::string& target, const AbaqusPlace& place) {
  if (left_out_ids_.size() == 0) return;
  std::vector<Ordinal> found;
  if (const std::optional<std::int64_t> id = instances_.id_of(target)) {
    if (*id >= 0 && left_out_ids_.find(*id) >= 0) found.push_back(left_out_ids_.find(*id));
  } else {
    elements_.require(target, place);
    elements_.for_each(target, cell_numberings(), [&](std::size_t block, Ordinal cell) {
      if (block == data_.blocks.size()) found.push_back(cell);
    });
  }
  sort_unique(found);
  left_out_.add("elements of " + of, static_cast<std::int64_t>(found.size()));
}

std::vector<CellSet> AbaqusMesh::cells_of(const std::string& target, const AbaqusPlace& place) const {
  return ranges_of(named_cells(target, place));
}

std::vector<CellSet> AbaqusMesh::cells_of(const AbaqusSection& section) const {
  return ranges_of(set_cells(section.elements, section.place));
}

std::vector<CellSet> AbaqusMesh::loaded_cells(const std::string& target, const AbaqusPlace& place) const {
  const std::vector<std::vector<Ordinal>> named = named_cells(target, place);
  for (std::size_t b = 0; b < named.size(); ++b)
    if (const auto cell = twice_in(named[b]))
      place.fail("element " + data_.blocks[b].ids.name(*cell) + " stands twice in element set " +
                 in_quotes(target) + ", and would be loaded once or twice; name it once");
  return cells_of(target, place);
}

bool AbaqusMesh::has_face(const CellBlock& block, int face) {
  return std::all_of(block.formulations.begin(), block.formulations.end(), [&](const auto& entry) {
    return face >= 1 && face <= static_cast<int>(abaqus_type(entry.first)->sides.size());
  });
}

bool AbaqusMesh::leaves_out_face(const CellBlock& block, int face) const {
  if (leaves_out_ == AbaqusLeavesOut::unknown) return !has_face(block, face);
  return leaves_out_others() &&
         std::all_of(block.formulations.begin(), block.formulations.end(),
                     [](const auto& entry) { return abaqus_type(entry.first)->sides.empty(); });
}

Ordinal AbaqusMesh::side_of(const CellBlock& block, int face, const AbaqusPlace& place) const {
  // All names of one cell type number its faces alike, but shells and beams have none.
  for (const auto& [name, cells] : block.formulations)
    if (face < 1 || face > static_cast<int>(abaqus_type(name)->sides.size()))
      place.fail("elements of type " + name + " have no face " + std::to_string(face));
  return abaqus_type(block.formulations.begin()->first)->sides[static_cast<std::size_t>(face - 1)];
}

std::string AbaqusMesh::name_in_mesh(const std::string& name) const {
  const std::string plain = instances_.plain(name);
  const bool taken = nodes_.contains(plain) || elements_.contains(plain) || surfaces_.contains(plain);
  return taken ? name : plain;
}

void AbaqusMesh::resolve_sets() {
  for (const std::string& name : nodes_.names()) {
    std::vector<Ordinal>& nodes = data_.node_sets[name_in_mesh(name)] = set_nodes(name, {data_.source, 0});
    sort_unique(nodes);
  }
  for (const std::string& name : elements_.names()) {
    note_left_out("element set " + in_quotes(name_in_mesh(name)), name, {data_.source, 0});
    std::vector<CellSet> cells = ranges_of(set_cells(name, {data_.source, 0}));
    for (std::size_t b = 0; b < cells.size(); ++b)
      if (!cells[b].empty()) data_.blocks[b].cell_sets[name_in_mesh(name)] = std::move(cells[b]);
  }
}

void AbaqusMesh::add_groups_of_sides(const ReadOptions& options) {
  const int dimension = data_.dimension();
  std::map<std::string, CellGroup> groups;
  for (const CellBlock& block : data_.blocks)
    if (block.type.dimension() == dimension - 1)
      for (const auto& [name, cells] : block.cell_sets) {
        CellGroup& group = groups[name];
        group.dimension = dimension - 1;
        group.name = name;
        group.cells[block.type] = cells;
      }
  std::vector<CellGroup> of_sides;
  for (auto& [name, group] : groups) {
    const bool others = std::any_of(data_.blocks.begin(), data_.blocks.end(), [&](const CellBlock& block) {
      return block.side_sets.contains(name) ||
             (block.type.dimension() == dimension && block.cell_sets.contains(name));
    });
    if (!others && !data_.node_sets.contains(name)) of_sides.push_back(std::move(group));
  }
  ReadOptions of_groups = options; // a set of shells need not lie on solids
  of_groups.allow_partial = options.leaves_out_others();
  add_groups(data_, of_sides, of_groups);
}

std::vector<std::vector<Side>> AbaqusMesh::named_sides(const std::string& surface) const {
  std::vector<std::vector<Side>> found(data_.blocks.size());
  for (const SurfacePart& part : surfaces_.at(surface)) {
    if (part.face == 0) continue;
    const std::vector<std::vector<Ordinal>> cells = named_cells(part.target, part.place);
    for (std::size_t b = 0; b < cells.size(); ++b) {
      if (cells[b].empty() || leaves_out_face(data_.blocks[b], part.face)) continue;
      const Ordinal side = side_of(data_.blocks[b], part.face, part.place);
      for (const Ordinal cell : cells[b]) found[b].push_back({cell, side});
    }
  }
  return found;
}

std::vector<std::vector<Side>> AbaqusMesh::loaded_sides(const std::string& surface,
                                                        const AbaqusPlace& place) const {
  std::vector<std::vector<Side>> found(data_.blocks.size());
  if (surfaces_.contains(surface)) found = named_sides(surface);
  bool any = false;
  for (std::size_t b = 0; b < found.size(); ++b) {
    any |= !found[b].empty();
    if (const auto side = twice_in(found[b]))
      place.fail("a face of element " + data_.blocks[b].ids.name(side->cell) + " stands twice in surface " +
                 in_quotes(surface) + ", and would be loaded once or twice; name it once");
  }
  if (!any) place.fail("there is no surface " + in_quotes(surface));
  return found;
}

void AbaqusMesh::note_faces_left_out(const std::string& surface, const SurfacePart& part) {
  if (!leaves_out_others()) return;
  const std::string of = "surface " + in_quotes(name_in_mesh(surface));
  note_left_out(of, part.target, part.place);
  const std::vector<std::vector<Ordinal>> cells = named_cells(part.target, part.place);
  for (std::size_t b = 0; b < cells.size(); ++b)
    if (leaves_out_face(data_.blocks[b], part.face))
      left_out_.add("elements of " + of, static_cast<std::int64_t>(cells[b].size()));
}

void AbaqusMesh::resolve_surfaces() {
  for (const auto& [name, parts] : surfaces_) {
    std::vector<Ordinal> nodes;
    for (const SurfacePart& part : parts) {
      if (part.face != 0) {
        note_faces_left_out(name, part);
        continue;
      }
      const std::vector<Ordinal> some = nodes_of(part.target, part.place);
      nodes.insert(nodes.end(), some.begin(), some.end());
    }
    sort_unique(nodes);
    // A set of nodes may have the name of a surface and other nodes.
    std::string set = name_in_mesh(name);
    while (data_.node_sets.contains(set) && data_.node_sets.at(set) != nodes) set += ".SURFACE";
    if (!nodes.empty()) data_.node_sets[set] = std::move(nodes);
    std::vector<std::vector<Side>> sides = named_sides(name);
    for (std::size_t b = 0; b < sides.size(); ++b) {
      if (sides[b].empty()) continue;
      sort_unique(sides[b]);
      data_.blocks[b].side_sets[name_in_mesh(name)] = std::move(sides[b]);
    }
  }
}

void AbaqusMesh::resolve_sections() {
  for (std::size_t i = 0; i < materials_.size(); ++i)
    data_.material_names[static_cast<std::int32_t>(i + 1)] = materials_[i];
  for (const AbaqusSection& section : sections_) {
    const auto found = std::find(materials_.begin(), materials_.end(), section.material);
    if (found == materials_.end()) section.place.fail("there is no material " + in_quotes(section.material));
    const auto number = static_cast<std::int32_t>(found - materials_.begin() + 1);
    const std::vector<CellSet> cells = cells_of(section);
    for (std::size_t b = 0; b < cells.size(); ++b)
      for (const CellRange& range : cells[b])
        std::fill_n(data_.blocks[b].material.begin() + range.first, range.count, number);
  }
}

} // namespace tessera::io
