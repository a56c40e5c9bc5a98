// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements of Exodus II, and how it numbers their nodes and sides.

#include <tessera/io/detail/cell_type.hpp>
#include <tessera/io/detail/node_order.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera::io {

/// An element of Exodus by what its name begins with and its number of nodes.
struct ExodusType {
  std::string_view name; ///< in capitals
  CellType type;
  NodeOrder order; ///< empty for the same order
};

/// The entry of an element whose name in capitals begins so and that has so many nodes, or nullptr.
const ExodusType* exodus_type(const std::string& name, std::int64_t nodes) noexcept;

/// How the edges of plane elements are numbered: from 1 on, or, where the two faces are sides 1 and 2, from 3
/// on; or one way by the Exodus library, and the other by programs on it.
enum class ExodusEdges { from_one, from_three, either };

/// The numbers of a type's edges in a file of so many dimensions; `from_one` for all that is not plane.
/// \param name of the element in capitals
ExodusEdges exodus_edges(const std::string& name, CellType type, std::int64_t dimensions) noexcept;

/// This library's numbers of the sides 1, 2, ... of Exodus; of plane elements, of their edges in order.
std::span<const std::int8_t> exodus_sides(CellType type) noexcept;

} // namespace tessera::io
