# SPDX-License-Identifier: BSD-3-Clause
"""Finite element matrices, operators and solvers of Tessera: NumPy arrays in, SciPy matrices out."""

from ._tessera import (
    ArgumentError,
    Error,
    FileError,
    FormError,
    MeshError,
    OutOfMemoryError,
    SolverError,
    UnsupportedError,
    backend,
    elements,
)
from .forms import Helmholtz, LinearElasticity, per_material
from .mesh import Mesh, box, read
from .solvers import Multigrid, cg, multigrid, solve
from .space import Space
from .system import System, strategies

__all__ = [
    "ArgumentError",
    "Error",
    "FileError",
    "FormError",
    "Helmholtz",
    "LinearElasticity",
    "Mesh",
    "MeshError",
    "Multigrid",
    "OutOfMemoryError",
    "SolverError",
    "Space",
    "System",
    "UnsupportedError",
    "backend",
    "box",
    "cg",
    "elements",
    "multigrid",
    "per_material",
    "read",
    "solve",
    "strategies",
]
