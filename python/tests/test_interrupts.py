# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends a solution between two iterations; a process of its own, for the signal to end it if need be."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, subprocess, sys, time
import numpy as np, scipy.sparse, tessera_fem as tf

n = 200000  # a chain: Jacobi's preconditioner takes that many iterations
A = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
b = np.ones(n)
start = b.copy()

def interrupt(number, frame):
    {handler}

signal.signal(signal.SIGINT, interrupt)
# No thread of Python's: it would wait for the lock that the call holds.
subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.5); os.kill({{os.getpid()}}, 2)"])
begin = time.perf_counter()
try:
    tf.cg(A, b, x0=start, rtol=1e-14, maxiter=10**9)
    print("solved")
except {error} as error:
    print("ended", time.perf_counter() - begin < 10, np.array_equal(start, b), error)
x, result = tf.cg(A[:9, :9], b[:9])
print(result.converged)
"""


@pytest.mark.parametrize(
    "handler, error, sentence",
    [
        ("signal.default_int_handler(number, frame)", "KeyboardInterrupt", ""),
        ("raise LookupError('mine')", "LookupError", "mine"),
    ],
)
def test_interrupted(handler, error, sentence):
    script = SCRIPT.format(handler=handler, error=error)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines() == [f"ended True True {sentence}", "True"], done.stdout + done.stderr
