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

/// This library's numbers of the sides 1, 2, ... of Exodus.
std::span<const std::int8_t> exodus_sides(CellType type) noexcept;

} // namespace tessera::io
