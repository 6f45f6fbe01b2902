// A line below a picture that shows the scale of colours, with its title and the values at its ends.
import { css } from "../colours.js";
import { html } from "../html.js";

const STEPS = 24;

// `colour`: maps a position on the scale, from 0 to 1, to its colour.
// `neutral`: the colour of elements to which the scale does not apply.
export function Scale({ title, low, high, colour, hatched, neutral }) {
  const places = Array.from({ length: STEPS }, (_, place) => place / (STEPS - 1));
  return html`
    <p class="scale" role="img" aria-label=${`${title}: colours from ${low} to ${high}`}>
      <span>${title}</span> <span>${low}</span>
      <span class="ramp">${places.map((each) => html`<i style=${{ backgroundColor: css(colour(each)) }}></i>`)}</span>
      <span>${high}</span>
      ${hatched && html`<span><i class="hatch"></i> not measured</span>`}
      ${neutral && html`<span><i class="swatch" style=${{ backgroundColor: neutral }}></i>unknown</span>`}
    </p>
  `;
}
