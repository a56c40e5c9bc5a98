// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/gmsh/detail/sections.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::io {

namespace {

/// Takes an integer off the front of a line; nothing if there is none.
std::optional<std::int64_t> take_integer(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t end = std::min(line.find_first_of(" \t\""), line.size());
  std::int64_t value = 0;
  if (!parse(line.substr(0, end), value)) return std::nullopt;
  line.remove_prefix(end);
  return value;
}

/// The rest of a line: what stands between quotes, or all of it where there are none. Empty for half a pair.
std::string name_in(std::string_view rest) {
  const std::size_t open = rest.find('"'), close = rest.rfind('"');
  if (open != close) return std::string(rest.substr(open + 1, close - open - 1));
  const std::size_t first = rest.find_first_not_of(" \t");
  if (open != std::string_view::npos || first == std::string_view::npos) return {};
  return std::string(rest.substr(first, rest.find_last_not_of(" \t") + 1 - first));
}

/// A group's numbers and its name.
void read_physical_name(InputFile& file, std::string_view line, GmshBuilder& builder) {
  const auto first = take_integer(line);
  if (!first) file.fail("expected a physical group's dimension, an integer, but found " + in_quotes(line));
  auto after = line;
  const auto second = take_integer(after);
  const bool has_dimension = second && !name_in(after).empty(); // else the name is a number
  const std::int64_t tag = has_dimension ? *second : *first;
  const std::string name = name_in(has_dimension ? after : line);
  if (has_dimension && (*first < 0 || *first > 3))
    file.fail("expected a physical group's dimension, 0 to 3, but found " + std::to_string(*first));
  if (has_dimension && tag == 0) return; // cells of no group
  if (tag < 1 || tag > std::numeric_limits<std::int32_t>::max())
    file.fail("expected a physical group's number, at least 1, but found " + std::to_string(tag));
  if (name.empty()) file.fail("expected a physical group's name, in quotes at best");
  for (int dimension = 0; dimension < 4; ++dimension)
    if (!has_dimension || dimension == *first) builder.name_group(dimension, static_cast<int>(tag), name);
}

} // namespace

