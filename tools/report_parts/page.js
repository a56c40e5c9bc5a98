// SPDX-License-Identifier: BSD-3-Clause
// Tables sort by a click on a heading, and show their first rows until all are asked for. Without this all rows are shown.
"use strict";

const shown = Number(document.body.dataset.shown);

function value(row, column) {
  const text = row.cells[column].textContent;
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? text : number;
}

// Numbers before texts, so that the dash of what was not measured comes last.
function order(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  let folded = rows.length > shown;

  const arrange = () => rows.forEach((row, i) => {
    row.hidden = folded && i >= shown;
    body.append(row);
  });

  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const sort = () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => order(value(a, column), value(b, column)) * (down ? -1 : 1));
      arrange();
    };
    heading.tabIndex = 0;
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });

  if (folded) {
    const button = document.createElement("button");
    const label = () => { button.textContent = folded ? `Show all ${rows.length} rows` : `Show ${shown} rows`; };
    button.addEventListener("click", () => { folded = !folded; arrange(); label(); });
    label();
    table.parentElement.after(button);
    arrange();
  }
}
