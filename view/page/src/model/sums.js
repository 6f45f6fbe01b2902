// The values of an experiment by call path and by location (like view/browser/sums.py).
import { Tally } from "./tally.js";

export class Sums {
  // `read` returns a promise of a metric's values, by call path and location.
  constructor(head, sums, read) {
    this.head = head;
    this.metrics = head.metrics;
    this.parts = head.metrics.map((_, place) =>
      head.metrics.flatMap((metric, part) =>
        head.trees.metrics.parents[part] === place && metric.aggregation === "sum" ? [part] : [],
      ),
    );
    this.paths = head.trees.calls.labels.length;
    this.columns = head.locations.length;
    this.laterThreads = head.locations.map(([, thread]) => thread > 0);
    this.sums = sums;
    this.read = read;
    this.values = new Map(); // metric → values, for metrics that have been read
    this.totals = new Map();
    this.lastAsked = new Map();
    this.kept = new WeakMap();
  }

  // Returns the result of `make` for a tree and a key. One result is cached for each tree and first word of the key.
  once(tree, key, make) {
    if (!this.kept.has(tree)) this.kept.set(tree, new Map());
    const found = this.kept.get(tree);
    const name = key.split(" ")[0];
    if (found.get(name)?.key !== key) found.set(name, { key, made: make() });
    return found.get(name).made;
  }

  // Waits until the values of some metrics and of their child metrics are loaded.
  async load(metrics) {
    const missing = [...new Set([...metrics].flatMap((each) => [each, ...this.parts[each]]))].filter(
      (each) => !this.values.has(each),
    );
    for (const each of missing) this.values.set(each, await this.read(this.metrics[each].name));
  }

  // Reads all remaining metrics while the page is idle.
  async loadAll(idle) {
    for (const metric of this.metrics.keys()) {
      await idle();
      await this.load([metric]);
    }
  }

  // Returns whether some sums are negative, as in a difference. Rounding errors are ignored.
  get signed() {
    return this.metrics.some((_, metric) => {
      const { amounts } = this.byPath(metric);
      const most = amounts.reduce((size, amount) => Math.max(size, Math.abs(amount) || 0), 0);
      return amounts.some((amount) => amount < -1e-9 * most);
    });
  }

  byPath(metric) {
    const part = (number) => this.sums.subarray((3 * metric + number) * this.paths, (3 * metric + number + 1) * this.paths);
    return new Tally(this.metrics[metric].aggregation, part(0), part(1), part(2));
  }

  total(metric) {
    if (!this.totals.has(metric)) this.totals.set(metric, this.byPath(metric).together());
    return this.totals.get(metric);
  }

  // Returns the values of the selected metrics and program nodes at each system node; null if the page has none.
  ofSystem(browser) {
    const { paths } = browser;
    return browser.spread((metric) => this.byLocation(metric, paths), browser.panes.system.tree);
  }

  // Returns the values of the selected metrics and program nodes by location; null if the page has none.
  ofLocations(browser) {
    return browser.selected((metric) => this.byLocation(metric, browser.paths));
  }

  // Returns the values of a metric by location, aggregated over some call paths. The last result per metric is cached.
  byLocation(metric, paths) {
    const known = this.lastAsked.get(metric);
    if (known?.paths === paths) return known.tally;
    const tally = this.fresh(metric, paths);
    this.lastAsked.set(metric, { paths, tally });
    return tally;
  }

  // Returns those of some call paths that have values of a metric of whole processes; if there are none, all call paths
  // that have values.
  ofProcesses(metric, paths) {
    const { known, gaps } = this.byPath(metric);
    const has = (path) => known[path] + gaps[path] > 0;
    const found = paths.filter(has);
    return found.length ? found : [...known.keys()].filter(has);
  }

  fresh(metric, paths) {
    const tally = Tally.nothing(this.metrics[metric].aggregation, this.columns);
    const { amounts, known: measured, gaps, operation } = tally;
    const values = this.values.get(metric);
    const adds = tally.aggregation === "sum" || tally.aggregation === "none";
    const { perRank } = this.metrics[metric];
    for (const path of perRank ? this.ofProcesses(metric, paths) : paths) {
      const row = path * this.columns;
      for (let location = 0; location < this.columns; location++) {
        const value = values[row + location];
        if (value !== value) gaps[location]++;
        else {
          measured[location]++;
          amounts[location] = adds ? amounts[location] + value : operation(amounts[location], value);
        }
      }
    }
    if (perRank) {
      this.laterThreads.forEach((later, location) => {
        if (later && !amounts[location]) measured[location] = gaps[location] = 0;
      });
    }
    return tally;
  }
}
