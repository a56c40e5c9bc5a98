#!/usr/bin/env python3
"""Turns results of tessera-compare (JSON), texts and pictures into one report: a self-contained HTML page, Markdown or both.

report.py [--html FILE] [--markdown FILE] [--title TITLE] [--note TEXT] PART...
A part is one of
  compare:FILE.json,FILE.json:COMMAND a table, the time of each strategy, and the roofline; files of one problem on
                                    several backends are shown side by side
  sizes:FILE.json,FILE.json:COMMAND time against size, from comparisons of meshes of several sizes
  text:FILE:HEADING                 a text under a heading
  picture:FILE.png:CAPTION          a picture
COMMAND is what repeats the measurement.
"""

import argparse
import base64
import html
import io
import json
import pathlib
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter
except ImportError as error:
    sys.exit(f"report.py needs matplotlib (Debian's python3-matplotlib): {error}")

COLUMNS = [
    ("strategy", "strategy", "{}"),
    ("backend", "backend", "{}"),
    ("plan_seconds", "plan [s]", "{:.3f}"),
    ("plan_bytes", "plan [MB]", "{:.1f}"),
    ("seconds_median", "median [ms]", "{:.2f}"),
    ("ns_per_element", "ns/element", "{:.4g}"),
    ("gb_per_s", "GB/s", "{:.1f}"),
    ("gflop_per_s", "GFLOP/s", "{:.1f}"),
    ("bandwidth_share", "% of copy", "{:.0f}"),
    ("model_ratio", "x model", "{:.2f}"),
    ("bound_ratio", "x bound", "{:.2f}"),
    ("error", "error", "{:.1e}"),
    ("deterministic", "repeats", "{}"),
]
MARKERS = "osD^v<>pP*XhHd8"
BACKEND_COLOURS = ["#4878a8", "#c44e52", "#55a868", "#8172b2"]
SCALE = {"plan_bytes": 1e-6, "seconds_median": 1e3, "bandwidth_share": 100}


def cell(result, key, pattern):
    value = result[key]
    if value is None:
        return "-"
    if key == "deterministic":
        return "bitwise" if value else "rounding"
    return pattern.format(value * SCALE.get(key, 1) if isinstance(value, (int, float)) else value)


def ran(results):
    return sorted((r for r in results if not r["unsupported"]), key=lambda r: (r["backend"], r["seconds_median"]))


def by_time(results):
    """Names of the strategies that ran, by the time on their fastest backend."""
    fastest = sorted(ran(results), key=lambda r: r["seconds_median"])
    return list(dict.fromkeys(r["strategy"] for r in fastest))


def name(result, results):
    """A strategy's name, with its backend where there are several."""
    several = len({r["backend"] for r in results}) > 1
    return f"{result['strategy']} ({result['backend']})" if several else result["strategy"]


def colour(i):
    """Far apart for neighbours in a list, dark enough on white."""
    return matplotlib.colormaps["tab10"](i % 10)


def logarithmic(axis):
    """Ticks at 1, 2 and 5 times the powers of ten, with plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def bars(results):
    """Time per element of each strategy, a bar for each backend, beside the bound; as PNG bytes."""
    results = ran(results)
    backends = list(dict.fromkeys(r["backend"] for r in results))
    strategies = by_time(results)
    height = 0.8 / len(backends)
    figure, axes = plt.subplots(figsize=(8, 0.9 + (0.1 + 0.14 * len(backends)) * len(strategies)), layout="constrained")
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
                          textcoords="offset points", va="center", fontsize=6)
    axes.set_yticks(range(len(strategies)), strategies, fontsize=8)
    axes.set_ylim(len(strategies) - 0.4, -0.6)
    axes.set_xlabel("time per element [ns]")
    logarithmic(axes.xaxis)
    times = [r["ns_per_element"] for r in results]
    bounds = [r["ns_per_element"] / r["bound_ratio"] for r in results]
    axes.set_xlim(min(bounds + times) / 1.6, max(times) * 2)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    return png(figure)


def roofline(results, context):
    """Each strategy's flop rate against its flops per byte, under the measured ceilings; as PNG bytes."""
    results = [r for r in ran(results) if r["gb_per_s"] > 0]
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    intensity = [r["gflop_per_s"] / r["gb_per_s"] for r in results]
    for backend in sorted({r["backend"] for r in results}):
        copy = float(context[f"{backend}_copy_gb_per_s"])
        peak = float(context[f"{backend}_gflop_per_s"])
        low, high = min(intensity) / 2, max(max(intensity) * 2, 2 * peak / copy)
        axes.plot([low, peak / copy, high], [low * copy, peak, peak], color="black",
                  label=f"{backend}: {copy:.1f} GB/s, {peak:.1f} GFLOP/s")
    for i, (x, r) in enumerate(zip(intensity, results)):
        axes.plot(x, r["gflop_per_s"], MARKERS[i % len(MARKERS)], color=colour(i), markersize=6, linestyle="none",
                  label=name(r, results))
    logarithmic(axes.xaxis)
    logarithmic(axes.yaxis)
    axes.set_xlabel("flops per byte (each strategy's cost model)")
    axes.set_ylabel("GFLOP/s")
    axes.grid(True, which="both", color="#eeeeee")
    legend(axes, len(results) + 1)
    return png(figure)


