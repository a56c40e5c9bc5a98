# SPDX-License-Identifier: BSD-3-Clause
"""Strategies by name, and their comparison."""

import sys
import types

import pytest
import tessera_fem as tf
from reference import distorted_box, needs

pytestmark = needs("tet1")

COLUMNS = {
    "strategy",
    "source",
    "deterministic",
    "seconds",
    "plan_seconds",
    "prepare_seconds",
    "bytes",
    "difference",
    "path",
    "refused",
}


def space():
    space = tf.Space(distorted_box("tet1"))
    space.constrain([0, 1], 1.0)
    return space


@pytest.fixture
def without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)


def test_names():
    names = [strategy.name for strategy in tf.strategies()]
    assert len(names) == len({name.lower() for name in names}) > 20 and "RowOwner" in names
    assert all(strategy.source for kind in ("assembly", "operator", "residual") for strategy in tf.strategies(kind))
    with pytest.raises(tf.ArgumentError, match="kind is 'solver'; it may be assembly, operator, residual"):
        tf.strategies("solver")


def test_every_strategy_compared(without_pandas):
    table = tf.compare(space(), tf.Helmholtz(2, 1, 3), repeat=1)
    assert [row["strategy"] for row in sorted(table, key=lambda row: row["strategy"])] == sorted(
        strategy.name for strategy in tf.strategies()
    )
    ran = [row for row in table if not row["refused"]]
    assert len(ran) > 20 and ran == table[: len(ran)]
    assert [row["seconds"] for row in ran] == sorted(row["seconds"] for row in ran)
    for row in table:
        assert set(row) == COLUMNS
    for row in ran:
        assert row["difference"] < 1e-12 and row["seconds"] > 0 and row["plan_seconds"] > 0 and row["path"]


def test_chosen_strategies(without_pandas):
    table = tf.compare(space(), tf.Helmholtz(), ["rowowner", "ElementAtomic"])
    assert {row["strategy"] for row in table} == {"RowOwner", "ElementAtomic"}
    with pytest.raises(tf.ArgumentError, match="unknown assembly strategy 'Fastest'; there are Best"):
        tf.compare(space(), tf.Helmholtz(), ["Fastest"])
    with pytest.raises(tf.ArgumentError, match="repeat is 0"):
        tf.compare(space(), tf.Helmholtz(), repeat=0)
    with pytest.raises(tf.FormError):
        tf.compare(space(), tf.Helmholtz(sigma=-1))


def test_a_strategy_that_refuses(without_pandas, monkeypatch):
    assemble = tf.System.assemble

    def refuse(system, form, strategy="Best", deterministic=False):
        if strategy == "RowOwner":
            raise tf.UnsupportedError("not today")
        return assemble(system, form, strategy, deterministic)

    monkeypatch.setattr(tf.System, "assemble", refuse)
    table = tf.compare(space(), tf.Helmholtz(), ["RowOwner", "ElementAtomic"])
    assert [row["refused"] for row in table] == ["", "not today"]
    assert table[0]["difference"] == 0 and table[1]["seconds"] != table[1]["seconds"] and set(table[1]) == COLUMNS


def test_with_pandas():
    pandas = pytest.importorskip("pandas")
    table = tf.compare(space(), tf.Helmholtz(), ["ElementAtomic", "RowOwner"])
    assert isinstance(table, pandas.DataFrame) and set(table.columns) == COLUMNS and len(table) == 2
    assert table.seconds.is_monotonic_increasing and (table.difference < 1e-12).all()


def test_with_what_stands_in_for_pandas(monkeypatch):
    """It is handed the rows."""
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = lambda rows: ("frame", rows)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    kind, rows = tf.compare(space(), tf.Helmholtz(), ["ElementAtomic"])
    assert kind == "frame" and rows[0]["strategy"] == "ElementAtomic"
