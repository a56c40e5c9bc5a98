// SPDX-License-Identifier: BSD-3-Clause
// All elements in one source: what they share takes four times as long to compile as what is an element's
// own.
#include "element.hpp"
#include <compiled_elements.hpp>

namespace tessera::python {

namespace {

const std::vector<ElementEntry>& entries() {
  static const std::vector<ElementEntry> all = []<class... Elements>(std::tuple<Elements...>*) {
    return std::vector{entry_of<Elements>()...};
  }(static_cast<CompiledElements*>(nullptr));
  return all;
}

} // namespace

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  names.reserve(entries().size());
  for (const ElementEntry& entry : entries()) names.push_back(entry.name);
  return names;
}

const ElementEntry& find_element(const std::string& name) {
  std::string known;
  for (const ElementEntry& entry : entries()) {
    if (same_name(entry.name, name)) return entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw ArgumentError("there is no element '" + name + "'; this build has " + known);
}

} // namespace tessera::python
