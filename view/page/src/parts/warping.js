// Shows which samples of two series match (Hauswirth et al. 2005, Figures 2 and 3).
import { html } from "../html.js";
import { amount } from "../model/units.js";

const SIDE = 320; // width and height of the first picture, in units
const MARGIN = 60; // width of the series at the sides of the first picture, in units
const [WIDE, HIGH, GAP] = [640, 70, 80]; // width of the second picture, height of a series in it, and gap between its series, in units
const LINES = 80; // maximum number of lines that a reader can distinguish

export function Warping({ warping }) {
  const { metric, x, y, pairs, error } = warping;
  const said = `${x.samples} samples of ${metric} in ${x.name} and ${y.samples} in ${y.name} form ${pairs} pairs; the sum of their distances is ${amount(error, "")}`;
  return html`
    <h3>How ${y.name} was aligned with ${x.name}</h3>
    <p>${said}.</p>
    <div class="lists">
      <figure><${Path} warping=${warping} /><figcaption class="remark">The warp path: samples of ${x.name} from left to right, samples of ${y.name} upwards. If the path is horizontal or vertical, one sample matches several.</figcaption></figure>
      <figure><${Pairs} warping=${warping} /><figcaption class="remark">Matching samples: ${x.name} above, ${y.name} below.</figcaption></figure>
    </div>
  `;
}

// Draws matching samples as squares of a matrix, with the series at its sides.
function Path({ warping: { x, y, kept } }) {
  const [across, up] = [SIDE / x.samples, SIDE / y.samples];
  const [wide, high] = [across, up].map((size) => Math.max(size, 1.5));
  const squares = kept[0].map((column, place) => `M${MARGIN + column * across} ${SIDE - (kept[1][place] + 1) * up}h${wide}v${high}h${-wide}z`).join("");
  return html`
    <svg class="warping" viewBox=${`0 0 ${SIDE + MARGIN} ${SIDE + MARGIN}`} role="img" aria-label=${`the warp path between ${x.name} and ${y.name}`}>
      <rect class="frame" x=${MARGIN} y="0" width=${SIDE} height=${SIDE} />
      <path class="cells" d=${squares} />
      <polyline class="curve" points=${points(placed(x.values).map(([part, value]) => [MARGIN + part * SIDE, SIDE + MARGIN - 4 - value * (MARGIN - 8)]))} />
      <polyline class="curve" points=${points(placed(y.values).map(([part, value]) => [MARGIN - 4 - value * (MARGIN - 8), SIDE - part * SIDE]))} />
    </svg>
  `;
}

// Draws both series, one above the other, with lines between matching samples.
function Pairs({ warping: { x, y, kept } }) {
  const above = placed(x.values).map(([part, value]) => [part * WIDE, HIGH * (1 - value)]);
  const below = placed(y.values).map(([part, value]) => [part * WIDE, HIGH + GAP + HIGH * (1 - value)]);
  const at = (curve, sample, samples) => curve[Math.round((sample / Math.max(1, samples - 1)) * (curve.length - 1))];
  const step = Math.max(1, Math.ceil(kept[0].length / LINES));
  const lines = kept[0].map((sample, place) => [at(above, sample, x.samples), at(below, kept[1][place], y.samples)]).filter((_, place) => place % step === 0);
  return html`
    <svg class="warping" viewBox=${`-2 -2 ${WIDE + 4} ${2 * HIGH + GAP + 4}`} role="img" aria-label=${`matching samples of ${x.name} and ${y.name}`}>
      <path class="pairs" d=${lines.map(([from, to]) => `M${from}L${to}`).join("")} />
      <polyline class="curve" points=${points(above)} />
      <polyline class="curve" points=${points(below)} />
    </svg>
  `;
}

// Scales times and values to the range from 0 to 1.
function placed(values) {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return values.map((value, place) => [place / Math.max(1, values.length - 1), high > low ? (value - low) / (high - low) : 0.5]);
}

const points = (places) => places.map((each) => each.map((part) => part.toFixed(2)).join()).join(" ");
