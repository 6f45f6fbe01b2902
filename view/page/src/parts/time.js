// The run over time: regions and selected metrics, with a common time axis, cursor and zoom.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { markColour } from "../colours.js";
import { html } from "../html.js";
import { amount } from "../model/units.js";
import { rate } from "../model/time_lines.js";
import { TimeGrid } from "../model/time_grid.js";
import { AROUND } from "./chart.js";
import { Commands } from "./commands.js";
import { imageOfAll } from "./copied_picture.js";
import { Copies } from "./copies.js";
import { MetricChart, valuesAt } from "./metric_chart.js";
import { RegionStrip } from "./region_strip.js";
import { Warping } from "./warping.js";

const NARROWEST = 240; // minimum width of a chart in pixels

export function Time({ times, state, change, select }) {
  if (!times.length) return html`<p class="remark">This experiment is a profile: it contains sums over the run, but no time lines. To record time lines, use <code>autoanalyzer run --trace</code>; the page then shows them here.</p>`;
  return html`<${Charts} all=${times} times=${times[state.trace]} state=${state} change=${change} select=${select} />`;
}

function Charts({ all, times, state, change, select }) {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  const [loaded, setLoaded] = useState([]);
  const [pointed, point] = useState(null);
  const [begun, setAnchor] = useState(null);
  const [metric, setMetric] = useState(null);
  const shown = state.shown ?? times.first;
  const [at, anchor] = [pointed, begun].map((time) => (time !== null && times.start <= time && time <= times.end ? time : null)); // null outside this trace: the reader may have switched from a longer one
  const view = state.range ?? [times.start, times.end];
  const grid = useMemo(() => new TimeGrid(times, view, width - AROUND), [times, ...view, width]);

  useEffect(() => {
    let wanted = true;
    times.load(shown).then(() => wanted && setLoaded([...shown]));
    return () => (wanted = false);
  }, [times, shown.join("\n")]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(NARROWEST, Math.floor(contentRect.width))));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  const kinds = useMemo(() => [...new Set(times.head.marks.intervals.map(({ kind }) => kind))], [times]);
  const intervals = useMemo(() => times.head.marks.intervals.map((each) => ({ ...each, colour: markColour(kinds.indexOf(each.kind)) })), [times]);
  const drawn = loaded.filter((name) => shown.includes(name) && times.has([name]));
  const selected = anchor === null || at === null ? null : [times.edges[times.stepAt(Math.min(anchor, at))], times.edges[times.stepAt(Math.max(anchor, at)) + 1]];
  const choose = (range) => {
    setAnchor(null);
    const [start, end] = range ? times.span(range).split(":").map(Number) : [0, 0];
    change({ range: end - start < times.step / 2 ? null : [start, end] }); // if the interval is empty, the whole run is shown; half a step allows for rounded ends
  };
  const shared = { grid, width, range: state.range, at, anchor, selected, point, select: setAnchor, choose };
  const ready = width > 0 && times.regions !== undefined;
  const known = shown.filter((name) => times.inCommands(name));
  const named = known.includes(metric) ? metric : known[0];
  return html`
    <${Tools} all=${all} times=${times} view=${view} state=${state} change=${change} choose=${choose} />
    <${Choice} times=${times} shown=${shown} change=${change} />
    <div class="charts" ref=${box} onMouseLeave=${() => point(null)}>
      ${ready && html`<${RegionStrip} times=${times} view=${view} shared=${shared} intervals=${intervals} last=${drawn.length === 0} select=${select} />`}
      ${ready && drawn.map((name, place) => html`<${MetricChart} key=${name} times=${times} name=${name} view=${view} shared=${shared} intervals=${intervals} last=${place === drawn.length - 1} onPoint=${() => setMetric(name)} />`)}
    </div>
    <p class="told" aria-live="polite">${ready && told(times, grid, drawn, at, selected)}</p>
    ${named && (selected || state.range) && html`<${Commands} times=${times} range=${selected ?? state.range} shown=${known} metric=${named} setMetric=${setMetric} />`}
    ${intervals.length > 0 && html`<${Intervals} times=${times} intervals=${intervals} choose=${choose} />`}
    ${ready && html`<${Copies} name="charts" image=${() => imageOfAll([...box.current.querySelectorAll(".chart canvas")].map((canvas) => ({ canvas, title: canvas.closest("section").querySelector("h3").innerText })))} rows=${() => numbersOf(times, drawn)} />`}
    ${ready && drawn.length > 0 && html`<${Numbers} times=${times} metrics=${drawn} view=${view} />`}
    ${times.head.marks.warpings.map((each) => html`<${Warping} key=${each.y.name} warping=${each} />`)}
  `;
}

