// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What nearly all tests call. Clang instantiates what the functions here call when it makes the precompiled
// header, once for all tests.

#include <tessera/cmake/compiled/meshes.hpp>
#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>

#include "support/matrices.hpp"
#include "support/meshes/compiled.hpp"
#include "support/meshes/mixed_box.hpp"
#include <vector>

namespace tessera::test {

template <class T, class Space>
void precompile_copies() {
  const std::vector<T> values;
  const Kokkos::View<T*, Space> view = to_device<Space>(values);
  const Kokkos::View<const T*, Space> constant = view;
  const Space exec;
  to_host(view);
  to_host(constant);
  Kokkos::deep_copy(view, T(0));
  Kokkos::deep_copy(exec, view, T(0));
  Kokkos::deep_copy(exec, view, view);
  Kokkos::deep_copy(exec, view, constant);
  Kokkos::deep_copy(exec, view, Kokkos::View<const T*, Kokkos::HostSpace>(values.data(), values.size()));
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  Kokkos::deep_copy(view, host);
  Kokkos::deep_copy(view, Kokkos::create_mirror_view(view));
}

template <class Scalar>
void precompile_matrices() {
  adjugate(Matrix<Scalar, 2, 2>{});
  adjugate(Matrix<Scalar, 3, 3>{});
  determinant(Matrix<Scalar, 2, 2>{});
  determinant(Matrix<Scalar, 3, 3>{});
}

template <class Element, class Space>
void precompile_element() {
  const Space exec;
  const HostMesh<Element, Space> host(distorted_box<Element, Space>({}));
  const auto mesh = host.mesh();
  const FunctionSpace<Element, Space> space(mesh, 1);
  const LinearSystem<double, Space> system(exec, space);
  system.set_zero(exec);
}

template <class Space>
void precompile_core() {
  precompile_copies<double, Space>();
  precompile_copies<float, Space>();
  precompile_copies<Ordinal, Space>();
  precompile_copies<Offset, Space>();
  precompile_element<Tri<1>, Space>();
  precompile_element<Quad<1>, Space>();
  precompile_element<Tet<1>, Space>();
  precompile_element<Hex<1>, Space>();
  CellField::per_material<Space>({});
  MixedBox(1, straight).mesh<Space>();
}

#define TESSERA_PRECOMPILE_CORE(Unused, Space) precompile_core<Space>();
inline void precompile() {
  TESSERA_FOR_EACH_SPACE(TESSERA_PRECOMPILE_CORE, unused)
  precompile_matrices<double>();
  precompile_matrices<Pack<double, 4>>();
  precompile_matrices<Pack<double, 8>>();
  precompile_matrices<Pack<float, 16>>();
}

} // namespace tessera::test
