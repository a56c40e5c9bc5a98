#include <tessera/io/gmsh/detail/sections.hpp>

namespace tessera::io {

void read_physical_names(GmshStream& stream, GmshBuilder& builder) {
  // Text in both encodings.
  InputFile& file = stream.file();
  const std::int64_t count = file.integer("the number of physical names");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t dimension = file.integer("a physical group's dimension");
    const std::int64_t tag = file.integer("a physical group's number");
    const std::string_view rest = file.rest_of_line();
    const std::size_t open = rest.find('"');
    const std::size_t close = rest.rfind('"');
    if (open == std::string_view::npos || close <= open)
      file.fail("expected a physical group's name in quotes");
    if (dimension < 0 || dimension > 3)
      file.fail("expected a physical group's dimension, 0 to 3, but found " + std::to_string(dimension));
    if (tag < 1 || tag > std::numeric_limits<std::int32_t>::max())
      file.fail("expected a physical group's number, at least 1, but found " + std::to_string(tag));
    builder.name_group(static_cast<int>(dimension), static_cast<int>(tag),
                       std::string(rest.substr(open + 1, close - open - 1)));
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

/// Number, tags and nodes of one element; the first tag is its physical group.
void read_element2(GmshStream& stream, GmshBuilder& builder, CellBlock& block, const GmshType& type,
                   std::int64_t id, std::int64_t tags) {
  std::int32_t group = 0;
  for (std::int64_t i = 0; i < tags; ++i) {
    const std::int32_t tag = stream.integer("an element's tag");
    if (i == 0) group = tag == std::numeric_limits<std::int32_t>::min() ? 0 : std::abs(tag);
  }
  builder.read_cell(block, type, id, group);
  builder.drop_repeated(block);
  builder.add_to_group(group, type.type, {block.cells() - 1, 1});
}

std::int64_t checked_tags(const GmshStream& stream, std::int64_t tags) {
  if (tags < 0)
    stream.fail("expected an element's number of tags, at least 0, but found " + std::to_string(tags));
  return tags;
}

} // namespace

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
    const GmshType& type = builder.type(stream.integer("an element's type"));
    const std::int64_t run = stream.binary() ? stream.integer("the number of elements of one type") : 1;
    const std::int64_t tags = checked_tags(stream, stream.integer("an element's number of tags"));
    if (run < 1 || run > count - done)
      stream.fail("a run of " + std::to_string(run) + " elements where " + std::to_string(count - done) +
                  " are left");
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
