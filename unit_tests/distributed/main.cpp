// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <mpi.h>
#include <string>

namespace {

/// Failures with the rank that has them; the other ranks' usual reports would say the same again.
class FailuresOfRank : public ::testing::EmptyTestEventListener {
public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}

private:
  // The test cannot be asked for while a result is reported: GoogleTest's lock is taken.
  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s, %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(), result.summary());
  }
  int rank_;
  std::string test_;
};

} // namespace

/// Every rank runs every test; mpiexec fails if one of them does.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(rank));
  }
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    status = RUN_ALL_TESTS();
  }
  MPI_Finalize();
  return status;
}
