// SPDX-License-Identifier: BSD-3-Clause
// Paper 3's model, equations (3.1) to (3.7), against numbers worked by hand.

#include <gtest/gtest.h>

#include "../../perf_tests/paper3/model.hpp"

namespace perf_tests_paper3_model {

using namespace tessera::paper3;

const Model poisson2{2, 3, 1, 1, 32}, poisson3{3, 4, 1, 1, 32}, elasticity2{2, 3, 1, 2, 32},
    elasticity3{3, 4, 1, 3, 32}, quadratic2{2, 6, 3, 1, 32}, quadratic3{3, 10, 4, 1, 32};

TEST(Paper3Model, SizesAreThoseOfFigures31And33) {
  const Model one{2, 3, 2, 1, 1}, two{2, 3, 2, 2, 2};
  EXPECT_EQ(one.N_bs(), 6);
  EXPECT_EQ(one.N_t(), 6);
  EXPECT_EQ(one.N_sqc(), 2);
  EXPECT_EQ(one.N_sbc(), 3);
  EXPECT_EQ(two.N_bc(), 12);
  EXPECT_EQ(two.N_t(), 24);
}

// Every thread has the same number of cells at its point, and all of a batch's points have a thread.
TEST(Paper3Model, ThreadsTakeAllCellsInBothPhases) {
  for (const Model& m : {poisson2, elasticity3, quadratic2, quadratic3}) {
    EXPECT_EQ(m.N_sqc() * (m.N_t() / m.N_comp), m.N_bc() * m.N_q);
    EXPECT_EQ(m.N_sbc() * m.N_t(), m.N_bc() * m.N_bt());
  }
}

TEST(Paper3Model, ScratchMemory) {
  EXPECT_EQ(poisson2.scratch_bytes(), 4260); // 4 (5 * 96 + 3 * 3 + 96 * 3 + 3 * 96)
  EXPECT_EQ(poisson3.scratch_bytes(), 9280);
  EXPECT_EQ(elasticity2.scratch_bytes(), 10824);
  EXPECT_EQ(elasticity3.scratch_bytes(), 40128);
  EXPECT_EQ(quadratic2.scratch_bytes(), 15576);
  EXPECT_EQ(quadratic3.scratch_bytes(), 92800);
  EXPECT_EQ(poisson2.scratch_bytes_per_cell(), 44.375);
  EXPECT_EQ(poisson2.scratch_bytes_per_cell_bound(), 44.375) << "equal without a common factor";
  EXPECT_EQ(quadratic2.scratch_bytes_per_cell(), 81.125);
  EXPECT_EQ(quadratic2.scratch_bytes_per_cell_bound(), 80.375) << "the paper's bound leaves out its tables";
  EXPECT_EQ(poisson2.scratch_bytes_per_cell_without_f0(), 40.25); // 4 (5 + 2 / 32 + 3 + 2)
}

TEST(Paper3Model, BytesFlopsAndBalance) {
  EXPECT_EQ(poisson2.bytes_per_batch(), 4 * 96 * 11);
  EXPECT_EQ(poisson2.flops_per_cell(), 82);
  EXPECT_DOUBLE_EQ(poisson2.balance(), 41.0 / 22); // (3.7)
  EXPECT_NEAR(poisson3.balance(), 2.861, 5e-4);
  EXPECT_NEAR(elasticity2.balance(), 1.464, 5e-4);
  EXPECT_NEAR(elasticity3.balance(), 1.981, 5e-4);
  EXPECT_EQ(elasticity3.compulsory_bytes_per_cell(), 136) << "(3.4) has 312, geometry three times";
}

TEST(Paper3Model, WorkGroups) {
  constexpr double scratch = 48 * 1024;
  EXPECT_EQ(concurrent_groups(5 * 1024, scratch, 96, 1536, 16), 9) << "the paper's 5 KB";
  EXPECT_EQ(concurrent_groups(poisson2.scratch_bytes(), scratch, poisson2.N_t(), 1536, 16), 11) << "(3.1)";
  EXPECT_EQ(concurrent_groups(100, scratch, 512, 1536, 16), 3) << "threads";
  EXPECT_EQ(concurrent_groups(100, scratch, 32, 1536, 8), 8) << "groups";
}

} // namespace perf_tests_paper3_model
