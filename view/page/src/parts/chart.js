// A chart over time; all charts share an axis, a cursor, and the visible interval.
import { useEffect, useRef } from "preact/hooks";
import { markColour } from "../colours.js";
import { html } from "../html.js";

const AXIS = 92; // width in pixels of the axis beside each chart
const RIGHT = 12; // width in pixels of the margin to the right of each chart
export const AROUND = AXIS + RIGHT;
const BOTTOM = 24; // height in pixels of the axis below the last chart
const ROOM = 6; // height in pixels of the margin below all other charts; it has room for the lower half of the lowest number
const LEAST = 3; // minimum length of a drag in pixels
const SHADE = "33"; // opacity of a colour behind a chart, in hexadecimal
const PAGE = 10; // number of cells by which Page Up and Page Down move the cursor

// Reads the colours of the page's theme from the style of a chart's box (.chart in page.css).
export function inks(box) {
  const { color, caretColor, borderTopColor } = getComputedStyle(box);
  return { text: color, line: caretColor, edge: borderTopColor };
}

// `of`: returns a chart's properties (data, height, series, bands, axis, range, additional drawing). Its argument is a
// function that returns the theme's colours. `anew`: if one of these values changes, the chart is drawn again.
// `onPick(time, top)`: handles a click, or Enter, for which the time is null.
export function Chart({ times, label, view, shared, intervals = [], of, anew, onPoint, onPick }) {
  const box = useRef(null);
  const chart = useRef(null);
  const { width, range, at, selected } = shared;
  const now = useRef(shared);
  now.current = shared;

  useEffect(() => {
    const made = of(() => inks(box.current));
    const plot = new uPlot(options(times, made, { box: box.current, width, now, intervals, onPoint }), made.data, box.current);
    chart.current = plot;
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => plot.redraw();
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [times, width, ...anew]);
  useEffect(() => {
    chart.current.batch((plot) => plot.setScale("x", { min: view[0], max: view[1] }));
    point(chart.current, at);
  }, [times, width, ...anew, range]);
  useEffect(() => {
    if (!isThere(chart.current, shared)) point(chart.current, at);
  }, [at]);
  useEffect(() => {
    const plot = chart.current;
    const [left, right] = selected ? selected.map((time) => plot.valToPos(time, "x")) : [0, 0];
    plot.setSelect({ left, width: right - left, top: 0, height: plot.over.clientHeight }, false);
  }, [times, width, ...anew, range, selected]);

  const pressed = useRef(null);
  const onClick = (event) => {
    const { left, top, width: wide } = chart.current.over.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    if (Math.abs(event.clientX - pressed.current) < LEAST && x >= 0 && x <= wide) onPick(chart.current.posToVal(x, "x"), y);
  };
  return html`<div class="chart" ref=${box} role="img" tabindex="0" aria-label=${label} onKeyDown=${(event) => keys(event, view, shared, onPick)}
    onMouseDown=${(event) => (pressed.current = event.clientX)} onClick=${onPick && onClick}></div>`;
}

// Moves a chart's cursor to a moment; null hides it.
const point = (plot, time) => plot.setCursor(time === null ? { left: -10, top: -10 } : { left: plot.valToPos(time, "x"), top: 0 }, false);

// Returns whether a chart's cursor is already in the same cell as the common cursor, as after a mouse movement.
function isThere(plot, { at, grid }) {
  const { left } = plot.cursor;
  return at === null ? left < 0 : left >= 0 && grid.cellAt(plot.posToVal(left, "x")) === grid.cellAt(at);
}

function options(times, { height, series, bands, axis, range, draw, last }, { box, width, now, intervals, onPoint }) {
  const ink = () => inks(box);
  const axes = { stroke: () => ink().text, font: "11px system-ui, sans-serif", ticks: { show: false }, grid: { width: 1, stroke: () => ink().edge } };
  const seconds = (_, splits) => splits.map((each) => (last ? `${Number(each.toFixed(9))} s` : ""));
  return {
    width,
    height: height + (last ? BOTTOM : ROOM),
    padding: [4, RIGHT, last ? 0 : ROOM, 0],
    legend: { show: false },
    scales: { x: { time: false }, y: { range } },
    series: [{}, ...series],
    bands,
    axes: [{ ...axes, values: seconds, size: last ? BOTTOM : 0 }, { ...axes, size: AXIS, ...axis }],
    cursor: {
      y: false,
      points: { show: false },
      dataIdx: (plot, _, __, time) => times.stepAt(time),
      drag: { x: true, y: false, setScale: false, dist: LEAST },
      bind: { dblclick: () => () => now.current.choose(null) },
    },
    hooks: {
      drawClear: [(plot) => shade(plot, intervals)],
      draw: draw ? [draw] : [],
      setCursor: [(plot) => pointed(plot, now.current, onPoint)],
      setSelect: [(plot) => chosen(plot, times, now.current)],
    },
  };
}

// Chart → the last mouse event that was handled. Each event must be handled only once, although a chart reports its
// cursor again whenever it is drawn.
const handled = new WeakMap();
function pointed(plot, shared, onPoint) {
  const { left, top, event } = plot.cursor;
  if (!event || handled.get(plot) === event) return;
  handled.set(plot, event);
  onPoint?.(left < 0 ? null : top);
  if (shared.anchor !== null) shared.select(null);
  shared.point(left < 0 ? null : shared.grid.middle(shared.grid.cellAt(plot.posToVal(left, "x"))));
}

// Zooms to the interval over which the mouse was dragged.
function chosen(plot, times, shared) {
  const { left, width } = plot.select;
  if (width < LEAST) return;
  const [start, end] = [left, left + width].map((place) => plot.posToVal(place, "x"));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  shared.choose([Math.max(start, times.start), Math.min(end, times.end)]);
}

function shade(plot, intervals) {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const { start, end, colour } of intervals) {
    const [from, to] = [start, end].map((time) => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(time, "x", true))));
    ctx.fillStyle = colour + SHADE;
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

// Draws lines over a chart, each with its own times and values.
export function drawLines(plot, lines) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 2 * devicePixelRatio;
  lines.forEach(({ times, values }, number) => {
    ctx.strokeStyle = markColour(number);
    ctx.beginPath();
    times.forEach((time, place) => ctx.lineTo(plot.valToPos(time, "x", true), plot.valToPos(values[place], "y", true)));
    ctx.stroke();
  });
  ctx.restore();
}

// Handles keys: arrows move the cursor; with Shift they select, and Enter zooms to the selection.
function keys(event, view, { grid, at, anchor, selected, point, select, choose }, onPick) {
  const [first, behind] = grid.cellsOf(view);
  const from = at === null ? (event.key === "ArrowLeft" ? behind : first - 1) : grid.cellAt(at);
  const to = { ArrowRight: from + 1, ArrowLeft: from - 1, PageDown: from + PAGE, PageUp: from - PAGE, Home: first, End: behind - 1 }[event.key];
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (to !== undefined) {
    const time = grid.middle(Math.max(first, Math.min(behind - 1, to)));
    select(event.shiftKey ? (anchor ?? at ?? time) : null);
    point(time);
  } else if (event.key === "Enter" && selected) choose(selected);
  else if (event.key === "Enter" && onPick && at !== null) onPick(null, 0);
  else if (event.key === "Backspace") choose(null);
  else return;
  event.preventDefault();
}
