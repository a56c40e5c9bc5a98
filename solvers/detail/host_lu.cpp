// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/solvers/detail/host_lu.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <umfpack.h>

namespace tessera::solvers::detail {

namespace {

/// \throws SolverError or OutOfMemoryError unless UMFPACK has succeeded
void check(int status, const char* stage) {
  const std::string who = std::string("DirectSolver: ") + stage + ": ";
  if (status == UMFPACK_ERROR_out_of_memory)
    throw OutOfMemoryError(who + "the factors do not fit into memory; an iterative solver takes less");
  if (status == UMFPACK_WARNING_singular_matrix)
    throw SolverError(who + "a pivot is zero: the matrix is singular; does it have enough essential "
                            "constraints?");
  if (status != UMFPACK_OK) throw SolverError(who + "UMFPACK fails with status " + std::to_string(status));
}

/// \throws SolverError naming the first row with an entry that is not finite
void require_finite(const std::vector<std::int64_t>& row_map, const std::vector<double>& values) {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (bad == values.end()) return;
  const auto row = std::upper_bound(row_map.begin(), row_map.end(), bad - values.begin()) - row_map.begin();
  throw SolverError("DirectSolver: row " + std::to_string(row - 1) + " has the entry " +
                    std::to_string(*bad) + ", which is not finite");
}

} // namespace

HostLu::HostLu(const std::vector<std::int64_t>& row_map, const std::vector<std::int64_t>& columns,
               const std::vector<double>& values) {
  require_finite(row_map, values);
  const auto rows = static_cast<std::int64_t>(row_map.size()) - 1;
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
  umfpack_dl_defaults(control);
  control[UMFPACK_ORDERING] = UMFPACK_ORDERING_METIS;
  // UMFPACK takes columns: it is handed the transpose, and solves with the transpose of that.
  void* symbolic = nullptr;
  const int analysed = umfpack_dl_symbolic(rows, rows, row_map.data(), columns.data(), values.data(),
                                           &symbolic, control, info);
  check(analysed, "analysis");
  void* numeric = nullptr;
  const int factorised =
      umfpack_dl_numeric(row_map.data(), columns.data(), values.data(), symbolic, &numeric, control, info);
  umfpack_dl_free_symbolic(&symbolic);
  numeric_ = std::shared_ptr<void>(numeric, [](void* factors) { umfpack_dl_free_numeric(&factors); });
  check(factorised, "factorisation");
  smallest_pivot_ = info[UMFPACK_RCOND];
  bytes_ = info[UMFPACK_NUMERIC_SIZE] * info[UMFPACK_SIZE_OF_UNIT];
}

void HostLu::solve(const double* b, double* x) const {
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
  umfpack_dl_defaults(control);
  control[UMFPACK_IRSTEP] = 0; // the caller's iteration refines, and the matrix is not kept
  check(umfpack_dl_solve(UMFPACK_At, nullptr, nullptr, nullptr, x, b, numeric_.get(), control, info),
        "solution");
}

} // namespace tessera::solvers::detail
