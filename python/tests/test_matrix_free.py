# SPDX-License-Identifier: BSD-3-Clause
"""Products and residuals without a matrix, beside matrices and NumPy's own."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse.linalg
import tessera_fem as tf
from reference import (
    PLANE,
    SPACE,
    difference,
    distorted_box,
    marked,
    matrix_of,
    moved_mesh,
    needs,
    rhs_of,
    rule_and_functions,
    solution_of,
)
from tessera_fem._arrays import numpy_of

TOLERANCE = 1e-12
ELEMENTS = [
    marked(names) for names in ("tri1", "quad1", "tet1", "hex1", "tri2", "quad8", "tet2", "hex20", PLANE, SPACE)
]


def space_of(mesh, components, treatment="removed"):
    """A space with constraints, loads and Robin sides."""
    space = tf.Space(mesh, components, treatment)
    space.constrain(np.flatnonzero(mesh.points[:, 0] < 0.05), 0.5)
    space.add_load(mesh.boundary_sides[:4], np.arange(1.0, components + 1))
    space.add_robin(mesh.boundary_sides[-3:], 2.0 + np.arange(components), 0.25)
    return space


def form_of(mesh, components):
    random = np.random.default_rng(7)
    if components == 1:
        return tf.Helmholtz(random.uniform(0.5, 2, mesh.num_elements), tf.per_material([1, 2, 3.0]), 3.5)
    return tf.LinearElasticity(random.uniform(0.5, 2, mesh.num_elements), 0.3, np.arange(1.0, components + 1))


@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
@pytest.mark.parametrize("scalar", [True, False])
@pytest.mark.parametrize("element", ELEMENTS)
def test_operator_is_the_matrix(element, scalar, treatment):
    mesh = moved_mesh(element)
    components = 1 if scalar else mesh.points.shape[1]
    space, form = space_of(mesh, components, treatment), form_of(mesh, components)
    system = tf.System(space)
    system.assemble(form)
    x = np.random.default_rng(2).uniform(-1, 1, space.num_equations)
    for strategy in ("Best", "RecomputingElementByElement", "recomputingelementbyelement/patches"):
        op = tf.Operator(space, form, strategy)
        assert op.shape == matrix_of(system).shape and op.report.strategy.lower() == strategy.lower()
        assert difference(op @ x, matrix_of(system) @ x) < TOLERANCE
        assert difference(op.T @ x, matrix_of(system) @ x) < TOLERANCE
        assert difference(numpy_of(op.diagonal()), matrix_of(system).diagonal()) < TOLERANCE
        assert difference(numpy_of(op.rhs()), rhs_of(system)) < TOLERANCE


@needs("hex1")
def test_operator_solves():
    mesh = tf.box((6, 5, 4), element="hex1")
    space = tf.Space(mesh)
    space.constrain("xmin", 0)
    form = tf.Helmholtz(2, 1, 3)
    system = tf.System(space)
    system.assemble(form)
    op = tf.Operator(space, form)
    x, info = scipy.sparse.linalg.cg(op, numpy_of(op.rhs()), M=tf.multigrid(matrix_of(system), space), rtol=1e-11, atol=0)
    assert info == 0 and difference(space.expand(x), solution_of(system, rtol=1e-12)) < 1e-9
    columns = op @ np.eye(op.shape[0])[:, :3]
    assert difference(columns, matrix_of(system)[:, :3].toarray()) < TOLERANCE


@needs("tet1")
def test_strategies_without_a_matrix():
    space = space_of(moved_mesh("tet1"), 1)
    for kind, make in (
        ("operator", lambda name, **options: tf.Operator(space, tf.Helmholtz(), name, **options)),
        ("residual", lambda name, **options: tf.Residual(space, tf.Poisson(), name, **options)),
    ):
        listed = tf.strategies(kind)
        assert {"Best", "Best/deterministic"} < {strategy.name for strategy in listed} and len(listed) > 5
        for strategy in listed:
            assert make(strategy.name).report.strategy == strategy.name
            if strategy.deterministic:
                assert make(strategy.name, deterministic=True).report.strategy == strategy.name
        assert make("Best", deterministic=True).report.strategy == "Best/deterministic"
        other = next(s.name for s in listed if not s.deterministic and s.name != "Best")
        with pytest.raises(tf.UnsupportedError, match=f"{other} is not deterministic.*'{kind}'"):
            make(other, deterministic=True)
        with pytest.raises(tf.ArgumentError, match=f"unknown {kind} strategy 'Fastest'; there are Best, Best/deterministic"):
            make("Fastest")


@needs("tet1")
def test_refusals():
    space = space_of(moved_mesh("tet1"), 1)
    op = tf.Operator(space, tf.Helmholtz())
    with pytest.raises(tf.ArgumentError, match="complex"):
        op @ (1j * np.ones(op.shape[0]))
    with pytest.raises(ValueError):
        op @ np.ones(op.shape[0] + 1)
    with pytest.raises(tf.FormError, match="sigma must be positive"):
        tf.Operator(space, tf.Helmholtz(sigma=-1))
    with pytest.raises(tf.ArgumentError, match="component"):
        tf.Operator(space, tf.LinearElasticity())
    with pytest.raises(tf.ArgumentError, match="Operator: the form is a Poisson; it may be Helmholtz, LinearElast"):
        tf.Operator(space, tf.Poisson())
    with pytest.raises(tf.ArgumentError, match="Residual: the form is a Helmholtz; it may be Poisson, NonlinearP"):
        tf.Residual(space, tf.Helmholtz())
    residual = tf.Residual(space, tf.Poisson())
    with pytest.raises(tf.ArgumentError, match="u has 3 entries, the space 60 unknowns"):
        residual(np.zeros(3))
    with pytest.raises(tf.ArgumentError, match="complex128"):
        residual(np.zeros(60, complex))
    with pytest.raises(tf.FormError, match="element 0"):
        residual(np.full(60, np.nan))
    with pytest.raises(tf.FormError, match="shear must be positive"):
        tf.Residual(tf.Space(moved_mesh("tet1"), 3), tf.NeoHookean(shear=-1))
    space.constrain([17], 0)
    with pytest.raises(tf.ArgumentError, match="other constraints since"):
        op @ np.ones(op.shape[0])


@needs("tri2")
def test_elements_without_jacobians():
    residual = tf.Residual(tf.Space(tf.box((1, 1), element="tri2")), tf.Poisson())
    with pytest.raises(tf.UnsupportedError, match="Jacobians are compiled for elements of order one, not for tri2"):
        residual.jacobian(np.zeros(9))


@pytest.mark.parametrize("element", ELEMENTS)
def test_residual_of_a_linear_form(element):
    """r = A u - b at free nodes, nothing at constrained ones."""
    mesh = moved_mesh(element)
    space = space_of(mesh, 1)
    a, f = np.random.default_rng(1).uniform(0.5, 2, (2, mesh.num_elements))
    system = tf.System(space)
    system.assemble(tf.Helmholtz(a, 0, f))
    x = np.random.default_rng(2).uniform(-1, 1, space.num_equations)
    expected = np.zeros(len(mesh.points))
    free = mesh.points[:, 0] >= 0.05
    expected[free] = matrix_of(system) @ x - rhs_of(system)
    for strategy in ("Best", "RecomputingResidual/gather"):
        r = tf.Residual(space, tf.Poisson(a, f), strategy)(space.expand(x))
        assert difference(r, expected) < TOLERANCE and not r[~free].any()


def neo_hookean(mesh, shear, lame, u):
    """By the first Piola-Kirchhoff stress; a linear tetrahedron's F is constant."""
    weights, _, derivatives = rule_and_functions("tet1")
    r = np.zeros_like(u)
    for cell in mesh.cells:
        jacobian = mesh.points[cell].T @ derivatives[0]
        volume, gradients = weights.sum() * np.linalg.det(jacobian), derivatives[0] @ np.linalg.inv(jacobian)
        F = np.eye(3) + u[cell].T @ gradients
        inverse = np.linalg.inv(F).T
        stress = shear * (F - inverse) + lame * np.log(np.linalg.det(F)) * inverse
        r[cell] += volume * gradients @ stress.T
    return r


@needs("tet1")
def test_residual_of_a_solid():
    mesh = distorted_box("tet1")
    u = np.random.default_rng(4).uniform(-0.02, 0.02, mesh.points.shape)
    residual = tf.Residual(tf.Space(mesh, 3), tf.NeoHookean(2.0, 3.0))
    r = residual(u)
    assert r.shape == u.shape and difference(r, neo_hookean(mesh, 2.0, 3.0, u)) < TOLERANCE
    assert difference(residual(u.reshape(-1)), r.reshape(-1)) < 1e-14
    with pytest.raises(tf.FormError, match="element"):
        residual(-2 * mesh.points)


@needs("hex1")
def test_nonlinear_solution():
    """-div((1 + u^2) grad u) = 0 between 0 and 1: u + u^3 / 3 is linear."""
    mesh = tf.box((12, 1, 1), element="hex1")
    space = tf.Space(mesh)
    space.constrain("xmin", 0)
    space.constrain("xmax", 1)
    residual = tf.Residual(space, tf.NonlinearPoisson())
    u = scipy.optimize.newton_krylov(residual, mesh.points[:, 0].copy(), f_tol=1e-10)
    assert abs(u + u**3 / 3 - 4 / 3 * mesh.points[:, 0]).max() < 1e-3
