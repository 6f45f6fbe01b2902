import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

const KEYS = [
  ["↑ ↓", "select the row above, or below; the trees to the right show its values"],
  ["→ ←", "open a node, or go to its first child; close a node, or go to its parent"],
  ["Home End", "go to the first row, or to the last row"],
  ["Enter, Space", "select; with Ctrl, add to the selection; on “n more”, show these rows"],
  ["Tab", "go to the next tree, to the source, or to the tabs"],
  ["/", "search in all three trees; Enter goes to the next match"],
  ["1 – 9, 0, m", "open or close a tab"],
  ["[ ]", "go to the previous finding, or to the next finding"],
  ["→ ← in a chart", "move the cursor; with Shift, select an interval. Enter zooms, Backspace shows all"],
  ["v", "switch values: absolute, or in percent of the program, the selection or the other experiment"],
  ["s", "show or hide the source"],
  ["?", "show this help"],
  ["Esc", "close this help, or the open tab"],
];

export function Help({ close }) {
  const box = useRef(null);
  useEffect(() => box.current.showModal(), []);
  return html`
    <dialog ref=${box} onClose=${close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>${KEYS.map(([keys, what]) => html`<dt key=${keys}><kbd>${keys}</kbd></dt><dd>${what}</dd>`)}</dl>
      <h2>How to read the trees</h2>
      <p>A closed node includes all nodes below it; an open node excludes its children.
      The call tree shows the selected metric. The system tree shows the selected metric at the selected call path.
      A raised square marks a positive value, a sunken square a negative value (in differences, ▼ marks a decrease, ▲ an increase). A hatched square marks a value that was not measured, which is not the same as 0. The sign ~ marks a value that was only partly measured.</p>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  `;
}
