// A sortable table of regions; only visible rows are in the document.
import { useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { ranges } from "../model/ranges.js";
import { placeOf, regionSums } from "../model/regions.js";
import { written } from "../model/units.js";
import { Copies } from "./copies.js";
import { useWindow } from "./window.js";

const ROW = 26; // height of a row in pixels; keep equal to the height of .profile tr in page.css

export function FlatProfile({ browser, experiment, select }) {
  const [order, setOrder] = useState({ by: "own", down: true });
  const box = useRef(null);
  const [view, look] = useWindow(box, ROW, []);
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const lines = useMemo(() => profile(browser, experiment), [browser, experiment]);
  const sorted = useMemo(() => {
    const sign = order.down ? -1 : 1;
    const compare = (one, other) =>
      typeof one === "string" ? one.localeCompare(other) : (one !== one) - (other !== other) || sign * (one - other);
    return lines.toSorted((one, other) => (typeof one[order.by] === "string" ? sign : 1) * compare(one[order.by], other[order.by]));
  }, [lines, order]);
  const total = browser.summed ? Math.abs(lines.reduce((sum, { own }) => sum + (own === own ? own : 0), 0)) : 0; // absolute, because a negative total would turn losses into gains
  const amount = (value) => written({ amount: value === value ? value : null, gap: "–" }, unit).text;
  const percent = (value) => (total ? written({ amount: value === value ? (100 * value) / total : null, gap: "–" }, "%").text : "–");
  const shown = sorted.slice(view.from, view.from + view.count);
  return html`
    <p class="remark">${browser.metrics.map((node) => browser.panes.metrics.tree.labels[node]).join(" + ")} of each region, excluding callees. Minimum, mean and maximum are over the ${experiment.kind}s.</p>
    <div class="scroll" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label="flat profile">
      <table class="profile">
        <thead><tr>
          ${COLUMNS.map(
            ([key, title]) => html`<th key=${key} class=${key === "name" || key === "place" ? "" : "number"} aria-sort=${order.by === key ? (order.down ? "descending" : "ascending") : "none"}>
              <button onClick=${() => setOrder({ by: key, down: order.by === key ? !order.down : key !== "name" && key !== "place" })}>${title}${order.by === key ? (order.down ? " ▾" : " ▴") : ""}</button>
            </th>`,
          )}
        </tr></thead>
        <tbody>
          ${view.from > 0 && html`<tr aria-hidden="true"><td colspan="8" style=${{ height: `${view.from * ROW}px` }}></td></tr>`}
          ${shown.map(
            (line) => html`<tr key=${line.region} class=${browserHas(browser, experiment, line.region) ? "selected" : ""}>
              <td class="number">${amount(line.own)}</td><td class="number">${percent(line.own)}</td><td class="number">${amount(line.closed)}</td>
              <td class="number">${amount(line.least)}</td><td class="number">${amount(line.mean)}</td><td class="number">${amount(line.most)}</td>
              <td><button class="link" onClick=${() => select(line.region)} title=${line.name.slice(0, 300)}>${line.name}</button></td><td>${line.place}</td>
            </tr>`,
          )}
          ${view.from + view.count < sorted.length && html`<tr aria-hidden="true"><td colspan="8" style=${{ height: `${(sorted.length - view.from - view.count) * ROW}px` }}></td></tr>`}
        </tbody>
      </table>
    </div>
    <${Copies} name="flat profile" rows=${() => [
      ["region", "source", ...NUMBERS.map((key) => `${new Map(COLUMNS).get(key)} (${unit})`)],
      ...sorted.map((line) => [line.name, line.place, ...NUMBERS.map((key) => line[key])]),
    ]} />
  `;
}

const NUMBERS = ["own", "closed", "least", "mean", "most"];
const COLUMNS = [
  ["own", "own"],
  ["own share", "share"],
  ["closed", "with callees"],
  ["least", "min"],
  ["mean", "mean"],
  ["most", "max"],
  ["name", "region"],
  ["place", "source"],
];

function browserHas(browser, experiment, region) {
  const { tree, selected } = browser.panes.program;
  if (tree === experiment.trees.flat) return selected.has(region);
  return [...selected].some((path) => experiment.trees.flat.home[path] === region);
}

function profile(browser, experiment) {
  const { flat } = experiment.trees;
  const own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(flat);
  const closed = regionSums(browser, experiment);
  const spread = ranges(browser, flat)?.own;
  return experiment.head.regions.map((each, region) => {
    const value = own.value(region, true);
    const amount = value.amount ?? NaN;
    const elsewhere = value.gap === "per rank";
    const [least, mean, most] = spread && !elsewhere ? [spread.least[region], spread.mean[region], spread.most[region]] : [NaN, NaN, NaN];
    return { region, name: each[0], place: placeOf(each), own: amount, "own share": amount, closed: elsewhere ? NaN : closed[region], least, mean, most };
  });
}
