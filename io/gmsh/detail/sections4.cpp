// SPDX-License-Identifier: BSD-3-Clause
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

/// The dimension and the number of an entity, in this order; in version 4.0 the number comes first.
std::pair<int, int> read_entity(GmshStream& stream) {
  if (!stream.first_of_4()) {
    const int dimension = read_dimension(stream);
    return {dimension, stream.integer("an entity's number")};
  }
  const int number = stream.integer("an entity's number");
  return {read_dimension(stream), number};
}

/// The smallest and the largest number, which version 4.0 does not tell.
void skip_bounds(GmshStream& stream, const char* smallest, const char* largest) {
  if (stream.first_of_4()) return;
  stream.tag(smallest);
  stream.tag(largest);
}

/// Coordinates of a node, and its parameters on its entity where there are any.
void read_point(GmshStream& stream, GmshBuilder& builder, double x, int parameters) {
  const double y = stream.real("a node's y coordinate");
  builder.add_point(x, y, stream.real("a node's z coordinate"));
  skip_reals(stream, parameters);
  stream.end_record("a node's coordinate");
}

} // namespace

void read_entities4(GmshStream& stream, bool partitioned, GmshEntities& entities) {
  if (partitioned) {
    if (stream.first_of_4()) stream.fail("a partitioned file of Gmsh format 4.0 is not supported");
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
      // A point has its coordinates, the others, and all in version 4.0, the corners of their box.
      skip_reals(stream, dimension == 0 && !stream.first_of_4() ? 3 : 6);
      entities[{dimension, tag}] = read_physical_tags(stream);
      if (dimension > 0) skip_integers(stream, "the number of bounding entities", "a bounding entity");
    }
  }
}

void read_nodes4(GmshStream& stream, GmshBuilder& builder) {
  const std::int64_t blocks = stream.tag("the number of node blocks");
  const std::int64_t count = stream.tag("the number of nodes");
  skip_bounds(stream, "the smallest node number", "the largest node number");
  stream.require_capacity(count, "nodes", 8, 32);
  builder.expect_nodes(count);
  std::int64_t done = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const int dimension = read_entity(stream).first;
    const std::int32_t parametric = stream.integer("0 or 1 for parametric nodes");
    if (parametric != 0 && parametric != 1)
      stream.fail("expected 0 or 1 for parametric nodes, but found " + std::to_string(parametric));
    const std::int64_t in_block = stream.tag("the number of nodes in a block");
    if (in_block > count - done)
      stream.fail("a block of " + std::to_string(in_block) + " nodes where " + std::to_string(count - done) +
                  " are left");
    const int parameters = parametric == 1 ? dimension : 0;
    if (!stream.first_of_4())
      for (std::int64_t i = 0; i < in_block; ++i) builder.add_node_id(stream.tag("a node number"));
    for (std::int64_t i = 0; i < in_block; ++i) {
      if (stream.first_of_4()) {
        builder.add_node_id(stream.tag("a node number"));
        stream.start_record();
        read_point(stream, builder, stream.real("a node's x coordinate"), parameters);
        continue;
      }
      const double x = stream.real("a node's x coordinate");
      stream.start_record();
      read_point(stream, builder, x, parameters);
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
  skip_bounds(stream, "the smallest element number", "the largest element number");
  stream.require_capacity(count, "elements", 4, 16);
  std::int64_t done = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const auto [dimension, entity] = read_entity(stream);
    const std::int32_t number = stream.integer("an element's type");
    const int left_out = builder.left_out_nodes(number);
    const std::int64_t in_block = stream.tag("the number of elements in a block");
    if (left_out > 0) {
      for (std::int64_t i = 0; i < in_block; ++i) {
        stream.tag("an element's number");
        stream.start_record();
        builder.leave_out(number, left_out);
      }
      done += in_block;
      continue;
    }
    const GmshType& type = builder.type(number);
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
