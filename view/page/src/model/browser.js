// Three trees side by side; the values in each depend on the selections to its left (like view/browser/browser.py).
import { Tally } from "./tally.js";

export const DIMENSIONS = ["metrics", "program", "system"];

// Returns whether the values of several metrics can be added.
export const summable = (metrics) =>
  metrics.every(({ aggregation }) => aggregation === "sum") && new Set(metrics.map(({ unit }) => unit)).size === 1;

export class Browser {
  constructor(sums, panes) {
    this.sums = sums;
    this.panes = panes;
    this.kept = new Map();
  }

  with(dimension, pane) {
    return new Browser(this.sums, { ...this.panes, [dimension]: pane });
  }

  // Returns this browser with other sums, such as those of some locations.
  of(sums) {
    return new Browser(sums, this.panes);
  }

  opened(dimension, nodes) {
    return this.with(dimension, this.panes[dimension].opened(nodes));
  }

  closed(dimension, nodes) {
    return this.with(dimension, this.panes[dimension].closed(nodes));
  }

  selecting(dimension, nodes) {
    return this.with(dimension, this.panes[dimension].selecting(nodes));
  }

  unfolding(dimension, node) {
    return this.with(dimension, this.panes[dimension].unfolding(node));
  }

  // Returns the tally that contains the value of a shown node, and the value's place in the tally.
  tallyOf(dimension, node) {
    const pane = this.panes[dimension];
    if (dimension === "metrics") return [this.ofMetric(node), 0];
    const { own, closed } = dimension === "program" ? this.ofProgram : this.ofSystem;
    return [pane.isOpen(node) ? own : closed, node];
  }

  value(dimension, node) {
    const [tally, place] = this.tallyOf(dimension, node);
    const hasCells = dimension === "metrics" ? this.sums.metrics[node].perRank : dimension === "program" || !this.panes.system.isOpen(node);
    return tally.value(place, hasCells);
  }

  // Returns the inclusive value of a node, which it shows when it is closed.
  inclusive(dimension, node) {
    if (dimension === "metrics") return this.sums.total(node).value(0);
    return (dimension === "program" ? this.ofProgram : this.ofSystem).closed.value(node);
  }

  // Returns the aggregated value of several shown nodes.
  together(dimension, nodes) {
    const found = nodes.map((node) => {
      const [tally, place] = this.tallyOf(dimension, node);
      return tally.at(place);
    });
    return found.reduce((one, other) => one.plus(other)).value(0, dimension !== "metrics");
  }

  ofMetric(node) {
    const parts = this.partsOf(node).map((part) => this.sums.total(part));
    return parts.reduce((whole, part) => whole.less(part), this.sums.total(node));
  }

  // Returns the child metrics that an open node's value excludes, because they are shown below it.
  partsOf(node) {
    const adds = this.sums.metrics[node].aggregation === "sum";
    return adds && this.panes.metrics.isOpen(node) ? this.sums.parts[node] : [];
  }

  // Returns the selected metrics, each followed by the parts to subtract from it.
  get terms() {
    return this.metrics.flatMap((metric) => [metric, ...this.partsOf(metric)]);
  }

  // Returns whether values of the selected metrics are loaded for each location.
  get located() {
    return this.terms.every((metric) => this.sums.values.has(metric));
  }

  get metrics() {
    return [...this.panes.metrics.selected].sort((one, other) => one - other);
  }

  // Returns the names of the selected metrics.
  get named() {
    return this.metrics.map((node) => this.sums.metrics[node].name).join(", ");
  }

  get summed() {
    return summable(this.metrics.map((node) => this.sums.metrics[node]));
  }

  // Returns the value stored under a name; it is computed only once per browser.
  once(name, make) {
    if (!this.kept.has(name)) this.kept.set(name, make());
    return this.kept.get(name);
  }

  // Returns exclusive and inclusive values of the selected metrics at each program node, over all locations.
  get ofProgram() {
    const { tree } = this.panes.program;
    const terms = this.metrics.map((metric) => [metric, ...this.partsOf(metric)].join("-"));
    return this.sums.once(tree, `program ${terms}`, () => this.spread((metric) => this.sums.byPath(metric), tree));
  }

  // Returns exclusive and inclusive values of the selected metrics and program nodes at each system node.
  get ofSystem() {
    return this.once("system", () => this.sums.ofSystem(this));
  }

  // Returns the call paths whose values the selected program nodes show.
  get paths() {
    const { program } = this.panes;
    return this.once("paths", () => program.tree.cells(program.held(program.selected)));
  }

  // Returns exclusive and inclusive values of the selected metrics at each node of a tree. `read`: returns a metric's
  // tally.
  spread(read, tree) {
    const own = this.selected(read).atHome(tree);
    return { own, closed: own.up(tree) };
  }

  // Returns the sum of the selected metrics. If they cannot be added, only places with one cell have a value.
  selected(read) {
    let tallies = this.metrics.map((node) =>
      this.partsOf(node).reduce((whole, part) => whole.less(read(part)), read(node)),
    );
    if (tallies.length > 1 && !this.summed) {
      tallies = tallies.map(({ amounts, known, gaps }) => new Tally("none", amounts, known, gaps));
    }
    return tallies.reduce((one, other) => one.plus(other));
  }
}
