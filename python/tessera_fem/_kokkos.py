# SPDX-License-Identifier: BSD-3-Clause
"""One Kokkos a process: two would have a state each, and what one has initialized the other has not."""

from __future__ import annotations

import pathlib

from ._tessera import Error


def loaded(maps: str) -> list[str]:
    """The files of Kokkos' shared libraries in what /proc/self/maps says."""
    paths = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "/libkokkoscore." in line}
    return sorted(paths)


def require_one(maps: pathlib.Path = pathlib.Path("/proc/self/maps")) -> None:
    """Error that names them where the process has several, as far as the system says what it has."""
    found = loaded(maps.read_text()) if maps.exists() else []
    if len(found) > 1:
        raise Error(f"the process has several Kokkos, {' and '.join(found)}; build its extensions against one")
