// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera::io {

namespace {

/// Keywords that make or move nodes and elements in ways that are not supported; passing over them would give
/// another mesh.
constexpr std::string_view refused_keywords[] = {"NFILL", "NCOPY", "NMAP", "ELCOPY"};

/// Keywords whose data would be lost if they were passed over for a slip of the pen.
constexpr std::string_view mesh_keywords[] = {"NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "SOLIDSECTION"};

/// The least number of letters that are inserted, left out or replaced between two words (Wagner and Fischer
/// 1974).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(
          row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)}));
  }
  return row.back();
}

/// \throws FileError for a keyword that none of the two programs knows, and that is nearly one of the mesh
void require_well_spelt(const AbaqusKeyword& keyword) {
  for (const std::string_view known : mesh_keywords)
    if (distance(keyword.name, known) <= (known.size() < 6 ? 1 : 2))
      keyword.place.fail("there is no keyword " + keyword.shown + "; is *" + std::string(known) + " meant?");
}

} // namespace

bool AbaqusMesh::read(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string& name = keyword.name;
  if (instances_.read(keyword, lexer)) {
    if (name == "ASSEMBLY" && outside_)
      keyword.place.fail(keyword.shown + " below " + outside_->shown + " of line " +
                         std::to_string(outside_->place.line) + ", which stands in no part");
    return true;
  }
  if (name == "NODE") {
    read_nodes(keyword, lexer);
  } else if (name == "ELEMENT") {
    read_elements(keyword, lexer);
  } else if (name == "NGEN") {
    generate_nodes(keyword, lexer);
  } else if (name == "ELGEN") {
    read_generations(keyword, lexer);
  } else if (name == "NSET" || name == "ELSET") {
    const std::string set = name_here(keyword, name);
    if (set.empty()) keyword.place.fail("*" + name + " needs the parameter " + name + "=name");
    if (name == "NSET" && keyword.has("ELSET"))
      keyword.place.fail(keyword.shown + " with ELSET is not supported; list the nodes");
    (name == "NSET" ? nodes_ : elements_)
        .read(set, keyword.has("GENERATE"), instances_.listed(keyword), lexer);
  } else if (name == "SURFACE") {
    read_surface(keyword, lexer);
  } else if (name == "SOLIDSECTION") {
    read_section(keyword, lexer);
  } else if (name == "SYSTEM") {
    read_system(keyword, lexer);
  } else if (std::find(std::begin(refused_keywords), std::end(refused_keywords), name) !=
             std::end(refused_keywords)) {
    keyword.place.fail(keyword.shown +
                       " is not supported; write the deck with all its nodes and elements in place");
  } else {
    // *MATERIAL has no data lines; those of its properties follow keywords of their own.
    if (name == "MATERIAL") {
      const std::string material = keyword.label("NAME");
      if (material.empty()) keyword.place.fail("*MATERIAL needs the parameter NAME=name");
      if (std::find(materials_.begin(), materials_.end(), material) == materials_.end())
        materials_.push_back(material);
    }
    require_well_spelt(keyword);
    return false;
  }
  if (instances_.owners().empty() && !outside_) outside_ = keyword;
  return true;
}

void AbaqusMesh::read_system(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields)) // without data: the axes that nodes have anyway
    keyword.place.fail(keyword.shown + " with data is not supported; write the nodes' own coordinates");
}

std::string AbaqusMesh::name_here(const AbaqusKeyword& keyword, const std::string& parameter) const {
  const std::string label = keyword.label(parameter);
  return label.empty() ? label : instances_.scope().prefix + label;
}

void AbaqusMesh::read_nodes(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  if (keyword.has("INPUT") || (keyword.has("SYSTEM") && keyword.label("SYSTEM") != "R"))
    keyword.place.fail("*NODE with " + std::string(keyword.has("INPUT") ? "INPUT" : "SYSTEM") +
                       " is not supported");
  const std::string set = name_here(keyword, "NSET");
  const AbaqusScope& scope = instances_.scope();
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields)) {
    const std::int64_t id = nodes_.parse_id(fields[0], scope, lexer);
    // Trailing coordinates that are left out are zero; what comes after them are normals for shells.
    std::array<double, 3> point{};
    for (std::size_t d = 0; d < 3 && d + 1 < fields.size(); ++d)
      if (!fields[d + 1].empty() && !parse(fields[d + 1], point[d]))
        lexer.fail("expected coordinate " + std::to_string(d + 1) + " of node " + instances_.shown(id) +
                   ", a finite number, but found " + in_quotes(fields[d + 1]));
    if (data_.nodes() == std::numeric_limits<Ordinal>::max())
      lexer.fail("more nodes than 32-bit numbers can count");
    if (inside_instance()) point = instances_.placement()(point);
    data_.node_ids.append(id);
    data_.points.insert(data_.points.end(), point.begin(), point.end());
    if (!set.empty()) nodes_.add(set, id, lexer.place());
  }
}

