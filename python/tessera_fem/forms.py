# SPDX-License-Identifier: BSD-3-Clause
"""The shipped forms. A coefficient is a number, `per_material` or an array with a value for each element."""

import numbers

from . import _tessera
from ._arrays import doubles
from ._tessera import ArgumentError


class per_material:
    """A coefficient with a value for each material of the mesh."""

    def __init__(self, values):
        self.values = doubles("per_material", values, 1)


def _field(what, coefficient):
    if isinstance(coefficient, per_material):
        return _tessera.per_material(coefficient.values.tolist())
    if isinstance(coefficient, numbers.Real):
        return _tessera.constant(float(coefficient))
    return _tessera.per_element(doubles(what, coefficient, 1))


class Helmholtz:
    """-div(sigma grad u) + lambda_ u = source, one unknown per node; sigma > 0, lambda_ >= 0.

    Natural boundary data is the flux n . sigma grad u.
    """

    def __init__(self, sigma=1.0, lambda_=0.0, source=0.0):
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

    def __init__(self, young=1.0, poisson=0.3, body_force=None, plane="strain"):
        if plane not in ("strain", "stress"):
            raise ArgumentError(f"LinearElasticity: plane is '{plane}'; it may be 'strain' or 'stress'")
        force = [] if body_force is None else doubles("LinearElasticity: body_force", body_force, 1).tolist()
        self._handle = _tessera.elasticity(
            _field("LinearElasticity: young", young),
            _field("LinearElasticity: poisson", poisson),
            force,
            plane == "stress",
        )
