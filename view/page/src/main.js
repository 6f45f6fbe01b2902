// The page's script: reads the data in the page and shows them.
import { h, render } from "preact";
import { App } from "./app.js";
import { Experiment } from "./model/experiment.js";
import { Tally } from "./model/tally.js";
import { unpacked, unpackedText } from "./model/numbers.js";
import { TimeLines } from "./model/time_lines.js";
import { addAllCopies, addCopies } from "./parts/made.js";
import { load, opening } from "./state.js";

const textOf = (id) => document.getElementById(id).textContent;

async function main() {
  if (!document.getElementById("head")) return addAllCopies(document); // the page has no data, because it only shows results
  const head = JSON.parse(await unpackedText(textOf("head")));
  const read = (key) => {
    const { id, kind, count } = head.numbers[key];
    return unpacked({ kind, count }, textOf(id));
  };
  const page = { ...head, experiments: {}, hasSources: Object.values(head.sources).some(({ lines }) => lines) };
  for (const each of head.experiments) {
    const experiment = await Experiment.open(each, read);
    experiment.signed = experiment.sums.signed;
    for (const name of ["before", "most", "messages"]) if (head.numbers[`${each.key} ${name}`]) experiment[name] = await read(`${each.key} ${name}`);
    page.experiments[each.key] = experiment;
  }
  page.times = head.times.map((each) => new TimeLines(each, read));
  page.other = head.other && {
    name: head.other.name,
    compared: head.other.compared,
    totals: new Map(head.other.metrics.map((metric) => [metric.name, { ...metric, total: new Tally(metric.aggregation, ...metric.total.map((number) => Float64Array.of(number ?? NaN))) }])),
  };
  const first = opening(page, location.hash);
  await load(page, first.state);
  render(h(App, { page, first }), document.getElementById("app"));
  for (const picture of document.querySelectorAll(".findings .ranks")) addCopies(picture, "bars");
  const idle = () => new Promise((then) => (globalThis.requestIdleCallback ?? setTimeout)(then));
  for (const { sums } of Object.values(page.experiments)) await sums.loadAll(idle);
}

main().catch((error) => {
  const said = document.createElement("p");
  said.className = "remark warning";
  said.textContent = `The trees cannot be shown: ${error}. The verdict above is complete.`;
  document.getElementById("app")?.replaceChildren(said);
});
