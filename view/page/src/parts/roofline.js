// Rooflines: the work per second of each region over its work per byte, with the machine's limits.
import { useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { ratesOf, writtenRate } from "../model/rates.js";
import { placeOf } from "../model/regions.js";
import { written } from "../model/units.js";
import { svgText } from "./copied_picture.js";
import { Copies } from "./copies.js";

const [WIDE, HIGH] = [860, 430]; // width and height of the picture
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 20, 14, 46]; // margins around the chart
const LEAST = 0.005; // a region is drawn if it takes at least this share of the time
const [SMALLEST, LARGEST] = [4, 26]; // radius in pixels of a region that takes no time, and of a region that takes all the time
const [NAMED, MOST_NAMED, LONGEST] = [0.03, 5, 40]; // minimum share of the time of a labelled region, maximum number of labels, and maximum length of a label
const DASHES = ["", "10 4", "2 4", "10 3 2 3"];

export function Roofline({ experiment, selected, select }) {
  const { roofline } = experiment.head;
  const regions = useMemo(() => roofline && regionsOf(experiment), [experiment]);
  if (!roofline) return html`<p class="remark">A difference has no rates; the page of each run shows its rates.</p>`;
  const units = new Map(roofline.derived.map(({ name, unit }) => [name, unit]));
  const listed = roofline.derived.filter(({ name, listed }) => listed && regions.some(({ valueOf }) => valueOf(name) === valueOf(name)));
  return html`
    ${roofline.charts.map((chart) => html`<${Chart} key=${chart.title} chart=${chart} regions=${regions} units=${units} selected=${selected} select=${select} />`)}
    ${roofline.lacking.map((line) => html`<p class="remark">${line}</p>`)}
    ${listed.length > 0 && html`<${Rates} listed=${listed} regions=${regions} selected=${selected} select=${select} />`}
  `;
}

// Returns the regions with at least 0.5 % of the time, longest first.
function regionsOf(experiment) {
  const { time } = experiment.head.roofline;
  const found = ratesOf(experiment).map(({ region, valueOf }) => ({ region, valueOf, time: (time && valueOf(time)) || 0, name: experiment.head.regions[region][0], place: placeOf(experiment.head.regions[region]) }));
  const total = found.reduce((sum, { time }) => sum + Math.max(0, time), 0);
  return found.map((each) => ({ ...each, share: total ? each.time / total : 0 })).filter(({ share }) => share >= LEAST).toSorted((one, other) => other.share - one.share);
}

const percent = (share) => written({ amount: 100 * share, gap: "" }, "%").text;

function Chart({ chart, regions, units, selected, select }) {
  const [at, point] = useState(null);
  const picture = useRef(null);
  const points = useMemo(() => regions.map((each) => ({ ...each, x: each.valueOf(chart.intensity), y: each.valueOf(chart.rate) })).filter(({ x, y }) => x > 0 && y > 0), [chart, regions]);
  const frame = useMemo(() => frameOf(chart, points), [chart, points]);
  const rate = (value) => writtenRate(value, units.get(chart.rate) ?? "occ/sec");
  const said = ({ name, place, share, x, y }) => `${name}${place ? ` (${place})` : ""}, ${percent(share)} of the time: ${rate(y)}, ${writtenRate(x, "")} per byte${bound(chart, x, y)}`;
  const told = points[at] ? said(points[at]) : null;
  const onKeyDown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && points[at]) select(points[at].region);
    if (!step || !points.length) return;
    event.preventDefault();
    point(at === null ? 0 : Math.max(0, Math.min(points.length - 1, at + step)));
  };
  const missing = regions.length - points.length;
  return html`
    <h3>${chart.title}</h3>
    <p class="remark">Each point is a region, excluding callees; larger points take more time. Rates are per core. Vertical: ${chart.work} per second; horizontal: ${chart.work} per byte.${missing > 0 && ` ${missing} of ${regions.length} regions ${missing > 1 ? "are" : "is"} not drawn, because ${chart.work} or misses are 0, or unknown on some ranks.`}</p>
    ${chart.said.map((line) => html`<p class="remark">${line}</p>`)}
    <div class="grid"><svg class="roofline" ref=${picture} viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" tabindex="0" aria-label=${`${chart.title}; arrows move from region to region, Enter selects. ${told ?? ""}`} onKeyDown=${onKeyDown} onMouseLeave=${() => point(null)}>
      <${Axes} frame=${frame} chart=${chart} />
      <${Roofs} frame=${frame} chart=${chart} />
      ${points.map((each, place) => html`<circle key=${each.region} class=${`region${selected.has(each.region) ? " selected" : ""}${place === at ? " at" : ""}`} cx=${frame.across(each.x)} cy=${frame.up(each.y)} r=${radius(each.share)}
        onMouseEnter=${() => point(place)} onClick=${() => select(each.region)} />`)}
      ${points.filter(({ share }) => share >= NAMED).slice(0, MOST_NAMED).map((each) => html`<${Label} key=${each.region} frame=${frame} point=${each} />`)}
    </svg></div>
    <p class="told" aria-live="polite">${told ?? (points.length ? "Point at a region, or use the arrow keys, to read its values. Click a region to select it." : "No region has values on both axes.")}</p>
    <ul class="swatches listed">
      ${chart.peak !== null && html`<li><${Sample} /> ${rate(chart.peak)}: ${chart.roof}</li>`}
      ${chart.slopes.map(({ name, bytes }, number) => html`<li key=${name}><${Sample} number=${number} /> ${writtenRate(bytes, "bytes/sec")}: ${name}</li>`)}
    </ul>
    <${Copies} name="roofline" svg=${() => svgText(picture.current)} rows=${() => [
      ["region", "source", "share of the time", `${chart.work} per byte`, `${chart.work} per second`],
      ...points.map(({ name, place, share, x, y }) => [name, place, share, x, y]),
    ]} />
  `;
}

