// An experiment as the page holds it (twin: view/page/dataset.py).
import { Browser } from "./browser.js";
import { Pane } from "./pane.js";
import { Sums } from "./sums.js";
import { Tree } from "./tree.js";

export class Experiment {
  // `read` gives a promise of the numbers under a key.
  constructor(head, sums, read) {
    this.head = head;
    this.sums = new Sums(head, sums, (metric) => read(`${head.key} ${metric}`));
    const { metrics, calls, flat, systems } = head.trees;
    this.trees = {
      metrics: new Tree(metrics),
      calls: new Tree(calls),
      flat: new Tree(flat),
      systems: Object.fromEntries(Object.entries(systems).map(([name, tree]) => [name, new Tree(tree)])),
    };
  }

  static async open(head, read) {
    return new Experiment(head, await read(`${head.key} sums`), read);
  }

  // What is shown at the start; time is selected, and the end of the hottest path.
  start() {
    const { metrics, program, system } = this.head.start;
    return new Browser(this.sums, {
      metrics: new Pane(this.trees.metrics, metrics),
      program: new Pane(this.trees.calls, program),
      system: new Pane(this.trees.systems.machine, system),
    });
  }

  // What the locations are: ranks, or threads where a process has several.
  get kind() {
    return this.head.locations.length > new Set(this.head.locations.map(([process]) => process)).size ? "thread" : "rank";
  }

  nameOf(location) {
    const [process, thread] = this.head.locations[location];
    return this.kind === "rank" ? `rank ${process}` : `thread ${process}.${thread}`;
  }
}