void AbaqusMesh::index_nodes() {
  // Nodes mostly come before elements. Where the two alternate, building the index again each time would take
  // time in proportion to the square of the deck, so it waits until there are an eighth more.
  if (data_.nodes() >= indexed_nodes_ + indexed_nodes_ / 8) index_all_nodes();
}

void AbaqusMesh::index_all_nodes() {
  if (data_.nodes() == indexed_nodes_) return;
  if (const auto repeated = data_.node_ids.build_index())
    throw FileError(data_.source, 0, "node " + instances_.shown(*repeated) + " is defined twice");
  indexed_nodes_ = data_.nodes();
}

void AbaqusMesh::read_elements(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string type_name = keyword.label("TYPE");
  const AbaqusType* type = abaqus_type(type_name);
  if (type == nullptr) {
    const RefusedAbaqusType* const refused = refused_abaqus_type(type_name);
    const bool has_volume = refused == nullptr || refused->has_volume;
    if (leaves_out_ == AbaqusLeavesOut::unknown || (leaves_out_others() && !has_volume))
      return leave_out_elements(keyword, lexer);
    keyword.place.fail("element type " + in_quotes(type_name) +
                       (refused == nullptr ? std::string() : " (" + std::string(refused->kind) + ")") +
                       " is not supported; read are " + abaqus_type_names());
  }
  if (keyword.has("INPUT")) keyword.place.fail("*ELEMENT with INPUT is not supported");
  const std::string set = name_here(keyword, "ELSET");
  const AbaqusScope& scope = instances_.scope();
  index_nodes();
  data_.block(type->type);
  const auto block_index = static_cast<std::size_t>(data_.find(type->type) - data_.blocks.data());
  CellBlock& block = data_.blocks[block_index];
  const Ordinal first = block.cells();
  const auto nodes = static_cast<std::size_t>(type->type.nodes());
  std::vector<std::string_view> fields;
  while (lexer.next_data_of_any_end(fields)) {
    const std::int64_t id = elements_.parse_id(fields[0], scope, lexer);
    std::size_t found = 0;
    std::int64_t last_node = 0;
    const std::size_t begin = block.nodes.size();
    block.nodes.resize(begin + nodes);
    for (std::size_t field = 1; found < nodes; ++field) {
      if (field == fields.size()) {
        // An element's nodes go on over as many lines as they need; what follows them on their last line is
        // left alone, as CalculiX does it, whose tests have decks of C3D20 turned into C3D8 by the type
        // alone.
        field = 0;
        const AbaqusPlace place = lexer.place();
        if (!lexer.next_data_of_any_end(fields))
          place.fail("element " + instances_.shown(id) + " has " + std::to_string(found) + " nodes where " +
                     type_name + " needs " + std::to_string(nodes));
      }
      const std::int64_t node = nodes_.parse_id(fields[field], scope, lexer);
      // Nodes that were defined after the index was built are looked up at the end.
      const Ordinal index = indexed_nodes_ > 0 ? data_.node_ids.find(node) : -1;
      const std::size_t place = type->order.empty() ? found : to_size(type->order[found]);
      if (index < 0) pending_.push_back({block_index, begin + place, id, node, lexer.place()});
      block.nodes[begin + place] = index;
      last_node = node;
      ++found;
    }
    if (!lexer.line_ended()) check_unended(lexer, fields.back(), last_node);
    block.material.push_back(0);
    block.ids.append(id);
    if (!set.empty()) elements_.add(set, id, lexer.place());
  }
  append(block.formulations[std::string(type->name)], {first, block.cells() - first});
}

void AbaqusMesh::leave_out_elements(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string set = name_here(keyword, "ELSET");
  const Ordinal before = left_out_ids_.size();
  std::vector<std::string_view> fields;
  for (bool goes_on = false; lexer.next_data(fields); goes_on = lexer.line_goes_on()) {
    if (goes_on) continue;
    const std::int64_t id = elements_.parse_id(fields[0], instances_.scope(), lexer);
    left_out_ids_.append(id);
    if (!set.empty()) elements_.add(set, id, lexer.place());
  }
  left_out_.add("elements of type " + keyword.label("TYPE"), left_out_ids_.size() - before);
}

