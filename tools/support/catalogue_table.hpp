#pragma once

/// \file
/// The catalogue for people.

#include <string>

namespace tessera::tools {

/// All assembly and matrix-free strategies with their variants, their sources and whether results repeat from
/// run to run: two Markdown tables with columns of even width. docs/strategies.md holds them.
std::string catalogue_table();

} // namespace tessera::tools
