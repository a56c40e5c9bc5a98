# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends a solution between two iterations; a process of its own, for the signal to end it if need be."""

import subprocess
import sys

import pytest
from reference import needs
from tessera_fem import _tessera

CHAIN = """
n = 200000  # a chain: Jacobi's preconditioner takes that many iterations
A = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
start = np.ones(n)
def solve():
    tf.cg(A, np.ones(n), x0=start, rtol=1e-14, maxiter=10**9)
"""
STRIP = """
space = tf.Space(tf.box((20000, 2), element="quad1"))  # as the chain
space.constrain("xmin", 0.0)
residual = tf.Residual(space, tf.Poisson(1.0, 1.0))
start = np.ones(len(space.mesh.points))
def solve():
    residual.solve(start)
"""
SCRIPT = """
import os, signal, subprocess, sys, time
import numpy as np, scipy.sparse, tessera_fem as tf
{problem}
def interrupt(number, frame):
    {handler}

signal.signal(signal.SIGINT, interrupt)
# No thread of Python's: it would wait for the lock that the call holds.
subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.5); os.kill({{os.getpid()}}, 2)"])
begin = time.perf_counter()
try:
    solve()
    print("solved")
except {error} as error:
    print("ended", time.perf_counter() - begin < 10, (start == 1).all(), error)
A = scipy.sparse.eye_array(9, format="csr")
x, result = tf.cg(A, np.ones(9))
print(result.converged)
"""

on_hosts = pytest.mark.skipif(not _tessera.on_host, reason="a device has ended before the signal comes")


@pytest.mark.parametrize(
    "handler, error, sentence",
    [
        ("signal.default_int_handler(number, frame)", "KeyboardInterrupt", ""),
        ("raise LookupError('mine')", "LookupError", "mine"),
    ],
)
@pytest.mark.parametrize("problem", [CHAIN, pytest.param(STRIP, marks=[needs("quad1"), on_hosts])], ids=["cg", "newton"])
def test_interrupted(problem, handler, error, sentence):
    script = SCRIPT.format(problem=problem, handler=handler, error=error)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines() == [f"ended True True {sentence}", "True"], done.stdout + done.stderr
