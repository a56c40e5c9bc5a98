# SPDX-License-Identifier: BSD-3-Clause
"""Strategies side by side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Sequence

from ._arrays import numpy_of
from ._tessera import ArgumentError, UnsupportedError
from .catalogue import Strategy, find, strategies
from .forms import Form
from .space import Space
from .system import System

if TYPE_CHECKING:
    import pandas


def compare(
    space: Space, form: Form, names: Sequence[str] | None = None, *, repeat: int = 5
) -> list[dict[str, Any]] | pandas.DataFrame:
    """Assembles a form by each strategy and says how they differ: a table, the fastest first, with a row for each
    strategy. It is a pandas.DataFrame where pandas can be imported, else a list of dictionaries.

    names:  of the strategies; by default all of `strategies()`
    repeat: how often each assembles, after a first time that is not counted

    Columns: strategy, source, deterministic; seconds, the least of an assembly, plan_seconds and prepare_seconds,
    which were spent before; bytes of the plan; difference of the matrix from that of the first strategy which ran,
    relative to the largest entry; path, how element data is computed; refused, why a strategy does not take this
    space or machine, empty where it does (seconds and difference are then not numbers).
    """
    if repeat < 1:
        raise ArgumentError(f"compare: repeat is {repeat}; it must be positive")
    chosen = strategies() if names is None else [find("assembly", name) for name in names]
    system = System(space)
    rows, reference = [], None
    for strategy in chosen:
        row = _row(system, form, strategy, repeat)
        if not row["refused"]:
            values = numpy_of(system.values).copy()
            reference = values if reference is None else reference
            row["difference"] = float(abs(values - reference).max(initial=0) / (abs(reference).max(initial=0) or 1))
        rows.append(row)
    rows.sort(key=lambda row: float("inf") if row["refused"] else row["seconds"])
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _row(system: System, form: Form, strategy: Strategy, repeat: int) -> dict[str, Any]:
    nan = float("nan")
    row = {
        "strategy": strategy.name,
        "source": strategy.source,
        "deterministic": strategy.deterministic,
        "seconds": nan,
        "plan_seconds": nan,
        "prepare_seconds": nan,
        "bytes": 0,
        "difference": nan,
        "path": "",
        "refused": "",
    }
    try:
        report = system.assemble(form, strategy.name)
    except UnsupportedError as error:
        return {**row, "refused": str(error)}
    return {
        **row,
        "seconds": min(_seconds(system, form, strategy.name) for _ in range(repeat)),
        "plan_seconds": report.plan_seconds,
        "prepare_seconds": report.prepare_seconds,
        "bytes": report.bytes,
        "path": report.path,
    }


def _seconds(system: System, form: Form, strategy: str) -> float:
    begin = time.perf_counter()
    system.assemble(form, strategy)
    return time.perf_counter() - begin
