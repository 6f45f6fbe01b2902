// Shows ranks on the program's process grid, one plane at a time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { clusterColour, css, inkOn, rgb, signColour, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { letters, written } from "../model/units.js";
import { frame, hatch, sized } from "./canvas.js";
import { Copies } from "./copies.js";
import { Scale } from "./scale.js";
import { SvgContext } from "./svg_context.js";

const LARGEST = 72; // maximum size of a rank's square in pixels
const SMALLEST = 4;
const [NUMBERED, LETTERED, VALUED] = [22, 32, 56]; // minimum sizes in pixels of a square that shows a rank's number, number and cluster, or number and value
const LINE = 14; // height of a line of text in pixels
const MOST_TOLD = 4; // maximum number of locations whose values are shown separately below the grid

export function Topology({ browser, experiment, clusters, select }) {
  const grids = experiment.head.topologies;
  const [which, setWhich] = useState(0);
  const [cut, setCut] = useState([]);
  const [by, setBy] = useState("value");
  const [place, setPlace] = useState(null);
  const canvas = useRef(null);
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const grid = grids[Math.min(which, grids.length - 1)];
  const plane = useMemo(() => grid && planeOf(grid, cut), [grid, cut]);
  const values = useMemo(() => (browser.summed ? browser.sums.ofLocations(browser) : null), [browser]);
  const scale = useMemo(() => grid && values && scaleOf(grid, values), [grid, values]);
  const drawing = { plane, values, scale, clusters, by, experiment, unit };
  const room = plane ? [plane.width * plane.size, plane.height * plane.size] : [0, 0];
  useEffect(() => {
    if (canvas.current && values) draw(sized(canvas.current, ...room), { ...drawing, place });
  }, [plane, values, by, place]);
  if (!grid) return html`<p class="remark">This program created no Cartesian grid of its ranks (MPI_Cart_create), and the file contains none.</p>`;
  if (!values) return html`<p class="remark">There is nothing to show on the grid: values of ${browser.named} cannot be summed, or are not in this page by location.</p>`;
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    return plane.at(Math.floor((event.clientX - box.left) / plane.size), Math.floor((event.clientY - box.top) / plane.size));
  };
  const onKeyDown = (event) => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Enter" && place) select(place.locations);
    if (!step) return;
    event.preventDefault();
    setPlace((from) => (from ? plane.at(from.x + step[0], from.y + step[1]) ?? from : plane.at(0, 0)));
  };
  const svg = () => {
    const context = new SvgContext(...room);
    draw(context, drawing);
    return context.text;
  };
  const amount = (value) => written({ amount: value === value ? value : null, gap: "not measured" }, unit).text;
  const tell = (locations) => {
    const single = locations.slice(0, MOST_TOLD).map((location) => `${experiment.nameOfLocation(location)}: ${amount(sumOf(values, [location]))}`);
    const more = locations.length > MOST_TOLD ? `, and ${locations.length - MOST_TOLD} more` : "";
    return `${single.join(", ")}${more}${locations.length > 1 ? `; together ${amount(sumOf(values, locations))}` : ""}`;
  };
  const told = place && tell(place.locations);
  const [low, high] = scale.signed ? [amount(-scale.top), amount(scale.top)] : ["0", amount(scale.top)];
  return html`
    <div class="map-tools">
      ${grids.length > 1 && html`<label>grid <select value=${which} onChange=${(event) => setWhich(Number(event.currentTarget.value))}>${grids.map((each, number) => html`<option value=${number}>${each.name || `grid ${number + 1}`}</option>`)}</select></label>`}
      <span class="remark">${grid.name ? `${grid.name}: ` : ""}${grid.dimensions.map(([name, size, periodic]) => `${name ? `${name} ` : ""}${size}${periodic ? " periodic" : ""}`).join(" × ")}</span>
      ${grid.dimensions.slice(2).map(
        ([name, size], number) => html`<label>${name || `dimension ${number + 3}`} <input type="number" min="0" max=${size - 1} value=${cut[number] ?? 0} onInput=${(event) => setCut(Object.assign([...cut], { [number]: Math.max(0, Math.min(size - 1, Math.floor(Number(event.currentTarget.value)))) }))} /></label>`,
      )}
      ${clusters.length > 1 && html`<label>colour <select value=${by} onChange=${(event) => setBy(event.currentTarget.value)}><option value="value">value</option><option value="cluster">cluster</option></select></label>`}
    </div>
    <div class="grid"><canvas ref=${canvas} tabindex="0" role="img" aria-label=${`Grid of ranks; arrows move, Enter selects. ${told ?? ""}`}
      onMouseMove=${(event) => setPlace(at(event))} onMouseLeave=${() => setPlace(null)} onClick=${(event) => at(event) && select(at(event).locations)} onKeyDown=${onKeyDown}></canvas></div>
    ${by === "value" && html`<${Scale} title=${browser.named} low=${low} high=${high} colour=${scale.signed ? (at) => signColour(2 * at - 1) : sizeColour} hatched=${values.known.some((known) => !known)} />`}
    <p class="told" aria-live="polite">${told || "Point at a rank, or use the arrow keys, to read its value. Click a rank to select it."}</p>
    <${Copies} name="grid" svg=${svg} rows=${() => [
      [experiment.kind, ...grid.dimensions.map(([name], number) => name || `dimension ${number + 1}`), `${browser.named} (${unit})`],
      ...grid.places.flatMap((each, location) => (each ? [[experiment.nameOfLocation(location), ...each, values.known[location] ? values.amounts[location] : null]] : [])),
    ]} />
  `;
}

