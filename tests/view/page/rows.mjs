// Prints the rows that the page shows in given states. Reads {head, numbers, states} from standard input.
import { text } from "node:stream/consumers";
import { Browser } from "../../../view/page/src/model/browser.js";
import { Experiment } from "../../../view/page/src/model/experiment.js";
import { unpacked } from "../../../view/page/src/model/numbers.js";
import { Pane } from "../../../view/page/src/model/pane.js";
import { Rows } from "../../../view/page/src/model/rows.js";

const { head, numbers, states } = JSON.parse(await text(process.stdin));
const experiment = await Experiment.open(head, (key) => unpacked(numbers[key], numbers[key].text));
await experiment.sums.load(head.metrics.keys());
const totals = new Map(head.metrics.map((metric, place) => [metric.name, { ...metric, total: experiment.sums.total(place) }]));

for (const { flat, basis, panes } of states) {
  const trees = {
    metrics: experiment.trees.metrics,
    program: flat ? experiment.trees.flat : experiment.trees.calls,
    system: experiment.trees.systems.machine,
  };
  const made = Object.entries(trees).map(([name, tree]) => [name, new Pane(tree, panes[name])]);
  const browser = new Browser(experiment.sums, Object.fromEntries(made));
  const shown = Object.keys(trees).map((dimension) => {
    const rows = new Rows(browser, dimension, basis === "other" ? totals : basis);
    return { rows: Array.from({ length: rows.length }, (_, place) => rows.row(place)), legend: rows.legend };
  });
  console.log(JSON.stringify(shown));
}
