#pragma once

/// \file
/// The vector kernels of conjugate gradients, fused so that each vector is read and written as seldom as
/// possible. Sums are double whatever the scalar. The comments give the vectors moved per row.

#include <tessera/core/deviation.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

template <class Scalar, class ExecutionSpace>
struct CgKernels {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

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

  /// r = b − q; sums (b·b, r·r). Reads 2, writes 1.
  struct Residual {
    Kokkos::View<const Scalar*, ExecutionSpace> b;
    Vector q, r;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& bb, double& rr) const {
      const Scalar value = b(row) - q(row);
      r(row) = value;
      bb += static_cast<double>(b(row)) * static_cast<double>(b(row));
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

  /// x += α p, r −= α q; sums (r·r, r·M⁻¹r), the second only for a diagonal preconditioner. Reads 4, writes
  /// 2, and reads the diagonal.
  template <class Scaling>
  struct Update {
    Scaling scaling;
    Vector p, q, x, r;
    Scalar alpha;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& rr, double& rz) const {
      x(row) += alpha * p(row);
      const Scalar value = r(row) - alpha * q(row);
      r(row) = value;
      rr += static_cast<double>(value) * static_cast<double>(value);
      rz += static_cast<double>(value) * static_cast<double>(scaling(row, value));
    }
  };

  /// Stands in `Update` for a preconditioner that is applied afterwards.
  struct NoScaling {
    KOKKOS_FUNCTION Scalar operator()(Ordinal, Scalar) const { return Scalar(0); }
  };

  /// p = z + β p. Reads 2 (and the diagonal), writes 1. With `first`, p = z, and p is not read.
  template <class Scaling>
  struct Direction {
    Scaling scaling;
    Vector r, p;
    Scalar beta;
    bool first;
    KOKKOS_FUNCTION void operator()(Ordinal row) const {
      const Scalar z = scaling(row, r(row));
      p(row) = first ? z : z + beta * p(row);
    }
  };
};

} // namespace tessera::solvers::detail
