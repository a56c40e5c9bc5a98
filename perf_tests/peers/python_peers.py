#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tessera_fem beside scikit-fem (assembly) and PyAMG (solution), on one core: the same meshes, coefficients and supports.
Prints the table of docs/performance/cpu.md. Needs `pip install scikit-fem pyamg`, and tessera_fem in PYTHONPATH."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import statistics
import time

import numpy as np
import pyamg
import skfem
import tessera_fem as tf
from skfem.helpers import ddot, dot, eye, grad, sym_grad, trace


def moved(grid, distance, random):
    """Points of a grid, those inside moved by up to a distance along each axis."""
    points = grid.p.copy()
    inner = np.setdiff1d(np.arange(points.shape[1]), grid.boundary_nodes())
    points[:, inner] += random.uniform(-distance, distance, (3, len(inner)))
    return points


class Heat:
    """-div(sigma grad u) + u = 1 on tetrahedra that are no grid's, sigma from 1 to 10 by element, u = 0 around."""

    name, element, components = "heat, tet1", "tet1", 1

    def __init__(self, cells, random):
        x = np.linspace(0, 1, cells + 1)
        grid = skfem.MeshTet.init_tensor(x, x, x)
        points = moved(grid, 0.1 / cells, random)
        corners = points[:, grid.t]
        turned = np.linalg.det((corners[:, 1:] - corners[:, :1]).T) < 0
        cells = grid.t.copy()
        cells[2:, turned] = cells[3:1:-1, turned]
        self.mesh = skfem.MeshTet(points, cells)
        self.points, self.cells = points.T, cells.T
        self.held = grid.boundary_nodes()
        self.coefficient = random.uniform(1, 10, cells.shape[1])
        self.form = tf.Helmholtz(self.coefficient, 1.0, source=1.0)
        self.near_null = None

    def peer(self):
        basis = skfem.Basis(self.mesh, skfem.ElementTetP1(), intorder=2)
        sigma = basis.with_element(skfem.ElementTetP0()).interpolate(self.coefficient)
        stiffness = skfem.BilinearForm(lambda u, v, w: w["c"] * dot(grad(u), grad(v)) + u * v)
        return basis, stiffness, skfem.LinearForm(lambda v, w: 1.0 * v), sigma


class Beam:
    """Linear elasticity of a clamped beam of bent hexahedra under its weight, Young's modulus from 1 to 10 by element."""

    name, element, components = "elasticity, hex1", "hex1", 3
    poisson = 0.3

    def __init__(self, cells, random):
        x = np.linspace(0, 1, cells + 1)
        grid = skfem.MeshHex.init_tensor(np.linspace(0, 3, 3 * cells + 1), x, x)
        self.mesh = skfem.MeshHex(moved(grid, 0.1 / cells, random), grid.t)
        vtk = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
        order = [int(np.flatnonzero((self.mesh.elem.refdom.p.T == corner).all(axis=1))[0]) for corner in vtk]
        edges = self.mesh.p[:, self.mesh.t[order, 0]][:, [1, 3, 4]].T - self.mesh.p[:, self.mesh.t[order[0], 0]]
        if np.linalg.det(edges) < 0:  # scikit-fem takes either orientation
            order = order[4:] + order[:4]
        self.points, self.cells = self.mesh.p.T, self.mesh.t.T[:, order]
        self.held = np.flatnonzero(self.points[:, 0] == 0)
        self.coefficient = random.uniform(1, 10, len(self.cells))
        self.form = tf.LinearElasticity(self.coefficient, self.poisson, [0, 0, -1e-3])
        free = np.setdiff1d(np.arange(len(self.points)), self.held)
        self.near_null = rigid_motions(self.points[free])

    def peer(self):
        basis = skfem.Basis(self.mesh, skfem.ElementVector(skfem.ElementHex1()), intorder=3)
        young = basis.with_element(skfem.ElementHex0()).interpolate(self.coefficient)
        shear, lame = 1 / (2 * (1 + self.poisson)), self.poisson / ((1 + self.poisson) * (1 - 2 * self.poisson))

        def stiffness(u, v, w):
            strain = sym_grad(u)
            return w["c"] * ddot(2 * shear * strain + lame * eye(trace(strain), 3), sym_grad(v))

        return basis, skfem.BilinearForm(stiffness), skfem.LinearForm(lambda v, w: -1e-3 * v[2]), young


