#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""links.py SOURCE: every link of a page leads to a file of the source tree, and to a heading of a page where it names one."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def anchors(page):
    """Of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    for path, anchor in LINK.findall(FENCE.sub("", page.read_text())):
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{path} does not exist"
        elif anchor and anchor not in anchors(target):
            yield f"{path} has no heading #{anchor}"


def main():
    source = pathlib.Path(sys.argv[1])
    pages = [page for page in source.rglob("*.md") if page.relative_to(source).parts[0] not in ("build", "results")]
    broken = [f"{page.relative_to(source)}: {link}" for page in pages for link in broken_links(page)]
    print("\n".join(broken) or f"the links of {len(pages)} pages lead where they say")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
