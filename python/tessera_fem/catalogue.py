# SPDX-License-Identifier: BSD-3-Clause
"""The library's strategies by name."""

from __future__ import annotations

import functools
from typing import NamedTuple

from . import _tessera
from ._tessera import ArgumentError, UnsupportedError

_lists = {
    "assembly": _tessera.assembly_strategies,
    "operator": _tessera.operator_strategies,
    "residual": _tessera.residual_strategies,
}


class Strategy(NamedTuple):
    """A strategy of the library, or one of its variants."""

    name: str
    """What `System.assemble`, `Operator` and `Residual` take, without regard to case."""
    source: str
    """Where it is from: the paper and the section, as a rule."""
    deterministic: bool
    """Whether every run gives the same bits."""


def strategies(kind: str = "assembly") -> list[Strategy]:
    """The strategies that there are.

    kind: "assembly", "operator" or "residual"
    """
    if kind not in _lists:
        raise ArgumentError(f"strategies: kind is '{kind}'; it may be {', '.join(_lists)}")
    return list(_by_name(kind).values())


@functools.lru_cache(maxsize=None)
def _by_name(kind: str) -> dict[str, Strategy]:
    """By their names in small letters."""
    listed = [Strategy(*strategy) for strategy in _lists[kind]()]
    return {strategy.name.lower(): strategy for strategy in listed}


def find(kind: str, name: str) -> Strategy:
    """The strategy of a name, whatever the case of its letters. ArgumentError that lists those there are."""
    known = _by_name(kind)
    if name.lower() not in known:
        names = ", ".join(strategy.name for strategy in known.values())
        raise ArgumentError(f"unknown {kind} strategy '{name}'; there are {names}")
    return known[name.lower()]


def chosen(kind: str, name: str, deterministic: bool) -> str:
    """The name of the strategy, of `Best` that of its deterministic variant where that is asked for. UnsupportedError
    for a strategy that is not deterministic then; ArgumentError as `find`."""
    strategy = find(kind, "Best/deterministic" if deterministic and name.lower() == "best" else name)
    if deterministic and not strategy.deterministic:
        raise UnsupportedError(f"{strategy.name} is not deterministic; strategies('{kind}') says which strategies are")
    return strategy.name
