// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether a legacy file of VTK is whole.

#include <string>

namespace tessera::io {

/// A legacy file has no end that can be missed. Binary data of which some is missing VTK misses itself; a
/// text must not end within a line, unless that ends the types of as many cells as it announces, nor after
/// the line that announces data.
/// \throws FileError
void require_legacy_end(const std::string& path);

} // namespace tessera::io
