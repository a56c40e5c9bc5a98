// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/solvers/sparse/detail/memory/pool.hpp>
#include <tessera/solvers/sparse/detail/memory/workspace.hpp>
#include <tessera/solvers/sparse/detail/sort_items.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace solvers_sparse_pool {

using namespace tessera;
using namespace tessera::test;
namespace sparse = tessera::solvers::sparse::detail;

template <class Space>
class MultigridPool : public ::testing::Test {
protected:
  using Bytes = Kokkos::View<char*, Space>;
  static constexpr std::size_t chunk = 4096;
};

TYPED_TEST_SUITE(MultigridPool, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MultigridPool, SmallArraysShareChunksAndLargeOnesHaveTheirOwn) {
  using Bytes = typename TestFixture::Bytes;
  const TypeParam exec;
  sparse::Pool<TypeParam> pool("Tessera::Test::pool", this->chunk);
  const auto first = pool.template take<Bytes>(exec, "array", 100),
             second = pool.template take<Bytes>(exec, "array", 300);
  EXPECT_EQ(second.data() - first.data(), 256);
  EXPECT_EQ(pool.used(), (std::vector<std::size_t>{256 + 512}));
  EXPECT_EQ(pool.unused(), this->chunk - 768);
  pool.template take<Bytes>(exec, "array", 10000);
  EXPECT_EQ(pool.used(), (std::vector<std::size_t>{768, 10240}));
  EXPECT_EQ(pool.bytes(), this->chunk + 10240);
  pool.rewind();
  EXPECT_EQ(pool.unused(), pool.bytes());
  pool.clear();
  EXPECT_EQ(pool.bytes(), 0u);
}

TYPED_TEST(MultigridPool, WhatIsReservedLiesInOneChunk) {
  using Bytes = typename TestFixture::Bytes;
  const TypeParam exec;
  sparse::Pool<TypeParam> pool("Tessera::Test::pool", this->chunk);
  pool.template take<Bytes>(exec, "array", 1);
  pool.reserve(exec, "arrays", {3000, 5000, 1});
  const std::size_t reserved = 3072 + 5120 + 256;
  EXPECT_EQ(pool.bytes(), this->chunk + reserved);
  const auto first = pool.template take<Bytes>(exec, "array", 3000),
             second = pool.template take<Bytes>(exec, "array", 5000),
             third = pool.template take<Bytes>(exec, "array", 1);
  EXPECT_EQ(second.data() - first.data(), 3072);
  EXPECT_EQ(third.data() - second.data(), 5120);
  EXPECT_EQ(pool.bytes(), this->chunk + reserved);
  pool.reserve(exec, "arrays", {256, 256}); // the first chunk has room
  EXPECT_EQ(pool.bytes(), this->chunk + reserved);
  pool.reserve(exec, "arrays", {2048, 2048}); // and now it has too little
  EXPECT_EQ(pool.bytes(), 2 * this->chunk + reserved);
}

TYPED_TEST(MultigridPool, TemporariesAreReturnedUnlessTheyAreKept) {
  using Bytes = typename TestFixture::Bytes;
  const TypeParam exec;
  sparse::Pool<TypeParam> kept("Tessera::Test::kept", this->chunk),
      temporary("Tessera::Test::temporary", this->chunk);
  const sparse::Workspace<TypeParam> work(exec, "Test", kept, temporary);
  const auto before = sparse::make_temporary<Bytes>(work, "before", 256);
  const char* inside = nullptr;
  {
    const sparse::ReturnTemporaries<TypeParam> at_end(work);
    inside = sparse::make_temporary<Bytes>(work, "inside", 256).data();
    sparse::make_kept<Bytes>(work, "kept", 512);
  }
  EXPECT_EQ(inside - before.data(), 256);
  EXPECT_EQ(temporary.used(), (std::vector<std::size_t>{256}));
  EXPECT_EQ(kept.used(), (std::vector<std::size_t>{512}));
  EXPECT_EQ(sparse::make_temporary<Bytes>(work, "again", 256).data(), inside);
  {
    const sparse::Workspace<TypeParam> same = work.keeping_nothing();
    const sparse::ReturnTemporaries<TypeParam> at_end(same);
    sparse::make_kept<Bytes>(same, "kept", 256);
  }
  EXPECT_EQ(temporary.used(), (std::vector<std::size_t>{768}));
}

