// Lists regions that are slower or faster than in the other experiment.
import { useMemo } from "preact/hooks";
import { html } from "../html.js";
import { placeOf } from "../model/regions.js";
import { written } from "../model/units.js";
import { Copies } from "./copies.js";

const MOST = 50; // maximum number of lines in a list
const LEAST = 0.001; // minimum change as a share of the total; keep equal to _LEAST in view/changes.py

export function Compare({ difference, metric, inBoth, other, compared, shown, show, select }) {
  const lists = useMemo(() => (inBoth ? changes(difference, metric) : null), [difference, metric, inBoth]);
  if (!difference) return html`<p class="remark">This page contains no other experiment to compare with. To create a page with a comparison: <code>autoanalyzer view THIS --against OTHER -o report.html</code></p>`;
  const judged = compared.length > 0 && html`<ul class="compared">${compared.map((each) => html`<li>${each}</li>`)}</ul>`;
  if (!lists) return html`${judged}<p class="remark">${metric} is not in both experiments, or its values cannot be summed.</p>`;
  const { unit, slower, faster, before, gain } = lists;
  const amount = (value) => written({ amount: value, gap: "" }, unit).text;
  const share = (value, of) => {
    const { text } = written({ amount: Math.abs((100 * value) / of), gap: "" }, "%");
    return !of ? "new" : text.startsWith("<") ? text : `${value < 0 ? "+" : "−"}${text}`;
  };
  const several = difference.sums.columns > 1;
  const list = (title, changed, kind) => html`
    <section class="changes">
      <h3>${title}</h3>
      ${changed.length === 0 && html`<p class="remark">none</p>`}
      ${changed.length > 0 && html`<table>
        <thead><tr><th>region</th><th>source</th><th class="number">${other} → here</th><th class="number">change</th><th class="number">in %</th>${several && html`<th class="number">largest value of a ${difference.kind}</th>`}</tr></thead>
        <tbody>${changed.slice(0, MOST).map(
          (line) => html`<tr key=${line.region}>
            <td><button class="link" onClick=${() => select(line.region)}>${line.name}</button></td><td>${line.place}${line.alike && html` <small class="remark" title="matched by similarity">≈ ${line.alike}</small>`}</td>
            <td class="number">${amount(line.before)} → ${amount(line.before - line.gain)}</td>
            <td class=${`number ${kind}`}>${kind === "up" ? "▼" : "▲"} ${amount(Math.abs(line.gain))}</td><td class="number">${share(line.gain, line.before)}</td>
            ${several && html`<td class="number">${amount(line.most[0])} → ${amount(line.most[1])}</td>`}
          </tr>`,
        )}</tbody>
      </table>`}
      ${changed.length > MOST && html`<p class="remark">and ${changed.length - MOST} more</p>`}
    </section>`;
  return html`
    ${judged}
    <p>${metric} of the program, sum of the ranks: ${amount(before)} in ${other}, ${amount(before - gain)} here${before && gain ? `, ${share(gain, before)}` : ""}. Values of regions exclude callees. Changes below 0.1 % are left out${lists.partly ? ", and so are values that are missing in one of the two experiments" : ""}.</p>
    <p><button onClick=${() => show(!shown)}>${shown ? "Show this experiment in the trees" : "Show the difference in the trees"}</button> <span class="remark">${shown ? `The trees show ${other} minus this experiment: ▼ (raised square) marks a decrease, ▲ (sunken square) an increase.` : ""}</span></p>
    ${difference.head.remarks.length > 0 && html`<ul class="caveats">${difference.head.remarks.map((each) => html`<li>${each}</li>`)}</ul>`}
    <div class="lists wide-lists">${list("Slower, or more", slower, "down")}${list("Faster, or less", faster, "up")}</div>
    <${Copies} name="changes" rows=${() => [
      ["region", "source", `${metric} in ${other} (${unit})`, "here", `largest value of a ${difference.kind} in ${other}`, "here"],
      ...[...slower, ...faster].map((line) => [line.name, line.place, line.before, line.before - line.gain, ...line.most]),
    ]} />
  `;
}

// Returns the regions that became slower, and those that became faster; null if values cannot be added, or are missing.
// The gain of a region is its value in the other experiment minus its value in this experiment.
function changes(difference, name) {
  const { head, sums, trees } = difference;
  const metric = head.metrics.findIndex((each) => each.name === name);
  if (metric < 0 || head.metrics[metric].aggregation !== "sum") return null;
  const gains = sums.byPath(metric).atHome(trees.flat).amounts;
  const before = new Float64Array(gains.length);
  for (let path = 0; path < sums.paths; path++) {
    const value = difference.before[metric * sums.paths + path];
    if (value === value) before[trees.flat.home[path]] += value;
  }
  const whole = before.reduce((sum, value) => sum + Math.abs(value), 0);
  const alike = new Map(head.alike);
  const lines = head.regions.map((each, region) => ({
    region,
    alike: alike.get(region),
    name: each[0],
    place: placeOf(each),
    before: before[region],
    most: [0, 1].map((side) => difference.most[(2 * metric + side) * head.regions.length + region]), // the largest value on any location
    gain: gains[region],
  }));
  const changed = lines.filter(({ gain }) => Math.abs(gain) > LEAST * whole);
  return {
    unit: head.metrics[metric].unit,
    partly: sums.byPath(metric).gaps.some((gaps) => gaps > 0),
    before: before.reduce((sum, value) => sum + value, 0),
    gain: gains.reduce((sum, value) => sum + value, 0),
    slower: changed.filter(({ gain }) => gain < 0).sort((one, two) => one.gain - two.gain),
    faster: changed.filter(({ gain }) => gain > 0).sort((one, two) => two.gain - one.gain),
  };
}
