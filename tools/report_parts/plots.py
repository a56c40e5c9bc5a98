# SPDX-License-Identifier: BSD-3-Clause
"""The report's plots, as SVG in the page's colours and as PNG for Markdown."""

import functools
import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter

from report_parts.results import backends_of, by_time, name, ran

MARKERS = "osD^v<>pP*XhHd8"
BACKEND_COLOURS = ["#4e86bd", "#d0605e", "#4fa668", "#8e7cc3"]
# Text, axes and ceilings: the page's own text colour in SVG.
INK = "#1b1b1b"
GRID = {"which": "both", "color": "#808080", "alpha": 0.25}
matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 9}
                           | {f"{part}.color": INK for part in ("text", "xtick", "ytick")}
                           | {f"axes.{part}color": INK for part in ("edge", "label")})


class Picture:
    """A figure in the forms that are asked for."""

    def __init__(self, figure):
        figure.patch.set_alpha(0)
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")  # laid out once, whatever it is saved as
        plt.close(figure)  # it can still be saved
        self.figure = figure

    @functools.cached_property
    def svg(self):
        """To stand within a page."""
        buffer = io.StringIO()
        self.figure.savefig(buffer, format="svg")
        svg = buffer.getvalue()
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg"):], flags=re.DOTALL)
        return svg.replace(INK, "currentColor").replace("<text ", '<text fill="currentColor" ')

    @functools.cached_property
    def png(self):
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=130, facecolor="white")
        return buffer.getvalue()


def colour(i):
    """Far apart for neighbours in a list, seen on white and on black."""
    return matplotlib.colormaps["tab10"](i % 10)


def logarithmic(axis):
    """Ticks at 1, 2 and 5 times the powers of ten, with plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def legend(axes, entries):
    """Below the axes, in as many columns as fit."""
    axes.legend(fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    axes.figure.set_figheight(axes.figure.get_figheight() + 0.2 * (entries // 3 + 1))


def bars(results):
    """Time per element of each strategy, a bar for each backend, beside the bound."""
    results = ran(results)
    backends = backends_of(results)
    strategies = by_time(results)
    height = 0.8 / len(backends)
    figure, axes = plt.subplots(figsize=(7, 1.1 + (0.14 + 0.14 * len(backends)) * len(strategies)), layout="constrained")
    for k, backend in enumerate(backends):
        mine = [r for r in results if r["backend"] == backend]
        places = [strategies.index(r["strategy"]) - 0.4 + (k + 0.5) * height for r in mine]
        axes.barh(places, [r["ns_per_element"] for r in mine], height, color=BACKEND_COLOURS[k % 4], label=backend)
        bound = mine[0]["ns_per_element"] / mine[0]["bound_ratio"]
        axes.axvline(bound, color=BACKEND_COLOURS[k % 4], linestyle="--",
                     label=f"{backend}: bound by compulsory traffic and flops, {bound:.3g} ns")
        for place, r in zip(places, mine):
            time = r["ns_per_element"]
            axes.annotate(f"{time:.3g}" if time < 1000 else f"{time:,.0f}", (time, place), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(strategies)), strategies)
    axes.set_ylim(len(strategies) - 0.4, -0.6)
    axes.set_xlabel("time per element [ns]")
    logarithmic(axes.xaxis)
    times = [r["ns_per_element"] for r in results]
    bounds = [r["ns_per_element"] / r["bound_ratio"] for r in results]
    axes.set_xlim(min(bounds + times) / 1.6, max(times) * 2)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    return Picture(figure)


def roofline(results, context):
    """Each strategy's flop rate against its flops per byte, under the measured ceilings."""
    results = [r for r in ran(results) if r["gb_per_s"] > 0]
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    intensity = [r["gflop_per_s"] / r["gb_per_s"] for r in results]
    for backend, line in zip(backends_of(results), ("-", "--", ":", "-.", "-")):
        copy = float(context[f"{backend}_copy_gb_per_s"])
        peak = float(context[f"{backend}_gflop_per_s"])
        low, high = min(intensity) / 2, max(max(intensity) * 2, 2 * peak / copy)
        axes.plot([low, peak / copy, high], [low * copy, peak, peak], color=INK, linestyle=line,
                  label=f"{backend}: {copy:.1f} GB/s, {peak:.1f} GFLOP/s")
    for i, (x, r) in enumerate(zip(intensity, results)):
        axes.plot(x, r["gflop_per_s"], MARKERS[i % len(MARKERS)], color=colour(i), markersize=6, linestyle="none",
                  label=name(r, results))
    logarithmic(axes.xaxis)
    logarithmic(axes.yaxis)
    axes.set_xlabel("flops per byte (each strategy's cost model)")
    axes.set_ylabel("GFLOP/s")
    axes.grid(True, **GRID)
    legend(axes, len(results) + 1)
    return Picture(figure)


def lines(series, x_label, y_label, log="xy"):
    """Lines over x: {label: [(x, y), ...]}; `log` names the axes that are logarithmic."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for i, (label, points) in enumerate(series.items()):
        axes.plot(*zip(*sorted(points)), MARKERS[i % len(MARKERS)] + "-", color=colour(i), markersize=5, linewidth=1,
                  label=label)
    for axis in log:
        logarithmic(getattr(axes, f"{axis}axis"))
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(True, **GRID)
    legend(axes, len(series))
    return Picture(figure)


def grouped_bars(series, x_label, log=False):
    """Bars side by side: {label: {group: value}}, the groups from top to bottom."""
    groups = list(dict.fromkeys(group for values in series.values() for group in values))
    height = 0.8 / max(1, len(series))
    figure, axes = plt.subplots(figsize=(7, 1.2 + (0.12 + 0.13 * len(series)) * len(groups)), layout="constrained")
    for i, (label, values) in enumerate(series.items()):
        places = [groups.index(group) - 0.4 + (i + 0.5) * height for group in values]
        axes.barh(places, list(values.values()), height, color=colour(i), label=label)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.set_xlabel(x_label)
    if log:
        logarithmic(axes.xaxis)
    axes.legend(fontsize=8, ncols=2, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    return Picture(figure)


def sizes(comparisons):
    """Time per element of each strategy against the number of elements."""
    everything = [r for results in comparisons for r in ran(results)]
    series = {}
    for r in everything:
        series.setdefault(name(r, everything), []).append((r["elements"], r["ns_per_element"]))
    return lines(series, "elements", "time per element [ns]")
