// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names in XML files.

#include <string>
#include <string_view>

namespace tessera::io {

/// A name as XML holds it, which VTK writes as it is: the marks of XML escaped, and '?' for what cannot be
/// there, control characters and what is no UTF-8.
std::string xml_text(std::string_view name);

} // namespace tessera::io
