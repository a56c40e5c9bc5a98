// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Places in scratch memory that keep the lanes of a half-warp in different banks.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// Scratch memory has 32 banks of 4 bytes: numbers of 8 bytes lie in 16 pairs of banks, and the lanes of a
/// half-warp that want different numbers of one pair wait for each other.
inline constexpr int bank_pairs = 16;

/// Deals places 0 ... count - 1 to items of which each is wanted in some accesses (bits of a mask), one after
/// the other: each gets the bank whose items it meets in the fewest accesses.
class BankPlaces {
public:
  KOKKOS_FUNCTION explicit BankPlaces(int count) : count_(count) {}

  KOKKOS_FUNCTION int next(std::uint64_t accesses) {
    int best = -1, fewest = 0;
    for (int bank = 0; bank < bank_pairs; ++bank) {
      if (rows_[bank] * bank_pairs + bank >= count_) continue;
      const int meets = Kokkos::popcount(accesses & wanted_[bank]);
      if (best >= 0 && (meets > fewest || (meets == fewest && rows_[bank] >= rows_[best]))) continue;
      best = bank;
      fewest = meets;
    }
    wanted_[best] |= accesses;
    return rows_[best]++ * bank_pairs + best;
  }

private:
  int count_;
  int rows_[bank_pairs] = {};
  std::uint64_t wanted_[bank_pairs] = {};
};

/// Lays lists one after the other so that list k starts in bank k, as far as the room for gaps allows: lanes
/// that walk along neighbouring lists in step meet in no bank.
class BankLists {
public:
  /// \param lists how many
  /// \param gaps places that may stay empty
  KOKKOS_FUNCTION BankLists(int lists, int gaps) : lists_(lists), gaps_(gaps) {}

  /// The list that comes next, and its first place in `place`.
  KOKKOS_FUNCTION int next(int& place) {
    while (gaps_ > 0 && !has(place_ % bank_pairs)) {
      ++place_;
      --gaps_;
    }
    int bank = place_ % bank_pairs;
    while (!has(bank)) bank = (bank + 1) % bank_pairs;
    place = place_;
    return rows_[bank]++ * bank_pairs + bank;
  }
  KOKKOS_FUNCTION void advance(int length) { place_ += length; }

private:
  KOKKOS_FUNCTION bool has(int bank) const { return rows_[bank] * bank_pairs + bank < lists_; }

  int lists_, gaps_, place_ = 0;
  int rows_[bank_pairs] = {};
};

/// Deals the places of lists to items so that those written in one access lie in different banks.
class BankSlots {
public:
  /// Starts with the next list.
  KOKKOS_FUNCTION void start(int first, int length) {
    first_ = first;
    length_ = length;
    dealt_ = 0;
    free_ = ~std::uint64_t(0);
  }
  /// The place of the list's next item. \param access below 64
  KOKKOS_FUNCTION int next(int access) {
    const int count = length_ < 64 ? length_ : 64;
    int best = -1;
    for (int j = 0; j < count && dealt_ < count; ++j) {
      if ((free_ >> j & 1) == 0) continue;
      const bool meets = used_[access] >> (first_ + j) % bank_pairs & 1;
      if (best < 0 || !meets) best = j;
      if (!meets) break;
    }
    if (best < 0) return first_ + dealt_++; // beyond 64
    ++dealt_;
    free_ &= ~(std::uint64_t(1) << best);
    used_[access] |= static_cast<std::uint16_t>(1u << (first_ + best) % bank_pairs);
    return first_ + best;
  }

private:
  int first_ = 0, length_ = 0, dealt_ = 0;
  std::uint64_t free_ = 0;
  std::uint16_t used_[64] = {};
};

} // namespace tessera
