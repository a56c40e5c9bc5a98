#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/detail/cell_groups.hpp>

#include <algorithm>

namespace tessera::io {

namespace {

void sort_unique(auto& entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
}

} // namespace

std::vector<const Numbering*> AbaqusMesh::cell_numberings() const {
  std::vector<const Numbering*> numberings;
  numberings.reserve(data_.blocks.size());
  for (const CellBlock& block : data_.blocks) numberings.push_back(&block.ids);
  return numberings;
}

std::vector<Ordinal> AbaqusMesh::named_nodes(const std::string& target, const AbaqusPlace& place) const {
  std::vector<Ordinal> found;
  std::int64_t number = 0;
  if (parse(target, number)) {
    found.push_back(number < 0 ? -1 : data_.node_ids.find(number));
    if (found.front() < 0) place.fail("there is no node " + std::to_string(number));
    return found;
  }
  nodes_.require(target, place);
  const Numbering* numbering = &data_.node_ids;
  nodes_.for_each(target, {&numbering, 1}, [&](std::size_t, Ordinal node) { found.push_back(node); });
  return found;
}

std::vector<Ordinal> AbaqusMesh::nodes_of(const std::string& target, const AbaqusPlace& place) const {
  std::vector<Ordinal> found = named_nodes(target, place);
  sort_unique(found);
  return found;
}

std::vector<Ordinal> AbaqusMesh::loaded_nodes(const std::string& target, const AbaqusPlace& place) const {
  std::vector<Ordinal> found = named_nodes(target, place);
  std::sort(found.begin(), found.end());
  if (const auto twice = std::adjacent_find(found.begin(), found.end()); twice != found.end())
    place.fail("node " + std::to_string(data_.node_ids.id(*twice)) + " stands twice in node set " +
               in_quotes(target) + ", and would be loaded once or twice; name it once");
  return found;
}

std::vector<CellSet> AbaqusMesh::cells_of(const std::string& target, const AbaqusPlace& place) const {
  std::vector<CellSet> found(data_.blocks.size());
  std::int64_t number = 0;
  if (!parse(target, number)) {
    elements_.require(target, place);
    elements_.for_each(target, cell_numberings(),
                       [&](std::size_t block, Ordinal cell) { append(found[block], {cell, 1}); });
    for (CellSet& set : found) normalize(set);
    return found;
  }
  bool exists = false;
  for (std::size_t b = 0; b < found.size(); ++b) {
    const Ordinal cell = number < 0 ? -1 : data_.blocks[b].ids.find(number);
    if (cell < 0) continue;
    append(found[b], {cell, 1});
    exists = true;
  }
  if (!exists) place.fail("there is no element " + std::to_string(number));
  return found;
}

Ordinal AbaqusMesh::side_of(const CellBlock& block, int face, const AbaqusPlace& place) const {
  // All names of one cell type number its faces alike.
  const AbaqusType* type = abaqus_type(block.formulations.begin()->first);
  if (face < 1 || face > static_cast<int>(type->sides.size()))
    place.fail("elements of type " + std::string(type->name) + " have no face " + std::to_string(face));
  return type->sides[static_cast<std::size_t>(face - 1)];
}

void AbaqusMesh::resolve_sets() {
  for (const std::string& name : nodes_.names()) data_.node_sets[name] = nodes_of(name, {data_.source, 0});
  for (const std::string& name : elements_.names()) {
    std::vector<CellSet> cells = cells_of(name, {data_.source, 0});
    for (std::size_t b = 0; b < cells.size(); ++b)
      if (!cells[b].empty()) data_.blocks[b].cell_sets[name] = std::move(cells[b]);
  }
}

void AbaqusMesh::add_groups_of_sides(bool allow_partial) {
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
  add_groups(data_, of_sides, allow_partial);
}

void AbaqusMesh::resolve_surfaces() {
  for (const auto& [name, parts] : surfaces_) {
    for (const SurfacePart& part : parts) {
      if (part.face == 0) {
        const std::vector<Ordinal> nodes = nodes_of(part.target, part.place);
        std::vector<Ordinal>& set = data_.node_sets[name];
        set.insert(set.end(), nodes.begin(), nodes.end());
        sort_unique(set);
        continue;
      }
      const std::vector<CellSet> cells = cells_of(part.target, part.place);
      for (std::size_t b = 0; b < cells.size(); ++b) {
        if (cells[b].empty()) continue;
        const Ordinal side = side_of(data_.blocks[b], part.face, part.place);
        std::vector<Side>& set = data_.blocks[b].side_sets[name];
        for (const CellRange& range : cells[b])
          for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
            set.push_back({cell, side});
      }
    }
    for (CellBlock& block : data_.blocks)
      if (const auto set = block.side_sets.find(name); set != block.side_sets.end()) sort_unique(set->second);
  }
}

void AbaqusMesh::resolve_sections() {
  for (std::size_t i = 0; i < materials_.size(); ++i)
    data_.material_names[static_cast<std::int32_t>(i + 1)] = materials_[i];
  for (const AbaqusSection& section : sections_) {
    const auto found = std::find(materials_.begin(), materials_.end(), section.material);
    if (found == materials_.end()) section.place.fail("there is no material " + in_quotes(section.material));
    const auto number = static_cast<std::int32_t>(found - materials_.begin() + 1);
    const std::vector<CellSet> cells = cells_of(section.elements, section.place);
    for (std::size_t b = 0; b < cells.size(); ++b)
      for (const CellRange& range : cells[b])
        std::fill_n(data_.blocks[b].material.begin() + range.first, range.count, number);
  }
}

} // namespace tessera::io
