# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of linear tetrahedra and trilinear hexahedra, assembled here in NumPy alone."""

import itertools

import numpy as np
import pytest
import scipy.sparse
import tessera_fem as tf
from tessera_fem import _tessera
from tessera_fem._arrays import numpy_of


def needs(element):
    return pytest.mark.skipif(element not in tf.elements(), reason=f"the build has no {element}")


on_hosts = pytest.mark.skipif(not _tessera.on_host, reason="of arrays that a device's build hands out elsewhere")


def rule_and_functions(element):
    """Weights, values (point x node) and derivatives (point x node x dimension) on the reference element."""
    if element == "tet1":
        a, b = (5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20
        points = np.full((4, 4), a) + (b - a) * np.eye(4)  # barycentric; exact for degree 2
        derivatives = np.vstack([[-1.0, -1.0, -1.0], np.eye(3)])
        return np.full(4, 1 / 24), points, np.repeat(derivatives[None], 4, 0)
    corners = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1)] + [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])
    points = np.array(list(itertools.product((-1, 1), repeat=3))) / np.sqrt(3)
    factors = (1 + corners[None] * points[:, None]) / 2  # point x node x dimension
    derivatives = np.empty_like(factors)
    for d in range(3):
        others = [c for c in range(3) if c != d]
        derivatives[:, :, d] = corners[None, :, d] / 2 * factors[:, :, others].prod(axis=2)
    return np.ones(8), factors.prod(axis=2), derivatives


def element_blocks(mesh, stiffness, load):
    """Sums weight * stiffness(e, values, gradients) and load(e, values) over the points of each element."""
    weights, values, derivatives = rule_and_functions(mesh.element)
    for e, cell in enumerate(mesh.cells):
        x = mesh.points[cell]
        k = f = 0
        for weight, n, dn in zip(weights, values, derivatives):
            jacobian = x.T @ dn
            volume = weight * np.linalg.det(jacobian)
            gradients = dn @ np.linalg.inv(jacobian)
            k = k + volume * stiffness(e, n, gradients)
            f = f + volume * load(e, n)
        yield cell, k, f


def assemble(mesh, components, stiffness, load):
    size = len(mesh.points) * components
    rows, columns, entries, rhs = [], [], [], np.zeros(size)
    for cell, k, f in element_blocks(mesh, stiffness, load):
        dofs = (cell[:, None] * components + np.arange(components)).reshape(-1)
        rows.append(np.repeat(dofs, len(dofs)))
        columns.append(np.tile(dofs, len(dofs)))
        entries.append(k.reshape(-1))
        np.add.at(rhs, dofs, f)
    matrix = scipy.sparse.coo_matrix(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=(size, size)
    )
    return matrix.tocsr(), rhs


def helmholtz(mesh, sigma, lambda_, source):
    return assemble(
        mesh,
        1,
        lambda e, n, g: sigma[e] * g @ g.T + lambda_[e] * np.outer(n, n),
        lambda e, n: source[e] * n,
    )


def elasticity(mesh, young, poisson, force):
    def stiffness(e, n, g):
        lame = young[e] * poisson[e] / ((1 + poisson[e]) * (1 - 2 * poisson[e]))
        shear = young[e] / (2 * (1 + poisson[e]))
        strain = np.zeros((len(n), 3, 3, 3))  # node, component, strain
        for c in range(3):
            for d in range(3):
                strain[:, c, c, d] += g[:, d] / 2
                strain[:, c, d, c] += g[:, d] / 2
        strain = strain.reshape(3 * len(n), 9)
        trace = strain[:, [0, 4, 8]].sum(axis=1)
        return lame * np.outer(trace, trace) + 2 * shear * strain @ strain.T

    return assemble(mesh, 3, stiffness, lambda e, n: np.outer(n, force).reshape(-1))


def removed(mesh, matrix, rhs, components, fixed, values):
    """The system of the free unknowns."""
    free = np.setdiff1d(np.arange(matrix.shape[0]), fixed)
    return matrix[free][:, free], rhs[free] - matrix[free][:, fixed] @ values, free


def distorted_box(element, cells=(3, 4, 2), seed=1):
    mesh = tf.box(cells, (1.0, 1.5, 0.7), element=element)
    points = mesh.points + np.random.default_rng(seed).uniform(-0.03, 0.03, mesh.points.shape)
    return tf.Mesh(points, mesh.cells, element, materials=np.arange(len(mesh.cells)) % 3)


PLANE, SPACE = "quad1+tri1", "hex1+wedge1"


def mixed_arrays(names):
    """Points, moved a little, and cells of a box whose right half is divided."""
    first, second = names.split("+")
    flat = names == PLANE
    box = tf.box((4, 3) if flat else (4, 3, 2), (1.0, 1.5) if flat else (1.0, 1.5, 0.7), element=first)
    left = box.points[box.cells, 0].mean(axis=1) < 0.5
    halves = [[0, 1, 2], [0, 2, 3]] if flat else [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]]
    divided = box.cells[~left][:, halves].reshape(-1, len(halves[0]))
    points = box.points + np.random.default_rng(1).uniform(-0.02, 0.02, box.points.shape)
    return points, {second: divided, first: box.cells[left]}


def mixed_mesh(names):
    points, cells = mixed_arrays(names)
    return tf.Mesh(points, cells, materials={name: np.arange(len(cells[name])) % 3 for name in cells})


def marked(names):
    """A parameter of a test: an element's name, or several with + between them, where the build has them."""
    return pytest.param(names, marks=[needs(name) for name in names.split("+")])


def moved_mesh(names):
    """A mesh of three materials of one element type, or of several, whose nodes are a little off a box's."""
    if "+" in names:
        return mixed_mesh(names)
    if not names.startswith(("tri", "quad")):
        return distorted_box(names)
    mesh = tf.box((4, 3), (1.0, 1.5), element=names)
    points = mesh.points + np.random.default_rng(5).uniform(-0.03, 0.03, mesh.points.shape)
    return tf.Mesh(points, mesh.cells, names, materials=np.arange(len(mesh.cells)) % 3)


def scipy_of(matrix):
    """A matrix of SciPy, copied from the device if it lies there."""
    return matrix.scipy() if isinstance(matrix, tf.DeviceMatrix) else matrix


def matrix_of(system):
    """The system's matrix as SciPy's."""
    return scipy_of(system.matrix)


def rhs_of(system):
    """The right-hand side as NumPy's."""
    return numpy_of(system.rhs)


def solution_of(system, **options):
    """Values at all nodes as NumPy's."""
    return numpy_of(tf.solve(system, **options))


def difference(ours, theirs):
    return abs(ours - theirs).max() / abs(theirs).max()
