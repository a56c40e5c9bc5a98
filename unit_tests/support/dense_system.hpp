// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/reference_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::test {

/// The oracle's system of a form under a space's constraints, solved by elimination with complete pivoting:
/// what small positive semidefinite matrices have of a null space, and their solutions.
class DenseSystem {
public:
  template <class Element, class ExecutionSpace, class Form>
  DenseSystem(const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
    const SparsityGraph<ExecutionSpace> graph = sparsity_graph(ExecutionSpace(), space);
    const ReferenceSystem reference = reference_assembly(form, space, graph);
    const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.row_map);
    const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.columns);
    const auto n = static_cast<std::size_t>(graph.num_rows());
    a_.assign(n, std::vector<long double>(n + 1, 0)); // the last column is the right-hand side
    for (std::size_t row = 0; row < n; ++row) {
      for (Offset k = row_map(row); k < row_map(row + 1); ++k)
        a_[row][static_cast<std::size_t>(columns(k))] = reference.values[static_cast<std::size_t>(k)];
      a_[row][n] = reference.rhs[row];
    }
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    eliminate();
  }

  /// Dimension of the null space.
  std::size_t nullity() const { return a_.size() - rank_; }

  /// Of a matrix without a null space.
  std::vector<double> solution() const {
    const std::size_t n = a_.size();
    std::vector<double> x(n);
    std::vector<long double> y(n);
    for (std::size_t i = n; i-- > 0;) {
      y[i] = a_[i][n];
      for (std::size_t j = i + 1; j < n; ++j) y[i] -= a_[i][j] * y[j];
      y[i] /= a_[i][i];
      x[order_[i]] = static_cast<double>(y[i]);
    }
    return x;
  }

private:
  void eliminate() {
    const std::size_t n = a_.size();
    for (rank_ = 0; rank_ < n; ++rank_) {
      std::size_t pivot = rank_;
      for (std::size_t i = rank_; i < n; ++i)
        if (a_[i][i] > a_[pivot][pivot]) pivot = i;
      if (!(a_[pivot][pivot] > 1e-11L * a_[0][0])) return;
      std::swap(a_[rank_], a_[pivot]);
      std::swap(order_[rank_], order_[pivot]);
      for (auto& row : a_) std::swap(row[rank_], row[pivot]);
      for (std::size_t i = rank_ + 1; i < n; ++i) {
        const long double factor = a_[i][rank_] / a_[rank_][rank_];
        if (factor == 0) continue;
        for (std::size_t j = rank_ + 1; j <= n; ++j) a_[i][j] -= factor * a_[rank_][j];
      }
    }
  }

  std::vector<std::vector<long double>> a_;
  std::vector<std::size_t> order_; ///< position: equation
  std::size_t rank_ = 0;
};

} // namespace tessera::test
