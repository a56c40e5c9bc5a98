# SPDX-License-Identifier: BSD-3-Clause
"""Residuals of weak forms, their solutions, and derivatives of both."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _tessera
from ._arrays import Array, doubles, in_one_place, zeros
from ._tessera import ArgumentError, NewtonResult, Report
from .catalogue import chosen
from .forms import ResidualForm, handle_of
from .space import Space
from .system import System


class Residual:
    """What a weak form leaves of a state: r(u) over all unknowns, loads subtracted, zero where u is constrained. For
    meshes of several types, too. A solution has r(u) = 0. Derivatives by u and by coefficients, and `newton`, are for
    elements of order one; UnsupportedError for others.

    strategy, deterministic: as `Operator`, of `strategies("residual")`

    States and what is computed of them are float64, node x component, or one after the other; they come back in the shape
    of u, as NumPy arrays, of a u on the device as DeviceArrays. Where u is constrained it is no variable: derivatives by it
    are zero there.
    """

    space: Space
    """The space that the unknowns are of."""

    def __init__(
        self, space: Space, form: ResidualForm, strategy: str = "Best", deterministic: bool = False
    ) -> None:
        self.space = space
        self._form = form
        self._handle = _tessera.make_residual(
            space._handle, handle_of("Residual", form, ResidualForm), chosen("residual", strategy, deterministic)
        )

    @property
    def form(self) -> ResidualForm:
        """The form. Another of the same type, with other coefficients, can take its place."""
        return self._form

    @form.setter
    def form(self, form: ResidualForm) -> None:
        if type(form) is not type(self._form):
            raise ArgumentError(
                f"Residual.form: a {type(self._form).__name__} is needed, got {type(form).__name__}; make another Residual"
            )
        self._handle.set_form(form._handle)
        if "_linearised" in vars(self):
            self._linearised.set_form(form._handle)
        self._form = form

    @property
    def report(self) -> Report:
        """What the strategy did."""
        return self._handle.report

    def __call__(self, u: Array) -> Any:
        """r(u).

        u: prescribed values included. FormError that names the element where there is no residual.
        """
        u = self._state("Residual: u", u)
        r = zeros(u.shape, u)
        self._handle.integrate(u, r)
        return r

    def jacobian(self, u: Array) -> System:
        """The system of dr/du at u, whose solution is Newton's next iterate. It is the residual's own: later calls
        of this, `vjp` and `solution_vjp` fill it anew."""
        self._linearised.assemble(self._state("Residual.jacobian: u", u))
        return self._system

    def solve(
        self, u: Array = None, *, rtol: float = 1e-10, maxiter: int = 30, multigrid: bool = False
    ) -> tuple[Any, NewtonResult]:
        """Newton's method for r(u) = 0, by conjugate gradients or BiCGStab; returns the solution and how the iteration
        went. Ctrl-C ends it between two linear iterations.

        u:         the first state, zeros on the host by default
        rtol:      of the residual's norm, relative to the first state's
        multigrid: whether that is the preconditioner, of the symmetric part of Jacobians that are not symmetric, or
                   Jacobi's

        SolverError where no step lowers the residual. That the tolerance was not reached is no error: `converged` of the
        result says so.
        """
        start = np.zeros(self._handle.dofs) if u is None else u
        u = self._state("Residual.solve: u", start).copy()
        return u, self._linearised.newton(u, rtol, maxiter, multigrid)

    def vjp(self, u: Array, v: Array) -> tuple[Any, dict[str, Any]]:
        """v' dr/du, in the shape of u, and v' dr/da for each of the form's fields a: by its name, an entry for each value
        of the field, a single one for a number."""
        u, v = self._states("Residual.vjp", u=u, v=v)
        by_u = zeros(u.shape, u)
        self._linearised.transposed_product(u, v, by_u)
        return by_u, self._gradients(u, v)

    def solution_vjp(
        self, u: Array, v: Array, *, rtol: float = 1e-10, multigrid: bool = False
    ) -> dict[str, Any]:
        """v' du/da for each of the form's fields a, as `vjp`, where u(a) is the solution: with v = dJ/du what a
        functional J(u) changes by. One linear system is solved, by the methods of `solve`.

        u:         the solution
        rtol:      of the linear system
        multigrid: as `solve`

        SolverError where that is not reached.
        """
        u, v = self._states("Residual.solution_vjp", u=u, v=v)
        adjoint = zeros(u.shape, u)
        self._linearised.solve_transposed(u, v, adjoint, rtol, multigrid)
        return self._gradients(u, adjoint)

    @functools.cached_property
    def _system(self) -> System:
        return System(self.space)

    @functools.cached_property
    def _linearised(self) -> _tessera.Linearised:
        return _tessera.linearise(self.space._handle, self._form._handle, self._system._handle)

    def _gradients(self, u: Any, v: Any) -> dict[str, Any]:
        return {name: self._linearised.gradient(number, u, v) for number, name in enumerate(self._form._fields)}

    def _states(self, what: str, **states: Array) -> tuple[Any, ...]:
        checked = {name: self._state(f"{what}: {name}", state) for name, state in states.items()}
        in_one_place(what, **checked)
        return tuple(checked.values())

    def _state(self, what: str, state: Array) -> Any:
        rank = len(state.shape) if hasattr(state, "shape") else np.ndim(state)
        state = doubles(what, state, rank, device=True)
        if state.size != self._handle.dofs:
            raise ArgumentError(f"{what} has {state.size} entries, the space {self._handle.dofs} unknowns")
        return state
