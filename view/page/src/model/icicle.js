// Call paths as boxes: each below its caller or, if inverted, below the function that it calls. The width of a box is
// the sum of the absolute values in it, because values may be negative in differences.
import { ranges } from "./ranges.js";

export class Icicle {
  constructor(browser, experiment, inverted) {
    const { calls, flat } = experiment.trees;
    this.browser = browser;
    this.calls = calls;
    this.regions = flat.home; // call path → region
    this.own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls);
    this.closed = this.own.up(calls);
    this.sizes = Float64Array.from(this.own.amounts, (amount) => Math.abs(amount) || 0);
    this.whole = this.sizes.reduce((sum, size) => sum + size, 0);
    this.inclusive = this.sizes.slice();
    for (let path = calls.length - 1; path >= 0; path--) if (calls.parents[path] >= 0) this.inclusive[calls.parents[path]] += this.inclusive[path];
    this.roots = inverted ? this.#callers("", this.#paths()) : this.#callees("", calls.children(-1));
  }

  #paths() {
    return [...this.sizes.keys()].filter((path) => this.sizes[path] > 0).map((path) => ({ leaf: path, at: path }));
  }

  // Returns the boxes of some call paths, largest first.
  #callees(above, paths) {
    const found = Array.from(paths, (path) => {
      const key = `${above}/${path}`;
      return { key, path, region: this.regions[path], size: this.inclusive[path], value: this.closed.value(path), leaves: null, children: () => this.#callees(key, this.calls.children(path)) };
    });
    return largestFirst(found);
  }

  // Returns the boxes of some callers, largest first. `chains`: call paths whose exclusive values are counted (`leaf`),
  // each with the call path of the caller (`at`).
  #callers(above, chains) {
    const groups = new Map();
    for (const chain of chains) {
      const region = this.regions[chain.at];
      if (!groups.has(region)) groups.set(region, []);
      groups.get(region).push(chain);
    }
    const found = [...groups].map(([region, of]) => {
      const key = `${above}/${region}`;
      const leaves = of.map(({ leaf }) => leaf);
      const size = leaves.reduce((sum, leaf) => sum + this.sizes[leaf], 0);
      const largest = of.reduce((one, other) => (this.sizes[other.leaf] > this.sizes[one.leaf] ? other : one));
      const further = () => of.map(({ leaf, at }) => ({ leaf, at: this.calls.parents[at] })).filter(({ at }) => at >= 0);
      return { key, path: largest.at, region, size, value: this.#together(leaves), leaves, children: () => this.#callers(key, further()) };
    });
    return largestFirst(found);
  }

  #together(leaves) {
    return leaves.map((leaf) => this.own.at(leaf)).reduce((one, other) => one.plus(other)).value(0);
  }

  // Returns the smallest, mean and largest value of a box over the locations; null if unknown.
  spreadOf({ path, leaves }) {
    const { browser } = this;
    if (leaves === null || leaves.length === 1) {
      const of = ranges(browser, this.calls)?.[leaves ? "own" : "closed"];
      const place = leaves ? leaves[0] : path;
      return of?.known[place] ? { least: of.least[place], mean: of.mean[place], most: of.most[place], count: of.known[place] } : null;
    }
    if (browser.sums.large || !browser.summed || !browser.located) return null;
    const { amounts, known } = browser.selected((metric) => browser.sums.fresh(metric, leaves));
    const values = amounts.filter((_, location) => known[location]);
    if (!values.length) return null;
    return { least: values.reduce((one, other) => Math.min(one, other)), mean: values.reduce((sum, value) => sum + value, 0) / values.length, most: values.reduce((one, other) => Math.max(one, other)), count: values.length };
  }

  // Returns the share of the whole that is on call paths with a matching region, and the number of matching regions.
  // `matches`: returns whether a region matches.
  shareOf(matches) {
    const inside = new Uint8Array(this.calls.length);
    const found = new Set();
    let size = 0;
    for (let path = 0; path < this.calls.length; path++) {
      const region = this.regions[path];
      const is = matches(region);
      if (is) found.add(region);
      inside[path] = is || (this.calls.parents[path] >= 0 && inside[this.calls.parents[path]]) ? 1 : 0;
      if (inside[path]) size += this.sizes[path];
    }
    return { share: this.whole ? size / this.whole : 0, regions: found.size };
  }

  // Returns the boxes from a root to the box with a key; empty if there is no such box.
  chainTo(key) {
    const chain = [];
    let among = this.roots;
    while (key && chain.at(-1)?.key !== key) {
      const next = among.find((each) => key === each.key || key.startsWith(`${each.key}/`));
      if (!next) return [];
      chain.push(next);
      among = next.children();
    }
    return chain;
  }

  // Yields all boxes, including narrow ones, each with its chain: the boxes from the root to the box itself.
  *all(boxes = this.roots, above = []) {
    for (const box of boxes) {
      const chain = [...above, box];
      yield { box, chain };
      yield* this.all(box.children(), chain);
    }
  }

  // Returns the visible boxes, each with its place: `row`, and `left` and `wide` in pixels. `key`: the box that is as
  // wide as the picture, like its ancestors above it; null for the whole program. Boxes that are narrower than `least`
  // pixels are left out.
  placed(key, width, least) {
    const chain = this.chainTo(key);
    const found = chain.slice(0, -1).map((box, row) => ({ ...box, row, left: 0, wide: width, above: chain[row - 1]?.key ?? null }));
    const place = (boxes, row, left, scale, above) => {
      let at = left;
      for (const box of boxes) {
        const wide = box.size * scale;
        if (wide < least) break; // all further boxes are narrower
        found.push({ ...box, row, left: at, wide, above });
        place(box.children(), row + 1, at, scale, box.key);
        at += wide;
      }
    };
    const shown = chain.length ? [chain.at(-1)] : this.roots;
    const size = shown.reduce((sum, box) => sum + box.size, 0);
    if (size) place(shown, Math.max(0, chain.length - 1), 0, width / size, chain.at(-2)?.key ?? null);
    return found;
  }
}

