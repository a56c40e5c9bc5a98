// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/numbering.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tessera::io {

std::string owned_name(const NumberOwners& owners, std::int64_t id) {
  const auto above = owners.upper_bound(id);
  if (above == owners.begin()) return std::to_string(id);
  const auto& [first, owner] = *std::prev(above);
  return (owner.empty() ? "" : owner + ".") + std::to_string(id - first);
}

void Numbering::append_range(std::int64_t first, Ordinal count) {
  if (count <= 0) return;
  append(first);
  size_ += count - 1;
}

std::optional<std::int64_t> Numbering::build_index() {
  by_id_.clear();
  table_.clear();
  if (runs_.size() < 2) return std::nullopt;

  const auto less = [&](std::uint32_t a, std::uint32_t b) { return runs_[a].id < runs_[b].id; };
  by_id_.resize(runs_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0u);
  if (!std::is_sorted(by_id_.begin(), by_id_.end(), less)) std::sort(by_id_.begin(), by_id_.end(), less);
  for (std::size_t i = 1; i < by_id_.size(); ++i) {
    const std::uint32_t previous = by_id_[i - 1];
    const std::int64_t next_id = runs_[by_id_[i]].id;
    if (runs_[previous].id + length(previous) > next_id) return next_id;
  }

  // A table answers in one load where the runs would need a search; it is worth its memory while the ids are
  // dense.
  base_ = runs_[by_id_.front()].id;
  const std::uint32_t last = by_id_.back();
  const std::int64_t range = runs_[last].id + length(last) - base_;
  if (range <= std::int64_t{4} * size_) {
    table_.assign(static_cast<std::size_t>(range), Ordinal{-1});
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (Ordinal i = 0; i < length(run); ++i)
        table_[static_cast<std::size_t>(runs_[run].id - base_ + i)] = runs_[run].index + i;
    by_id_ = {};
  }
  return std::nullopt;
}

Ordinal Numbering::find_in_runs(std::int64_t id) const noexcept {
  std::size_t run = 0;
  if (runs_.size() > 1) {
    const auto above =
        std::upper_bound(by_id_.begin(), by_id_.end(), id, [&](std::int64_t value, std::uint32_t candidate) {
          return value < runs_[candidate].id;
        });
    if (above == by_id_.begin()) return -1;
    run = *(above - 1);
  }
  if (runs_.empty() || id < runs_[run].id || id - runs_[run].id >= length(run)) return -1;
  return runs_[run].index + static_cast<Ordinal>(id - runs_[run].id);
}

std::int64_t Numbering::id(Ordinal index) const noexcept {
  const auto above = std::upper_bound(runs_.begin(), runs_.end(), index,
                                      [](Ordinal value, const Run& run) { return value < run.index; });
  const Run& run = *(above - 1);
  return run.id + (index - run.index);
}

} // namespace tessera::io
