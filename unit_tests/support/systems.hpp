// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Systems on the device of matrices that were made by hand.

#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

#include "support/matrices.hpp"
#include <cmath>
#include <map>
#include <vector>

namespace tessera::test {

template <class ExecutionSpace, class Scalar>
solvers::CrsOperator<Scalar, ExecutionSpace> device_operator(const HostMatrix<Scalar>& matrix) {
  return {ExecutionSpace(), to_device<ExecutionSpace>(matrix.row_map),
          to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values)};
}

/// A matrix on the device, its diagonal, and what is solved with it.
template <class Scalar, class ExecutionSpace>
struct DeviceSystem {
  solvers::CrsOperator<Scalar, ExecutionSpace> a;
  solvers::Jacobi<Scalar, ExecutionSpace> jacobi;
  Kokkos::View<const Scalar*, ExecutionSpace> b;
  Kokkos::View<Scalar*, ExecutionSpace> x;

  DeviceSystem(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& rhs)
      : a(device_operator<ExecutionSpace>(matrix)),
        jacobi({}, to_device<ExecutionSpace>(matrix.row_map), to_device<ExecutionSpace>(matrix.columns),
               to_device<ExecutionSpace>(matrix.values)),
        b(to_device<ExecutionSpace>(rhs)), x("Tessera::Test::x", rhs.size()) {}
};

/// A chain of springs between walls.
inline HostMatrix<double> chain(const std::vector<double>& stiffness) {
  HostMatrix<double> matrix;
  for (std::size_t i = 0; i + 1 < stiffness.size(); ++i) {
    const auto row = static_cast<Ordinal>(i);
    std::map<Ordinal, double> entries{{row, stiffness[i] + stiffness[i + 1]}};
    if (i > 0) entries[row - 1] = -stiffness[i];
    if (i + 2 < stiffness.size()) entries[row + 1] = -stiffness[i + 1];
    matrix.add_row(entries);
  }
  return matrix;
}

/// −u″ + c u′ by upwind differences.
template <class Scalar>
HostMatrix<Scalar> convection(Ordinal rows, double c) {
  HostMatrix<Scalar> matrix;
  for (Ordinal row = 0; row < rows; ++row) {
    std::map<Ordinal, Scalar> entries{{row, Scalar(2 + c)}};
    if (row > 0) entries[row - 1] = Scalar(-1 - c);
    if (row + 1 < rows) entries[row + 1] = Scalar(-1);
    matrix.add_row(entries);
  }
  return matrix;
}

/// ‖b − A x‖, its sums in double.
template <class Scalar>
double residual_norm(const HostMatrix<Scalar>& matrix, const std::vector<Scalar>& b,
                     const std::vector<Scalar>& x) {
  double sum = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    double r = b[row];
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      r -= static_cast<double>(matrix.values[k]) * static_cast<double>(x[matrix.columns[k]]);
    sum += r * r;
  }
  return std::sqrt(sum);
}

} // namespace tessera::test
