# SPDX-License-Identifier: BSD-3-Clause
"""What all five papers share: a run's results, the list of tables and figures, and cells."""

import pathlib

from report_parts.results import read_json


class Item:
    """A table or a figure: how it is named and listed, and the function that gives its content."""

    def __init__(self, paper, label, title, status, command, fill):
        self.paper, self.label, self.title, self.status, self.command, self.fill = paper, label, title, status, command, fill

    @property
    def key(self):
        return f"paper{self.paper}.{self.label.lower().replace(' ', '')}"


class List:
    """The items of one paper in their order; an instance decorates the functions that fill them."""

    def __init__(self, paper):
        self.paper, self.items = paper, []

    def __call__(self, label, title, status, command=""):
        def take(fill):
            self.items.append(Item(self.paper, label, title, status, command or f"tessera-paper{self.paper}", fill))
            return fill
        return take


class Run:
    """The files of one run of perf_tests/papers.sh."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        files = sorted(f for f in self.folder.iterdir() if f.name.endswith((".json", ".json.xz")))
        self.files = {f.name.removesuffix(".xz").removesuffix(".json"): read_json(f) for f in files}
        self.parts = self.files.get("parts", {})

    def rows(self, name, **wanted):
        """The records of one file whose fields are as wanted."""
        rows = self.files.get(name, {}).get("results", [])
        return [r for r in rows if all(r.get(key) == value for key, value in wanted.items())]

    def machine(self):
        return next((f["machine"] for f in self.files.values() if "machine" in f), {})

    def missing(self, name):
        """Why a file is not there or is short; None where it is whole."""
        for part in self.parts.get("parts", []):
            if part["part"] == name and part["status"] in (124, 137):
                return f"{part['command'].split()[0]} was stopped after {part['seconds']} s"
            if part["part"] == name and part["status"] != 0:
                return f"{part['command'].split()[0]} ended with status {part['status']}"
        return None if name in self.files else "it was not measured in this run"

    def where(self):
        """What ran, on what, when."""
        machine, parts = self.machine(), self.parts
        on = parts.get("device") if machine.get("space") not in ("Serial", "OpenMP") else parts.get("processor")
        return (f"{on or 'machine not recorded'}, backend {machine.get('space', '?')}, {parts.get('date', 'no date')}, "
                f"Tessera {machine.get('tessera_version', '?')} ({machine.get('git_hash', '?')}), "
                f"Kokkos {machine.get('kokkos_version', '?')}, copy {1e-9 * machine.get('copy_bytes_per_s', 0):.1f} GB/s, "
                f"{1e-9 * machine.get('flops_per_s', 0):.1f} GFLOP/s in double precision.")


class Content:
    """What stands under an item's heading."""

    def __init__(self, *notes):
        self.notes, self.tables, self.plots = list(notes), [], []

    def table(self, header, rows):
        self.tables.append(([str(h) for h in header], [[str(c) for c in row] for row in rows]))
        return self

    def plot(self, picture, caption):
        self.plots.append((picture, caption))
        return self

    def paper(self, sentences):
        """What the paper says where it prints no table."""
        self.notes += [f"The paper: {sentence}" for sentence in sentences]
        return self


def number(value, digits=3):
    """A cell: a number of so many digits, empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 10 ** digits else f"{value:.{digits}g}"


def with_paper(ours, paper):
    """A cell of ours with the paper's in parentheses."""
    return f"{ours} ({paper})".strip() if paper not in (None, "") else str(ours)


def one_by_one(name, names):
    """Of a colored strategy the row whose colors are launched one by one, as the papers launch them. Runs without such rows,
    of up to 26 November 2026, have one CUDA graph of all colors."""
    return name + "/separate" if name + "/separate" in names else name


def ratio(over, under):
    return over / under if over and under else None


def pivot(rows, column, value, corner="strategy"):
    """(header, rows): a line for each strategy, a column for each value of `column`, in their order."""
    names = list(dict.fromkeys(r["strategy"] for r in rows))
    columns = list(dict.fromkeys(column(r) for r in rows))
    cells = {(r["strategy"], column(r)): value(r) for r in rows}
    return [corner] + columns, [[name] + [cells.get((name, c), "") for c in columns] for name in names]


def series(rows, x, y, label=lambda r: r["strategy"]):
    """{label: [(x, y), ...]} for a plot, without what was not measured."""
    lines = {}
    for r in rows:
        if y(r):
            lines.setdefault(label(r), []).append((x(r), y(r)))
    return lines
