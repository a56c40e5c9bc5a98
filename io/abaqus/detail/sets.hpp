// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Named sets of numbers as Abaqus decks write them: numbers, ranges with a step, and names of other sets.

#include <tessera/io/abaqus/detail/instances.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/detail/numbering.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// The node sets or the element sets of a deck, by name. Members are kept as ids (see AbaqusInstances) and
/// resolved at the deck's end, so that sets may come before what they hold.
class AbaqusSets {
public:
  /// `kind` is "node" or "element", for messages.
  AbaqusSets(std::string kind, const AbaqusInstances& instances)
      : kind_(std::move(kind)), instances_(instances) {}

  /// Adds one id, which must exist at the deck's end, to a set, which is made if it does not exist.
  void add(const std::string& name, std::int64_t id, const AbaqusPlace& place);

  /// Reads the data lines of *NSET or *ELSET, whose names and numbers are those of a scope, into a set. In a
  /// GENERATE range the numbers that do not exist are left out. \throws FileError for what is neither a
  /// number nor the name of a set that exists, or a bad range.
  void read(const std::string& name, bool generate, const AbaqusScope& scope, AbaqusLexer& lexer);

  /// Id of a field that is the number of a node or element in a scope.
  /// \throws FileError if it is not an integer from 1 to the scope's last number
  std::int64_t parse_id(std::string_view field, const AbaqusScope& scope, const AbaqusLexer& lexer) const;

  bool contains(const std::string& name) const { return sets_.contains(name); }

  /// \throws FileError at `place` if there is no such set; the message lists those that there are.
  void require(const std::string& name, const AbaqusPlace& place) const;

  /// The names of all sets.
  std::vector<std::string> names() const;

  /// Calls `take(which, index)` for each member of a set, own or through other sets, where `index` is its
  /// index in numberings[which]; a member may come several times. \throws FileError at a member, other than
  /// of a GENERATE range, that is in none of the numberings.
  void for_each(const std::string& name, std::span<const Numbering* const> numberings,
                const std::function<void(std::size_t, Ordinal)>& take) const;

private:
  struct Range {
    std::int64_t first;
    std::int64_t last;
    std::int64_t step; ///< 0: every number must exist
    std::size_t line;
    std::uint32_t file;
  };

  struct Set {
    std::vector<Range> ranges;
    std::vector<std::string> others;
  };

  void append(Set& set, Range range, const AbaqusPlace& place);

  std::string kind_;
  const AbaqusInstances& instances_;
  std::map<std::string, Set> sets_;
  std::vector<std::string> files_;
};

} // namespace tessera::io
