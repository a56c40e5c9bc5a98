// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Measures matrix-free operators, and the assembled matrix, on one problem.

#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// One operator on one problem.
struct OperatorResult {
  /// A solution by conjugate gradients; without iterations none was asked for.
  struct Cg {
    int iterations = 0;
    double seconds = 0;
    bool converged = false;
  };
  std::string problem, element, form, strategy;
  std::int64_t elements = 0, nodes = 0, equations = 0;
  double prepare_seconds = 0;
  double seconds_median = 0, seconds_min = 0; ///< of one product
  double ns_per_element = 0, gdof_per_s = 0;
  std::int64_t bytes = 0;      ///< of the operator
  std::int64_t allocated = 0;  ///< the same by the allocator; 0 for the assembled matrix
  std::int64_t mesh_bytes = 0; ///< connectivity, and coordinates where the operator reads them
  double model_bytes = 0, model_flops = 0;
  double gb_per_s = 0, gflop_per_s = 0;
  double error = 0;         ///< difference from the assembled product, relative to its largest entry
  double tolerance = 1e-12; ///< what it may be
  bool agrees = true;
  Cg plain_cg; ///< as in the paper
  Cg jacobi_cg;
};

/// What is measured.
struct Measurement {
  std::vector<std::string> strategies{"all"}; ///< names
  int repetitions = 30;
  int products = 10;     ///< of one repetition: launches overlap as in a solver
  int cg_iterations = 0; ///< at most; 0: no solve
  std::vector<OperatorResult> results;

  bool wants(const std::string& name) const {
    return std::find(strategies.begin(), strategies.end(), name) != strategies.end();
  }
};

/// What a name has in addition where element matrices are stored in single precision.
inline constexpr const char* float_storage = " (float storage)";

/// Whether a strategy of that name is measured so, too.
inline bool has_float_storage(const std::string& name) {
  return name == "ElementByElement" || name == "SymmetricElementByElement";
}

/// An operator of whatever type, a matrix too: what times and solves is compiled once for all of them.
class TimedOperator {
public:
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// Refers to the operator, which has to live longer.
  template <class Operator>
  explicit TimedOperator(const Operator& op)
      : rows_(op.rows()), apply_([&op](const ExecutionSpace& exec, const Vector& x, const Vector& y) {
          op.apply(exec, x, y);
        }) {}

  std::size_t rows() const { return rows_; }
  void apply(const ExecutionSpace& exec, const Vector& x, const Vector& y) const { apply_(exec, x, y); }

private:
  std::size_t rows_;
  std::function<void(const ExecutionSpace&, const Vector&, const Vector&)> apply_;
};

/// Measures the operators of one problem one after another; the assembled matrix comes first and is the
/// reference of all others.
class OperatorTimer {
public:
  using Vector = TimedOperator::Vector;

  /// \param common what all results say of the problem
  OperatorTimer(Measurement& measurement, const OperatorResult& common);

  /// The matrix that was assembled within `seconds`; timed if it is wanted.
  /// \param error of the matrix against the oracle
  /// \throws SolverError if the matrix is wrong
  void add_assembled(const LinearSystem<double>& system, double seconds, double error);
  /// Times products, and the solution of op x = rhs with the operator's diagonal; prints the result and keeps
  /// it. \param result what is known of the operator
  void add(const TimedOperator& op, const Vector& rhs, const Vector& diagonal, OperatorResult result);

private:
  void time_products(const TimedOperator& op, OperatorResult& result) const;
  template <class Preconditioner>
  OperatorResult::Cg time_solution(const TimedOperator& op, const Preconditioner& preconditioner,
                                   const Vector& rhs) const;

  Measurement& measurement_;
  OperatorResult common_;
  Vector x_, y_, reference_;
};

/// The problems; each is a source file of its own. \throws ArgumentError for an unknown name
void measure_quad_elasticity(const std::string& problem, Measurement& m);
void measure_quad_heat(const std::string& problem, const std::string& mesh_file, Measurement& m);
void measure_hex_elasticity(const std::string& problem, Measurement& m);
void measure_tet_laplace(const std::string& problem, Measurement& m);
void measure_tet_elasticity(const std::string& problem, Measurement& m);
void measure_tet2_heat(const std::string& problem, Measurement& m);

} // namespace tessera::tools
