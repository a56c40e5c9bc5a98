#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""browser.py HTML CHROMIUM: the pages that Doxygen made of the guides, opened one after the other in headless Chromium: every
picture shows, every link leads somewhere, those of menus that scripts make too, and the search finds what it is asked for."""

import functools
import html
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

# Opens each page in a frame; what is wrong, a line each, is the text of the element `found` in the end.
LOOK = """<!doctype html><iframe id="frame" width="1200" height="900"></iframe><pre id="found"></pre><script>
const pages = PAGES, frame = document.getElementById("frame"), answers = new Map();
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
async function exists(url) {
  if (!answers.has(url)) answers.set(url, (await fetch(url, {method: "HEAD"})).ok);
  return answers.get(url);
}
async function until(condition) {
  for (let i = 0; i < 100 && !condition(); ++i) await wait(20);
  return condition();
}
async function open_page(page) {
  const loaded = new Promise(done => frame.onload = done);
  frame.src = page;
  await loaded;
  return frame.contentDocument;
}
async function faults(page) {
  const shown = await open_page(page), list = [];
  for (const picture of shown.images)
    if (!await until(() => picture.complete) || picture.naturalWidth === 0) list.push(`picture ${picture.getAttribute("src")} does not show`);
  for (const link of shown.links) {
    const url = new URL(link.href);
    if (url.origin === location.origin && !await exists(url.pathname)) list.push(`${link.getAttribute("href")} leads nowhere`);
  }
  return list;
}
async function search(word) {
  const shown = await open_page("index.html"), field = shown.getElementById("MSearchField");
  if (!field) return ["there is no field to search in"];
  field.focus();
  field.value = word;
  field.dispatchEvent(new KeyboardEvent("keyup", {key: word.at(-1), bubbles: true}));
  const rows = () => [...shown.querySelectorAll("#SRResults .SRResult")].filter(row => row.offsetHeight > 0);
  return await until(() => rows().some(row => row.innerText.includes(word))) ? [] : [`searching for ${word} finds nothing`];
}
(async () => {
  const found = [];
  try {
    for (const page of pages) for (const fault of await faults(page)) found.push(`${page}: ${fault}`);
    found.push(...await search("RowOwner"));
    found.push(`${answers.size} links of ${pages.length} pages seen`);
  } catch (error) { found.push(`failed: ${error}`); }
  document.getElementById("found").textContent = found.join("\\n");
})();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    look = b""

    def do_GET(self):
        if self.path != "/look":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.look)

    def log_message(self, *_):
        pass


def main():
    folder, chromium = pathlib.Path(sys.argv[1]), sys.argv[2]
    pages = [page.name for page in sorted([folder / "index.html", *folder.glob("md_*.html")])]
    Handler.look = LOOK.replace("PAGES", json.dumps(pages)).encode()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        page = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--virtual-time-budget=120000", "--dump-dom", f"http://127.0.0.1:{server.server_port}/look"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=True).stdout
    found = re.search(r'<pre id="found">(.*?)</pre>', page, re.DOTALL)
    lines = html.unescape(found.group(1)).splitlines() if found else []
    print("\n".join(lines) or "the browser has not come to an end")
    return 0 if len(lines) == 1 and re.match(r"[1-9][0-9]* links of [2-9][0-9]+ pages seen$", lines[0]) else 1


if __name__ == "__main__":
    sys.exit(main())
