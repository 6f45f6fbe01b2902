// A heat map of the selected metric: ranks from left to right, sorted by cluster, and call paths from top to bottom.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { clusterColour, css, inkOn, rgb, signColour, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { letters, written } from "../model/units.js";
import { frame, hatch, sized, useDark } from "./canvas.js";
import { Copies } from "./copies.js";
import { Scale } from "./scale.js";
import { SvgContext } from "./svg_context.js";

const MOST_ROWS = 40; // maximum number of rows; more would be hard to survey
const CELL = 16; // height of a cell in pixels
const NAMES = 14; // height in pixels of the ranks' numbers at the top
const TOP = 28; // height in pixels of the ranks' numbers, and of the clusters below them
const NUMBER = 54; // minimum width in pixels of a cell that contains its value as a number
const LABELS = 200; // width in pixels of the names of the call paths in a copy of the picture
const SLIGHT = 0.01; // negative values below this share of the largest value need no scale with two signs
const WORD = 60; // minimum width in pixels of a cluster whose letter follows the word "cluster"
const APART = 42; // minimum distance in pixels between the numbers of two ranks

export function HeatMap({ browser, experiment, clusters, nodes, select }) {
  const canvas = useRef(null);
  const [pointed, setCell] = useState(null);
  const [relative, setRelative] = useState(false);
  const [width, setWidth] = useState(600);
  const dark = useDark();
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const order = useMemo(() => byCluster(experiment, clusters), [experiment, clusters]);
  const map = useMemo(() => cells(browser, nodes, order), [nodes, order]);
  const columns = Math.min(order.length, Math.max(1, Math.floor(width)));

  const there = map.rows.length > 0;
  const height = TOP + map.rows.length * CELL;
  const drawing = { map, columns, width, order, clusters, relative, experiment, unit };
  const cell = pointed && pointed.row < map.rows.length && pointed.column < columns ? pointed : null; // the map may have become smaller
  useEffect(() => {
    if (!there) return undefined;
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(100, contentRect.width)));
    observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, [there]);
  useEffect(() => {
    if (there) draw(sized(canvas.current, width, height), { ...drawing, cell, ink: getComputedStyle(canvas.current).color });
  }, [map, columns, width, relative, cell, dark]);

  if (!there) return html`<p class="remark">There is no map: values of ${browser.metrics.map((node) => browser.panes.metrics.tree.labels[node]).join(", ")} cannot be summed, or are not in this page by location.</p>`;
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - TOP) / CELL);
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    return row < 0 || row >= map.rows.length || column < 0 || column >= columns ? null : { row, column };
  };
  const onKeyDown = (event) => {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === "Enter" && cell) choose(cell);
    if (!steps) return;
    event.preventDefault();
    const from = cell ?? { row: -steps[0], column: -steps[1] };
    const clip = (value, count) => Math.max(0, Math.min(count - 1, value));
    setCell({ row: clip(from.row + steps[0], map.rows.length), column: clip(from.column + steps[1], columns) });
  };
  // Returns the map as SVG, with the names of its rows.
  const svg = () => {
    const context = new SvgContext(LABELS + width, height);
    [context.font, context.fillStyle] = ["11px system-ui, sans-serif", getComputedStyle(canvas.current).color];
    map.rows.forEach(({ node }, row) => context.fillText(label(browser, node), 0, TOP + row * CELL + 12, LABELS - 8));
    context.translate(LABELS, 0);
    draw(context, { ...drawing, cell: null, ink: context.fillStyle });
    return context.text;
  };
  const choose = ({ row, column }) => select(map.rows[row].node, order.slice(...range(column, columns, order.length)));
  const told = cell && tell(map, cell, { browser, experiment, order, columns, unit, clusters });
  return html`
    <div class="map-tools">
      <span class="remark">${map.rows.length < map.all ? `The ${map.rows.length} largest of ${map.all} call paths of the tree above` : "The call paths of the tree above"}; ${order.length} ${experiment.kind}s${clusters.length > 1 ? ", by cluster" : ""}${columns < order.length ? `; each column shows the largest value of ${Math.ceil(order.length / columns)} ${experiment.kind}s` : ""}.</span>
      <label><input type="checkbox" checked=${relative} onChange=${(event) => setRelative(event.currentTarget.checked)} /> relative to the row's mean</label>
    </div>
    <div class="map">
      <ol class="map-names" aria-hidden="true" style=${{ paddingTop: `${TOP}px` }}>${map.rows.map(({ node }) => html`<li key=${node} title=${label(browser, node).slice(0, 300)}>${label(browser, node)}</li>`)}</ol>
      <div class="map-cells">
        <canvas
          ref=${canvas}
          tabindex="0"
          role="img"
          aria-label=${`Ranks and call paths; arrows move, Enter selects. ${told ?? ""}`}
          onMouseMove=${(event) => setCell(at(event))}
          onMouseLeave=${() => setCell(null)}
          onClick=${(event) => at(event) && choose(at(event))}
          onKeyDown=${onKeyDown}
        ></canvas>
      </div>
    </div>
    <${Scale} ...${relative ? { title: "relative to the row's mean", low: "more", high: "less", colour: (place) => signColour(2 * place - 1) } : scaleOf(map, unit, browser.named, experiment.head.difference)} hatched=${map.rows.some(({ values }) => values.some((value) => value !== value))} />
    <p class="told" aria-live="polite">${told ?? "Point at a cell, or use the arrow keys, to read its value. Click a cell to select its call path and rank."}</p>
    <${Copies} name="map" svg=${svg} rows=${() => [
      [`${browser.named} (${unit})`, ...order.map((location) => experiment.nameOf(location))],
      ...map.rows.map(({ node, values }) => [label(browser, node), ...values]),
    ]} />
  `;
}

