#include <tessera/io/gmsh/detail/sections.hpp>

namespace tessera::io {

namespace {

void skip_reals(GmshStream& stream, int count) {
  for (int i = 0; i < count; ++i) stream.real("an entity's coordinate");
}

void skip_integers(GmshStream& stream, const char* count_name, const char* name) {
  const std::int64_t count = stream.tag(count_name);
  for (std::int64_t i = 0; i < count; ++i) stream.integer(name);
}

std::vector<int> read_physical_tags(GmshStream& stream) {
  const std::int64_t count = stream.tag("the number of an entity's physical groups");
  stream.require_capacity(count, "physical groups", 2, 4);
  std::vector<int> tags;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t tag = stream.integer("a physical group's number");
    if (tag != std::numeric_limits<std::int32_t>::min()) tags.push_back(std::abs(tag));
  }
  return tags;
}

/// Dimension of an entity, checked.
int read_dimension(GmshStream& stream) {
  const std::int32_t dimension = stream.integer("an entity's dimension");
  if (dimension < 0 || dimension > 3)
    stream.fail("expected an entity's dimension, 0 to 3, but found " + std::to_string(dimension));
  return dimension;
}

} // namespace

void read_entities4(GmshStream& stream, bool partitioned, GmshEntities& entities) {
  if (partitioned) {
    stream.tag("the number of partitions");
    const std::int64_t ghosts = stream.tag("the number of ghost entities");
    for (std::int64_t i = 0; i < ghosts; ++i) {
      stream.integer("a ghost entity's number");
      stream.integer("a ghost entity's partition");
    }
  }
  std::int64_t count[4];
  for (std::int64_t& entry : count) entry = stream.tag("a number of entities");
  for (int dimension = 0; dimension < 4; ++dimension) {
    for (std::int64_t i = 0; i < count[dimension]; ++i) {
      const std::int32_t tag = stream.integer("an entity's number");
      if (partitioned) {
        stream.integer("the dimension of a parent entity");
        stream.integer("the number of a parent entity");
        skip_integers(stream, "the number of an entity's partitions", "a partition");
      }
      // A point has its coordinates, the others the corners of their box.
      skip_reals(stream, dimension == 0 ? 3 : 6);
      entities[{dimension, tag}] = read_physical_tags(stream);
      if (dimension > 0) skip_integers(stream, "the number of bounding entities", "a bounding entity");
    }
  }
}

void read_nodes4(GmshStream& stream, GmshBuilder& builder) {
  const std::int64_t blocks = stream.tag("the number of node blocks");
  const std::int64_t count = stream.tag("the number of nodes");
  stream.tag("the smallest node number");
  stream.tag("the largest node number");
  stream.require_capacity(count, "nodes", 8, 32);
  builder.expect_nodes(count);
  std::int64_t done = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const int dimension = read_dimension(stream);
    stream.integer("an entity's number");
    const std::int32_t parametric = stream.integer("0 or 1 for parametric nodes");
    if (parametric != 0 && parametric != 1)
      stream.fail("expected 0 or 1 for parametric nodes, but found " + std::to_string(parametric));
    const std::int64_t in_block = stream.tag("the number of nodes in a block");
    if (in_block > count - done)
      stream.fail("a block of " + std::to_string(in_block) + " nodes where " + std::to_string(count - done) +
                  " are left");
    for (std::int64_t i = 0; i < in_block; ++i) builder.add_node_id(stream.tag("a node number"));
    for (std::int64_t i = 0; i < in_block; ++i) {
      const double x = stream.real("a node's x coordinate");
      stream.start_record();
      const double y = stream.real("a node's y coordinate");
      builder.add_point(x, y, stream.real("a node's z coordinate"));
      if (parametric == 1) skip_reals(stream, dimension);
      stream.end_record("a node's coordinate");
    }
    done += in_block;
  }
  if (done != count)
    stream.fail("the file promises " + std::to_string(count) + " nodes, but its blocks hold " +
                std::to_string(done));
}

void read_elements4(GmshStream& stream, const GmshEntities& entities, GmshBuilder& builder) {
  const std::int64_t blocks = stream.tag("the number of element blocks");
  const std::int64_t count = stream.tag("the number of elements");
  stream.tag("the smallest element number");
  stream.tag("the largest element number");
  stream.require_capacity(count, "elements", 4, 16);
  std::int64_t done = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const int dimension = read_dimension(stream);
    const std::int32_t entity = stream.integer("an entity's number");
    const GmshType& type = builder.type(stream.integer("an element's type"));
    const std::int64_t in_block = stream.tag("the number of elements in a block");
    if (dimension != type.type.dimension())
      stream.fail(type.type.name() + " elements on an entity of dimension " + std::to_string(dimension));
    if (in_block > count - done)
      stream.fail("a block of " + std::to_string(in_block) + " elements where " +
                  std::to_string(count - done) + " are left");
    stream.require_capacity(in_block, "elements", 2 * (1 + type.type.nodes()), 8 * (1 + type.type.nodes()));
    static const std::vector<int> no_groups;
    const auto found = entities.find({dimension, entity});
    const std::vector<int>& groups = found == entities.end() ? no_groups : found->second;
    CellBlock& block = builder.block(type.type, in_block);
    const Ordinal first = block.cells();
    for (std::int64_t i = 0; i < in_block; ++i) {
      const std::int64_t id = stream.tag("an element's number");
      stream.start_record();
      builder.read_cell(block, type, id, groups.empty() ? 0 : groups.front());
    }
    for (const int group : groups)
      builder.add_to_group(group, type.type, {first, static_cast<Ordinal>(in_block)});
    done += in_block;
  }
  if (done != count)
    stream.fail("the file promises " + std::to_string(count) + " elements, but its blocks hold " +
                std::to_string(done));
}

} // namespace tessera::io
