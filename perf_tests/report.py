#!/usr/bin/env python3
"""Turns results of tessera-compare (JSON) and texts into one report, as Markdown and as a self-contained HTML page.

report.py --output FOLDER --title TITLE PART...
A part is compare:FILE.json:COMMAND or text:FILE:HEADING or picture:FILE.png:CAPTION.
"""

import argparse
import base64
import html
import io
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

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


def bars(results):
    """Time per element of each strategy, beside the bound; as PNG bytes."""
    results = ran(results)
    names = [r["strategy"] + ("" if len({x["backend"] for x in results}) == 1 else f" ({r['backend']})") for r in results]
    times = [r["ns_per_element"] for r in results]
    figure, axes = plt.subplots(figsize=(8, 0.9 + 0.28 * len(results)), layout="constrained")
    axes.barh(range(len(results)), times, color="#4878a8")
    axes.set_yticks(range(len(results)), names, fontsize=8)
    axes.invert_yaxis()
    bound = times[0] / results[0]["bound_ratio"]
    axes.axvline(bound, color="#c44e52", label=f"bound {bound:.3g} ns")
    axes.set_xlabel("time per element [ns]")
    axes.set_xscale("log")
    for i, time in enumerate(times):
        axes.annotate(f"{time:.3g}", (time, i), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_xlim(right=max(times) * 1.6)
    axes.legend(fontsize=8)
    return png(figure)


def roofline(results, context):
    """Each strategy's flop rate against its flops per byte, under the measured ceilings; as PNG bytes."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for backend in sorted({r["backend"] for r in results}):
        copy = float(context[f"{backend}_copy_gb_per_s"])
        peak = float(context[f"{backend}_gflop_per_s"])
        points = [r for r in ran(results) if r["backend"] == backend and r["gb_per_s"] > 0]
        if not points:
            continue
        intensity = [r["gflop_per_s"] / r["gb_per_s"] for r in points]
        low, high = min(intensity) / 3, max(max(intensity) * 3, 2 * peak / copy)
        axes.plot([low, peak / copy, high], [low * copy, peak, peak], label=f"{backend}: {copy:.0f} GB/s, {peak:.0f} GFLOP/s")
        markers = "osD^v<>pP*XhHd"
        for i, (x, r) in enumerate(zip(intensity, points)):
            axes.plot(x, r["gflop_per_s"], markers[i % len(markers)], markersize=5,
                      label=f"{r['strategy']} ({backend})" if len({p["backend"] for p in results}) > 1 else r["strategy"])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flops per byte (cost model)")
    axes.set_ylabel("GFLOP/s")
    axes.legend(fontsize=6, ncols=2, loc="center left", bbox_to_anchor=(1, 0.5))
    return png(figure)


def png(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    plt.close(figure)
    return buffer.getvalue()


class Report:
    """The parts of a report, written to both formats as they come."""

    def __init__(self, folder, title):
        self.folder = folder
        self.markdown = [f"# {title}", ""]
        self.html = [f"<h1>{html.escape(title)}</h1>"]
        self.pictures = 0

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
        self.pictures += 1
        name = f"picture{self.pictures}.png"
        (self.folder / name).write_bytes(data)
        self.markdown += [f"![{caption}]({name})", ""]
        encoded = base64.b64encode(data).decode()
        self.html.append(f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{encoded}">'
                         f"<figcaption>{html.escape(caption)}</figcaption></figure>")

    def comparison(self, path, command):
        data = json.loads(pathlib.Path(path).read_text())
        results, context = data["results"], data["context"]
        first = results[0]
        self.heading(f"{first['form']} on {first['mesh']}, {first['element']}, {first['scalar']}")
        self.paragraph(f"{first['elements']:,} elements, {first['unknowns']:,} unknowns, {first['nonzeros']:,} nonzeros. "
                       f"Tessera {context['tessera_version']} ({context['git_hash']}), Kokkos {context['kokkos_version']}, "
                       f"compiler {context['compiler']}, {context['date']}.")
        self.code(command)
        self.table([c[1] for c in COLUMNS], [[cell(r, key, pattern) for key, _, pattern in COLUMNS] for r in ran(results)])
        for r in results:
            if r["unsupported"]:
                self.paragraph(f"{r['strategy']} on {r['backend']} did not run: {r['unsupported']}")
        self.picture(bars(results), "Time per element of each strategy and the bound by compulsory traffic and flops")
        self.picture(roofline(results, context), "Each strategy under this machine's measured ceilings")

    def write(self):
        style = ("body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;"
                 "font-size:85%}td,th{padding:.2em .6em;border-bottom:1px solid #ccc;text-align:right}td:first-child,"
                 "th:first-child{text-align:left}pre{background:#f4f4f4;padding:.6em;overflow-x:auto}img{max-width:100%}"
                 "figure{margin:1em 0}figcaption{font-size:85%;color:#555}")
        page = (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Tessera</title><style>{style}</style>'
                f"<body>{''.join(self.html)}</body></html>\n")
        (self.folder / "report.md").write_text("\n".join(self.markdown))
        (self.folder / "report.html").write_text(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--title", default="Tessera")
    parser.add_argument("parts", nargs="+")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    report = Report(arguments.output, arguments.title)
    for part in arguments.parts:
        kind, path, text = part.split(":", 2)
        if kind == "compare":
            report.comparison(path, text)
        elif kind == "text":
            report.heading(text)
            report.code(pathlib.Path(path).read_text())
        elif kind == "picture":
            report.picture(pathlib.Path(path).read_bytes(), text)
        else:
            parser.error(f"unknown kind of part '{kind}'; there are compare, text, picture")
    report.write()


if __name__ == "__main__":
    main()
