// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Paper 3, section 3.3: equations (3.1) to (3.7), and how many work groups a multiprocessor holds.

#include <algorithm>
#include <numeric>

namespace tessera::paper3 {

/// Sizes of thread transposition, and what the paper's model makes of them. Counts of numbers are the
/// paper's; bytes take `number_bytes` each (the paper writes 4).
struct Model {
  int d, N_b, N_q, N_comp;
  int N_bl = 1; ///< concurrent blocks
  int number_bytes = 4;

  int N_bs() const { return std::lcm(N_b, N_q); } ///< cells of a block
  int N_bt() const { return N_b * N_comp; }
  int N_bc() const { return N_bs() * N_bl; }  ///< cells of a batch
  int N_t() const { return N_bc() * N_comp; } ///< threads
  /// Cells that a thread takes one by one at its point. The paper writes N_bs / N_b, which is the same where
  /// N_b and N_q have no common factor; else a batch's N_bc cells of N_q points each are more than its
  /// N_t / N_comp threads would so get done.
  int N_sqc() const { return N_q; }
  int N_sbc() const { return N_b; } ///< ... for its basis function; the paper's N_bs / N_q

  /// (3.1): scratch memory of a team. The paper calls it an upper bound; alignment may add to it.
  double scratch_bytes() const {
    return number_bytes * ((d * d + 1.0) * N_t() + (d + 1.0) * N_bt() * N_q + double(N_t()) * N_bt() +
                           (d + 1.0) * N_t() * N_sqc());
  }
  /// (3.2), first line: the same per cell.
  double scratch_bytes_per_cell() const { return scratch_bytes() / N_bc(); }
  /// (3.2), last line, which (3.1) exceeds where N_b and N_q have a common factor.
  double scratch_bytes_per_cell_bound() const {
    return number_bytes * N_comp * ((d * d + 1.0) + (d + 1.0) / N_bl + N_bt() + (d + 1.0) * N_q);
  }
  /// (3.3): where neither tables of values nor f0 are kept.
  double scratch_bytes_per_cell_without_f0() const {
    return number_bytes * N_comp * ((d * d + 1.0) + double(d) / N_bl + N_bt() + double(d) * N_q);
  }
  /// (3.4): traffic of a batch.
  double bytes_per_batch() const {
    return number_bytes * double(N_t()) * ((d * d + 1.0) + N_bt() + (d + 1.0) * N_q);
  }
  /// (3.5): flops of a batch.
  double flops_per_batch() const {
    return ((double(2 + (2 + 2 * d) * d) * N_bt() + 2 * d * N_comp) * N_q +
            double(2 + 2 * d) * d * N_q * N_bt()) *
           N_bs() * N_bl;
  }
  double flops_per_cell() const { return flops_per_batch() / N_bc(); }
  /// (3.6), of which (3.7) is an example: flops per byte.
  double balance() const { return flops_per_batch() / bytes_per_batch(); }

  /// What has to cross the memory's bus for a cell: geometry and coefficients in, the element vector out, and
  /// `field_numbers` of auxiliary fields. The paper's (3.4) has (d + 1) N_q in place of the element vector,
  /// and counts geometry for every component.
  double compulsory_bytes_per_cell(int field_numbers = 0) const {
    return number_bytes * (d * d + 1.0 + 2.0 * N_bt() + field_numbers);
  }
};

/// Work groups that a multiprocessor holds at once (section 3.3: 9 of 5 KB in a GTX 580's 48 KB).
/// \param most_threads,most_groups its own limits; a GTX 580 has 1536 and 8, of which the paper says nothing
inline int concurrent_groups(double scratch_bytes, double scratch_of_multiprocessor, int threads,
                             int most_threads, int most_groups) {
  const int by_scratch = static_cast<int>(scratch_of_multiprocessor / scratch_bytes);
  return std::min({by_scratch, most_threads / threads, most_groups});
}

} // namespace tessera::paper3
