# SPDX-License-Identifier: BSD-3-Clause
"""On a device, what is tested of matrices of SciPy and of results on the host is left out; test_device.py is of it."""

from tessera_fem import _tessera

collect_ignore = (
    []
    if _tessera.on_host
    else [f"test_{name}.py" for name in ("docs", "lifetime", "matrix_free", "own_form", "solvers", "system")]
)