void read_physical_names(GmshStream& stream, GmshBuilder& builder) {
  // Text in both encodings.
  InputFile& file = stream.file();
  const std::int64_t count = file.integer("the number of physical names");
  file.rest_of_line();
  for (std::int64_t i = 0; i < count; ++i) {
    std::string_view line;
    do {
      if (!file.next_line(line)) file.fail("the file ends where a physical group was expected");
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    read_physical_name(file, line, builder);
  }
}

void read_nodes2(GmshStream& stream, GmshBuilder& builder) {
  // The count is text in both encodings, and one line end follows it.
  InputFile& file = stream.file();
  const std::int64_t count = file.integer("the number of nodes");
  if (count < 0) file.fail("expected the number of nodes, at least 0, but found " + std::to_string(count));
  if (stream.binary()) file.end_line();
  stream.require_capacity(count, "nodes", 8, 28);
  builder.expect_nodes(count);
  for (std::int64_t i = 0; i < count; ++i) {
    builder.add_node_id(stream.tag("a node number"));
    stream.start_record();
    const double x = stream.real("a node's x coordinate");
    const double y = stream.real("a node's y coordinate");
    builder.add_point(x, y, stream.real("a node's z coordinate"));
    stream.end_record("a node's coordinate");
  }
}

namespace {

/// The number of a physical group, which may turn its cells' sense round; 0 for none.
std::int32_t group_of(std::int32_t tag) {
  return tag == std::numeric_limits<std::int32_t>::min() ? 0 : std::abs(tag);
}

/// The nodes of one element.
void append_element(GmshBuilder& builder, CellBlock& block, const GmshType& type, std::int64_t id,
                    std::int32_t group) {
  builder.read_cell(block, type, id, group);
  builder.drop_repeated(block);
  builder.add_to_group(group, type.type, {block.cells() - 1, 1});
}

/// Number, tags and nodes of one element; the first tag is its physical group.
void read_element2(GmshStream& stream, GmshBuilder& builder, CellBlock& block, const GmshType& type,
                   std::int64_t id, std::int64_t tags) {
  std::int32_t group = 0;
  for (std::int64_t i = 0; i < tags; ++i) {
    const std::int32_t tag = stream.integer("an element's tag");
    if (i == 0) group = group_of(tag);
  }
  append_element(builder, block, type, id, group);
}

std::int64_t checked_tags(const GmshStream& stream, std::int64_t tags) {
  if (tags < 0)
    stream.fail("expected an element's number of tags, at least 0, but found " + std::to_string(tags));
  return tags;
}

} // namespace

void read_elements1(GmshStream& stream, GmshBuilder& builder) {
  InputFile& file = stream.file();
  const std::int64_t count = file.integer("the number of elements");
  if (count < 0) file.fail("expected the number of elements, at least 0, but found " + std::to_string(count));
  stream.require_capacity(count, "elements", 12, 24);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t id = stream.tag("an element's number");
    stream.start_record();
    const std::int32_t number = stream.integer("an element's type");
    const bool left_out = builder.left_out_nodes(number) > 0;
    const std::int32_t group = stream.integer("an element's physical group");
    stream.integer("an element's entity");
    const std::int32_t nodes = stream.integer("an element's number of nodes");
    if (left_out) {
      builder.leave_out(number, nodes);
      continue;
    }
    const GmshType& type = builder.type(number);
    if (nodes != type.type.nodes())
      stream.fail("element " + std::to_string(id) + " is a " + type.type.name() + " with " +
                  std::to_string(nodes) + " nodes");
    append_element(builder, builder.block(type.type, 1), type, id, group_of(group));
  }
}

void read_elements2(GmshStream& stream, GmshBuilder& builder) {
  InputFile& file = stream.file();
  const std::int64_t count = file.integer("the number of elements");
  if (count < 0) file.fail("expected the number of elements, at least 0, but found " + std::to_string(count));
  if (stream.binary()) file.end_line();
  stream.require_capacity(count, "elements", 7, 8);
  std::int64_t done = 0;
  CellBlock* block = nullptr;
  while (done < count) {
    // Text has one element a line: number, type, tags; binary has runs: type, elements, tags.
    std::int64_t id = 0;
    if (!stream.binary()) {
      id = stream.tag("an element's number");
      stream.start_record();
    }
    const std::int32_t number = stream.integer("an element's type");
    const int left_out = builder.left_out_nodes(number);
    const std::int64_t run = stream.binary() ? stream.integer("the number of elements of one type") : 1;
    const std::int64_t tags = checked_tags(stream, stream.integer("an element's number of tags"));
    if (run < 1 || run > count - done)
      stream.fail("a run of " + std::to_string(run) + " elements where " + std::to_string(count - done) +
                  " are left");
    if (left_out > 0) {
      for (std::int64_t i = 0; i < run; ++i) {
        if (stream.binary()) stream.tag("an element's number");
        for (std::int64_t t = 0; t < tags; ++t) stream.integer("an element's tag");
        builder.leave_out(number, left_out);
      }
      done += run;
      continue;
    }
    const GmshType& type = builder.type(number);
    const std::int64_t left = stream.binary() ? run : count - done;
    // The types of the elements that follow are not known in text; what is reserved is bounded by the file's
    // size.
    stream.require_capacity(left, "elements", 2 * (3 + type.type.nodes()),
                            4 * (1 + tags + type.type.nodes()));
    if (block == nullptr || block->type != type.type) block = &builder.block(type.type, left);
    for (std::int64_t i = 0; i < run; ++i)
      read_element2(stream, builder, *block, type, stream.binary() ? stream.tag("an element's number") : id,
                    tags);
    done += run;
  }
}

} // namespace tessera::io