function scaleOf({ top, signed }, unit, title, gains) {
  const amount = (value) => written({ amount: value, gap: "" }, unit).text;
  const low = signed ? `${amount(-top)}${gains ? " (loss)" : ""}` : "0";
  return { title, low, high: `${amount(top)}${gains ? " (gain)" : ""}`, colour: signed ? (place) => signColour(2 * place - 1) : sizeColour };
}

const label = (browser, node) => browser.panes.program.tree.labels[node];

function byCluster(experiment, clusters) {
  const all = Array.from({ length: experiment.sums.columns }, (_, location) => location);
  const within = new Set(clusters.flat());
  return [...within, ...all.filter((location) => !within.has(location))];
}

const range = (column, columns, count) => [Math.floor((column * count) / columns), Math.max(Math.floor((column * count) / columns) + 1, Math.floor(((column + 1) * count) / columns))];

// Returns the values of program nodes by location; if there are many nodes, only those with the largest values.
function cells(browser, nodes, order) {
  const { program } = browser.panes;
  if (!browser.summed || !browser.located) return { rows: [], all: 0 };
  const size = (node) => Math.abs(browser.value("program", node).amount ?? 0);
  const largest = nodes.toSorted((one, other) => size(other) - size(one)).slice(0, MOST_ROWS);
  const rows = nodes.filter((node) => largest.includes(node) && size(node) > 0).map((node) => {
    const paths = program.tree.cells(program.held([node]));
    const { amounts, known } = browser.selected((metric) => browser.sums.fresh(metric, paths));
    return { node, values: order.map((location) => (known[location] ? amounts[location] : NaN)) };
  });
  const all = rows.flatMap(({ values }) => values).filter((value) => value === value);
  const top = all.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { rows, all: nodes.length, top, signed: all.some((value) => value < -SLIGHT * top) };
}

function draw(context, { map, columns, width, order, clusters, relative, cell, experiment, unit, ink }) {
  const wide = width / columns;
  const of = new Map(clusters.flatMap((members, number) => members.map((location) => [location, number])));
  const starts = []; // the first column of each cluster
  context.font = "11px system-ui, sans-serif";
  for (let column = 0; column < columns; column++) {
    const number = of.get(order[range(column, columns, order.length)[0]]);
    if (number === undefined || clusters.length < 2) continue;
    context.fillStyle = clusterColour(number);
    context.fillRect(column * wide, NAMES, wide + 0.5, TOP - NAMES - 2);
    starts[number] ??= column;
  }
  starts.forEach((column, number) => {
    const room = (clusters[number].length * width) / order.length;
    context.fillStyle = inkOn(rgb(clusterColour(number)));
    context.fillText(`${room > WORD ? "cluster " : ""}${letters(number)}`, column * wide + 2, TOP - 4);
  });
  const every = Math.ceil(APART / wide);
  context.fillStyle = ink;
  for (let column = 0; column < columns; column += every) {
    const name = experiment.nameOf(order[range(column, columns, order.length)[0]]);
    context.fillText(column ? name.split(" ").at(-1) : name, column * wide + 2, NAMES - 4, every * wide - 3);
  }
  map.rows.forEach(({ values }, row) => {
    const known = values.filter((value) => value === value);
    const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1);
    const far = known.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0);
    for (let column = 0; column < columns; column++) {
      const value = most(values, ...range(column, columns, order.length));
      const colour = value !== value ? null : relative ? signColour(far ? (mean - value) / far : 0) : map.signed ? signColour(map.top ? value / map.top : 0) : sizeColour(map.top ? value / map.top : 0);
      if (colour) {
        context.fillStyle = css(colour);
        context.fillRect(column * wide, TOP + row * CELL, wide + 0.5, CELL - 1);
        if (wide < NUMBER) continue;
        context.fillStyle = inkOn(colour);
        context.fillText(written({ amount: value, gap: "" }, unit).text, column * wide + 3, TOP + row * CELL + 12);
      } else hatch(context, column * wide, TOP + row * CELL, wide, CELL - 1);
    }
  });
  if (cell) frame(context, cell.column * wide + 1, TOP + cell.row * CELL, Math.max(3, wide - 2), CELL - 1);
}

// Returns the value with the largest magnitude between two places, because a column may show several ranks; NaN if all
// values are missing.
function most(values, from, to) {
  let found = NaN;
  for (let place = from; place < to; place++) {
    const value = values[place];
    if (value === value && !(Math.abs(value) <= Math.abs(found))) found = value;
  }
  return found;
}

function tell(map, { row, column }, { browser, experiment, order, columns, unit, clusters }) {
  const { node, values } = map.rows[row];
  const [from, to] = range(column, columns, order.length);
  const value = most(values, from, to);
  const known = values.filter((each) => each === each);
  const mean = known.reduce((sum, each) => sum + each, 0) / (known.length || 1);
  const amount = (each) => written({ amount: each === each ? each : null, gap: "not measured" }, unit).text;
  const first = experiment.nameOf(order[from]);
  const who = to - from > 1 ? `largest of ${first} and ${to - from - 1} more` : first;
  const number = clusters.length > 1 ? clusters.findIndex((members) => members.includes(order[from])) : -1;
  return `${label(browser, node)}, ${who}${number >= 0 ? ` (cluster ${letters(number)})` : ""}: ${amount(value)}; mean of the row ${amount(mean)}`;
}
