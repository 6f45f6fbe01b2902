// Three trees side by side: values depend on the selections to the left (twin: view/browser/browser.py).
import { Tally } from "./tally.js";

export const DIMENSIONS = ["metrics", "program", "system"];

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

  // Returns the tally and the place in it where the value of a shown node is.
  tallyOf(dimension, node) {
    const pane = this.panes[dimension];
    if (dimension === "metrics") return [this.ofMetric(node), 0];
    const { own, closed } = dimension === "program" ? this.ofProgram : this.ofSystem;
    return [pane.isOpen(node) ? own : closed, node];
  }

  value(dimension, node) {
    const [tally, place] = this.tallyOf(dimension, node);
    const hasCells = dimension === "program" || (dimension === "system" && !this.panes.system.isOpen(node));
    return tally.value(place, hasCells);
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

  // Returns the child metrics that are shown by the children of a metric's node.
  partsOf(node) {
    const adds = this.sums.metrics[node].aggregation === "sum";
    return adds && this.panes.metrics.isOpen(node) ? this.sums.parts[node] : [];
  }

  // Returns the selected metrics, and the parts to subtract from them.
  get terms() {
    return this.metrics.flatMap((metric) => [metric, ...this.partsOf(metric)]);
  }

  // Returns whether the values of the selected metrics by location are loaded.
  get located() {
    return this.terms.every((metric) => this.sums.values.has(metric));
  }

  get metrics() {
    return [...this.panes.metrics.selected].sort((one, other) => one - other);
  }

  get summed() {
    return summable(this.metrics.map((node) => this.sums.metrics[node]));
  }

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

  // The selected metrics of the selected nodes of the program at each node of the system.
  get ofSystem() {
    return this.once("system", () => this.sums.ofSystem(this));
  }

  // The call paths whose values the selected program nodes show.
  get paths() {
    const { program } = this.panes;
    return this.once("paths", () => program.tree.cells(program.held(program.selected)));
  }

  spread(read, tree) {
    const own = this.selected(read).atHome(tree);
    return { own, closed: own.up(tree) };
  }

  // The selected metrics together, if they are sums of one unit; else there is a value of each alone.
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
