// The data of an experiment whose values do not all fit into the page: sums, distributions over locations, and sums
// over ranges of locations, called bins (written by _large in view/page/dataset.py).
import { Sums } from "./sums.js";
import { Tally } from "./tally.js";

const [OWN, CLOSED] = [0, 1];

export class LargeSums extends Sums {
  constructor(head, sums, spread, calls, read) {
    super(head, sums, read);
    this.calls = calls; // the call tree; the flat profile has neither spreads nor rows
    this.large = head.large;
    this.spread = spread; // indexed by [metric, own or closed, measure, call path]
    this.columns = head.large.bins.length - 1; // the number of bins, which are used like locations
    this.laterThreads = [];
    this.rows = new Map(); // metric → values indexed by [kept path, own or closed, location]
  }

  // Reads the values of metrics by bin and, for some call paths, by location. Metrics without such values are skipped.
  async load(metrics) {
    for (const metric of new Set([...metrics].flatMap((each) => [each, ...this.parts[each]]))) {
      if (this.values.has(metric) || !this.large.metrics.includes(this.metrics[metric].name)) continue;
      const { name } = this.metrics[metric];
      this.values.set(metric, await this.read(name));
      if (this.large.paths.length) this.rows.set(metric, await this.read(`${name} rows`));
    }
  }

  // Returns the distribution of a metric over locations at each node of the call tree; null for other trees, and for an
  // open metric. `parts`: the child metrics that an open metric excludes.
  rangesOf(tree, metric, parts) {
    if (parts.length || tree !== this.calls) return null;
    const of = (part) => {
      const measure = (name) => {
        const place = this.large.measures.indexOf(name);
        const from = ((2 * metric + part) * this.large.measures.length + place) * this.paths;
        return this.spread.subarray(from, from + this.paths);
      };
      return { least: measure("least"), mean: measure("mean"), most: measure("most"), known: measure("known"),
        deviation: measure("deviation"), leastWho: measure("who least"), mostWho: measure("who most") };
    };
    return { own: of(OWN), closed: of(CLOSED) };
  }

  // Returns the values of the selected metrics at each node of a system tree, whose nodes are bins or locations; null
  // if the page does not contain them.
  ofSystem(browser) {
    const { tree } = browser.panes.system;
    if (!browser.located) return null;
    if (tree.home.length === this.columns) return super.ofSystem(browser);
    return this.#hasRows(browser) ? browser.spread((metric) => this.#ofRows(metric, browser.panes.program), tree) : null;
  }

  ofLocations(browser) {
    return this.#hasRows(browser) ? browser.selected((metric) => this.#ofRows(metric, browser.panes.program)) : null;
  }

  // Returns whether the page has the values of the selected call paths by location.
  #hasRows(browser) {
    const { tree, selected } = browser.panes.program;
    return browser.located && tree === this.calls && [...selected].every((node) => this.large.paths.includes(node));
  }

  #ofRows(metric, pane) {
    const values = this.rows.get(metric);
    const locations = values.length / (2 * this.large.paths.length);
    const tally = Tally.nothing("sum", locations);
    for (const node of pane.selected) {
      const from = (2 * this.large.paths.indexOf(node) + (pane.isOpen(node) ? OWN : CLOSED)) * locations;
      for (let location = 0; location < locations; location++) {
        const value = values[from + location];
        if (value !== value) tally.gaps[location]++;
        else {
          tally.known[location]++;
          tally.amounts[location] += value;
        }
      }
    }
    return tally;
  }
}