TYPED_TEST(MultigridPool, LabelsSayWhatLiesWhere) {
  using Bytes = typename TestFixture::Bytes;
  const TypeParam exec;
  sparse::Pool<TypeParam> kept("Tessera::Test::kept", this->chunk), own("Tessera::Test::own", this->chunk),
      temporary("Tessera::Test::temporary", this->chunk);
  const sparse::Workspace<TypeParam> work(exec, "Test", kept, temporary);
  const auto first = sparse::make_kept<Bytes>(work, "first", 100),
             second = sparse::make_kept<Bytes>(work, "second", 300),
             apart = sparse::make_kept<Bytes>(work.keeping_in(own), "apart", 5),
             scratch = sparse::make_temporary<Bytes>(work, "scratch", 7);
  EXPECT_EQ(kept.label_of(first.data()), "Tessera::Test::kept::first");
  EXPECT_EQ(kept.label_of(first.data() + 99), "Tessera::Test::kept::first");
  EXPECT_EQ(kept.label_of(second.data()), "Tessera::Test::kept::second");
  EXPECT_EQ(kept.label_of(apart.data()), "");
  EXPECT_EQ(own.label_of(apart.data()), "Tessera::Test::own::apart");
  EXPECT_EQ(temporary.label_of(scratch.data()), "Tessera::Test::temporary::scratch");
  temporary.rewind();
  EXPECT_EQ(temporary.label_of(scratch.data()), "");
  sparse::make_temporary<Bytes>(work, "next", 7);
  EXPECT_EQ(temporary.label_of(scratch.data()), "Tessera::Test::temporary::next");
}

TYPED_TEST(MultigridPool, ArraysWithoutPoolsHaveLabelsOfTheirOwn) {
  using Bytes = typename TestFixture::Bytes;
  const sparse::Workspace<TypeParam> work(TypeParam(), "Test");
  EXPECT_EQ(sparse::make_kept<Bytes>(work, "kept", 5).label(), "Tessera::Test::kept");
  EXPECT_EQ(sparse::make_temporary<Bytes>(work.keeping_nothing(), "scratch", 5).label(),
            "Tessera::Test::scratch");
}

TYPED_TEST(MultigridPool, ArraysTakeOtherMemoryIfItSuffices) {
  using Doubles = Kokkos::View<double*, TypeParam>;
  const sparse::Workspace<TypeParam> work(TypeParam(), "Test");
  const sparse::Floats<TypeParam> memory("memory", 20);
  EXPECT_EQ(static_cast<void*>(sparse::make_temporary_in<Doubles>(work, "fits", memory, 10).data()),
            memory.data());
  EXPECT_NE(static_cast<void*>(sparse::make_temporary_in<Doubles>(work, "too large", memory, 11).data()),
            memory.data());
}

TYPED_TEST(MultigridPool, ItemsAreSortedByKeysAndThenByNumber) {
  const sparse::Workspace<TypeParam> work(TypeParam(), "Test");
  for (const Ordinal count : {0, 1, 2, 1000, 70000})
    for (const int bits : {3, 10, 30, 32}) {
      std::mt19937 random(static_cast<unsigned>(count + bits));
      std::vector<std::uint32_t> keys(static_cast<std::size_t>(count));
      for (auto& key : keys) key = static_cast<std::uint32_t>(random()) >> (32 - bits);
      std::vector<Ordinal> expected(keys.size());
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](Ordinal left, Ordinal right) { return keys[left] < keys[right]; });
      Ordinal ties = 0;
      for (std::size_t k = 1; k < keys.size(); ++k)
        ties += keys[expected[k]] == keys[expected[k - 1]] ? 1 : 0;
      const sparse::Ordinals<TypeParam> items("items", keys.size());
      EXPECT_EQ(sparse::sort_items(work, to_device<TypeParam>(keys), bits, items), ties)
          << count << ", " << bits;
      EXPECT_EQ(to_host(items), expected) << count << ", " << bits;
    }
}

} // namespace solvers_sparse_pool
