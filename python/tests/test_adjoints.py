# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of residuals and of their solutions beside central differences; what PyTorch and JAX make of them."""

import pathlib
import re

import numpy as np
import pytest
import scipy.sparse.linalg
import tessera_fem as tf
from reference import PLANE, SPACE, difference, marked, moved_mesh, needs, scipy_of
from tessera_fem import _tessera
from tessera_fem._arrays import numpy_of

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python_adjoints.md"
ELEMENTS = [marked(names) for names in ("tri1", "tet1", "hex1", PLANE, SPACE)]
TOLERANCE = 1e-7


def space_of(mesh, components, treatment):
    space = tf.Space(mesh, components, treatment)
    space.constrain(held(mesh), 0.1)
    space.add_load(mesh.boundary_sides[:4], np.arange(1.0, components + 1) / 10)
    space.add_robin(mesh.boundary_sides[-3:], 2.0, 0.25)
    return space


def held(mesh):
    return np.flatnonzero(mesh.points[:, 0] < 0.05)


def forms(mesh):
    """How a form is made of its fields' values, and those values, by the fields' names."""
    random = np.random.default_rng(7)
    by_element, by_material = random.uniform(0.5, 2, mesh.num_elements), np.array([0.5, 1.0, 2.0])
    yield lambda a, f: tf.Poisson(a, tf.per_material(f)), {"a": by_element, "f": by_material}
    yield lambda a, f: tf.Poisson(float(a[0]), f), {"a": np.array([1.5]), "f": by_element}
    yield lambda f: tf.NonlinearPoisson(f), {"f": by_element}
    yield lambda: tf.NeoHookean(2.0, 3.0), {}


def difference_of(function, at, i, h=1e-5):
    """The derivative of a number by entry i of an array."""
    ahead, behind = at.copy(), at.copy()
    ahead.flat[i] += h
    behind.flat[i] -= h
    return (function(ahead) - function(behind)) / (2 * h)


def by_differences(function, at):
    return np.array([difference_of(function, at, i) for i in range(at.size)]).reshape(at.shape)


def cases(mesh):
    for make, values in forms(mesh):
        solid = isinstance(make(**values), tf.NeoHookean)
        yield make, values, mesh.points.shape[1] if solid else 1


@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_residuals(element, treatment):
    mesh = moved_mesh(element)
    random = np.random.default_rng(3)
    for make, values, components in cases(mesh):
        space = space_of(mesh, components, treatment)
        residual = tf.Residual(space, make(**values))
        u = random.uniform(-0.05, 0.05, (len(mesh.points), components))
        v = random.uniform(-1, 1, u.shape)
        by_u, by_fields = residual.vjp(u, v)
        expected = by_differences(lambda u: np.sum(v * residual(u)), u)
        expected[held(mesh)] = 0
        assert by_u.shape == u.shape and difference(by_u, expected) < TOLERANCE
        assert set(by_fields) == set(values)
        for name, gradient in by_fields.items():

            def product(at):
                residual.form = make(**{**values, name: at})
                return np.sum(v * residual(u))

            assert gradient.shape == values[name].shape
            assert difference(gradient, by_differences(product, values[name])) < TOLERANCE


@pytest.mark.parametrize("element", ELEMENTS)
def test_jacobians(element):
    mesh = moved_mesh(element)
    random = np.random.default_rng(4)
    for make, values, components in cases(mesh):
        space = space_of(mesh, components, "removed")
        residual = tf.Residual(space, make(**values))
        u = random.uniform(-0.05, 0.05, len(mesh.points) * components)
        free = np.setdiff1d(np.arange(u.size), (held(mesh)[:, None] * components + np.arange(components)).ravel())
        system = residual.jacobian(u)
        K = scipy_of(system.matrix).toarray()
        for column in random.choice(len(free), 5, replace=False):
            ahead, behind = u.copy(), u.copy()
            ahead[free[column]] += 1e-5
            behind[free[column]] -= 1e-5
            expected = (residual(ahead) - residual(behind))[free] / 2e-5
            assert abs(K[:, column] - expected).max() < TOLERANCE * abs(K).max()
        before = numpy_of(system.values).copy()
        assert residual.jacobian(1.5 * u) is system
        linear = isinstance(residual.form, tf.Poisson)
        assert (difference(numpy_of(system.values), before) < 1e-12) == linear