const largestFirst = (boxes) => boxes.filter(({ size }) => size > 0).sort((one, other) => other.size - one.size);

// For each call path, its value in another experiment, and its gain: that value minus the value in this experiment.
export class PathChanges {
  // Returns the changes of a sum of metrics; null if a metric is unknown. `terms`: names of the metrics, each with the
  // factor for its values.
  static of(difference, terms) {
    const metrics = terms.map(([name, sign]) => [difference.head.metrics.findIndex((each) => each.name === name), sign]);
    return metrics.some(([metric]) => metric < 0) ? null : new PathChanges(difference, metrics);
  }

  constructor(difference, metrics) {
    const { calls } = difference.trees;
    const count = calls.length;
    this.there = difference.head.there; // call path of the experiment → the same call path in the difference
    this.own = { gain: new Float64Array(count), before: new Float64Array(count), known: new Float64Array(count) };
    for (const [metric, sign] of metrics) {
      const { amounts, known, gaps } = difference.sums.byPath(metric);
      for (let path = 0; path < count; path++) {
        this.own.gain[path] += sign * (amounts[path] || 0);
        this.own.before[path] += sign * (difference.before[metric * count + path] || 0);
        this.own.known[path] += known[path] || !gaps[path] ? 1 : 0;
      }
    }
    this.closed = Object.fromEntries(Object.entries(this.own).map(([name, values]) => [name, values.slice()]));
    for (const values of Object.values(this.closed)) {
      for (let path = count - 1; path >= 0; path--) if (calls.parents[path] >= 0) values[calls.parents[path]] += values[path];
    }
  }

  // Returns the gain of a box, and its value in the other experiment; null if unknown.
  changeOf({ path, leaves }) {
    const [from, paths] = leaves ? [this.own, leaves] : [this.closed, [path]];
    const there = [...new Set(paths.map((each) => this.there[each]))]; // folding merges some call paths
    const sum = (values) => there.reduce((found, each) => found + values[each], 0);
    return sum(from.known) ? { gain: sum(from.gain), before: sum(from.before) } : null;
  }
}