// Returns the values in the charts as a table: a row with titles, and a row per step.
function numbersOf(times, metrics) {
  const titles = metrics.flatMap((name) => ["minimum", "mean", "maximum"].map((what) => `${what} of ${name} (${times.units.get(name)})`));
  const steps = Array.from({ length: times.steps }, (_, step) => step);
  const numbers = metrics.map((name) => times.numbers.get(name));
  return [
    ["from (s)", "to (s)", "region", ...titles],
    ...steps.map((step) => [times.edges[step], times.edges[step + 1], times.nameOf(times.mostMet(0, [step * times.fine, (step + 1) * times.fine])), ...numbers.flatMap(({ least, mean, most }) => [least[step], mean[step], most[step]])]),
  ];
}

function told(times, grid, metrics, at, selected) {
  if (selected) return `${times.span(selected).replace(":", " to ")} s is selected; Enter zooms`;
  if (at === null) return "Point at a chart, or use the arrow keys, to read its values. Drag to zoom in.";
  return [`${grid.moment(at)} s: ${times.nameOf(grid.pathAt(0, grid.cellAt(at)))}`, ...metrics.map((name) => `${name} ${valuesAt(times, name, times.stepAt(at))}`)].join("; ");
}

function Tools({ all, times, view, state, change, choose }) {
  const { locations, noun, interval } = times.head;
  const moment = (place) => (event) => {
    const value = Number(event.currentTarget.value);
    const range = view.with(place, Math.max(times.start, Math.min(times.end, value)));
    if (Number.isFinite(value) && range[0] < range[1]) choose(range);
  };
  const field = (name, place) => html`<label>${name} <input type="number" class="moment" step="any" min=${times.start} max=${times.end} value=${times.moment(view[place])} onChange=${moment(place)} /> s</label>`;
  return html`
    <div class="map-tools">
      ${all.length > 1 && html`<label>trace <select value=${state.trace} onChange=${(event) => change({ trace: Number(event.currentTarget.value), shown: null, range: null })}>${all.map(({ head }, place) => html`<option value=${place}>${head.title}</option>`)}</select></label>`}
      ${field("from", 0)} ${field("to", 1)}
      <button aria-disabled=${!state.range} onClick=${() => choose(null)}>the whole run</button>
      <span class="remark">Minimum, mean and maximum of ${locations} ${noun}${locations === 1 ? "" : "s"}, in steps of ${amount(times.step, "sec")}${interval ? `; at most one sample per ${amount(interval, "sec")}` : ""}.</span>
    </div>
  `;
}

function Choice({ times, shown, change }) {
  const { metrics, nothing } = times.head;
  const toggle = (name) => change({ shown: metrics.map((each) => each.name).filter((each) => (each === name) !== shown.includes(each)) });
  return html`
    <details class="choice">
      <summary>Metrics: ${shown.length} of ${metrics.length}</summary>
      <div class="boxes">${metrics.map(({ name, unit, about }) => html`<label key=${name} title=${about}><input type="checkbox" checked=${shown.includes(name)} onChange=${() => toggle(name)} /> ${name} <small>${unit}</small></label>`)}</div>
      ${nothing.length > 0 && html`<p class="remark">Always 0, or unknown: ${nothing.join(", ")}</p>`}
    </details>
  `;
}

function Intervals({ times, intervals, choose }) {
  return html`
    <h3>Marked intervals</h3>
    <ul class="swatches listed">${intervals.map(
      ({ start, end, label, kind, colour }) => html`<li><i class="swatch" style=${{ backgroundColor: colour }}></i><button class="link" onClick=${() => choose([Math.max(start, times.start), Math.min(end, times.end)])}>${label}</button> <small>${kind}, ${times.moment(start)} to ${times.moment(end)} s</small></li>`,
    )}</ul>
  `;
}

// Shows the values in the charts as a table of numbers.
function Numbers({ times, metrics, view }) {
  const said = ({ least, mean, most }, unit) => (mean === mean ? `${rate(mean, unit)} (${rate(least, unit)} – ${rate(most, unit)})` : "not known");
  return html`
    <details class="choice">
      <summary>The charts in numbers</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="numbers over time">
        <table class="profile">
          <thead><tr><th class="number">from (s)</th><th class="number">to (s)</th><th>region</th>${metrics.map((name) => html`<th class="number">${name}</th>`)}</tr></thead>
          <tbody>${times.table(metrics, times.stepsOf(view)).map(
            ({ start, end, region, values }) => html`<tr><td class="number">${times.moment(start)}</td><td class="number">${times.moment(end)}</td><td>${region}</td>${values.map((each, place) => html`<td class="number">${said(each, times.units.get(metrics[place]))}</td>`)}</tr>`,
          )}</tbody>
        </table>
      </div>
      <p class="remark">Each cell shows the mean, with minimum and maximum in brackets.</p>
    </details>
  `;
}
