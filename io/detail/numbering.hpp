// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The numbers that a file gives to its nodes and cells, stored as runs of consecutive numbers.

#include <tessera/core/types.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Of a file whose parts number for themselves: from an id on, ids belong to the owner of that name, or to
/// nobody, and his numbers count from it. Empty where ids are the file's numbers.
using NumberOwners = std::map<std::int64_t, std::string>;

/// An id as the file writes it: `12`, or `OWNER.12`.
std::string owned_name(const NumberOwners& owners, std::int64_t id);

/// One-to-one map between indices 0, 1, ... and the numbers ("ids") of a file. Files mostly number
/// consecutively, so that a mesh of any size needs a few runs of 16 bytes; the worst case, every number out
/// of order, costs 16 bytes each, and looking numbers up 4 bytes for each number between the smallest and the
/// largest if those are dense, else nothing more.
class Numbering {
public:
  /// Largest id that may be appended; keeps id arithmetic away from overflow.
  static constexpr std::int64_t max_id = std::int64_t{1} << 62;

  /// Gives the next index to `id`, 0 <= id <= max_id.
  void append(std::int64_t id) {
    if (runs_.empty() || id - runs_.back().id != size_ - runs_.back().index) runs_.push_back({id, size_});
    ++size_;
  }

  /// Gives the next `count` indices to first, first + 1, ...
  void append_range(std::int64_t first, Ordinal count);

  /// Takes the last index back; there must be one.
  void drop_last() {
    if (runs_.back().index == --size_) runs_.pop_back();
  }

  /// Prepares `find`. Returns an id that was appended more than once, if there is one.
  std::optional<std::int64_t> build_index();

  /// Index of `id`, or -1 if the id was never appended. Needs `build_index`.
  Ordinal find(std::int64_t id) const noexcept {
    if (!table_.empty()) {
      const auto position = static_cast<std::uint64_t>(id - base_);
      return position < table_.size() ? table_[position] : Ordinal{-1};
    }
    return find_in_runs(id);
  }

  /// Id of an index, 0 <= index < size().
  std::int64_t id(Ordinal index) const noexcept;

  Ordinal size() const noexcept { return size_; }

  /// What the file calls an index, 0 <= index < size(): its id, or its owner's name and number.
  std::string name(Ordinal index) const { return owned_name(owners_, id(index)); }

  const NumberOwners& owners() const noexcept { return owners_; }
  void set_owners(NumberOwners owners) { owners_ = std::move(owners); }

  /// Indices from `index` to that of the next run have the ids from `id` on.
  struct Run {
    std::int64_t id;
    Ordinal index;
  };

  /// The runs by index.
  const std::vector<Run>& runs() const noexcept { return runs_; }

private:
  Ordinal length(std::size_t run) const noexcept {
    return (run + 1 < runs_.size() ? runs_[run + 1].index : size_) - runs_[run].index;
  }
  Ordinal find_in_runs(std::int64_t id) const noexcept;

  std::vector<Run> runs_;            ///< by index
  std::vector<std::uint32_t> by_id_; ///< runs sorted by id; empty where table_ is used or one run is all
  std::vector<Ordinal> table_;       ///< index of id base_ + position, -1 for none; may be empty
  NumberOwners owners_;
  std::int64_t base_ = 0;
  Ordinal size_ = 0;
};

} // namespace tessera::io
