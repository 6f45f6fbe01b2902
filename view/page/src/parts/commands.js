// Lists commands for a terminal that show more about a metric in the visible interval.
import { useRef, useState } from "preact/hooks";
import { html } from "../html.js";

export function Commands({ times, range, shown, metric, setMetric }) {
  return html`
    <section class="commands" aria-label="commands for the terminal">
      <h3>${times.span(range).replace(":", " to ")} s: commands for the terminal</h3>
      <label>metric <select value=${metric} onChange=${(event) => setMetric(event.currentTarget.value)}>${shown.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
      ${times.commands(metric, range).map(([what, command]) => html`<${Command} key=${what} what=${what} command=${command} />`)}
    </section>
  `;
}

function Command({ what, command }) {
  const text = useRef(null);
  const [said, say] = useState("");
  // Copies a command. If the browser does not allow this, selects the command, so that the reader can copy it.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      say("copied");
    } catch {
      getSelection().selectAllChildren(text.current);
      say("selected: press Ctrl+C to copy");
    }
  };
  return html`<p><small>${what}</small><br /><code ref=${text}>${command}</code> <button onClick=${copy} aria-label=${`copy: ${what}`}>copy</button> <span class="remark" role="status">${said}</span></p>`;
}
