#!/usr/bin/env python3
"""Plots figures 3, 12, 13 and 14 of paper 1 from the JSON files of tessera-paper1.

plot.py --output FOLDER FILE.json...
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MARKERS = "osD^v<>pP*XhHd"


def ns(row):
    return row["ns_per_element"]


def lines(axes, rows, x, y):
    """One line per strategy, in the order of the rows."""
    for i, name in enumerate(dict.fromkeys(r["strategy"] for r in rows)):
        points = sorted((x(r), y(r)) for r in rows if r["strategy"] == name and y(r) is not None)
        if points:
            axes.plot(*zip(*points), marker=MARKERS[i % len(MARKERS)], markersize=4, linewidth=1, label=name)
    axes.grid(True, alpha=0.3)


def save(figure, axes, folder, name, x_label, y_label, log):
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    for axis in log:
        getattr(axes, f"set_{axis}scale")("log")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(folder / f"{name}.png", dpi=130)
    plt.close(figure)


def stages(rows, folder):
    """Figure 14's bars: element stage below, the rest above, for strategies with a stage of their own."""
    rows = [r for r in rows if r["element_seconds"] > 0]
    names = list(dict.fromkeys(r["strategy"] for r in rows))
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    width = 0.8 / max(1, len(names))
    for i, name in enumerate(names):
        mine = [r for r in rows if r["strategy"] == name]
        at = [r["order"] + (i - (len(names) - 1) / 2) * width for r in mine]
        element = [1e9 * r["element_seconds"] / r["elements"] for r in mine]
        axes.bar(at, element, width, color=f"C{i}", label=f"{name}: elements")
        axes.bar(at, [max(0, ns(r) - e) for r, e in zip(mine, element)], width, bottom=element, color=f"C{i}", alpha=0.4,
                 label=f"{name}: assembly")
    save(figure, axes, folder, "figure13-stages", "order", "time per element [ns]", [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    data = [json.loads(f.read_text()) for f in arguments.files]
    if len({d["machine"]["space"] for d in data}) > 1:
        parser.error("the files come from different execution spaces")
    rows = [r for d in data for r in d["results"] if not r["unsupported"]]
    heat = [r for r in rows if r["part"] == "figure13" and r["kernel"] == "heat"]
    trivial = [r for r in rows if r["part"] == "figure13" and r["kernel"] == "trivial"]
    real = {(r["strategy"], r["order"]): ns(r) for r in heat}

    def gain(row):
        time = real.get((row["strategy"], row["order"]))
        return time / ns(row) if time else None

    plots = [
        ("figure3", [r for r in rows if r["part"] == "figure3"], lambda r: r["colors"], ns, "least number of colors",
         "time per element [ns]", []),
        ("figure12", [r for r in rows if r["part"] == "figure12"], lambda r: r["nodes"], ns, "nodes",
         "time per element [ns]", ["x", "y"]),
        ("figure13a", heat, lambda r: r["order"], ns, "order", "time per element [ns]", ["y"]),
        ("figure13b", trivial, lambda r: r["order"], ns, "order", "time per element, dummy kernel [ns]", ["y"]),
        ("figure13c", trivial, lambda r: r["order"], gain, "order", "speedup by the dummy kernel", []),
    ]
    for name, chosen, x, y, x_label, y_label, log in plots:
        if chosen:
            figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
            lines(axes, chosen, x, y)
            save(figure, axes, arguments.output, name, x_label, y_label, log)
    if heat:
        stages(heat, arguments.output)


if __name__ == "__main__":
    main()