def legend(axes, entries):
    """Below the axes, in as many columns as fit."""
    axes.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    axes.figure.set_figheight(axes.figure.get_figheight() + 0.18 * (entries // 3 + 1))


def sizes(comparisons):
    """Time per element of each strategy against the number of elements; as PNG bytes."""
    everything = [r for results in comparisons for r in ran(results)]
    lines = {}
    for r in everything:
        lines.setdefault(name(r, everything), []).append((r["elements"], r["ns_per_element"]))
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for i, (label, points) in enumerate(lines.items()):
        axes.plot(*zip(*sorted(points)), MARKERS[i % len(MARKERS)] + "-", color=colour(i), markersize=5, linewidth=1,
                  label=label)
    logarithmic(axes.xaxis)
    logarithmic(axes.yaxis)
    axes.set_xlabel("elements")
    axes.set_ylabel("time per element [ns]")
    axes.grid(True, which="both", color="#eeeeee")
    legend(axes, len(lines))
    return png(figure)


def png(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    plt.close(figure)
    return buffer.getvalue()


def what_ran(context):
    return (f"Tessera {context['tessera_version']} ({context['git_hash']}), Kokkos {context['kokkos_version']}, "
            f"compiler {context['compiler']}, {context.get('processor', 'processor not recorded')}, {context['date']}.")


class Report:
    """The parts of a report, kept for both formats as they come."""

    def __init__(self, title):
        self.title = title
        self.markdown = [f"# {title}", ""]
        self.html = [f"<h1>{html.escape(title)}</h1>"]
        self.pictures = []

    def heading(self, text):
        self.markdown += [f"## {text}", ""]
        self.html.append(f"<h2>{html.escape(text)}</h2>")

    def paragraph(self, text):
        self.markdown += [text, ""]
        self.html.append(f"<p>{html.escape(text)}</p>")

    def code(self, text):
        self.markdown += ["```", text.rstrip(), "```", ""]
        self.html.append(f"<pre>{html.escape(text.rstrip())}</pre>")

    def table(self, header, rows):
        self.markdown.append("| " + " | ".join(header) + " |")
        self.markdown.append("| " + " | ".join("---" for _ in header) + " |")
        self.markdown += ["| " + " | ".join(row) + " |" for row in rows] + [""]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
        self.html.append("<table><tr>" + "".join(f"<th>{html.escape(c)}</th>" for c in header) + f"</tr>{body}</table>")

    def picture(self, data, caption):
        self.markdown += [f"![{caption}]({{stem}}{len(self.pictures) + 1}.png)", ""]
        self.pictures.append(data)
        encoded = base64.b64encode(data).decode()
        self.html.append(f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{encoded}">'
                         f"<figcaption>{html.escape(caption)}</figcaption></figure>")

    def comparison(self, paths, command):
        data = [json.loads(pathlib.Path(path).read_text()) for path in paths.split(",")]
        results = [r for d in data for r in d["results"]]
        context = {key: value for d in reversed(data) for key, value in d["context"].items()}
        first = results[0]
        for r in results:
            for key in ("form", "mesh", "element", "scalar", "elements", "unknowns"):
                if r[key] != first[key]:
                    raise ValueError(f"{paths}: not one problem, {key} is {first[key]} and {r[key]}")
        self.heading(f"{first['form']} on {first['mesh']}, {first['element']}, {first['scalar']}")
        self.paragraph(f"{first['elements']:,} elements, {first['unknowns']:,} unknowns, {first['nonzeros']:,} nonzeros. "
                       + " ".join(dict.fromkeys(what_ran(d["context"]) for d in data)))
        self.code(command)
        self.backends(results)
        self.table([c[1] for c in COLUMNS], [[cell(r, key, pattern) for key, _, pattern in COLUMNS] for r in ran(results)])
        for r in results:
            if r["unsupported"]:
                self.paragraph(f"{r['strategy']} on {r['backend']} did not run: {r['unsupported']}")
        if ran(results):
            self.picture(bars(results), "Time per element of each strategy and the bound by compulsory traffic and flops")
            self.picture(roofline(results, context), "Each strategy under this machine's measured ceilings")

    def backends(self, results):
        """A strategy's times on all backends side by side, where there are several."""
        times = {(r["strategy"], r["backend"]): r["seconds_median"] for r in ran(results)}
        backends = sorted({backend for _, backend in times}, key=lambda b: (b != "serial", b))
        if len(backends) < 2:
            return
        first, *others = backends
        self.table(["strategy"] + [f"{b} [ms]" for b in backends] + [f"{first} / {b}" for b in others],
                   [[s] + [f"{1e3 * times[s, b]:.2f}" if (s, b) in times else "-" for b in backends]
                    + [f"{times[s, first] / times[s, b]:.2f}" if (s, b) in times and (s, first) in times else "-"
                       for b in others] for s in by_time(results)])

    def size_sweep(self, paths, command):
        data = [json.loads(pathlib.Path(path).read_text()) for path in paths.split(",")]
        first = data[0]["results"][0]
        self.heading(f"Time against size: {first['form']}, {first['element']}, {first['scalar']}")
        self.paragraph(what_ran(data[0]["context"]))
        self.code(command)
        self.picture(sizes([d["results"] for d in data]), "Time per element against the number of elements")

    def write_html(self, path):
        style = ("body{font-family:sans-serif;max-width:75em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;"
                 "font-size:85%}td,th{white-space:nowrap;padding:.2em .6em;border-bottom:1px solid #ccc;text-align:right}"
                 "td:first-child,th:first-child{text-align:left}"
                 "pre{background:#f4f4f4;padding:.6em;white-space:pre-wrap;overflow-wrap:anywhere}img{max-width:100%}"
                 "figure{margin:1em 0}figcaption{font-size:85%;color:#555}")
        path.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(self.title)}</title>'
                        f"<style>{style}</style><body>{''.join(self.html)}</body></html>\n")

    def write_markdown(self, path):
        for number, data in enumerate(self.pictures, 1):
            (path.parent / f"{path.stem}{number}.png").write_bytes(data)
        path.write_text("\n".join(self.markdown).replace("{stem}", path.stem))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, help="pictures are written beside it")
    parser.add_argument("--title", default="Tessera")
    parser.add_argument("--note", help="a paragraph under the title")
    parser.add_argument("--check", action="store_true", help="only see whether all that it needs is there")
    parser.add_argument("parts", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        return
    report = Report(arguments.title)
    if arguments.note:
        report.paragraph(arguments.note)
    for part in arguments.parts:
        kind, path, text = part.split(":", 2)
        if kind == "compare":
            report.comparison(path, text)
        elif kind == "sizes":
            report.size_sweep(path, text)
        elif kind == "text":
            report.heading(text)
            report.code(pathlib.Path(path).read_text())
        elif kind == "picture":
            report.picture(pathlib.Path(path).read_bytes(), text)
        else:
            parser.error(f"unknown kind of part '{kind}'; there are compare, sizes, text, picture")
    if arguments.html:
        report.write_html(arguments.html)
    if arguments.markdown:
        report.write_markdown(arguments.markdown)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {error}")
