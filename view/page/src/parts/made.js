// Shows content that is already in the page as HTML, such as statistics and the account.
import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { svgText } from "./copied_picture.js";
import { Copies } from "./copies.js";

const ABSENT = {
  counters: html`<p class="remark">This page has no statistics: they need at least three locations and a few metrics; <code>autoanalyzer stats EXPERIMENT correlation</code> shows details.</p>`,
  account: html`<p class="remark">This page has no account. Only the pages of runs with at most 10,000 locations contain an account; <code>autoanalyzer analyze EXPERIMENT --account</code> prints the account of any run.</p>`,
};

const OF_DIFFERENCE = html`<p class="remark">A difference has neither statistics nor an account; the page of each run shows them.</p>`;

export function Made({ name, difference }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const made = document.getElementById(name);
    if (!made) return undefined;
    const home = made.parentElement;
    made.hidden = false;
    box.current.append(made);
    addAllCopies(made);
    return () => {
      made.hidden = true;
      home.append(made);
    };
  }, [name]);
  return document.getElementById(name) ? html`<div ref=${box}></div>` : difference ? OF_DIFFERENCE : ABSENT[name];
}

const REAL = ":is(svg.chart, .ranks svg)"; // only pictures, not the samples in a legend

// Adds buttons below each picture and table in a part of the page.
export function addAllCopies(part) {
  for (const mark of part.querySelectorAll(".mark .marks > div")) addCopies(mark, mark.closest(".mark").querySelector("h2, h3").textContent);
}

// Adds buttons below a part of the page that came as HTML; the buttons copy the part's picture and its tables.
export function addCopies(part, name) {
  if (part.querySelector(".copies")) return;
  const [svg, tables] = [part.querySelector(REAL), [...part.querySelectorAll("table")]];
  if (!svg && !tables.length) return;
  const rows = () => tables.flatMap((table) => [...table.rows].map((row) => [...row.cells].map(saidIn)));
  const place = document.createElement("div");
  part.append(place);
  render(html`<${Copies} name=${name} svg=${svg && (() => svgText(svg))} rows=${tables.length > 0 && rows} />`, place);
}

// Returns the text of a cell; for a bar, which is a picture, the titles of its parts.
const saidIn = (cell) => cell.querySelector("svg") ? [...cell.querySelectorAll("title")].map((each) => each.textContent).join("; ") : cell.textContent;
