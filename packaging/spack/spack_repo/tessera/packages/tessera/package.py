# SPDX-License-Identifier: BSD-3-Clause
"""Tessera's recipe for Spack. In a clone:
spack repo add packaging/spack/spack_repo/tessera
spack install tessera
"""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Tessera(CMakePackage, CudaPackage, ROCmPackage):
    """Finite element assembly strategies, operators and multigrid on Kokkos."""

    license("BSD-3-Clause")

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()  # the clone that this recipe stands in
    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("openmp", default=True, description="Kokkos with OpenMP")
    variant("kokkoskernels", default=False, description="Use Kokkos Kernels")
    variant("vtk", default=False, description="Read and draw by VTK")
    variant("mpi", default=False, description="One mesh over many ranks")
    variant("hypre", default=False, when="+mpi", description="Solution over many ranks by hypre")
    variant("umfpack", default=False, description="Sparse LU by SuiteSparse, which is under the GPL")
    variant("tools", default=True, description="Build the tools")
    variant("tests", default=False, description="Build the unit tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("kokkos@4.7: +serial")
    depends_on("kokkos +openmp", when="+openmp")
    depends_on("metis@5:")
    depends_on("kokkos-kernels@4.7:", when="+kokkoskernels")
    depends_on("vtk", when="+vtk")
    depends_on("mpi", when="+mpi")
    depends_on("hypre@2.29: +mpi", when="+hypre")
    depends_on("suite-sparse", when="+umfpack")
    depends_on("googletest +gmock", when="+tests")

    conflicts("+cuda", when="+rocm")
    depends_on("kokkos +wrapper", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"hypre +cuda cuda_arch={arch}", when=f"+hypre+cuda cuda_arch={arch}")
    # Compiles for HIP, never run.
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TESSERA_ENABLE_KOKKOSKERNELS", "kokkoskernels"),
            self.define_from_variant("TESSERA_ENABLE_VTK", "vtk"),
            self.define_from_variant("TESSERA_ENABLE_MPI", "mpi"),
            self.define_from_variant("TESSERA_ENABLE_HYPRE", "hypre"),
            self.define_from_variant("TESSERA_ENABLE_UMFPACK", "umfpack"),
            self.define_from_variant("TESSERA_ENABLE_TOOLS", "tools"),
            self.define_from_variant("TESSERA_ENABLE_TESTS", "tests"),
            self.define("TESSERA_ENABLE_EXAMPLES", False),
            self.define("TESSERA_ENABLE_PERF_TESTS", False),
            self.define("TESSERA_ENABLE_TRILINOS", False),
            self.define("TESSERA_GIT_HASH", "spack"),
        ]
        if "+cuda" in self.spec:
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if "+rocm" in self.spec:
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args
