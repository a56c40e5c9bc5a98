# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Error(RuntimeError):
    pass

class ArgumentError(Error, ValueError):
    pass

class MeshError(Error):
    pass

class FormError(Error):
    pass

class UnsupportedError(Error):
    pass

class SolverError(Error):
    pass

class OutOfMemoryError(Error, MemoryError):
    pass

class FileError(Error):
    pass

backend: str

on_host: bool

class DeviceArray:
    """
    An array on the device, for packages that take arrays by DLPack or by CUDA's array interface: torch.from_dlpack, cupy.from_dlpack, numba. It keeps its memory, and nothing is pending on it.
    """

    @property
    def shape(self) -> tuple:
        """as NumPy's"""

    @property
    def ndim(self) -> int:
        """number of indices"""

    @property
    def size(self) -> int:
        """number of entries"""

    @property
    def dtype(self) -> str:
        """type of the entries, as NumPy names it"""

    def numpy(self) -> numpy.ndarray:
        """A copy on the host, a NumPy array."""

    def copy(self) -> DeviceArray:
        """A copy on the device."""

    def __len__(self) -> int: ...

    def __dlpack__(self, *, stream: object | None = None, max_version: object | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    @property
    def __cuda_array_interface__(self) -> dict: ...

    def __array__(self, *args, **kwargs) -> object: ...

    def __repr__(self) -> str: ...

def device_array_of_capsule(arg: object, /) -> DeviceArray: ...

def device_array_of_interface(arg0: object, arg1: int, arg2: Sequence[int], arg3: Sequence[int] | None, arg4: str, arg5: int | None) -> DeviceArray: ...

def zeros(arg: Sequence[int], /) -> DeviceArray: ...

def dense_doubles(arg0: DeviceArray, arg1: str, arg2: int, /) -> DeviceArray: ...

def dense_ordinals(arg0: DeviceArray, arg1: str, arg2: int, /) -> DeviceArray: ...

def dense_longs(arg0: DeviceArray, arg1: str, arg2: int, /) -> DeviceArray: ...

def dense_offsets(arg0: DeviceArray, arg1: str, arg2: int, /) -> DeviceArray: ...

def device() -> tuple[int, int]: ...

def use_stream(arg: int | None) -> int | None: ...

def current_stream() -> int: ...

class Mesh:
    @property
    def element(self) -> str: ...

    @property
    def points(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def blocks(self) -> list: ...

    @property
    def materials(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def node_sets(self) -> dict: ...

    @property
    def side_sets(self) -> dict: ...

    def boundary_sides(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def num_materials(self) -> int: ...

    @property
    def material_names(self) -> list[str]: ...

    def add_node_set(self, arg0: str, arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def add_side_set(self, arg0: str, arg1: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], /) -> None: ...

def make_mesh(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)], arg1: Sequence[tuple[str, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)] | None]], /) -> Mesh: ...

def read_mesh(arg0: str, arg1: str, arg2: bool, /) -> Mesh: ...

def box_mesh(arg0: str, arg1: Sequence[int], arg2: Sequence[float], /) -> Mesh: ...

def elements() -> list[str]: ...

class Space:
    @property
    def components(self) -> int: ...

    @property
    def linear_components(self) -> int: ...

    @property
    def num_equations(self) -> int: ...

    def constrain(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: int, arg2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def release(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: int, /) -> None: ...

    def add_load(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arg1: Callable[[Sequence[float]], Sequence[float]], /) -> None: ...

    def add_pressure(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arg1: Callable[[Sequence[float]], Sequence[float]], /) -> None: ...

    def add_robin(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arg1: Callable[[Sequence[float]], Sequence[float]], arg2: Callable[[Sequence[float]], Sequence[float]], /) -> None: ...

    def add_point_load(self, arg0: int, arg1: int, arg2: float, /) -> None: ...

    def clear_loads(self) -> None: ...

    def clear_robin(self) -> None: ...

    def expand(self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], /) -> object: ...

def make_space(arg0: Mesh, arg1: int, arg2: int, arg3: bool, /) -> Space: ...

class CellField:
    pass

def constant(arg: float, /) -> CellField: ...

def per_material(arg: Sequence[float], /) -> CellField: ...

def per_element(arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], /) -> CellField: ...

class Form:
    pass

def helmholtz(arg0: CellField, arg1: CellField, arg2: CellField, /) -> Form: ...

def elasticity(arg0: CellField, arg1: CellField, arg2: Sequence[float], arg3: bool, /) -> Form: ...

def stokes(arg0: float, arg1: Sequence[float], /) -> Form: ...

class ResidualForm:
    pass

def poisson(arg0: CellField, arg1: CellField, /) -> ResidualForm: ...

def nonlinear_poisson(arg: CellField, /) -> ResidualForm: ...

def neo_hookean(arg0: float, arg1: float, /) -> ResidualForm: ...

