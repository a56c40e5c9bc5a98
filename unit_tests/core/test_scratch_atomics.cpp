// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/scratch_atomics.hpp>
#include <tessera/core/types.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace core_scratch_atomics {

using namespace tessera;
using namespace tessera::test;

/// What a team's threads found together.
struct Found {
  int added = 0;           ///< 1 for each item
  double added_double = 0; ///< each item's number
  std::uint32_t bits = 0;  ///< the item's of 32
  int claims = 0;          ///< slots that were free when an item came
  int told_before = 0;     ///< sum of what the additions returned
};

constexpr int items = 1000, slots = 10;

template <class Space, int Level>
struct AddItems {
  using Policy = Kokkos::TeamPolicy<Space>;
  template <class T>
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Kokkos::View<Found*, Space> found;

  static int bytes() {
    return static_cast<int>(Scratch<int>::shmem_size(2 + slots) + Scratch<double>::shmem_size(1) +
                            Scratch<std::uint32_t>::shmem_size(1));
  }
  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const auto& memory = team.team_scratch(Level);
    const Scratch<int> counts(memory, 2 + slots); // added, claims, slots
    const Scratch<double> sum(memory, 1);
    const Scratch<std::uint32_t> bits(memory, 1);
    Found& result = found(team.league_rank());
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      for (int k = 0; k < 2 + slots; ++k) counts(k) = 0;
      sum(0) = 0;
      bits(0) = 0;
    });
    team.team_barrier();
    int told_before = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, items),
        [&](int item, int& told) {
          told += scratch_fetch_add(&counts(0), 1);
          scratch_fetch_add(&sum(0), double(item));
          scratch_fetch_or(&bits(0), std::uint32_t{1} << item % 31);
          if (scratch_compare_exchange(&counts(2 + item % slots), 0, item + 1) == 0)
            scratch_fetch_add(&counts(1), 1);
        },
        told_before);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team),
                   [&]() { result = {counts(0), sum(0), bits(0), counts(1), told_before}; });
  }
};

template <class Space>
class ScratchAtomics : public ::testing::Test {
public:
  template <int Level>
  static void check() {
    SCOPED_TRACE("level " + std::to_string(Level));
    using Add = AddItems<Space, Level>;
    constexpr int teams = 20;
    const Add add{Kokkos::View<Found*, Space>("found", teams)};
    const auto policy = [&](int threads) {
      typename Add::Policy made(teams, threads);
      return made.set_scratch_size(Level, Kokkos::PerTeam(Add::bytes()));
    };
    const int most = policy(1).team_size_max(add, Kokkos::ParallelForTag());
    Kokkos::parallel_for("add", policy(std::min(128, most)), add);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), add.found);
    for (int team = 0; team < teams; ++team) {
      EXPECT_EQ(found(team).added, items);
      EXPECT_EQ(found(team).added_double, items * (items - 1) / 2);
      EXPECT_EQ(std::popcount(found(team).bits), 31);
      EXPECT_EQ(found(team).claims, slots);
      EXPECT_EQ(found(team).told_before, items * (items - 1) / 2);
    }
  }
};

TYPED_TEST_SUITE(ScratchAtomics, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(ScratchAtomics, LoseNothing) {
  this->template check<0>();
  this->template check<1>();
}

} // namespace core_scratch_atomics
