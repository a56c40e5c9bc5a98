# SPDX-License-Identifier: BSD-3-Clause
"""The shipped forms. A coefficient is a number, `per_material` or an array with a value for each element."""

from __future__ import annotations

import numbers
from typing import Any, Union, get_args

from numpy.typing import ArrayLike

from . import _tessera
from ._arrays import Array, doubles
from ._tessera import ArgumentError


class per_material:
    """A coefficient with a value for each material of the mesh, float64."""

    def __init__(self, values: ArrayLike) -> None:
        self.values = doubles("per_material", values, 1)


Coefficient = Union[float, per_material, Array]


def _field(what: str, coefficient: Coefficient) -> _tessera.CellField:
    if isinstance(coefficient, per_material):
        return _tessera.per_material(coefficient.values.tolist())
    if isinstance(coefficient, numbers.Real):
        return _tessera.constant(float(coefficient))
    return _tessera.per_element(doubles(what, coefficient, 1, device=True))


def _force(form: str, body_force: ArrayLike | None) -> list[float]:
    return [] if body_force is None else doubles(f"{form}: body_force", body_force, 1).tolist()


class Helmholtz:
    """-div(sigma grad u) + lambda_ u = source, one unknown per node; sigma > 0, lambda_ >= 0.

    Natural boundary data is the flux n . sigma grad u.
    """

    def __init__(
        self, sigma: Coefficient = 1.0, lambda_: Coefficient = 0.0, source: Coefficient = 0.0
    ) -> None:
        self._handle = _tessera.helmholtz(
            _field("Helmholtz: sigma", sigma),
            _field("Helmholtz: lambda_", lambda_),
            _field("Helmholtz: source", source),
        )


class LinearElasticity:
    """Isotropic linear elasticity, as many displacements per node as dimensions.

    young:      Young's modulus > 0
    poisson:    Poisson's ratio in (-1, 0.5)
    body_force: force per volume (in the plane per area), one number for each dimension
    plane:      "strain" or "stress", in two dimensions

    Natural boundary data is the traction.
    """

    def __init__(
        self,
        young: Coefficient = 1.0,
        poisson: Coefficient = 0.3,
        body_force: ArrayLike | None = None,
        plane: str = "strain",
    ) -> None:
        if plane not in ("strain", "stress"):
            raise ArgumentError(f"LinearElasticity: plane is '{plane}'; it may be 'strain' or 'stress'")
        self._handle = _tessera.elasticity(
            _field("LinearElasticity: young", young),
            _field("LinearElasticity: poisson", poisson),
            _force("LinearElasticity", body_force),
            plane == "stress",
        )


class Stokes:
    """Slow viscous flow, -div(viscosity grad u) + grad p = body_force and div u = 0: velocities of second order and a
    linear pressure, of `Space(mesh, components=dimension + 1, linear_components=1)` on elements of second order.

    viscosity:  dynamic, > 0
    body_force: force per volume (in the plane per area), one number for each dimension

    The matrix is symmetric and not definite: it is for `solve`, not for `cg` and `multigrid`. Without a side that is free
    to move, prescribe the pressure at one corner.
    """

    def __init__(self, viscosity: float = 1.0, body_force: ArrayLike | None = None) -> None:
        self._handle = _tessera.stokes(viscosity, _force("Stokes", body_force))


class Poisson:
    """-div(a grad u) = f as a weak form, one unknown per node; a > 0."""

    _fields = ("a", "f")

    def __init__(self, a: Coefficient = 1.0, f: Coefficient = 0.0) -> None:
        self._handle = _tessera.poisson(_field("Poisson: a", a), _field("Poisson: f", f))


class NonlinearPoisson:
    """-div((1 + u^2) grad u) = f as a weak form, one unknown per node."""

    _fields = ("f",)

    def __init__(self, f: Coefficient = 0.0) -> None:
        self._handle = _tessera.nonlinear_poisson(_field("NonlinearPoisson: f", f))


class NeoHookean:
    """A compressible neo-Hookean solid under large strains, as many displacements per node as dimensions.

    shear, lame: Lame's constants mu > 0 and lambda >= 0, force per area

    Natural boundary data is the traction per area of the undeformed body.
    """

    _fields = ()

    def __init__(self, shear: float = 1.0, lame: float = 1.0) -> None:
        self._handle = _tessera.neo_hookean(shear, lame)


Form = Union[Helmholtz, LinearElasticity, Stokes]
ResidualForm = Union[Poisson, NonlinearPoisson, NeoHookean]


def handle_of(what: str, form: Any, kinds: Any) -> Any:
    """The extension's form, if it is of one of the kinds. ArgumentError that names them."""
    known = get_args(kinds)
    if not isinstance(form, known):
        names = ", ".join(kind.__name__ for kind in known)
        raise ArgumentError(f"{what}: the form is a {type(form).__name__}; it may be {names}")
    return form._handle
