# SPDX-License-Identifier: BSD-3-Clause
"""What happens at the ends of a process, each in a process of its own."""

import subprocess
import sys

import pytest
import tessera_fem as tf
from reference import needs, on_hosts
from tessera_fem._kokkos import require_one

pytestmark = needs("tet1")

SET_UP = """
import atexit, gc, numpy as np, tessera_fem as tf
space = tf.Space(tf.box((8, 8, 8)))
space.constrain("xmin", 0)
system = tf.System(space)
system.assemble(tf.Helmholtz(np.ones(3072), 0, 1))
matrix, rhs = system.matrix, system.rhs
M = tf.multigrid(matrix, space)
op, residual = tf.Operator(space, tf.Helmholtz()), tf.Residual(space, tf.Poisson())
"""


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def test_objects_outlive_kokkos():
    # A cycle through a builtin module: nothing frees it before the interpreter's last steps.
    run(SET_UP + "import builtins; builtins.kept = [system, matrix, rhs, M, space, op, residual, builtins]")


@on_hosts
def test_arrays_can_be_read_after_kokkos():
    # Handlers that were registered before the module's run after it.
    script = """
import atexit
@atexit.register
def late():
    print(float(rhs.sum()) > 0, matrix.nnz == matrix.data.size, np.isfinite(matrix @ rhs).all())
    for call in (
        lambda: system.assemble(tf.Helmholtz()),
        lambda: tf.box((1, 1, 1)),
        lambda: tf.cg(matrix, rhs, M),
        lambda: op @ rhs,
        lambda: residual(np.zeros(729)),
    ):
        try:
            call()
        except tf.Error as error:
            print(error)
    global system, space, op, residual
    del system, space, op, residual
"""
    lines = run(script + SET_UP).splitlines()
    assert lines[0] == "True True True"
    assert len(lines) == 6 and all("Kokkos has been finalized" in line for line in lines[1:])


def test_imported_and_left():
    assert run("import tessera_fem; print(tessera_fem.backend)").strip() != ""


def test_one_kokkos(tmp_path):
    line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234                       {}\n"
    maps = tmp_path / "maps"
    maps.write_text(2 * line.format("/usr/lib/libkokkoscore.so.5.2.0") + line.format("/usr/lib/libm.so.6"))
    require_one(maps)
    maps.write_text(maps.read_text() + line.format("/other place/libkokkoscore.so.4.7"))
    with pytest.raises(tf.Error, match="several Kokkos, /other place/libkokkoscore.so.4.7 and /usr/lib/libkokkoscore"):
        require_one(maps)
    require_one()


def test_exit_by_an_exception():
    done = subprocess.run(
        [sys.executable, "-c", SET_UP + "raise KeyError('mine')"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1 and done.stderr.rstrip().endswith("KeyError: 'mine'")
