// Shows the call path with the most time at each moment, for all locations together, and for each location or range of
// locations. A click selects the call path.
import { useMemo, useState } from "preact/hooks";
import { NAMED, regionColour } from "../colours.js";
import { html } from "../html.js";
import { TimeGrid } from "../model/time_grid.js";
import { amount } from "../model/units.js";
import { Chart } from "./chart.js";

const [TALLEST, LOWEST, ALL] = [18, 6, 200]; // in pixels: maximum and minimum height of a row, and total height of all rows except the first
const FIRST = 22; // height in pixels of the row for all locations
const NAME = 13; // minimum distance in pixels between two names
const SEVERAL = "#c4c4c4"; // colour for several short regions together

export function RegionStrip({ times, view, shared, intervals, last, select }) {
  const { rows, paths } = times.head;
  const { at, grid } = shared;
  const [row, setRow] = useState(0);
  const shares = useMemo(() => times.shares(), [times]);
  const inView = useMemo(() => new Map(times.shares(grid.partsOf(view)).map(({ path, share }) => [path, share])), [times, grid]);
  const places = useMemo(() => new Map(shares.map(({ path }, place) => [path, place])), [shares]);
  const tops = useMemo(() => topsOf(rows.length), [rows]);
  const shown = row < rows.length ? row : 0;
  const path = at === null ? NaN : grid.pathAt(shown, grid.cellAt(at));
  const said = at === null ? `the call path with the most time at each moment${select ? "; click it to select it and its rank" : ""}` : `${rows[shown]} in ${path >= 0 ? paths[path].chain.join(" / ") : times.nameOf(path)}`;
  const onPoint = (top) => setRow(top === null ? 0 : Math.max(0, tops.findLastIndex((each) => each <= top)));
  const onPick = (time, top) => {
    const line = time === null ? shown : Math.max(0, tops.findLastIndex((each) => each <= top));
    const { node } = paths[grid.pathAt(line, grid.cellAt(time ?? at))] ?? { node: null };
    if (select && node !== null && line < rows.length) select(node, times.head.members[line]);
  };
  const of = () => ({
    data: [times.edges, new Array(times.steps + 1).fill(null)],
    height: tops.at(-1) + 4,
    last,
    series: [{}],
    axis: { grid: { show: false }, splits: () => middles(tops), values: () => namesOf(rows, tops), filter: (_, splits) => splits },
    range: () => [-tops.at(-1), 0],
    draw: (plot) => draw(plot, { tops, places, grid: new TimeGrid(times, [plot.scales.x.min, plot.scales.x.max], plot.over.clientWidth) }),
  });
  const spoken = shares.slice(0, 3).map((each) => `${paths[each.path].name} ${percent(each.share)}`).join(", ");
  return html`
    <section class="time-line" aria-label="regions">
      <h3><span>Regions</span> <small>${said}</small></h3>
      <${Chart} times=${times} label=${`Regions over time: mostly ${spoken}. Arrows move the cursor, with Shift they select; Enter zooms, Backspace shows all.`} view=${view} shared=${shared} intervals=${intervals} of=${of} anew=${[last]} onPoint=${onPoint} onPick=${onPick} />
      <ul class="swatches">
        ${shares.slice(0, NAMED).map((each, place) => html`<${Swatch} key=${each.path} colour=${regionColour(place)} region=${paths[each.path]} share=${inView.get(each.path)} select=${select} />`)}
        ${shares.length > NAMED && html`<li><i class="swatch" style=${{ backgroundColor: regionColour(NAMED) }}></i>${shares.length - NAMED} other region${shares.length - NAMED === 1 ? "" : "s"}</li>`}
        <li><small>% of the time of all ${times.head.noun}s${view[0] > times.start || view[1] < times.end ? ` from ${times.moment(view[0])} to ${times.moment(view[1])} s` : ""}</small></li>
        ${times.regions.some((each) => each < 0) && html`<li><i class="swatch" style=${{ backgroundColor: SEVERAL }}></i>several short regions</li>`}
      </ul>
    </section>
  `;
}

function Swatch({ colour, region, share, select }) {
  const { name, place, chain, node } = region;
  const title = `${chain.join(" / ")}${place ? ` (${place})` : ""}`.slice(0, 300);
  return html`<li title=${title}>
    <i class="swatch" style=${{ backgroundColor: colour }}></i>${select && node !== null ? html`<button class="link" onClick=${() => select(node)}>${name}</button>` : html`<span>${name}</span>`} <small>${place ? `${place}, ` : ""}${percent(share)}</small>
  </li>`;
}

const percent = (share) => amount(100 * share, "%");

// Returns the positions in pixels at which each row begins, and at which the last row ends.
function topsOf(count) {
  const height = Math.max(LOWEST, Math.min(TALLEST, Math.floor(ALL / Math.max(1, count - 1))));
  return [0, ...Array.from({ length: count }, (_, place) => FIRST + place * height)];
}

const middles = (tops) => tops.slice(0, -1).map((top, place) => -(top + tops[place + 1]) / 2);

// Returns the names of rows; a name is empty if there is no room for it.
function namesOf(rows, tops) {
  let next = -NAME;
  return middles(tops).map((middle, place) => {
    if (-middle < next + NAME) return "";
    next = -middle;
    return rows[place];
  });
}

function draw(plot, { tops, places, grid }) {
  const { ctx, bbox } = plot;
  const scale = bbox.height / tops.at(-1);
  const { min, max } = plot.scales.x;
  const [first, behind] = [grid.cellAt(min), grid.cellAt(max) + 1];
  const edge = (cell) => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(grid.beginOf(cell), "x", true)));
  ctx.save();
  for (let row = 0; row + 1 < tops.length; row++) {
    for (let from = first, to; from < behind; from = to) {
      const path = grid.pathAt(row, from);
      for (to = from + 1; to < behind && Object.is(grid.pathAt(row, to), path); ) to++;
      if (path !== path) continue;
      ctx.fillStyle = path < 0 ? SEVERAL : regionColour(places.get(path));
      ctx.fillRect(edge(from), bbox.top + tops[row] * scale, Math.max(1, edge(to) - edge(from)), (tops[row + 1] - tops[row]) * scale - 1);
    }
  }
  ctx.restore();
}
