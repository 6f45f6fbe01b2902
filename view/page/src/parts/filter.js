// A chip that names the ranks to which the trees, profile and source are limited, with a button that removes the limit.
import { html } from "../html.js";

const NAMED = 4; // maximum number of ranks to name

export function Filter({ experiment, locations, end }) {
  const first = locations.slice(0, NAMED).map((each) => experiment.nameOf(each));
  const more = locations.length > NAMED ? ` and ${locations.length - NAMED} more` : "";
  return html`<p class="filter" role="status" title="in metrics, call paths, flat profile, callers and source"><span>only ${first.join(", ")}${more}</span> <button onClick=${end} aria-label=${`show all ${experiment.kind}s`}>✕</button></p>`;
}
