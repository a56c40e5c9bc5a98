# SPDX-License-Identifier: BSD-3-Clause
"""What results of tessera-compare say: their order, names and cells of tables, and the sentences that sum them up."""

import json
import lzma
import pathlib

SHOWN = 10  # strategies in a plot and rows of a table before the rest is asked for

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


def read_json(path):
    """The contents of a file of results, .json or .json.xz; an error names it."""
    path = pathlib.Path(path)
    try:
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
            return json.load(file)
    except (ValueError, EOFError, lzma.LZMAError) as error:
        raise ValueError(f"{path} is not whole JSON: {error}") from error


def cell(result, key, pattern):
    value = result[key]
    if value is None:
        return "-"
    if key == "deterministic":
        return "bitwise" if value else "rounding"
    text = pattern.format(value * SCALE.get(key, 1) if isinstance(value, (int, float)) else value)
    return text + " WRONG" if key == "error" and not result["agrees"] else text


def ran(results):
    return sorted((r for r in results if not r["unsupported"]), key=lambda r: (r["backend"], r["seconds_median"]))


def backends_of(results):
    """Names of the backends, serial first."""
    return sorted({r["backend"] for r in ran(results)}, key=lambda b: (b != "serial", b))


def by_time(results):
    """Names of the strategies that ran, by the time on their fastest backend."""
    fastest = sorted(ran(results), key=lambda r: r["seconds_median"])
    return list(dict.fromkeys(r["strategy"] for r in fastest))


def best(results):
    """The results of the strategies that come first."""
    names = set(by_time(results)[:SHOWN])
    return [r for r in results if r["strategy"] in names]


def name(result, results):
    """A strategy's name, with its backend where there are several."""
    return f"{result['strategy']} ({result['backend']})" if len(backends_of(results)) > 1 else result["strategy"]


def chooses(result):
    """Whether it takes one of the other strategies."""
    return result["strategy"].split("/")[0] == "Best"


def fastest_of_each(results):
    """The fastest result of each backend whose values are right, serial first."""
    right = [r for r in ran(results) if r["agrees"] and not chooses(r)]
    return [next(r for r in right if r["backend"] == b) for b in backends_of(right)]


def from_bound(result):
    ratio = result["bound_ratio"]
    if ratio < 1:
        return f"{ratio:.2f} of the bound by memory traffic, as the data stay in caches"
    return f"{ratio:.2f} times the bound by compulsory traffic and flops"


def winner(first, results):
    """A sentence on the fastest strategy of a backend: by how much, and how far from the bound."""
    same = [r for r in ran(results) if r["backend"] == first["backend"] and r["agrees"]]
    others = [r for r in same if r is not first and not chooses(r)]
    ahead = [r["seconds_median"] / first["seconds_median"] for r in others]
    time = f"with {first['ns_per_element']:.3g} ns an element"
    if not others:
        text = f"{first['strategy']} alone ran, {time}"
    elif ahead[0] < 1.02:
        text = f"{first['strategy']} and {others[0]['strategy']} lead {time}, less than 2 % apart"
    else:
        text = f"{first['strategy']} wins {time}, {ahead[0]:.2f} times as fast as the next, {others[0]['strategy']}"
    if len(others) > 1:
        text += f", and {ahead[-1]:.1f} times as fast as the last"
    text = f"{first['backend']}: {text}; it takes {from_bound(first)}."
    for choice in (r for r in same if r["strategy"] == "Best"):
        took, predicted, _ = choice.get("path", "").partition(" ms predicted")
        took = f" with {took.rpartition(',')[0]}" if predicted else ""
        text += f" Best takes {choice['seconds_median'] / first['seconds_median']:.2f} times as long{took}."
    return text


def comparison_summary(results):
    """Sentences on a comparison: each backend's winner, the backends beside each other, what is wrong."""
    fastest = fastest_of_each(results)
    sentences = [winner(first, results) for first in fastest]
    if len(fastest) > 1:
        quick, *slower = sorted(fastest, key=lambda r: r["seconds_median"])
        sentences.append(f"{quick['backend']} is " + " and ".join(
            f"{r['seconds_median'] / quick['seconds_median']:.2f} times as fast as {r['backend']}" for r in slower)
            + ", each with its best strategy.")
    wrong = list(dict.fromkeys(name(r, results) for r in ran(results) if not r["agrees"]))
    if wrong:
        sentences.append("Not counted, as their results disagree with the oracle or with what they say of repeating: "
                         f"{', '.join(wrong)}.")
    if not ran(results):
        sentences.append("No strategy ran.")
    return sentences


def sizes_summary(comparisons):
    """Sentences on a sweep: who wins on the smallest and on the largest mesh."""
    ends = sorted((c for c in comparisons if fastest_of_each(c)), key=lambda c: c[0]["elements"])
    if not ends:
        return ["No strategy ran."]
    sentences = []
    for size, results in dict([("smallest", ends[0]), ("largest", ends[-1])]).items():
        first = min(fastest_of_each(results), key=lambda r: r["seconds_median"])
        sentences.append(f"On the {size} mesh, {first['elements']:,} elements, {name(first, results)} wins with "
                         f"{first['ns_per_element']:.3g} ns an element.")
    return sentences
