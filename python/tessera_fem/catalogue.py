# SPDX-License-Identifier: BSD-3-Clause
"""The library's strategies by name."""

from __future__ import annotations

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
    return [Strategy(*strategy) for strategy in _lists[kind]()]


def chosen(kind: str, strategy: str, deterministic: bool) -> str:
    """The name of the strategy, of `Best` that of its deterministic variant where that is asked for. UnsupportedError
    for a strategy that is not deterministic then."""
    if not deterministic:
        return strategy
    if strategy.lower() == "best":
        return "Best/deterministic"
    for known in strategies(kind):
        if known.name.lower() == strategy.lower() and not known.deterministic:
            raise UnsupportedError(f"{known.name} is not deterministic; strategies('{kind}') says which strategies are")
    return strategy
