# SPDX-License-Identifier: BSD-3-Clause
"""Finite element matrices, operators and solvers of Tessera: NumPy arrays in, SciPy matrices out."""

from ._kokkos import require_one
from ._tessera import (
    ArgumentError,
    CgResult,
    DeviceArray,
    Error,
    FileError,
    FormError,
    MeshError,
    NewtonResult,
    OutOfMemoryError,
    Report,
    SolverError,
    UnsupportedError,
    backend,
    elements,
)
from .catalogue import Strategy, strategies
from .comparison import compare
from .device import DeviceMatrix, stream
from .forms import Helmholtz, LinearElasticity, NeoHookean, NonlinearPoisson, Poisson, Stokes, per_material
from .matrix_free import Operator
from .mesh import Mesh, box, read
from .pictures import Field, Picture
from .residual import Residual
from .solvers import Multigrid, cg, multigrid, solve
from .space import Space
from .system import System

require_one()

__all__ = [
    "ArgumentError",
    "CgResult",
    "DeviceArray",
    "DeviceMatrix",
    "Error",
    "Field",
    "FileError",
    "FormError",
    "Helmholtz",
    "LinearElasticity",
    "Mesh",
    "MeshError",
    "Multigrid",
    "NeoHookean",
    "NewtonResult",
    "NonlinearPoisson",
    "Operator",
    "OutOfMemoryError",
    "Picture",
    "Poisson",
    "Report",
    "Residual",
    "SolverError",
    "Space",
    "Stokes",
    "Strategy",
    "System",
    "UnsupportedError",
    "backend",
    "box",
    "cg",
    "compare",
    "elements",
    "multigrid",
    "per_material",
    "read",
    "solve",
    "strategies",
    "stream",
]
