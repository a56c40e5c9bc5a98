// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a material of a mesh is called elsewhere.

#include <cstdint>
#include <string>

namespace tessera {

/// What a file or an application calls a material of a mesh.
struct MaterialLabel {
  std::int32_t number = 0;
  std::string name; ///< may be empty
  friend bool operator==(const MaterialLabel&, const MaterialLabel&) = default;
};

} // namespace tessera