// Returns a plane of a grid: the first dimension from left to right, and the second one downwards. `cut`: the plane's
// coordinates in all further dimensions.
function planeOf(grid, cut) {
  const [width, height] = [grid.dimensions[0]?.[1] ?? 1, grid.dimensions[1]?.[1] ?? 1];
  const size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(900 / Math.max(width, height))));
  const found = new Map();
  grid.places.forEach((place, location) => {
    if (!place || place.slice(2).some((at, number) => at !== (cut[number] ?? 0))) return;
    const key = place[0] + width * (place[1] ?? 0);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(location);
  });
  const at = (x, y) => (x < 0 || y < 0 || x >= width || y >= height || !found.has(x + width * y) ? null : { x, y, locations: found.get(x + width * y) });
  return { width, height, size, found, at };
}

// Returns the sum over some locations; NaN if none of them was measured.
function sumOf({ amounts, known }, locations) {
  return locations.reduce((sum, location) => (known[location] ? (sum === sum ? sum : 0) + amounts[location] : sum), NaN);
}

// Returns the largest magnitude at any place of a grid, in all planes, and whether any place has a negative value.
function scaleOf(grid, values) {
  const members = new Map(); // place → its locations, because several threads of a rank may share a place
  grid.places.forEach((place, location) => place && members.set(place.join(), [...(members.get(place.join()) ?? []), location]));
  const sums = [...members.values()].map((locations) => sumOf(values, locations)).filter((sum) => sum === sum);
  return { top: sums.reduce((most, sum) => Math.max(most, Math.abs(sum)), 0), signed: sums.some((sum) => sum < 0) };
}

function draw(context, { plane, values, scale: { top, signed }, clusters, by, place, experiment, unit }) {
  const { width, size, found } = plane;
  context.font = `${Math.min(12, size - 4)}px system-ui, sans-serif`;
  const of = new Map(clusters.flatMap((members, number) => members.map((location) => [location, number])));
  for (const [key, locations] of found) {
    const [x, y] = [(key % width) * size, Math.floor(key / width) * size];
    const value = sumOf(values, locations);
    const number = of.get(locations[0]);
    if (by === "value" && value !== value) {
      hatch(context, x, y, size - 1, size - 1);
      continue;
    }
    const part = top ? value / top : 0;
    const ofValue = signed ? signColour(part) : sizeColour(part);
    const colour = by === "value" ? ofValue : rgb(number === undefined ? "#bbbbbb" : clusterColour(number));
    context.fillStyle = css(colour);
    context.fillRect(x, y, size - 1, size - 1);
    context.fillStyle = inkOn(colour);
    if (size >= (by === "value" ? NUMBERED : LETTERED)) context.fillText(experiment.nameOfLocation(locations[0]).split(" ").at(-1), x + 3, y + LINE - 2, size - 5);
    if (by === "cluster" && number !== undefined && size >= LINE) context.fillText(letters(number), x + 3, y + size - 5);
    if (by === "value" && size >= VALUED) context.fillText(written({ amount: value, gap: "" }, unit).text, x + 3, y + size - 5, size - 5);
  }
  if (place) frame(context, place.x * size + 1, place.y * size + 1, size - 3, size - 3);
}
