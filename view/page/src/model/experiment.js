// The data of an experiment in the page, written by view/page/dataset.py.
import { Browser } from "./browser.js";
import { Pane } from "./pane.js";
import { LargeSums } from "./large_sums.js";
import { Sums } from "./sums.js";
import { Tree } from "./tree.js";

export class Experiment {
  // `read` returns a promise of the numbers stored under a key.
  constructor(head, sums, spread, read) {
    this.head = head;
    const { metrics, calls, flat, systems } = head.trees;
    this.trees = {
      metrics: new Tree(metrics),
      calls: new Tree(calls),
      flat: new Tree(flat),
      systems: Object.fromEntries(Object.entries(systems).map(([name, tree]) => [name, new Tree(tree)])),
    };
    const ofMetric = (metric) => read(`${head.key} ${metric}`);
    this.sums = head.large ? new LargeSums(head, sums, spread, this.trees.calls, ofMetric) : new Sums(head, sums, ofMetric);
  }

  static async open(head, read) {
    const spread = head.large ? await read(`${head.key} spread`) : null;
    return new Experiment(head, await read(`${head.key} sums`), spread, read);
  }

  // Returns the initial view, in which a time metric and the last node of the hottest path are selected.
  start() {
    const { metrics, program, system } = this.head.start;
    return new Browser(this.sums, {
      metrics: new Pane(this.trees.metrics, metrics),
      program: new Pane(this.trees.calls, program),
      system: this.head.large ? new Pane(this.trees.systems.bins, { open: [0] }) : new Pane(this.trees.systems.machine, system),
    });
  }

  // Returns the name of the initial grouping of the system.
  get grouping() {
    return this.head.large ? "bins" : "machine";
  }

  // Returns the noun for locations: rank, or thread if a process has several threads.
  get kind() {
    if (this.head.large) return this.head.large.noun;
    return this.head.locations.length > new Set(this.head.locations.map(([process]) => process)).size ? "thread" : "rank";
  }

  // Returns the name of a location or, if the experiment is large, of a bin.
  nameOf(location) {
    return this.head.large ? this.trees.systems.bins.labels[location + 1] : this.nameOfLocation(location);
  }

  nameOfLocation(location) {
    const [process, thread] = this.head.locations[location];
    return this.kind === "rank" ? `rank ${process}` : `thread ${process}.${thread}`;
  }
}
