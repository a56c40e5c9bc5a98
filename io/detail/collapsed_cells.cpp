// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/detail/lattice.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tessera::io {

namespace {

using Places = std::vector<int>;

/// What a cell that names its nodes in some way twice is.
struct Collapse {
  CellType type;
  Places nodes; ///< of the cell, for each of the new one's
  Places sides; ///< of the new cell, for each of the cell's; -1 where nothing is left of it
};

/// The corners at the ends of the edge in whose middle each node behind the corners lies.
template <Shape shape>
std::vector<std::array<int, 2>> edges_of(CellType type) {
  constexpr auto lattice = tessera::detail::make_lattice<shape, 2>();
  std::vector<std::array<int, 2>> edges;
  for (int node = type.corners(); node < type.nodes(); ++node)
    for (int a = 0; a < type.corners(); ++a)
      for (int b = a + 1; b < type.corners(); ++b) {
        bool between = true;
        for (std::size_t d = 0; d < lattice.front().size(); ++d)
          between &= lattice[to_size(a)][d] + lattice[to_size(b)][d] == 2 * lattice[to_size(node)][d];
        if (between) edges.push_back({a, b});
      }
  return edges;
}
std::vector<std::array<int, 2>> edges_of(CellType type) {
  if (type.order == 1) return {};
  switch (type.shape) {
  case Shape::triangle:
    return edges_of<Shape::triangle>(type);
  case Shape::quadrilateral:
    return edges_of<Shape::quadrilateral>(type);
  case Shape::tetrahedron:
    return edges_of<Shape::tetrahedron>(type);
  case Shape::hexahedron:
    return edges_of<Shape::hexahedron>(type);
  case Shape::wedge:
    return edges_of<Shape::wedge>(type);
  case Shape::pyramid:
    return edges_of<Shape::pyramid>(type);
  case Shape::line:
    break;
  }
  return {};
}

/// A list of corners round a side, beginning with the lowest.
Places from_lowest(Places corners) {
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  return corners;
}

/// Finds what a cell of a type is, by where each node stands first among its nodes.
class Finder {
public:
  Finder(CellType type, const Places& first) : type_(type), first_(first) {
    for (int corner = 0; corner < type.corners(); ++corner)
      if (first[to_size(corner)] == corner) corners_.push_back(corner);
  }

  std::optional<Collapse> find() {
    if (!find_sides()) return std::nullopt;
    for (const Shape shape : {Shape::triangle, Shape::wedge, Shape::pyramid, Shape::tetrahedron}) {
      const CellType to{shape, type_.order, type_.serendipity && !is_simplex(shape)};
      if (to.dimension() == type_.dimension() && to_size(to.corners()) == corners_.size())
        if (auto found = find(to)) return found;
    }
    return std::nullopt;
  }

private:
  /// The sides that are left. False if one is folded: a corner stands twice in it with others between.
  bool find_sides() {
    const auto least = to_size(type_.dimension());
    for (int side = 0; side < type_.sides(); ++side) {
      Places corners;
      for (const int corner : type_.side_corners(side)) corners.push_back(first_[to_size(corner)]);
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
      if (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
      for (const int corner : corners)
        if (std::count(corners.begin(), corners.end(), corner) > 1) return false;
      sides_.push_back(corners.size() < least ? Places() : from_lowest(std::move(corners)));
    }
    return true;
  }

  std::optional<Collapse> find(CellType to) const {
    const auto left =
        std::count_if(sides_.begin(), sides_.end(), [](const auto& side) { return !side.empty(); });
    if (left != to.sides()) return std::nullopt;
    Places corners = corners_; // of this cell, for each of the new one's
    do {
      Collapse collapse{to, corners, Places(sides_.size(), -1)};
      if (has_sides(collapse) && has_edges(collapse)) return collapse;
    } while (std::next_permutation(corners.begin(), corners.end()));
    return std::nullopt;
  }

  /// Whether the sides that are left are those of the new cell, and which.
  bool has_sides(Collapse& collapse) const {
    for (int side = 0; side < collapse.type.sides(); ++side) {
      Places corners;
      for (const int corner : collapse.type.side_corners(side))
        corners.push_back(collapse.nodes[to_size(corner)]);
      const auto found = std::find(sides_.begin(), sides_.end(), from_lowest(std::move(corners)));
      if (found == sides_.end()) return false;
      collapse.sides[to_size(found - sides_.begin())] = side;
    }
    return true;
  }

  /// Adds the nodes on edges. False if edges that fall together do not share theirs, or one without a length
  /// has another node than its ends.
  bool has_edges(Collapse& collapse) const {
    std::map<std::pair<int, int>, int> middles;
    const auto edges = edges_of(type_);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const int a = first_[to_size(edges[e][0])], b = first_[to_size(edges[e][1])];
      const int middle = first_[to_size(type_.corners()) + e];
      if (a == b && middle != a) return false;
      if (middles.emplace(std::minmax(a, b), middle).first->second != middle) return false;
    }
    for (const auto& [a, b] : edges_of(collapse.type)) {
      const auto middle = middles.find(std::minmax(collapse.nodes[to_size(a)], collapse.nodes[to_size(b)]));
      if (middle == middles.end()) return false;
      collapse.nodes.push_back(middle->second);
    }
    Places sorted = collapse.nodes;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }

  CellType type_;
  const Places& first_;
  Places corners_;            ///< the first of each node's
  std::vector<Places> sides_; ///< their corners from the lowest on, empty where less is left than a side
};

/// Whether a type may have fewer corners than it should and be something else, and its nodes lie at corners
/// and edges alone.
bool may_collapse(CellType type) {
  return type.dimension() >= 2 && !is_simplex(type.shape) && (type.order == 1 || type.serendipity);
}

/// Takes the collapsed cells out of one block.
class Collapser {
public:
  Collapser(MeshData& data, std::size_t block)
      : data_(data), block_(block), nodes_(to_size(data.blocks[block].type.nodes())) {}

  std::vector<CollapsedCells> collapse() {
    find_cells();
    std::vector<CollapsedCells> done;
    for (const auto& [type, cells] : collapsed_) {
      data_.block(type); // before references are taken
      done.push_back({data_.blocks[block_].type, type, static_cast<Ordinal>(cells.size()), 0});
      move(cells, *data_.find(type), done.back());
    }
    if (!done.empty()) keep_others();
    return done;
  }

private:
  using Cells = std::vector<std::pair<Ordinal, const Collapse*>>; ///< ascending

  void find_cells() {
    const CellBlock& block = data_.blocks[block_];
    is_collapsed_.assign(to_size(block.cells()), false);
    Places first(nodes_);
    for (Ordinal cell = 0; cell < block.cells(); ++cell) {
      const auto nodes = std::span(block.nodes).subspan(to_size(cell) * nodes_, nodes_);
      bool repeats = false;
      for (std::size_t n = 0; n < nodes_; ++n) {
        first[n] = static_cast<int>(std::find(nodes.begin(), nodes.end(), nodes[n]) - nodes.begin());
        repeats |= first[n] != static_cast<int>(n);
      }
      if (!repeats) continue;
      auto known = found_.find(first);
      if (known == found_.end()) known = found_.emplace(first, Finder(block.type, first).find()).first;
      if (!known->second) continue;
      collapsed_[known->second->type].emplace_back(cell, &*known->second);
      is_collapsed_[to_size(cell)] = true;
    }
  }

  /// Appends cells to a block of their new type.
  void move(const Cells& cells, CellBlock& to, CollapsedCells& done) {
    const CellBlock& from = data_.blocks[block_];
    std::vector<Ordinal> moved(to_size(from.cells()), -1); // where each stands afterwards
    std::vector<const Collapse*> how(to_size(from.cells()), nullptr);
    copy_fields(from, to, cells);
    for (const auto& [cell, collapse] : cells) {
      moved[to_size(cell)] = to.cells();
      how[to_size(cell)] = collapse;
      for (const int node : collapse->nodes)
        to.nodes.push_back(from.nodes[to_size(cell) * nodes_ + to_size(node)]);
      to.material.push_back(from.material[to_size(cell)]);
      to.ids.append(from.ids.id(cell));
    }
    to.ids.set_owners(from.ids.owners());
    for (const auto& [name, set] : from.cell_sets) append(name, set, moved, to.cell_sets);
    for (const auto& [name, set] : from.formulations) append(name, set, moved, to.formulations);
    for (const auto& [name, set] : from.side_sets)
      for (const Side& side : set) {
        if (moved[to_size(side.cell)] < 0) continue;
        const int number = how[to_size(side.cell)]->sides[to_size(side.side)];
        if (number < 0)
          ++done.lost_sides;
        else
          to.side_sets[name].push_back({moved[to_size(side.cell)], number});
      }
    for (auto& [name, set] : to.side_sets) std::sort(set.begin(), set.end());
  }

  static void append(const std::string& name, const CellSet& set, const std::vector<Ordinal>& moved,
                     std::map<std::string, CellSet>& sets) {
    CellSet found;
    for (const CellRange& range : set)
      for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
        if (moved[to_size(cell)] >= 0) io::append(found, {moved[to_size(cell)], 1});
    if (found.empty()) return;
    CellSet& all = sets[name];
    all.insert(all.end(), found.begin(), found.end());
    normalize(all);
  }

  /// Fields that a block lacks are zero there.
  static void copy_fields(const CellBlock& from, CellBlock& to, const Cells& cells) {
    const auto complete = [](const CellBlock& like, CellBlock& block) {
      for (const Field& field : like.fields)
        if (std::none_of(block.fields.begin(), block.fields.end(),
                         [&](const Field& other) { return other.name == field.name; }))
          block.fields.push_back(
              {field.name,
               std::vector<double>(to_size(block.cells()) * (field.values.size() / to_size(like.cells())))});
    };
    complete(from, to);
    for (Field& field : to.fields)
      for (const Field& source : from.fields) {
        if (source.name != field.name) continue;
        const std::size_t components = source.values.size() / to_size(from.cells());
        for (const auto& [cell, collapse] : cells)
          for (std::size_t c = 0; c < components; ++c)
            field.values.push_back(source.values[to_size(cell) * components + c]);
      }
  }