// Returns a phrase with a region's rate in percent of the limit: the core's peak, or the highest bandwidth if that is
// lower.
function bound(chart, x, y) {
  if (chart.peak === null || !chart.slopes.length) return "";
  const most = Math.min(chart.peak, x * Math.max(...chart.slopes.map(({ bytes }) => bytes)));
  return `; ${percent(y / most)} of what ${most < chart.peak ? "the bandwidth" : "the core"} allows`;
}

// Returns logarithmic scales for both axes, so that all points and the corners of the roofs are visible.
function frameOf({ peak, slopes }, points) {
  const meet = peak === null ? [] : slopes.map(({ bytes }) => peak / bytes);
  const xs = [...points.map(({ x }) => x), ...meet];
  const ys = [...points.map(({ y }) => y), ...(peak === null ? [] : [peak])];
  const [x, y] = [around(xs), around(ys)];
  const part = ([low, high], value) => (Math.log10(value) - low) / (high - low);
  return {
    x,
    y,
    across: (value) => LEFT + part(x, value) * (WIDE - LEFT - RIGHT),
    up: (value) => HIGH - BOTTOM - part(y, value) * (HIGH - TOP - BOTTOM),
  };
}

// Returns the range of an axis in powers of ten, with a margin of a third of a decade.
function around(values) {
  const logs = values.length ? values.map(Math.log10) : [0];
  return [Math.floor(Math.min(...logs) - 1 / 3), Math.ceil(Math.max(...logs) + 1 / 3)];
}

const powers = ([low, high]) => Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
const power = (value) => (value >= 0.01 && value < 1e5 ? String(Number(value.toPrecision(1))) : `1e${Math.round(Math.log10(value))}`);

const radius = (share) => SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(share);

// Names a region beside its point.
function Label({ frame, point: { x, y, share, name, place } }) {
  const [left, isRight] = [frame.across(x), frame.across(x) > WIDE / 2];
  return html`<text class="label" x=${left + (isRight ? -1 : 1) * (radius(share) + 4)} y=${frame.up(y) + 4} text-anchor=${isRight ? "end" : "start"}>${(place || name).slice(0, LONGEST)}</text>`;
}

function Axes({ frame, chart }) {
  const [top, bottom, right] = [TOP, HIGH - BOTTOM, WIDE - RIGHT];
  return html`
    ${powers(frame.x).map((value) => html`<path class="rule" d=${`M${frame.across(value)} ${top}V${bottom}`} /><text x=${frame.across(value)} y=${bottom + 16} text-anchor="middle">${power(value)}</text>`)}
    ${powers(frame.y).map((value) => html`<path class="rule" d=${`M${LEFT} ${frame.up(value)}H${right}`} /><text x=${LEFT - 6} y=${frame.up(value) + 4} text-anchor="end">${power(value)}</text>`)}
    <text x=${(LEFT + right) / 2} y=${HIGH - 8} text-anchor="middle">${chart.work} per byte</text>
    <text transform=${`translate(14 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle">${chart.work} per second</text>
  `;
}

// Draws each slope up to the peak or the edge of the picture, and the peak from the highest slope to the right edge.
function Roofs({ frame, chart: { peak, slopes } }) {
  const [left, right] = frame.x.map((each) => 10 ** each);
  const [low, high] = frame.y.map((each) => 10 ** each);
  const top = peak ?? high;
  const start = slopes.length ? Math.max(left, top / Math.max(...slopes.map(({ bytes }) => bytes))) : left;
  const line = (from, to) => `M${frame.across(from[0])} ${frame.up(from[1])}L${frame.across(to[0])} ${frame.up(to[1])}`;
  return html`
    ${slopes.map(({ name, bytes }, number) => {
      const [from, to] = [Math.max(left, low / bytes), Math.min(right, top / bytes)];
      return from < to && html`<path key=${name} class="roof" stroke-dasharray=${DASHES[(number + 1) % DASHES.length]} d=${line([from, bytes * from], [to, bytes * to])} />`;
    })}
    ${peak !== null && html`<path class="roof" d=${line([start, peak], [right, peak])} />`}
  `;
}

const Sample = ({ number = -1 }) => html`<svg class="sample" viewBox="0 0 36 10" aria-hidden="true"><path class="roof" stroke-dasharray=${DASHES[(number + 1) % DASHES.length]} d="M0 5H36" /></svg>`;

function Rates({ listed, regions, selected, select }) {
  return html`
    <h3>Rates of regions</h3>
    <p class="remark">Rates of each region, excluding callees, over all ranks, per second of one core. The longest region is first.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="rates of regions">
      <table class="profile">
        <thead><tr><th>region</th><th>source</th><th class="number">time</th>${listed.map(({ name, about }) => html`<th key=${name} class="number" title=${about}>${name}</th>`)}</tr></thead>
        <tbody>${regions.map(
          ({ region, name, place, share, valueOf }) => html`<tr key=${region} class=${selected.has(region) ? "selected" : ""}>
            <td><button class="link" onClick=${() => select(region)} title=${name.slice(0, 300)}>${name}</button></td><td>${place}</td><td class="number">${percent(share)}</td>
            ${listed.map((each) => html`<td key=${each.name} class="number">${writtenRate(valueOf(each.name), each.unit)}</td>`)}
          </tr>`,
        )}</tbody>
      </table>
    </div>
    <${Copies} name="rates" rows=${() => [
      ["region", "source", "share of the time", ...listed.map(({ name, unit }) => `${name} (${unit})`)],
      ...regions.map(({ name, place, share, valueOf }) => [name, place, share, ...listed.map((each) => valueOf(each.name))]),
    ]} />
  `;
}
