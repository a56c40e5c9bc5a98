// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Keywords on which displacements of linear statics do not depend.

#include <tessera/io/abaqus/detail/lexer.hpp>

namespace tessera::io {

/// Whether a keyword is a property of materials that changes displacements by temperatures or rates alone,
/// which a linear static deck has not: keywords that bring these are listed among others.
bool is_unused_property(const AbaqusKeyword& keyword);

/// Passes over the data lines of a keyword that has no effect; false, with nothing read, for any other.
/// \throws FileError for data lines that cannot be the keyword's
bool pass_over(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

} // namespace tessera::io
