#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""site.py HTML: in the pages that Doxygen made of the guides every link leads to a page, to a place in it where it names one,
and every picture is there."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and pictures of a page, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name"):
                self.places.add(value)


def broken_links(path, pages):
    for link in pages(path).links:
        url = urllib.parse.urlsplit(link)
        if url.scheme:
            continue
        target = path.parent / urllib.parse.unquote(url.path) if url.path else path
        if not target.exists():
            yield f"{link} does not exist"
        elif url.fragment and urllib.parse.unquote(url.fragment) not in pages(target).places:
            yield f"{link}: there is no such place"


def main():
    folder = pathlib.Path(sys.argv[1])
    known = {}

    def pages(path):
        if path not in known:
            known[path] = Page(path)
        return known[path]

    guides = sorted([folder / "index.html", *folder.glob("md_*.html")])
    pictures = [link for guide in guides for link in pages(guide).links if link.endswith((".png", ".svg"))]
    broken = [f"{guide.name}: {link}" for guide in guides for link in broken_links(guide, pages)]
    print("\n".join(broken) or f"the links of {len(guides)} guides lead where they say")
    return 1 if broken or len(guides) < 20 or len(pictures) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
