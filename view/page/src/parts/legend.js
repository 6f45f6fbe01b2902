import { css, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { written } from "../model/units.js";

const STEPS = 24;

export function Legend({ legend, signed, gains }) {
  if (!legend) return html`<div class="legend remark">These values cannot be summed.</div>`;
  const amount = (value) => written({ amount: value, gap: "" }, legend.unit).text;
  return html`
    <div class="legend" aria-label=${`colours from 0 to ${amount(legend.top)}`} role="img">
      <span>0</span>
      <span class="ramp">${Array.from({ length: STEPS }, (_, place) => html`<i style=${{ backgroundColor: css(sizeColour(place / (STEPS - 1))) }}></i>`)}</span>
      <span>${amount(legend.top)}</span>
      ${(signed || gains) && html`<span class="signs"><span class="up">${gains ? "▼ less" : "▲ more than 0"}</span> <span class="down">${gains ? "▲ more" : "▼ less than 0"}</span></span>`}
    </div>
  `;
}