def rigid_motions(points):
    """Translations and rotations, row x mode."""
    x, y, z = (points - points.mean(axis=0)).T
    o, i = np.zeros_like(x), np.ones_like(x)
    modes = [(i, o, o), (o, i, o), (o, o, i), (o, -z, y), (z, o, -x), (-y, x, o)]
    return np.stack([np.stack(mode, axis=1).reshape(-1) for mode in modes], axis=1)


def timed(call, repetitions):
    """Median of the seconds, and what the call returned last; the first run does not count."""
    result, seconds = call(), []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def measure(problem, repetitions):
    """Rows of the table: step, library, seconds, and what else is to be said."""
    space = tf.Space(tf.Mesh(problem.points, problem.cells, problem.element), problem.components)
    space.constrain(problem.held, 0.0)
    system = tf.System(space)
    ours, report = timed(lambda: system.assemble(problem.form), repetitions)

    basis, stiffness, load, field = problem.peer()
    A, b = stiffness.assemble(basis, c=field), load.assemble(basis)
    peers, _ = timed(lambda: (stiffness.assemble(basis, c=field), load.assemble(basis)), repetitions)
    free = basis.complement_dofs((problem.held[:, None] * problem.components + np.arange(problem.components)).reshape(-1))
    A, b = A[free][:, free].tocsr(), b[free]
    difference = abs(A - system.matrix).max() / abs(A).max(), abs(b - system.rhs).max() / abs(b).max()
    if max(difference) > 1e-12:
        raise SystemExit(f"{problem.name}: matrix and right-hand side differ from scikit-fem's by {difference}")
    yield "assembly", f"tessera_fem, {report.strategy}", ours, f"{len(problem.cells):,} elements, {len(b):,} equations"
    yield "assembly", "scikit-fem", peers, f"differs by {difference[0]:.0e}"

    b = system.rhs.copy()
    for name, set_up, solve in solvers(problem, space):
        setup_seconds, hierarchy = timed(lambda: set_up(A), repetitions)
        seconds, (x, iterations) = timed(lambda: solve(hierarchy, A, b), repetitions)
        residual = np.linalg.norm(b - A @ x) / np.linalg.norm(b)
        if residual > 2e-8:
            raise SystemExit(f"{problem.name}, {name}: the residual is {residual}")
        yield "set-up", name, setup_seconds, ""
        yield "solution", name, seconds, f"{iterations} iterations"


def solvers(problem, space):
    """Name, set-up of a matrix, and the solution to 1e-8 with the iterations that it took."""

    def ours(multigrid, A, b):
        x, result = tf.cg(A, b, multigrid, rtol=1e-8)
        return x, result.iterations

    def peers(multigrid, A, b):
        residuals = []
        x = multigrid.solve(b, tol=1e-8, accel="cg", maxiter=500, residuals=residuals)
        return x, len(residuals) - 1

    yield "tessera_fem", lambda A: tf.multigrid(A, space), ours
    aggregation = {} if problem.near_null is None else {"B": problem.near_null}

    def blocks(A):
        return A if problem.components == 1 else A.tobsr((problem.components, problem.components))

    yield "PyAMG, smoothed aggregation", lambda A: pyamg.smoothed_aggregation_solver(blocks(A), **aggregation), peers
    if problem.components == 1:
        yield "PyAMG, Ruge-Stüben", pyamg.ruge_stuben_solver, peers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, nargs=2, default=(40, 16), metavar=("HEAT", "BEAM"), help="along the shortest edge")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    print("| problem | step | library | seconds | |\n|---|---|---|---|---|")
    for kind, cells in zip((Heat, Beam), options.cells):
        problem = kind(cells, np.random.default_rng(1))
        for step, library, seconds, more in measure(problem, options.repetitions):
            print(f"| {problem.name} | {step} | {library} | {seconds:.3f} | {more} |", flush=True)


if __name__ == "__main__":
    main()
