// A chip that names the ranks or the interval to which the shown values are limited, with a button that removes the
// limit.
import { html } from "../html.js";

const NAMED = 4; // maximum number of ranks to name

export function Filter({ text, title, back, end }) {
  return html`<p class="filter" role="status" title=${title}><span>only ${text}</span> <button onClick=${end} aria-label=${back}>✕</button></p>`;
}

// Returns the names of some locations: "rank 1, rank 3".
export function namesOf(experiment, locations) {
  const first = locations.slice(0, NAMED).map((each) => experiment.nameOf(each));
  return `${first.join(", ")}${locations.length > NAMED ? ` and ${locations.length - NAMED} more` : ""}`;
}
