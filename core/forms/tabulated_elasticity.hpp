// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Small-strain elasticity in three dimensions with a stiffness of its own at each point, out of a table.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/anisotropic_elasticity.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

/// Pointwise part of `TabulatedElasticity`.
template <class ExecutionSpace>
struct TabulatedElasticityKernel {
  using Stiffness =
      Kokkos::View<const double * [VoigtStiffness::entries], Kokkos::LayoutRight, ExecutionSpace>;
  using Kinds = Kokkos::View<const std::int32_t**, Kokkos::LayoutRight, ExecutionSpace>;

  Stiffness stiffness;
  Kinds kinds;
  Vector<double, 3> body_force;

  static constexpr int components = 3;
  static constexpr bool symmetric = true;

  template <class Element>
  static constexpr int degree = AnisotropicElasticityKernel::degree<Element>;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    using Real = typename Point::real_type;
    AnisotropicElasticityKernel::Integrand<Point> integrand{point, {}, body_force};
    const int place = kinds.extent(1) == 1 ? 0 : point.number();
    for (int k = 0; k < VoigtStiffness::entries; ++k)
      integrand.c(k) = from_lanes<Real>([&](int lane) {
        return value_type_t<Real>(stiffness(kinds(point.cell().element[lane], place), k));
      });
    return integrand;
  }
};

/// `AnisotropicElasticity` of many materials, or of such as vary within elements, with the temperature, say:
/// the numbers that `VoigtStiffness` lists for each kind of material, and the kind at each quadrature point.
/// For matrices: strategies that know elements with the same stiffness everywhere are of no use.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct TabulatedElasticity {
  typename TabulatedElasticityKernel<ExecutionSpace>::Stiffness stiffness = {}; ///< kind x number
  /// element x point of the form's rule on the element; one column where all points have the same
  typename TabulatedElasticityKernel<ExecutionSpace>::Kinds kinds = {};
  std::array<double, 3> body_force = {};

  static constexpr int components = 3;

  /// The pointwise part for device kernels.
  TabulatedElasticityKernel<ExecutionSpace> kernel() const {
    TabulatedElasticityKernel<ExecutionSpace> kernel{stiffness, kinds, {}};
    for (int a = 0; a < 3; ++a) kernel.body_force(a) = body_force[static_cast<std::size_t>(a)];
    return kernel;
  }

  /// Kinds and stiffnesses themselves are not checked. \throws ArgumentError unless each element has kinds
  template <class MeshType>
  void check(const MeshType& mesh) const {
    if (kinds.extent(0) != static_cast<std::size_t>(mesh.num_elements()))
      throw ArgumentError("TabulatedElasticity::kinds: the mesh has " + std::to_string(mesh.num_elements()) +
                          " elements, not " + std::to_string(kinds.extent(0)));
  }
};

} // namespace tessera
