// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <type_traits>
#include <vector>

namespace tessera::test {

/// Copies a host vector to the device.
template <class ExecutionSpace, class T>
Kokkos::View<T*, ExecutionSpace> to_device(const std::vector<T>& data) {
  Kokkos::View<T*, ExecutionSpace> view("Tessera::Test::data", data.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace>(data.data(), data.size()));
  return view;
}

/// Copies a device vector to the host.
template <class T, class... Properties>
std::vector<std::remove_const_t<T>> to_host(const Kokkos::View<T*, Properties...>& view) {
  std::vector<std::remove_const_t<T>> data(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<std::remove_const_t<T>*, Kokkos::HostSpace>(data.data(), data.size()), view);
  return data;
}

/// A sparse matrix on the host, made by hand.
template <class Scalar>
struct HostMatrix {
  std::vector<Offset> row_map{0};
  std::vector<Ordinal> columns;
  std::vector<Scalar> values;

  std::size_t rows() const { return row_map.size() - 1; }

  void add_row(const std::map<Ordinal, Scalar>& row) {
    for (const auto& [column, value] : row) {
      columns.push_back(column);
      values.push_back(value);
    }
    row_map.push_back(columns.size());
  }

  std::vector<Scalar> operator*(const std::vector<Scalar>& x) const {
    std::vector<Scalar> y(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
      double sum = 0;
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k)
        sum += static_cast<double>(values[k]) * static_cast<double>(x[columns[k]]);
      y[row] = static_cast<Scalar>(sum);
    }
    return y;
  }
};

/// −Δ by differences on an nx × ny grid with zero boundary values; ny = 1 is the 1D operator.
template <class Scalar>
HostMatrix<Scalar> laplace(int nx, int ny) {
  HostMatrix<Scalar> matrix;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      std::map<Ordinal, Scalar> row{{i + nx * j, Scalar(ny > 1 ? 4 : 2)}};
      if (i > 0) row[i - 1 + nx * j] = -1;
      if (i + 1 < nx) row[i + 1 + nx * j] = -1;
      if (j > 0) row[i + nx * (j - 1)] = -1;
      if (j + 1 < ny) row[i + nx * (j + 1)] = -1;
      matrix.add_row(row);
    }
  return matrix;
}

/// Every entry times a symmetric `block`: several components on each node, coupled strongly.
template <class Scalar>
HostMatrix<Scalar> times_block(const HostMatrix<Scalar>& matrix,
                               const std::vector<std::vector<Scalar>>& block) {
  HostMatrix<Scalar> result;
  const auto size = static_cast<Ordinal>(block.size());
  for (std::size_t node = 0; node < matrix.rows(); ++node)
    for (Ordinal i = 0; i < size; ++i) {
      std::map<Ordinal, Scalar> row;
      for (Offset k = matrix.row_map[node]; k < matrix.row_map[node + 1]; ++k)
        for (Ordinal j = 0; j < size; ++j) row[matrix.columns[k] * size + j] = matrix.values[k] * block[i][j];
      result.add_row(row);
    }
  return result;
}

/// D A D with a diagonal D between 1 and `spread`: rows of very different scale.
template <class Scalar>
HostMatrix<Scalar> badly_scaled(HostMatrix<Scalar> matrix, double spread) {
  const auto scale = [&](std::size_t row) {
    return 1 + (spread - 1) * static_cast<double>(row * 7919 % 101) / 100;
  };
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      matrix.values[k] = static_cast<Scalar>(scale(row) * matrix.values[k] * scale(matrix.columns[k]));
  return matrix;
}

/// Numbers between −1 and 1.
template <class Scalar>
std::vector<Scalar> random_vector(std::size_t extent, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Scalar> data(extent);
  for (Scalar& value : data) value = static_cast<Scalar>(uniform(random));
  return data;
}

template <class Scalar>
double norm(const std::vector<Scalar>& x) {
  double sum = 0;
  for (const Scalar value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

} // namespace tessera::test