void AbaqusMesh::check_unended(const AbaqusLexer& lexer, std::string_view last_field,
                               std::int64_t last_node) const {
  std::int64_t number = 0;
  bool whole = parse(last_field, number) && number == last_node;
  for (Ordinal node = 0; whole && node < data_.nodes(); ++node) {
    std::int64_t id = data_.node_ids.id(node);
    if (id == last_node) continue;
    while (id > last_node) id /= 10;
    whole = id != last_node;
  }
  if (!whole) lexer.require_line_end();
}

bool AbaqusMesh::leaves_out_face(std::string_view face) const {
  if (leaves_out_ == AbaqusLeavesOut::unknown) return face.starts_with('S') || face.starts_with('E');
  return leaves_out_others() && (face == "SPOS" || face == "SNEG" || face.starts_with('E'));
}

void AbaqusMesh::read_surface(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string name = name_here(keyword, "NAME");
  if (name.empty()) keyword.place.fail("*SURFACE needs the parameter NAME=name");
  const std::string type = keyword.has("TYPE") ? keyword.label("TYPE") : "ELEMENT";
  if (type != "ELEMENT" && type != "NODE")
    keyword.place.fail("*SURFACE of type " + in_quotes(type) +
                       " is not supported; read are ELEMENT and NODE");
  std::vector<SurfacePart>& parts = surfaces_[name];
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields)) {
    SurfacePart part{instances_.scope().prefix + capitals(fields[0]), 0, lexer.place()};
    if (type == "ELEMENT") {
      const std::string face = fields.size() > 1 ? capitals(fields[1]) : std::string();
      const bool known = face.size() == 2 && face[0] == 'S' && face[1] >= '1' && face[1] <= '6';
      // Faces and edges of shells.
      if (!known && leaves_out_face(face)) {
        left_out_.add("faces " + face + " of elements in surface " + in_quotes(name));
        continue;
      }
      if (!known)
        lexer.fail("expected a face S1 to S6 of elements " + in_quotes(part.target) + ", but found " +
                   in_quotes(face));
      part.face = face[1] - '0';
    }
    parts.push_back(std::move(part));
  }
}

void AbaqusMesh::read_section(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const AbaqusSection section{name_here(keyword, "ELSET"), keyword.label("MATERIAL"), 1.0, keyword.place,
                              keyword.label("ORIENTATION")};
  if (section.elements.empty() || section.material.empty())
    keyword.place.fail("*SOLID SECTION needs the parameters ELSET=name and MATERIAL=name");
  sections_.push_back(section);
  AbaqusDataLines lines(lexer);
  if (!lines.next()) return;
  // The thickness of plane elements.
  if (!lines.field(0).empty()) {
    sections_.back().thickness = lines.real(0, "a section's thickness");
    if (!(sections_.back().thickness > 0.0))
      lines.fail("a section's thickness is " + shown(sections_.back().thickness) +
                 ", which must be positive");
  }
  lines.require_at_most(1, keyword);
  if (lines.next()) lines.fail(keyword.shown + " has one data line; is a keyword missing?");
}

void AbaqusMesh::finish() {
  instances_.finish();
  if (data_.blocks.empty())
    throw FileError(data_.source, 0,
                    left_out_.total() == 0
                        ? std::string("the deck has no *ELEMENT")
                        : "has no elements but " + left_out_.list() + ", which are not supported");
  if (const auto repeated = left_out_ids_.build_index())
    throw FileError(data_.source, 0, "element " + instances_.shown(*repeated) + " is defined twice");
  index_all_nodes();
  resolve_pending_nodes();
  generate_elements();
  for (CellBlock& block : data_.blocks)
    if (const auto repeated = block.ids.build_index())
      throw FileError(data_.source, 0, "element " + instances_.shown(*repeated) + " is defined twice");
  for (std::size_t b = 1; b < data_.blocks.size(); ++b)
    for (std::size_t other = 0; other < b; ++other)
      for (Ordinal cell = 0; cell < data_.blocks[b].cells(); ++cell)
        if (data_.blocks[other].ids.find(data_.blocks[b].ids.id(cell)) >= 0)
          throw FileError(data_.source, 0,
                          "element " + instances_.shown(data_.blocks[b].ids.id(cell)) + " is defined twice");
  data_.node_ids.set_owners(instances_.owners());
  for (CellBlock& block : data_.blocks) block.ids.set_owners(instances_.owners());
  resolve_sections();
  resolve_sets();
  resolve_surfaces();
}

void AbaqusMesh::resolve_pending_nodes() {
  for (const PendingNode& pending : pending_) {
    const Ordinal index = data_.node_ids.find(pending.node);
    if (index < 0)
      pending.place.fail("element " + instances_.shown(pending.element) + " has node " +
                         instances_.shown(pending.node) + ", which the deck does not define");
    data_.blocks[pending.block].nodes[pending.position] = index;
  }
  pending_ = {};
}

} // namespace tessera::io
