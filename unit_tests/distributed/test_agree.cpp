// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/rows.hpp"
#include <new>
#include <string>

namespace tessera::test {
namespace distributed_agree {

using distributed::agree;
using distributed::Communicator;

/// What every rank gets where the last rank throws `thrown`.
template <class Expected, class Thrown>
std::string agreed(const Thrown& thrown) {
  const Communicator ranks(MPI_COMM_WORLD);
  try {
    agree(ranks, [&] {
      if (ranks.rank() + 1 == ranks.size()) throw thrown;
    });
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Agree, EveryRankThrowsTheErrorOfOne) {
  const std::string last = "rank " + std::to_string(size_of_world() - 1);
  EXPECT_EQ(agreed<ArgumentError>(ArgumentError("a")), last + ": a");
  EXPECT_EQ(agreed<MeshError>(ElementError(3, {1, 2}, "is flat")), last + ": element 3 (nodes 1 2) is flat");
  EXPECT_EQ(agreed<FormError>(FormError("b")), last + ": b");
  EXPECT_EQ(agreed<UnsupportedError>(UnsupportedError("c")), last + ": c");
  EXPECT_EQ(agreed<SolverError>(SolverError("d")), last + ": d");
  EXPECT_EQ(agreed<OutOfMemoryError>(OutOfMemoryError("e")), last + ": e");
  EXPECT_EQ(agreed<OutOfMemoryError>(std::bad_alloc()), last + ": the host's memory is used up");
  EXPECT_EQ(agreed<FileError>(FileError("mesh.msh", 7, "no number")), last + ": mesh.msh:7: no number");
  EXPECT_EQ(agreed<Error>(std::runtime_error("f")), last + ": f");
  EXPECT_EQ(agreed<Error>(5), last + ": an exception of an unknown type");
}

TEST(Agree, TheLowestRankIsHeard) {
  const Communicator ranks(MPI_COMM_WORLD);
  try {
    agree(ranks, [&] { throw ArgumentError("on " + std::to_string(ranks.rank())); });
    ADD_FAILURE();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "rank 0: on 0");
  }
}

TEST(Agree, ReturnsWhatTheRankComputed) {
  const Communicator ranks(MPI_COMM_WORLD);
  EXPECT_EQ(agree(ranks, [&] { return 10 + ranks.rank(); }), 10 + ranks.rank());
}

TEST(Agree, NumbersThatDiffer) {
  const Communicator ranks(MPI_COMM_WORLD);
  const auto message = [&](double components) -> std::string {
    try {
      distributed::check_same(ranks, {{"the order", 2}, {"the number of components", components}});
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(message(3), "nothing");
  if (ranks.size() > 2)
    EXPECT_EQ(message(ranks.rank() == 2 ? 1 : 3), "rank 2: the number of components is 1, on rank 0 it is 3");
}

TEST(Agree, CommunicatorOfNoRank) { EXPECT_THROW(Communicator(MPI_COMM_NULL), ArgumentError); }

} // namespace distributed_agree
} // namespace tessera::test