  /// Takes the collapsed cells out of the block that they were in.
  void keep_others() {
    CellBlock& block = data_.blocks[block_];
    std::vector<Ordinal> kept(to_size(block.cells()), -1);
    CellBlock left;
    left.type = block.type;
    for (const Field& field : block.fields) left.fields.push_back({field.name, {}});
    for (Ordinal cell = 0; cell < block.cells(); ++cell) {
      if (is_collapsed_[to_size(cell)]) continue;
      kept[to_size(cell)] = left.cells();
      const auto first = block.nodes.begin() + static_cast<std::ptrdiff_t>(to_size(cell) * nodes_);
      left.nodes.insert(left.nodes.end(), first, first + static_cast<std::ptrdiff_t>(nodes_));
      left.material.push_back(block.material[to_size(cell)]);
      left.ids.append(block.ids.id(cell));
      for (std::size_t f = 0; f < left.fields.size(); ++f) {
        const auto components = block.fields[f].values.size() / to_size(block.cells());
        for (std::size_t c = 0; c < components; ++c)
          left.fields[f].values.push_back(block.fields[f].values[to_size(cell) * components + c]);
      }
    }
    left.ids.set_owners(block.ids.owners());
    for (const auto& [name, set] : block.cell_sets) append(name, set, kept, left.cell_sets);
    for (const auto& [name, set] : block.formulations) append(name, set, kept, left.formulations);
    for (const auto& [name, set] : block.side_sets)
      for (const Side& side : set)
        if (kept[to_size(side.cell)] >= 0)
          left.side_sets[name].push_back({kept[to_size(side.cell)], side.side});
    block = std::move(left);
  }

  MeshData& data_;
  std::size_t block_;
  std::size_t nodes_;
  std::map<Places, std::optional<Collapse>> found_; ///< by where each node stands first
  std::map<CellType, Cells> collapsed_;
  std::vector<bool> is_collapsed_;
};

/// The cells of groups as sets of cells of the blocks while these change.
class GroupsAsSets {
public:
  GroupsAsSets(MeshData& data, std::vector<CellGroup>& groups) : data_(data), groups_(groups) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (auto& [type, cells] : groups[g].cells) data.find(type)->cell_sets[name(g)] = std::move(cells);
  }
  GroupsAsSets(const GroupsAsSets&) = delete;
  GroupsAsSets& operator=(const GroupsAsSets&) = delete;
  ~GroupsAsSets() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].cells.clear();
      for (CellBlock& block : data_.blocks) {
        const auto found = block.cell_sets.find(name(g));
        if (found == block.cell_sets.end()) continue;
        groups_[g].cells[block.type] = std::move(found->second);
        block.cell_sets.erase(found);
      }
    }
  }

private:
  /// No file has such a name.
  static std::string name(std::size_t group) { return std::string(1, '\0') + std::to_string(group); }

  MeshData& data_;
  std::vector<CellGroup>& groups_;
};

} // namespace

std::vector<CollapsedCells> collapse_cells(MeshData& data, std::vector<CellGroup>& groups) {
  const GroupsAsSets sets(data, groups);
  std::vector<CollapsedCells> all;
  const std::size_t blocks = data.blocks.size(); // those that are added have no collapsed cells
  for (std::size_t b = 0; b < blocks; ++b) {
    if (!may_collapse(data.blocks[b].type)) continue;
    const auto of_block = Collapser(data, b).collapse();
    all.insert(all.end(), of_block.begin(), of_block.end());
  }
  std::erase_if(data.blocks, [&](const CellBlock& block) {
    return block.cells() == 0 && std::any_of(all.begin(), all.end(), [&](const CollapsedCells& some) {
             return some.from == block.type;
           });
  });
  return all;
}

void collapse_cells(MeshData& data, std::vector<CellGroup>& groups, const ReadOptions& options) {
  if (!options.collapsed) return;
  const std::string contents = data.contents();
  std::string what;
  std::size_t lost_sides = 0;
  for (const CollapsedCells& some : collapse_cells(data, groups)) {
    what += (what.empty() ? "" : ", ") + std::to_string(some.cells) + " " + some.from.name() + " as " +
            some.to.name();
    lost_sides += some.lost_sides;
  }
  if (what.empty()) return;
  if (lost_sides > 0)
    what += "; " + std::to_string(lost_sides) + " sides of side sets are edges or points, and left out";
  options.collapsed(data.source + ": of its " + contents +
                    ", some name a node twice and are read as what they are: " + what);
}

void collapse_cells(MeshData& data, const ReadOptions& options) {
  std::vector<CellGroup> none;
  collapse_cells(data, none, options);
}

} // namespace tessera::io
