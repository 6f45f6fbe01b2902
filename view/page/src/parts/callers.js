// Shows the call paths of the selected region, with the region's value on each call path.
import { useMemo } from "preact/hooks";
import { html } from "../html.js";
import { placeOf, selectedPaths } from "../model/regions.js";
import { written } from "../model/units.js";
import { Copies } from "./copies.js";

const MOST = 100; // maximum number of rows

export function Callers({ browser, experiment, select }) {
  const { calls, flat } = experiment.trees;
  const [first] = selectedPaths(browser, experiment);
  const region = flat.home[first];
  const lines = useMemo(() => reached(browser, experiment, region), [browser, region]);
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const of = experiment.head.regions[region];
  const { aggregation } = browser.sums.metrics[browser.metrics[0]];
  // Recursive calls are not counted twice. Absolute values are added, so that increases and decreases do not cancel.
  const whole = lines.reduce((sum, { value, again }) => sum + (again ? 0 : Math.abs(value.amount ?? 0)), 0);
  const share = ({ amount }) => (amount === null || !whole || aggregation !== "sum" ? "–" : written({ amount: (100 * amount) / whole, gap: "" }, "%").text);
  return html`
    <p><b>${of[0]}</b> ${placeOf(of)}: ${lines.length === 1 ? "one call path, with" : `${lines.length} call paths, each with`} its callers, starting from ${calls.labels[calls.root(first)]}. Click a call path to select it.</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${`call paths of ${of[0]}`}>
      <table class="callers">
        <thead><tr><th class="number">${browser.named}</th><th class="number">share</th><th>called by</th></tr></thead>
        <tbody>${lines.slice(0, MOST).map(
          ({ path, value, above }) => html`<tr key=${path} class=${path === first ? "selected" : ""}>
            <td class="number">${written(value, unit).text}</td><td class="number">${share(value)}</td>
            <td><button class="link" onClick=${() => select(path)}>${above.length ? above.map((each) => calls.labels[each]).join(" › ") : "nothing: the program starts here"}</button></td>
          </tr>`,
        )}</tbody>
      </table>
    </div>
    ${lines.length > MOST && html`<p class="remark">and ${lines.length - MOST} more</p>`}
    <${Copies} name="callers" rows=${() => [[`${browser.named} (${unit})`, "called by"], ...lines.map(({ value, above }) => [value.amount, above.map((each) => calls.labels[each]).join(" › ")])]} />
  `;
}

// Returns the call paths of a region, largest value first, each with its callers, starting from the root.
function reached(browser, experiment, region) {
  const { calls, flat } = experiment.trees;
  const closed = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls).up(calls);
  const size = ({ amount }) => Math.abs(amount ?? 0);
  return [...flat.home.keys()]
    .filter((path) => flat.home[path] === region)
    .map((path) => ({ path, value: closed.value(path, true), above: calls.ancestors(path).reverse() }))
    .map((line) => ({ ...line, again: line.above.some((each) => flat.home[each] === region) }))
    .sort((one, other) => size(other.value) - size(one.value));
}
