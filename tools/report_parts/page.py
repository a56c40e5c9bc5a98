# SPDX-License-Identifier: BSD-3-Clause
"""A page in both formats: self-contained HTML, and Markdown with its pictures beside it."""

import base64
import html
import pathlib

from report_parts.results import SHOWN

FOLDER = pathlib.Path(__file__).resolve().parent


class Page:
    """The parts of a report, kept for both formats as they come; pictures by functions, for the format that is written."""

    shown = SHOWN  # rows of a table before the rest is asked for

    def __init__(self, title, note):
        self.title, self.note = title, note
        self.markdown, self.html = [], []
        self.summary = []  # (heading, anchor, sentences)
        self.pictures = []

    def heading(self, text):
        self.markdown += [f"## {text}", ""]
        self.html.append(f'<h2 id="part{len(self.html)}">{html.escape(text)}</h2>')

    def summed_up(self, text, sentences):
        """A heading that the summary leads to."""
        self.summary.append((text, f"part{len(self.html)}", sentences))
        self.heading(text)

    def paragraph(self, text):
        self.markdown += [text, ""]
        self.html.append(f'<p class="facts">{html.escape(text)}</p>')

    def code(self, text):
        self.markdown += ["```", text.rstrip(), "```", ""]
        self.html.append(f"<pre>{html.escape(text.rstrip())}</pre>")

    def fold(self, title, *parts):
        """What is shown on request: `parts` are called to add themselves within."""
        self.markdown += [f"<details><summary>{html.escape(title)}</summary>", ""]
        self.html.append(f"<details><summary>{html.escape(title)}</summary>")
        for part in parts:
            part()
        self.markdown += ["</details>", ""]
        self.html.append("</details>")

    def table(self, header, rows):
        self.markdown.append("| " + " | ".join(header) + " |")
        self.markdown.append("| " + " | ".join("---" for _ in header) + " |")
        self.markdown += ["| " + " | ".join(row) + " |" for row in rows] + [""]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
        head = "".join(f"<th>{html.escape(c)}</th>" for c in header)
        self.html.append(f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')

    def picture_of_markdown(self, png, caption):
        self.pictures.append(png)
        self.markdown += [f"![{caption}]({{stem}}{len(self.pictures)}.png)", ""]

    @staticmethod
    def figure(shown, caption):
        return f"<figure>{shown}<figcaption>{html.escape(caption)}</figcaption></figure>"

    def plot_of_page(self, plot, caption):
        return self.figure(f'<div class="plot" role="img" aria-label="{html.escape(caption)}">{plot.svg}</div>', caption)

    def plot(self, plot, caption):
        self.picture_of_markdown(lambda: plot.png, caption)
        self.html.append(lambda: self.plot_of_page(plot, caption))

    def more_plots(self, title, drawn):
        """Plots that the page shows on request, (plot, caption) each; Markdown makes do with the tables."""
        self.html.append(f"<details><summary>{html.escape(title)}</summary>")
        for plot, caption in drawn:
            self.html.append(lambda plot=plot, caption=caption: self.plot_of_page(plot, caption))
        self.html.append("</details>")

    def picture(self, png, caption):
        encoded = base64.b64encode(png).decode()
        self.picture_of_markdown(lambda: png, caption)
        self.html.append(self.figure(f'<img alt="{html.escape(caption)}" src="data:image/png;base64,{encoded}">', caption))

    def write_html(self, path):
        escape = html.escape
        items = "".join(f'<h3><a href="#{anchor}">{escape(text)}</a></h3><ul>'
                        + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"
                        for text, anchor, sentences in self.summary)
        note = f'<p class="facts">{escape(self.note)}</p>' if self.note else ""
        summary = f'<section class="summary" aria-label="Summary">{items}</section>' if items else ""
        parts = "".join(part if isinstance(part, str) else part() for part in self.html)
        path.write_text('<!doctype html><html lang="en"><meta charset="utf-8">'
                        '<meta name="viewport" content="width=device-width, initial-scale=1">'
                        f"<title>{escape(self.title)}</title><style>{(FOLDER / 'page.css').read_text()}</style>"
                        f'<body data-shown="{self.shown}"><h1>{escape(self.title)}</h1>{note}{summary}{parts}'
                        f"<script>{(FOLDER / 'page.js').read_text()}</script></body></html>\n")

    def write_markdown(self, path):
        for number, png in enumerate(self.pictures, 1):
            (path.parent / f"{path.stem}{number}.png").write_bytes(png())
        lines = [f"# {self.title}", ""] + ([self.note, ""] if self.note else [])
        for text, _, sentences in self.summary:
            lines += [f"**{text}**", ""] + [f"- {sentence}" for sentence in sentences] + [""]
        path.write_text("\n".join(lines + self.markdown).replace("{stem}", path.stem))
