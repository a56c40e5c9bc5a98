#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tessera_fem beside Warp's finite elements, where the module computes: the matrix of -div(sigma grad u) + u on linear
tetrahedra and trilinear hexahedra that are no grid's, sigma from 1 to 10 by element. Both matrices are compared before
they are timed. Needs `pip install warp-lang`, 1.19 or later, and tessera_fem in PYTHONPATH.

Warp assembles in its own float32 and in float64, tessera_fem in float64. Warp's `triplets` sorts entries in every assembly,
and is its default; `mapped` and `mapped_atomic` keep where entries go, as a plan of tessera_fem does."""

import argparse
import statistics
import time

import numpy as np
import scipy.sparse
import tessera_fem as tf
import warp as wp
import warp.fem as fem

ELEMENTS = {"tet1": fem.Tetmesh, "hex1": fem.Hexmesh}
SCALARS = {"float64": (wp.float64, wp.vec3d, 1e-12), "float32": (wp.float32, wp.vec3f, 1e-5)}
CONSTRUCTIONS = ("triplets", "mapped", "mapped_atomic")
WRONG = ", which is too much"
STRATEGIES = (("Best", False), ("Best", True))


@fem.integrand
def heat(s: fem.Sample, u: fem.Field, v: fem.Field, sigma: fem.Field):
    return sigma(s) * wp.dot(fem.grad(u, s), fem.grad(v, s)) + u(s) * v(s)


def moved_box(element, cells, random):
    """Points and cells of a cube, nodes inside moved by up to a tenth of a cell."""
    box = tf.box((cells,) * 3, element=element)
    points = np.array(box.points)
    inside = (points > 0).all(axis=1) & (points < 1).all(axis=1)
    points[inside] += random.uniform(-0.1 / cells, 0.1 / cells, (inside.sum(), 3))
    return points, np.array(box.cells)


class Warps:
    """Warp's side of the problem in one scalar."""

    def __init__(self, device, element, points, cells, sigma, scalar):
        kind, vector, _ = SCALARS[scalar]
        mesh = ELEMENTS[element](wp.array(cells, dtype=int, device=device), wp.array(points, dtype=vector, device=device))
        domain = fem.Cells(mesh)
        space = fem.make_polynomial_space(mesh, degree=1, dtype=kind)
        coefficient = fem.make_polynomial_space(mesh, degree=0, dtype=kind).make_field()
        coefficient.dof_values = wp.array(sigma, dtype=kind, device=device)
        self.arguments = {
            "quadrature": fem.RegularQuadrature(domain, order=2 if element == "tet1" else 3),
            "fields": {
                "u": fem.make_trial(space, domain=domain),
                "v": fem.make_test(space, domain=domain),
                "sigma": coefficient,
            },
        }
        self.kind, self.device = kind, device

    def assembly(self, construction):
        """The matrix, and what assembles it again."""
        options = {"construction": construction, "capacity": "auto"}
        matrix = fem.integrate(heat, **self.arguments, output_dtype=self.kind, bsr_options=options)
        matrix.nnz_sync()

        def again():
            fem.integrate(heat, **self.arguments, output=matrix, bsr_options={**options, "capacity": "reuse"})
            wp.synchronize_device(self.device)

        return matrix, again


def on_host(matrix):
    """A matrix of Warp's as SciPy's."""
    entries = matrix.nnz_sync()
    arrays = matrix.values.numpy()[:entries].reshape(-1), matrix.columns.numpy()[:entries], matrix.offsets.numpy()
    return scipy.sparse.csr_matrix(arrays, shape=matrix.shape)


def timed(call, repetitions):
    """Median of the milliseconds; the first run does not count."""
    call()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def measure(device, element, cells, repetitions):
    """Rows of the table: what assembles, scalar, milliseconds, what else is to be said."""
    random = np.random.default_rng(1)
    points, connectivity = moved_box(element, cells, random)
    sigma = random.uniform(1, 10, len(connectivity))
    system = tf.System(tf.Space(tf.Mesh(points, connectivity, element)))
    form = tf.Helmholtz(sigma, 1.0)
    for strategy, deterministic in STRATEGIES:
        report = system.assemble(form, strategy, deterministic)
        milliseconds = timed(lambda: system.assemble(form, strategy, deterministic), repetitions)
        yield f"tessera_fem, {report.strategy}", "float64", milliseconds, report.path.split(",")[0]
    ours = system.matrix.scipy() if isinstance(system.matrix, tf.DeviceMatrix) else system.matrix
    for scalar, (_, _, tolerance) in SCALARS.items():
        warps = Warps(device, element, points, connectivity, sigma, scalar)
        for construction in CONSTRUCTIONS:
            matrix, again = warps.assembly(construction)
            milliseconds = timed(again, repetitions)
            difference = abs(on_host(matrix) - ours).max() / abs(ours).max()
            verdict = f"differs by {difference:.0e}" + ("" if difference < tolerance else WRONG)
            yield f"Warp, {construction}", scalar, milliseconds, verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs=2, default=(70, 100), metavar=("TET1", "HEX1"), help="along an edge")
    parser.add_argument("--repetitions", type=int, default=20)
    options = parser.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    device = "cuda:0" if tf.backend == "cuda" else "cpu"
    print(f"tessera_fem computes by {tf.backend}, Warp {wp.config.version} on {wp.get_device(device).name}\n")
    print("| element | elements | | scalar | milliseconds | |\n|---|---:|---|---|---:|---|")
    wrong = 0
    for element, cells in zip(ELEMENTS, options.cells):
        count = cells**3 * (6 if element == "tet1" else 1)
        for library, scalar, milliseconds, more in measure(device, element, cells, options.repetitions):
            print(f"| {element} | {count:,} | {library} | {scalar} | {milliseconds:.3f} | {more} |", flush=True)
            wrong += more.endswith(WRONG)
    raise SystemExit(f"{wrong} of Warp's matrices differ" if wrong else None)


if __name__ == "__main__":
    main()
