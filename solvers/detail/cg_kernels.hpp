// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The vector kernels of conjugate gradients, fused so that each vector is read and written as seldom as
/// possible. Sums are double whatever the scalar. The comments give the vectors moved per row.

#include <tessera/core/allocate.hpp>
#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

/// Sums r·r and r·M⁻¹ r.
struct CgResidualSums {
  double rr = 0, rz = 0;
  KOKKOS_FUNCTION CgResidualSums& operator+=(const CgResidualSums& other) {
    rr += other.rr;
    rz += other.rz;
    return *this;
  }
};

/// What an iteration sums, in memory of the execution space: the host waits for it once an iteration.
struct CgSums {
  double pq = 0;
  CgResidualSums residual[2]; // of this iteration and of the one before, in turns
};

/// Sums that an iteration has left.
struct CgFound {
  double pq, rr, rz_before;
};

/// `CgSums` of a solution, and the wait for them.
template <class ExecutionSpace>
class CgScalars {
public:
  explicit CgScalars(const ExecutionSpace& exec)
      : exec_(exec), sums_(allocate_zeroed<Sums>(exec, "Tessera::Cg::sums")),
        found_(Kokkos::view_alloc("Tessera::Cg::found", Kokkos::WithoutInitializing)) {}

  /// What was this iteration's is the one before's now.
  void turn() { now_ = 1 - now_; }

  DeviceScalar<ExecutionSpace> pq() const { return DeviceScalar<ExecutionSpace>(&sums_.data()->pq); }
  DeviceScalar<ExecutionSpace> rz() const { return rz_of(now_); }
  DeviceScalar<ExecutionSpace> rz_before() const { return rz_of(1 - now_); }
  Kokkos::View<CgResidualSums, ExecutionSpace, Kokkos::MemoryUnmanaged> residual() const {
    return Kokkos::View<CgResidualSums, ExecutionSpace, Kokkos::MemoryUnmanaged>(
        &sums_.data()->residual[now_]);
  }

  CgFound wait() const {
    Kokkos::deep_copy(exec_, found_, sums_);
    exec_.fence("Tessera::Cg::sums");
    return {.pq = found_().pq, .rr = found_().residual[now_].rr, .rz_before = found_().residual[1 - now_].rz};
  }

private:
  using Sums = Kokkos::View<CgSums, ExecutionSpace>;

  DeviceScalar<ExecutionSpace> rz_of(int which) const {
    return DeviceScalar<ExecutionSpace>(&sums_.data()->residual[which].rz);
  }

  ExecutionSpace exec_;
  int now_ = 0;
  Sums sums_;
  Kokkos::View<CgSums, Kokkos::SharedHostPinnedSpace> found_;
};

/// A quotient of sums: read by the kernel that needs it, or on the host, whose kernels have ended, before.
template <class ExecutionSpace>
class CgQuotient {
public:
  CgQuotient(const ExecutionSpace& exec, const DeviceScalar<ExecutionSpace>& top,
             const DeviceScalar<ExecutionSpace>& bottom)
      : top_(top.data()), bottom_(bottom.data()) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      exec.fence("Tessera::Cg::quotient");
      value_ = *top_ / *bottom_;
    }
  }
  KOKKOS_FUNCTION double operator()() const {
    if constexpr (runs_on_host<ExecutionSpace>)
      return value_;
    else
      return *top_ / *bottom_;
  }

private:
  const double *top_, *bottom_;
  double value_ = 0;
};

/// Sums of blocks of rows. A sum in memory would wait for itself from row to row, which takes a host longer
/// than to read the rows: a block has some in registers, side by side.
template <class Kernel, class Sum>
struct CgBlocks {
  using value_type = Sum;
  static constexpr Ordinal rows_per_block = 256;
  Kernel kernel;
  Ordinal rows;

  Ordinal count() const { return (rows + rows_per_block - 1) / rows_per_block; }

  KOKKOS_FUNCTION void operator()(Ordinal block, Sum& sum) const {
    constexpr int side_by_side = 4;
    Sum own[side_by_side] = {};
    Ordinal row = block * rows_per_block;
    const Ordinal end = Kokkos::min(rows, row + rows_per_block);
    for (; row + side_by_side <= end; row += side_by_side)
      for (int k = 0; k < side_by_side; ++k) kernel(row + k, own[k]);
    for (; row < end; ++row) kernel(row, own[0]);
    for (const Sum& part : own) sum += part;
  }
};

/// sum = Σ kernel(row, sum), waited for where `sum` is no view.
template <class Sum, class ExecutionSpace, class Kernel, class Result>
void sum_rows(const ExecutionSpace& exec, const char* label, Ordinal rows, const Kernel& kernel,
              Result&& sum) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  if constexpr (runs_on_host<ExecutionSpace>) {
    const CgBlocks<Kernel, Sum> blocks{kernel, rows};
    Kokkos::parallel_reduce(label, contiguous(Range(exec, 0, blocks.count())), blocks, sum);
  } else {
    Kokkos::parallel_reduce(label, Range(exec, 0, rows), kernel, sum);
  }
}

template <class Scalar, class ExecutionSpace>
struct CgKernels {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

