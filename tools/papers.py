#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every table and every figure with results of the five papers, from what perf_tests/papers.sh measured.

papers.py RESULTS [--html FILE] [--markdown FILE]   one page of all five
papers.py RESULTS --pages FOLDER                    the tables between markers of the pages in FOLDER (docs/papers), from RESULTS
papers.py --list                                    each table and figure, its command and its status, for docs/papers/README.md
A marker is <!-- paper3.table6.2 -->, or several such names, before a table, and <!-- end --> after it.
"""

import argparse
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # the scripts' folder may be the source tree
try:
    from report_parts.page import Page
    from report_parts.papers import paper1, paper2, paper3, paper4, paper5
    from report_parts.papers.items import Content, Run
    from report_parts.results import read_json
except ImportError as error:
    sys.exit(f"papers.py needs matplotlib (Debian's python3-matplotlib): {error}")

PUBLISHED = pathlib.Path(__file__).resolve().parent.parent / "perf_tests" / "published.json"
MARKER = r"<!-- ((?:paper\d\.[a-z0-9.]+ )+)-->"
ITEMS = [item for paper in (paper1, paper2, paper3, paper4, paper5) for item in paper.item.items]


class PapersPage(Page):
    """Tables of the papers are shown whole."""

    shown = 1000


def listed():
    """The list for docs/papers/README.md."""
    lines = ["| paper | what | shows | measured by | status |", "|---|---|---|---|---|"]
    lines += [f"| {i.paper} | {i.label} | {i.title} | `{i.command.replace('; ', '`; `')}` | {i.status} |" for i in ITEMS]
    return "\n".join(lines)


def status_of(item, run):
    """An item's status in a run, which may have profiled what is else modelled."""
    if not item.status.startswith("modelled;"):
        return item.status
    return "modelled, and profiled" if run.rows("profile") else "modelled"


def content_of(item, run, published):
    """What an item's heading has below it: its content, or the reason why there is none."""
    name = f"paper{item.paper}"
    if not run.rows(name) and item.status != "a drawing without numbers":
        return Content(f"Not here: {run.missing(name)}.")
    content = item.fill(run, published[name])
    missing = run.missing(name)
    if missing:
        content.notes.append(f"May be short: {missing}.")
    if not any(rows for _, rows in content.tables) and content.tables:
        content.notes.append("Not measured in this run.")
        content.plots = []
    return content


def page(run, published):
    note = (f"{run.where()} Measured in {run.parts.get('seconds', '?')} s, at sizes for this backend. Times are medians; what is "
            "modelled says so; the papers' numbers stand beside ours.")
    result = PapersPage("The tables and figures of the five papers", note)
    paper = None
    for item in ITEMS:
        if item.paper != paper:
            paper = item.paper
            about = published[f"paper{paper}"]
            result.summed_up(f"Paper {paper}: {about['title']}", [f"{about['authors']}. Its numbers: {about['device']}."])
        content = content_of(item, run, published)
        result.heading(f"Paper {item.paper}, {item.label}: {item.title} ({status_of(item, run)})")
        for text in filter(None, content.notes):
            result.paragraph(text)
        for header, rows in content.tables:
            if rows:
                result.table(header, rows)
        for picture, caption in content.plots:
            result.plot(picture, caption)
        result.code(item.command)
    result.heading("What this run did")
    result.code("\n".join(f"{part['seconds']:4} s  {part['command']}" for part in run.parts.get("parts", [])) or "not recorded")
    return result


def markdown_tables(contents):
    """The tables of items for a page of docs/papers, whose prose stands for the notes."""
    lines = []
    for header, rows in (table for content in contents for table in content.tables):
        lines += ["", "| " + " | ".join(header) + " |", "|" + "---|" + "---:|" * (len(header) - 1)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines[1:]) + "\n"


def fill_pages(folder, run, published):
    """Replaces what stands between the markers of each page by the tables of this run."""
    items = {item.key: item for item in ITEMS}
    for path in sorted(pathlib.Path(folder).glob("*.md")):
        text = path.read_text()
        for key in " ".join(re.findall(MARKER, text)).split():
            if key not in items:
                raise ValueError(f"{path}: no table or figure is called '{key}'; there are {', '.join(items)}")

        where = [f"{run.where()}\n\n"]  # once a page

        def fresh(match):
            if not run.rows("profile") and any(items[key].status.startswith("profiled") for key in match[1].split()):
                return match[0]
            contents = [content_of(items[key], run, published) for key in match[1].split()]
            if not all(any(rows for _, rows in content.tables) for content in contents):
                return match[0]  # this run has nothing better than what stands there
            return f"<!-- {match[1]}-->\n{where.pop() if where else ''}{markdown_tables(contents)}<!-- end -->"

        path.write_text(re.sub(MARKER + ".*?<!-- end -->", fresh, text, flags=re.DOTALL))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=pathlib.Path)
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, help="pictures are written beside it")
    parser.add_argument("--pages", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        print(listed())
        return
    if arguments.results is None:
        parser.error("the folder with the results is missing")
    run, published = Run(arguments.results), read_json(PUBLISHED)
    if not run.files:
        raise ValueError(f"{arguments.results} has no results of perf_tests/papers.sh")
    if arguments.pages:
        fill_pages(arguments.pages, run, published)
    if arguments.html or arguments.markdown:
        result = page(run, published)
        if arguments.html:
            result.write_html(arguments.html)
        if arguments.markdown:
            result.write_markdown(arguments.markdown)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"papers.py: {error}")
