// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The sections of Gmsh files, version by version. Each function reads what stands between $Name and
/// $EndName.

#include <tessera/io/gmsh/detail/builder.hpp>

#include <map>
#include <utility>
#include <vector>

namespace tessera::io {

/// Physical tags of the geometric entities of version 4, by dimension and tag.
using GmshEntities = std::map<std::pair<int, int>, std::vector<int>>;

/// $PhysicalNames, the same in both versions: on a line each the dimension, which version 2.0 leaves out, the
/// number, and the name, which some programs write without quotes.
void read_physical_names(GmshStream& stream, GmshBuilder& builder);

/// $Nodes of version 2, $NOD of version 1: a count, then number and coordinates of each node.
void read_nodes2(GmshStream& stream, GmshBuilder& builder);

/// $Elements of version 2.2: number, type, tags and nodes of each element; in binary, runs of elements of one
/// type.
void read_elements2(GmshStream& stream, GmshBuilder& builder);

/// $ELM of version 1: number, type, physical group, entity, number of nodes and nodes of each element.
void read_elements1(GmshStream& stream, GmshBuilder& builder);

/// $Entities or $PartitionedEntities of version 4, of which only the physical tags are kept.
void read_entities4(GmshStream& stream, bool partitioned, GmshEntities& entities);

/// $Nodes of version 4: blocks by entity, each with its nodes' numbers first and their coordinates then;
/// in 4.0 each node's number stands before its coordinates.
void read_nodes4(GmshStream& stream, GmshBuilder& builder);

/// $Elements of version 4: blocks by entity and type.
void read_elements4(GmshStream& stream, const GmshEntities& entities, GmshBuilder& builder);

} // namespace tessera::io
