// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The instances of parts of which an Abaqus deck's assembly consists.

#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/detail/numbering.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera::io {

/// Whose names and numbers a line of a deck has: the deck's own, its assembly's, or those of an instance.
struct AbaqusScope {
  std::string prefix;                           ///< of names: `P-1.`; empty but in instances
  std::int64_t base = 0;                        ///< what is added to a number to give the mesh's id
  std::int64_t last_number = Numbering::max_id; ///< largest number
};

/// Where an instance lies: R (x + t - a) + a for a point x of the part.
struct AbaqusPlacement {
  std::array<double, 3> translation{};
  std::array<double, 3> axis_point{};                                               ///< a
  std::array<std::array<double, 3>, 3> rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; ///< R

  std::array<double, 3> operator()(std::array<double, 3> point) const;
};

/// Follows *PART, *ASSEMBLY and *INSTANCE. The lines of a part are read once more for each of its instances,
/// in a scope of their own: sets are called `INSTANCE.SET`, and numbers, which may repeat between instances,
/// have ids that do not. The first instance has its numbers for ids.
class AbaqusInstances {
public:
  /// Reads a keyword of these; false, with nothing read, for any other.
  /// \throws FileError for an instance of a part that is not there, a name that is there already, a keyword
  ///         outside what it belongs to, and one that ends what has not begun
  bool read(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

  /// To be called at the deck's end. \throws FileError if an assembly or instance has none
  void finish() const;

  /// Of the lines that are read now.
  const AbaqusScope& scope() const noexcept { return scope_; }
  const AbaqusPlacement& placement() const noexcept { return placement_; }
  bool inside_instance() const noexcept { return instance_.has_value(); }

  /// The scope of what a keyword lists: that of its parameter INSTANCE if it has one.
  /// \throws FileError if there is no such instance, or inside an instance
  AbaqusScope listed(const AbaqusKeyword& keyword) const;

  /// Id of the number that a name in capitals is, `12` or `INSTANCE.12`; -1 if nothing can have it. Nothing
  /// for other names.
  std::optional<std::int64_t> id_of(const std::string& name) const;

  /// An id as the deck writes it: `12`, or `INSTANCE.12`.
  std::string shown(std::int64_t id) const { return owned_name(owners_, id); }

  const NumberOwners& owners() const noexcept { return owners_; }

  /// A set's name in the mesh: without its instance's where that is the only one.
  std::string plain(const std::string& name) const;

private:
  /// \throws FileError at what belongs to the assembly while an instance has not ended
  void require_instance_ended(const std::string& what, const AbaqusKeyword& keyword) const;
  void begin_assembly(const AbaqusKeyword& keyword);
  void begin_instance(const AbaqusKeyword& keyword, AbaqusLexer& lexer);
  /// Where the ids of an instance begin. \throws FileError at `place` if there is none
  std::int64_t base_of(const std::string& instance, const AbaqusPlace& place) const;

  NumberOwners owners_; ///< of a deck with an assembly: the instances in their order, and the assembly
  std::optional<AbaqusPlace> part_, assembly_, instance_; ///< the first part, and what has not ended
  AbaqusScope scope_;
  AbaqusPlacement placement_;
};

} // namespace tessera::io
