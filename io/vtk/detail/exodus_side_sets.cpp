// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/side_matching.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/vtk/detail/exodus_side_sets.hpp>

#include <algorithm>
#include <utility>

namespace tessera::io {

namespace {

class SideSets {
public:
  SideSets(MeshData& data, std::vector<ExodusPlace> places, std::int64_t elements, bool leaves_out,
           LeftOut& left_out)
      : data_(data), places_(std::move(places)), elements_(elements), leaves_out_(leaves_out),
        left_out_(left_out) {}

  /// Says of elements of which programs number edges from 1 or from 3 on what the file's largest number
  /// tells: more than there are edges means that the faces count.
  void settle_edges(const std::vector<ExodusSet>& sets) {
    bool from_three = false;
    for (const ExodusSet& set : sets)
      for (std::size_t i = 0; i < set.items.size(); ++i) {
        const ExodusPlace& place = place_of(set, i);
        from_three |=
            !place.left_out && place.edges == ExodusEdges::either && set.sides[i] > place.type.sides();
      }
    if (!from_three) return;
    for (ExodusPlace& place : places_)
      if (place.edges == ExodusEdges::either) place.edges = ExodusEdges::from_three;
  }

  /// Adds the sides that the file names by an element and a number. Returns the corners of the others, faces
  /// of shells, as match_sides takes them.
  std::vector<Ordinal> add_numbered(const ExodusSet& set) {
    std::vector<Ordinal> faces;
    if (leaves_out_ && is_ambiguous(set)) {
      left_out_.add("sides, all of side set " + in_quotes(set.name) +
                        ", as some programs take numbers of sides of such elements for edges and others, "
                        "that count the two faces first, for other edges or faces",
                    static_cast<std::int64_t>(set.items.size()));
      return faces;
    }
    for (std::size_t i = 0; i < set.items.size(); ++i) add_entry(set, i, faces);
    return faces;
  }

  void add_faces(const ExodusSet& set, const std::vector<Ordinal>& faces) {
    const std::size_t missing = add_side_set(data_, set.name, match_sides(data_, faces));
    if (missing == 0) return;
    if (!leaves_out_)
      fail(set, "has " + std::to_string(missing) +
                    " faces of shells that are sides of no solid; do without the set by "
                    "ReadOptions::allow_partial (--allow-partial)");
    std::size_t sides = missing;
    for (CellBlock& block : data_.blocks)
      if (const auto found = block.side_sets.find(set.name); found != block.side_sets.end()) {
        sides += found->second.size();
        block.side_sets.erase(found);
      }
    left_out_.add("sides, all of side set " + in_quotes(set.name) + ", as " + std::to_string(missing) +
                      " are faces of shells and sides of no solid",
                  static_cast<std::int64_t>(sides));
  }

private:
  [[noreturn]] void fail(const ExodusSet& set, const std::string& what) const {
    throw FileError(data_.source, 0, "side set " + in_quotes(set.name) + " " + what);
  }

  const ExodusPlace& place_of(const ExodusSet& set, std::size_t i) const {
    const std::int64_t element = set.items[i] - 1;
    if (element < 0 || element >= elements_)
      fail(set, "has element " + std::to_string(set.items[i]) + ", but there are " +
                    std::to_string(elements_) + " elements");
    return *(std::upper_bound(places_.begin(), places_.end(), element,
                              [](std::int64_t value, const ExodusPlace& p) { return value < p.first; }) -
             1);
  }

  bool is_ambiguous(const ExodusSet& set) const {
    for (std::size_t i = 0; i < set.items.size(); ++i)
      if (const ExodusPlace& place = place_of(set, i); !place.left_out && place.edges == ExodusEdges::either)
        return true;
    return false;
  }

  void add_entry(const ExodusSet& set, std::size_t i, std::vector<Ordinal>& faces) {
    const ExodusPlace& place = place_of(set, i);
    if (place.left_out) return left_out_.add("sides of side set " + in_quotes(set.name));
    CellBlock& block = *data_.find(place.type);
    const Ordinal cell = place.cell + static_cast<Ordinal>(set.items[i] - 1 - place.first);
    std::int64_t side = set.sides[i];
    if (place.edges == ExodusEdges::either)
      fail(set, "has side " + std::to_string(side) + " of a " + block.type.name() +
                    " element, which some programs take for an edge and others, that count its two faces "
                    "first, for another one or a face; call the block's elements SHELL, whose edges begin at "
                    "3, or in two dimensions QUAD or TRI, whose edges begin at 1");
    if (place.edges == ExodusEdges::from_three) {
      if (side == 1 || side == 2) return append_face(block, cell, side == 2, faces);
      side -= 2;
    }
    const auto sides = exodus_sides(place.type);
    if (side < 1 || side > static_cast<std::int64_t>(sides.size()))
      fail(set, "has side " + std::to_string(set.sides[i]) + " of a " + block.type.name() + " element");
    block.side_sets[set.name].push_back({cell, sides[static_cast<std::size_t>(side - 1)]});
  }

  /// Corners of a shell; those of its back in the other order.
  static void append_face(const CellBlock& block, Ordinal cell, bool back, std::vector<Ordinal>& faces) {
    const auto first = block.nodes.begin() + std::ptrdiff_t{cell} * block.type.nodes();
    const auto begin = faces.insert(faces.end(), first, first + block.type.corners());
    if (back) std::reverse(begin, faces.end());
    faces.insert(faces.end(), static_cast<std::size_t>(4 - block.type.corners()), -1);
  }

  MeshData& data_;
  std::vector<ExodusPlace> places_;
  std::int64_t elements_;
  bool leaves_out_;
  LeftOut& left_out_;
};

} // namespace

void add_exodus_side_sets(MeshData& data, std::vector<ExodusPlace> places, std::int64_t elements,
                          const std::vector<ExodusSet>& sets, const ReadOptions& options) {
  LeftOut left_out;
  SideSets sides(data, std::move(places), elements, options.leaves_out_others(), left_out);
  sides.settle_edges(sets);
  std::vector<std::vector<Ordinal>> faces;
  faces.reserve(sets.size());
  for (const ExodusSet& set : sets) faces.push_back(sides.add_numbered(set));
  collapse_cells(data, options);
  turn_cells(data, options);
  for (std::size_t i = 0; i < sets.size(); ++i) sides.add_faces(sets[i], faces[i]);
  left_out.tell(data.source, options.left_out);
}

} // namespace tessera::io