class Report:
    """What a strategy did."""

    @property
    def strategy(self) -> str:
        """the strategy's name"""

    @property
    def path(self) -> str:
        """how element data is computed, and what Best took"""

    @property
    def bytes(self) -> int:
        """memory of the plan"""

    @property
    def plan_seconds(self) -> float:
        """of what depends on the mesh"""

    @property
    def prepare_seconds(self) -> float:
        """of what depends on the form, of all forms so far"""

    def __repr__(self) -> str: ...

def assembly_strategies() -> list: ...

def operator_strategies() -> list: ...

def residual_strategies() -> list: ...

class System:
    @property
    def row_map(self) -> Annotated[NDArray[numpy.uint64], dict(writable=False)]: ...

    @property
    def columns(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def values(self) -> NDArray[numpy.float64]: ...

    @property
    def rhs(self) -> NDArray[numpy.float64]: ...

    @property
    def has_flow(self) -> bool: ...

    def assemble(self, arg0: Form, arg1: str, /) -> Report: ...

def make_system(arg: Space, /) -> System: ...

class Operator:
    @property
    def report(self) -> Report: ...

    @property
    def rows(self) -> int: ...

    def apply(self, arg0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C')], /) -> None: ...

    def load(self) -> NDArray[numpy.float64]: ...

    def diagonal(self) -> NDArray[numpy.float64]: ...

def make_operator(arg0: Space, arg1: Form, arg2: str, /) -> Operator: ...

class Residual:
    @property
    def report(self) -> Report: ...

    @property
    def dofs(self) -> int: ...

    def set_form(self, arg: ResidualForm, /) -> None: ...

    def integrate(self, arg0: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C')], /) -> None: ...

def make_residual(arg0: Space, arg1: ResidualForm, arg2: str, /) -> Residual: ...

class NewtonResult:
    """How Newton's method went; norms are Euclidean."""

    @property
    def converged(self) -> bool: ...

    @property
    def iterations(self) -> int: ...

    @property
    def linear_iterations(self) -> int:
        """of all its linear systems together"""

    @property
    def residual(self) -> float:
        """norm of r(u) of the last state"""

class Linearised:
    def set_form(self, arg: ResidualForm, /) -> None: ...

    def assemble(self, arg: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], /) -> None: ...

    def transposed_product(self, arg0: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(order='C')], /) -> None: ...

    def solve_transposed(self, arg0: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(order='C')], arg3: float, arg4: bool, /) -> None: ...

    def gradient(self, arg0: int, arg1: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(order='C', writable=False)], /) -> object: ...

    def newton(self, arg0: Annotated[NDArray[numpy.float64], dict(order='C')], arg1: float, arg2: int, arg3: bool, /) -> NewtonResult: ...

def linearise(arg0: Space, arg1: ResidualForm, arg2: System, /) -> Linearised: ...

have_pictures: bool

class PictureOptions:
    pass

def picture_options(arg0: int, arg1: int, arg2: str, arg3: bool, arg4: bool, /) -> PictureOptions: ...

def draw_mesh(arg0: Mesh, arg1: str, arg2: PictureOptions, /) -> None: ...

def draw_numbers(arg0: Mesh, arg1: str, arg2: PictureOptions, arg3: str, arg4: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

def draw_solution(arg0: Mesh, arg1: str, arg2: PictureOptions, arg3: str, arg4: str, arg5: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

class CgResult:
    """How an iteration went; all norms are Euclidean."""

    @property
    def converged(self) -> bool: ...

    @property
    def reason(self) -> str: ...

    @property
    def iterations(self) -> int: ...

    @property
    def true_residual(self) -> float:
        """norm of b - A x of the solution, computed anew"""

    @property
    def rhs_norm(self) -> float: ...

    @property
    def attainable(self) -> float:
        """what rounding leaves of a residual; 0 where not asked for"""

    @property
    def history(self) -> list[float]:
        """norm of the residual before each iteration and after the last"""

    @property
    def condition(self) -> float:
        """of the preconditioned matrix"""

class Multigrid:
    @property
    def rows(self) -> int: ...

    @property
    def level_rows(self) -> list[int]: ...

    @property
    def operator_complexity(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def singular(self) -> bool: ...

    def apply(self, arg0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C')], /) -> None: ...

    def refresh(self, arg0: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], /) -> None: ...

def multigrid_of_space(arg0: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg3: Space, arg4: bool, /) -> Multigrid: ...

def multigrid_of_nodes(arg0: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg3: int, arg4: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)] | None, arg5: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)] | None, arg6: bool) -> Multigrid: ...

def cg(arg0: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg3: Multigrid | None, arg4: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)], arg5: Annotated[NDArray[numpy.float64], dict(order='C')], arg6: float | None, arg7: float, arg8: int, arg9: int) -> CgResult: ...

def solve_flow(arg0: System, arg1: Annotated[NDArray[numpy.float64], dict(order='C')], arg2: float | None) -> CgResult: ...