@pytest.mark.parametrize("element", [marked(names) for names in ("tet1", PLANE, SPACE)])
def test_newton(element):
    mesh = moved_mesh(element)
    space = space_of(mesh, 1, "removed")
    residual = tf.Residual(space, tf.NonlinearPoisson(2.0))
    u, result = residual.solve(rtol=1e-12)
    assert result.converged and 2 < result.iterations < 10 and u.shape == (len(mesh.points),)
    assert abs(residual(u)).max() < 1e-10 and np.array_equal(u[held(mesh)], np.full(len(held(mesh)), 0.1))
    by_hand = np.zeros(len(mesh.points))
    for _ in range(8):
        system = residual.jacobian(by_hand)
        by_hand = space.expand(scipy.sparse.linalg.spsolve(scipy_of(system.matrix).tocsc(), numpy_of(system.rhs)))
    assert difference(u, by_hand) < 1e-9
    start = u.copy()
    again, result = residual.solve(u)
    # Sums that differ from run to run are another state's, and rounding may ask for a step more.
    assert result.iterations <= (0 if _tessera.on_host and element == "tet1" else 3)
    assert np.array_equal(u, start) and again is not u
    _, result = residual.solve(maxiter=1)
    assert not result.converged


@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_multigrid(element, treatment):
    """Solutions and derivatives are those of Jacobi's preconditioner."""
    mesh = moved_mesh(element)
    weights = np.random.default_rng(8).uniform(-1, 1, len(mesh.points))
    for make, values, components in cases(mesh):
        residual = tf.Residual(space_of(mesh, components, treatment), make(**values))
        u, _ = residual.solve(rtol=1e-13)
        v, result = residual.solve(rtol=1e-13, multigrid=True)
        assert result.converged and result.linear_iterations > 0 and difference(v, u) < 1e-9
        v = np.repeat(weights, components)
        gradients = residual.solution_vjp(u, v, multigrid=True)
        for name, expected in residual.solution_vjp(u, v).items():
            assert difference(numpy_of(gradients[name]), numpy_of(expected)) < TOLERANCE


@needs("tet1")
def test_multigrid_takes_fewer_iterations():
    space = tf.Space(tf.box((8, 8, 8)))
    space.constrain("xmin", 0.0)
    residual = tf.Residual(space, tf.NonlinearPoisson(2.0))
    u, jacobi = residual.solve()
    v, multigrid = residual.solve(multigrid=True)
    assert 2 * multigrid.linear_iterations < jacobi.linear_iterations and difference(v, u) < 1e-8


@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_solutions(element, treatment):
    mesh = moved_mesh(element)
    weights = np.random.default_rng(8).uniform(-1, 1, len(mesh.points))
    for make, values, components in cases(mesh):
        if components > 1:
            continue  # without fields
        residual = tf.Residual(space_of(mesh, 1, treatment), make(**values))
        u, _ = residual.solve(rtol=1e-14)
        gradients = residual.solution_vjp(u, weights * u)
        assert set(gradients) == set(values)
        for name, gradient in gradients.items():

            def functional(at):
                residual.form = make(**{**values, name: at})
                u, result = residual.solve(rtol=1e-14)
                assert result.converged
                return np.sum(weights * u**2) / 2

            for i in range(0, gradient.size, max(1, gradient.size // 10)):
                expected = difference_of(functional, values[name], i, h=1e-4)
                assert abs(gradient[i] - expected) < TOLERANCE * abs(gradient).max()


@needs("tet1")
def test_refusals():
    space = space_of(moved_mesh("tet1"), 1, "removed")
    residual = tf.Residual(space, tf.Poisson())
    with pytest.raises(tf.ArgumentError, match="a Poisson is needed, got NonlinearPoisson"):
        residual.form = tf.NonlinearPoisson()
    u = np.zeros(len(space.mesh.points))
    with pytest.raises(tf.ArgumentError, match="Residual.vjp: v has 3 entries, the space 60 unknowns"):
        residual.vjp(u, np.zeros(3))
    with pytest.raises(tf.FormError, match="element"):
        residual.jacobian(np.full_like(u, np.nan))
    with pytest.raises(tf.SolverError):
        tf.Residual(space, tf.Poisson()).solution_vjp(u, np.full_like(u, np.nan))
    space.constrain([7], 0)
    with pytest.raises(tf.ArgumentError):
        residual.form = tf.Poisson()
        residual.jacobian(u)


@needs("tet1")
@needs("tri1")
@pytest.mark.parametrize("package", ["torch", "jax"])
def test_page(package):
    """Its examples run, those of a package where there is one; gradients are those of central differences."""
    pytest.importorskip(package)
    names = {}
    text = PAGE.read_text()
    for block in re.finditer(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        other = {"torch": "jax", "jax": "torch"}[package]
        if f"import {other}" not in block[1]:
            line = text[: block.start(1)].count("\n")
            exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
    functional, a, gradient = (names[name] for name in ("functional", "a", "gradient"))
    to_package = {"torch": lambda x: names["torch"].from_numpy(x), "jax": lambda x: names["jax"].numpy.asarray(x)}[package]
    at = a.detach().numpy() if package == "torch" else np.asarray(a)
    for i in (0, 11, len(at) - 1):
        slope = difference_of(lambda x: float(functional(to_package(x))), at, i, h=1e-4)
        assert abs(float(gradient[i]) - slope) < TOLERANCE * float(abs(gradient).max())
