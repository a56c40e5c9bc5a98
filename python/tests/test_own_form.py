# SPDX-License-Identifier: BSD-3-Clause
"""A form of one's own in C++: python/example/minimal_surface.cpp, beside Scherk's surface."""

import numpy as np
import pytest
import tessera_fem as tf
from reference import needs, solution_of

minimal_surface = pytest.importorskip("minimal_surface", exc_type=ModuleNotFoundError)


def scherk(x):
    """A surface of least area: log(cos y / cos x)."""
    return np.log(np.cos(x[:, 1]) / np.cos(x[:, 0]))


def newton(n):
    """The largest error, and the steps' lengths."""
    mesh = tf.box((n, n), element="tri1")
    exact = scherk(mesh.points)
    space = tf.Space(mesh)
    for name in ("xmin", "xmax", "ymin", "ymax"):
        space.constrain(name, exact[mesh.node_sets[name]])
    system, u, steps = tf.System(space), np.zeros(len(mesh.points)), []
    while not steps or steps[-1] > 1e-10 and len(steps) < 12:
        minimal_surface.assemble(space.handle, system.handle, u)
        before, u = u, solution_of(system, rtol=1e-12)
        steps.append(abs(u - before).max())
    return abs(u - exact).max(), steps


@needs("tri1")
def test_scherks_surface():
    coarse, fine = newton(8), newton(16)
    assert fine[0] < 2e-4 and 3.2 < coarse[0] / fine[0] < 4.8, "of second order"
    steps = fine[1]
    assert steps[-1] < 1e-10 and len(steps) < 9 and steps[-2] < 10 * steps[-3] ** 2, "of Newton's order"


@needs("tri1")
def test_refusals():
    mesh = tf.box((2, 2), element="tri1")
    space = tf.Space(mesh)
    system = tf.System(space)
    with pytest.raises(tf.ArgumentError):
        minimal_surface.assemble(space.handle, system.handle, np.zeros(3))
    with pytest.raises(tf.FormError, match="element"):
        minimal_surface.assemble(space.handle, system.handle, np.full(9, np.nan))
    with pytest.raises(TypeError):
        minimal_surface.assemble(mesh, system.handle, np.zeros(9))


@needs("tet1")
def test_other_elements():
    space = tf.Space(tf.box((1, 1, 1)))
    with pytest.raises(tf.ArgumentError, match="the form is compiled for tri1, the mesh is of tet1"):
        minimal_surface.assemble(space.handle, tf.System(space).handle, np.zeros(8))