  using Quotient = CgQuotient<ExecutionSpace>;

  /// The preconditioned residual out of the preconditioner's own memory.
  template <class Gate>
  struct Given {
    Gate gate;
    KOKKOS_FUNCTION Scalar operator()(Ordinal row, Scalar) const {
      return static_cast<Scalar>(gate.give(row));
    }
  };

  /// The preconditioned residual read from memory.
  struct Stored {
    Vector z;
    KOKKOS_FUNCTION Scalar operator()(Ordinal row, Scalar) const { return z(row); }
  };

  /// The residual scaled on the fly by a diagonal preconditioner.
  template <class Preconditioner>
  struct Scaled {
    Preconditioner preconditioner;
    KOKKOS_FUNCTION Scalar operator()(Ordinal row, Scalar r) const { return preconditioner.scale(row) * r; }
  };

  /// Sum b·b, and how many entries of the first guess are not zero. Reads 2.
  struct Begin {
    Kokkos::View<const Scalar*, ExecutionSpace> b, x;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& bb, Ordinal& guessed) const {
      bb += static_cast<double>(b(row)) * static_cast<double>(b(row));
      guessed += x(row) == 0 ? 0 : 1;
    }
  };

  /// r = b − q; sum r·r. Reads 2, writes 1.
  struct Residual {
    Kokkos::View<const Scalar*, ExecutionSpace> b;
    Vector q, r;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& rr) const {
      const Scalar value = b(row) - q(row);
      r(row) = value;
      rr += static_cast<double>(value) * static_cast<double>(value);
    }
  };

  /// Sum r·r of r = b − q, which is not kept. Reads 2.
  struct ResidualNorm {
    Kokkos::View<const Scalar*, ExecutionSpace> b;
    Vector q;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& rr) const {
      const Scalar value = b(row) - q(row);
      rr += static_cast<double>(value) * static_cast<double>(value);
    }
  };

  /// max |b|. Reads 1.
  struct LargestEntry {
    Kokkos::View<const Scalar*, ExecutionSpace> b;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& largest) const {
      largest = worse_of(largest, static_cast<double>(Kokkos::abs(b(row))));
    }
  };

  /// p·q. Reads 2.
  struct Dot {
    Vector p, q;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& sum) const {
      sum += static_cast<double>(p(row)) * static_cast<double>(q(row));
    }
  };

  /// Sums (r·r, r·M⁻¹r), the second only for a diagonal preconditioner. Reads 1, and the diagonal.
  template <class Scaling>
  struct ResidualSums {
    using value_type = CgResidualSums;
    Scaling scaling;
    Vector r;
    KOKKOS_FUNCTION void operator()(Ordinal row, CgResidualSums& sums) const { add(row, r(row), sums); }
    KOKKOS_FUNCTION void add(Ordinal row, Scalar value, CgResidualSums& sums) const {
      sums.rr += static_cast<double>(value) * static_cast<double>(value);
      sums.rz += static_cast<double>(value) * static_cast<double>(scaling(row, value));
    }
  };

  /// r −= α q, and the sums of r if wanted. Reads 2, writes 1.
  template <class Scaling>
  struct Update {
    using value_type = CgResidualSums;
    ResidualSums<Scaling> sums_of;
    Vector q;
    Quotient alpha;
    KOKKOS_FUNCTION void operator()(Ordinal row, CgResidualSums& sums) const {
      sums_of.add(row, step(row), sums);
    }
    KOKKOS_FUNCTION void operator()(Ordinal row) const { step(row); }
    KOKKOS_FUNCTION Scalar step(Ordinal row) const {
      const Scalar value = sums_of.r(row) - static_cast<Scalar>(alpha()) * q(row);
      sums_of.r(row) = value;
      return value;
    }
  };

  /// Stands in `Update` for a preconditioner that is applied afterwards.
  struct NoScaling {
    KOKKOS_FUNCTION Scalar operator()(Ordinal, Scalar) const { return Scalar(0); }
  };

  /// x += α p. Reads 2, writes 1.
  struct Step {
    Vector p, x;
    Quotient alpha;
    KOKKOS_FUNCTION void operator()(Ordinal row) const { x(row) += static_cast<Scalar>(alpha()) * p(row); }
  };

  /// p = z. Reads 1 (and the diagonal), writes 1.
  template <class Scaling>
  struct FirstDirection {
    Scaling scaling;
    Vector r, p;
    KOKKOS_FUNCTION void operator()(Ordinal row) const { p(row) = scaling(row, r(row)); }
  };

  /// x += α p for the old p unless that is done, and p = z + β p. Reads 3 (and the diagonal), writes 2.
  template <class Scaling>
  struct Direction {
    Scaling scaling;
    Vector r, p, x;
    Quotient alpha, beta;
    bool step;
    KOKKOS_FUNCTION void operator()(Ordinal row) const {
      const Scalar z = scaling(row, r(row)), own = p(row); // before the first is written
      if (step) x(row) += static_cast<Scalar>(alpha()) * own;
      p(row) = z + static_cast<Scalar>(beta()) * own;
    }
  };
};

} // namespace tessera::solvers::detail
